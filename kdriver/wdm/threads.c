#include "threads.h"

#include "dpcs.h"
#include "modes.h"
#include "stamps.h"
#include "system_threads.h"
#include "tracer_hal.h"

/*
 * Where one timer serves all CPUs the probe only says that it is free, and goes along with the next expiry: even in a pause, when there is
 * none. The lock raises the level, so that no other thread or DPC of this CPU comes between the reading of the clock and the timer's
 * start; an ISR may, and its time then counts as latency.
 */
_IRQL_requires_(PASSIVE_LEVEL) static void arm(struct measured_cpu *cpu)
{
	KIRQL irql;

	AT_PASSIVE();
	if (measurement.mode->arm == NULL) {
		cpu->armed = tracer_hal_clock();
		tracer_probe_arm(&cpu->probe);
		return;
	}
	if (atomic_load(&measurement.is_paused) || !tracer_probe_arm(&cpu->probe))
		return;
	KeAcquireSpinLock(&cpu->lock, &irql);
	cpu->armed = tracer_hal_clock();
	measurement.mode->arm(cpu);
	KeReleaseSpinLock(&cpu->lock, irql);
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
	dpcs_bind_thread(cpu->number);
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
		tracer_probe_own_thread(&cpu->probe, self->index, tracer_hal_clock() - clock);
	}
	PsTerminateSystemThread(STATUS_SUCCESS);
}

_IRQL_requires_(PASSIVE_LEVEL) static bool start_one(struct measured_cpu *cpu, unsigned index)
{
	struct measuring_thread *thread = &cpu->threads[index];

	AT_PASSIVE();
	thread->cpu = cpu;
	thread->index = index;
	thread->thread =
		system_thread_create(MeasuringThread, thread, measurement.run.priorities[index], &thread->wake, &measurement.is_stopping);
	return thread->thread != NULL;
}

_IRQL_requires_(PASSIVE_LEVEL) bool threads_start(void)
{
	AT_PASSIVE();
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
	for (unsigned i = 0; i < measurement.cpu_count; i++) {
		for (unsigned k = 0; k < measurement.run.priority_count; k++) {
			if (measurement.cpus[i].threads[k].thread != NULL)
				KeSetEvent(&measurement.cpus[i].threads[k].wake, IO_NO_INCREMENT, FALSE);
		}
	}
	for (unsigned i = 0; i < measurement.cpu_count; i++) {
		for (unsigned k = 0; k < measurement.run.priority_count; k++)
			system_thread_join(&measurement.cpus[i].threads[k].thread);
	}
}

/* In the mode's DPC. No boost: below 16 it would change the priority that is measured. */
_IRQL_requires_(DISPATCH_LEVEL) void tracer_hal_wake_thread(uint16_t cpu, unsigned index)
{
	AT_DISPATCH();
	KeSetEvent(&measurement.cpus[cpu].threads[index].wake, IO_NO_INCREMENT, FALSE);
}

_IRQL_requires_max_(HIGH_LEVEL) void tracer_hal_queue_dpc(uint16_t cpu)
{
	dpcs_queue(&measurement.cpus[cpu].dpc);
}
