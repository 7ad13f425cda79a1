#include "chores.h"

#include "clock.h"
#include "measurement.h"
#include "modes.h"
#include "system_threads.h"
#include "tracer_clock.h"

#define UNITS_PER_SECOND 10000000u /* of waits: 100 ns */
#define CHORES_PRIORITY LOW_REALTIME_PRIORITY

static KEVENT chores_due;
static PKTHREAD chores_thread;
static _Atomic uint32_t is_ending;
static _Atomic uint32_t is_recording;

/* Each second, by the performance counter; never the past. */
_IRQL_requires_max_(HIGH_LEVEL) static uint64_t units_until(uint64_t due, uint64_t now)
{
	return tracer_is_due(due, now) ? 0 : tracer_scale(due - now, UNITS_PER_SECOND, clock_qpc_hz());
}

_IRQL_requires_(PASSIVE_LEVEL) static uint64_t counter_now(void)
{
	AT_PASSIVE();
	return (uint64_t)KeQueryPerformanceCounter(NULL).QuadPart;
}

/* What is due; when to come again. */
_IRQL_requires_(PASSIVE_LEVEL) static uint64_t do_chores(uint64_t due)
{
	bool has_changed = measurement.mode->look_after != NULL && measurement.mode->look_after();

	AT_PASSIVE();
	if (!atomic_load(&is_recording))
		return counter_now() + clock_qpc_hz();
	if (has_changed)
		measurement_emit_state();
	if (!tracer_is_due(due, counter_now()))
		return due;
	measurement_emit_clock_sync();
	return counter_now() + clock_qpc_hz();
}

_IRQL_requires_(PASSIVE_LEVEL) static VOID NTAPI ChoresThread(PVOID context)
{
	uint64_t due = counter_now();
	LARGE_INTEGER wait;

	AT_PASSIVE();
	UNREFERENCED_PARAMETER(context);
	due += clock_qpc_hz();
	for (;;) {
		wait.QuadPart = -(LONGLONG)units_until(due, counter_now());
		KeWaitForSingleObject(&chores_due, Executive, KernelMode, FALSE, &wait);
		if (atomic_load(&is_ending))
			break;
		due = do_chores(due);
	}
	PsTerminateSystemThread(STATUS_SUCCESS);
}

_IRQL_requires_(PASSIVE_LEVEL) bool chores_start(void)
{
	AT_PASSIVE();
	KeInitializeEvent(&chores_due, SynchronizationEvent, FALSE);
	atomic_store(&is_ending, 0);
	atomic_store(&is_recording, 0);
	chores_thread = system_thread_create(ChoresThread, NULL, CHORES_PRIORITY, &chores_due, &is_ending);
	return chores_thread != NULL;
}

_IRQL_requires_(PASSIVE_LEVEL) void chores_begin(void)
{
	AT_PASSIVE();
	atomic_store(&is_recording, 1);
}

_IRQL_requires_(PASSIVE_LEVEL) void chores_stop(void)
{
	AT_PASSIVE();
	if (chores_thread == NULL)
		return;
	atomic_store(&is_ending, 1);
	chores_wake();
	system_thread_join(&chores_thread);
}

_IRQL_requires_max_(DISPATCH_LEVEL) void chores_wake(void)
{
	AT_MOST_DISPATCH();
	KeSetEvent(&chores_due, IO_NO_INCREMENT, FALSE);
}
