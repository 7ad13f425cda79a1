#include "threads.h"

#include "clock.h"
#include "modes.h"
#include "stamps.h"
#include "tracer_hal.h"

#define SYNC_INTERVAL (-10000000LL) /* a second, in units of 100 ns from now */

static KEVENT sync_stop;
static PKTHREAD sync_thread;

/*
 * The lock raises the level, so that no other thread or DPC of this CPU comes between the reading of the clock and the timer's start; an
 * ISR may, and its time then counts as latency.
 */
_IRQL_requires_(PASSIVE_LEVEL) static void arm(struct measured_cpu *cpu)
{
	KIRQL irql;

	AT_PASSIVE();
	if (atomic_load(&measurement.is_paused) || !tracer_probe_arm(&cpu->probe))
		return;
	KeAcquireSpinLock(&cpu->lock, &irql);
	cpu->armed = tracer_hal_clock();
	measurement.mode->arm(cpu);
	KeReleaseSpinLock(&cpu->lock, irql);
	if (atomic_load(&measurement.is_paused))
		tracer_probe_discard(&cpu->probe);
}

/* The last thread of a wake-up is through with it. */
_IRQL_requires_(PASSIVE_LEVEL) static void finish(struct measured_cpu *cpu, unsigned index)
{
	const uint64_t stamps[STAMPS] = {
		[STAMP_ARMED] = cpu->armed,
		[STAMP_DPC] = cpu->probe.dpc,
		[STAMP_THREAD] = cpu->probe.thread[index],
	};

	AT_PASSIVE();
	stamps_answer(stamps);
}

_IRQL_requires_(PASSIVE_LEVEL) static VOID NTAPI MeasuringThread(PVOID context)
{
	struct measuring_thread *self = context;
	struct measured_cpu *cpu = self->cpu;
	uint64_t clock;

	AT_PASSIVE();
	KeSetSystemAffinityThreadEx((KAFFINITY)1 << cpu->number);
	for (;;) {
		KeWaitForSingleObject(&self->wake, Executive, KernelMode, FALSE, NULL);
		clock = tracer_hal_clock();
		if (atomic_load(&measurement.is_stopping))
			break;
		if (tracer_probe_thread(&cpu->probe, self->index, clock)) {
			finish(cpu, self->index);
			arm(cpu);
		} else if (self->index == 0 && atomic_exchange(&cpu->is_wanted, 0)) {
			arm(cpu);
		}
	}
	PsTerminateSystemThread(STATUS_SUCCESS);
}

_IRQL_requires_(PASSIVE_LEVEL) static VOID NTAPI SynchronizingThread(PVOID context)
{
	LARGE_INTEGER interval = { .QuadPart = SYNC_INTERVAL };
	uint64_t clock, qpc;

	AT_PASSIVE();
	UNREFERENCED_PARAMETER(context);
	while (KeWaitForSingleObject(&sync_stop, Executive, KernelMode, FALSE, &interval) == STATUS_TIMEOUT) {
		clock_read_both(&clock, &qpc);
		tracer_run_emit_clock_sync((uint16_t)KeGetCurrentProcessorNumberEx(NULL), clock, qpc);
	}
	PsTerminateSystemThread(STATUS_SUCCESS);
}

/* A referenced thread, or null. `wake` is what it waits for. */
_IRQL_requires_(PASSIVE_LEVEL) static PKTHREAD create(PKSTART_ROUTINE routine, PVOID context, PKEVENT wake)
{
	OBJECT_ATTRIBUTES attributes;
	PVOID thread = NULL;
	HANDLE handle;

	AT_PASSIVE();
	InitializeObjectAttributes(&attributes, NULL, OBJ_KERNEL_HANDLE, NULL, NULL);
	if (!NT_SUCCESS(PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, &attributes, NULL, NULL, routine, context)))
		return NULL;
	if (!NT_SUCCESS(ObReferenceObjectByHandle(handle, THREAD_ALL_ACCESS, NULL, KernelMode, &thread, NULL))) {
		/* It must not outlive the driver: told to end at once, while its handle can still be waited for. */
		atomic_store(&measurement.is_stopping, 1);
		KeSetEvent(wake, IO_NO_INCREMENT, FALSE);
		ZwWaitForSingleObject(handle, FALSE, NULL);
		thread = NULL;
	}
	ZwClose(handle);
	return thread;
}

_IRQL_requires_(PASSIVE_LEVEL) static void join(PKTHREAD *thread)
{
	AT_PASSIVE();
	if (*thread == NULL)
		return;
	KeWaitForSingleObject(*thread, Executive, KernelMode, FALSE, NULL);
	ObDereferenceObject(*thread);
	*thread = NULL;
}

_IRQL_requires_(PASSIVE_LEVEL) static bool start_one(struct measured_cpu *cpu, unsigned index)
{
	struct measuring_thread *thread = &cpu->threads[index];

	AT_PASSIVE();
	thread->cpu = cpu;
	thread->index = index;
	thread->thread = create(MeasuringThread, thread, &thread->wake);
	if (thread->thread == NULL)
		return false;
	KeSetPriorityThread(thread->thread, measurement.run.priorities[index]);
	return true;
}

_IRQL_requires_(PASSIVE_LEVEL) bool threads_start(void)
{
	AT_PASSIVE();
	KeInitializeEvent(&sync_stop, NotificationEvent, FALSE);
	sync_thread = create(SynchronizingThread, NULL, &sync_stop);
	if (sync_thread == NULL)
		return false;
	for (unsigned i = 0; i < measurement.cpu_count; i++) {
		for (unsigned k = 0; k < measurement.run.priority_count; k++) {
			if (!start_one(&measurement.cpus[i], k))
				return false;
		}
	}
	return true;
}

_IRQL_requires_max_(DISPATCH_LEVEL) void threads_arm_all(void)
{
	AT_MOST_DISPATCH();
	for (unsigned i = 0; i < measurement.cpu_count; i++) {
		atomic_store(&measurement.cpus[i].is_wanted, 1);
		KeSetEvent(&measurement.cpus[i].threads[0].wake, IO_NO_INCREMENT, FALSE);
	}
}

_IRQL_requires_(PASSIVE_LEVEL) void threads_stop(void)
{
	AT_PASSIVE();
	atomic_store(&measurement.is_stopping, 1);
	KeSetEvent(&sync_stop, IO_NO_INCREMENT, FALSE);
	for (unsigned i = 0; i < measurement.cpu_count; i++) {
		for (unsigned k = 0; k < measurement.run.priority_count; k++) {
			if (measurement.cpus[i].threads[k].thread != NULL)
				KeSetEvent(&measurement.cpus[i].threads[k].wake, IO_NO_INCREMENT, FALSE);
		}
	}
	for (unsigned i = 0; i < measurement.cpu_count; i++) {
		for (unsigned k = 0; k < measurement.run.priority_count; k++)
			join(&measurement.cpus[i].threads[k].thread);
	}
	join(&sync_thread);
}

/* In the mode's DPC. No boost: below 16 it would change the priority that is measured. */
void tracer_hal_wake_thread(uint16_t cpu, unsigned index)
{
	AT_DISPATCH();
	KeSetEvent(&measurement.cpus[cpu].threads[index].wake, IO_NO_INCREMENT, FALSE);
}

void tracer_hal_queue_dpc(uint16_t cpu)
{
	KeInsertQueueDpc(&measurement.cpus[cpu].dpc, NULL, NULL);
}
