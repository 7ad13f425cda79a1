#include "chores.h"

#include "clock.h"
#include "measurement.h"
#include "modes.h"
#include "records.h"
#include "system_threads.h"
#include "tracer_clock.h"
#include "tracer_histogram.h"

#define UNITS_PER_SECOND 10000000u /* of waits: 100 ns */
#define CHORES_PRIORITY LOW_REALTIME_PRIORITY

static KEVENT chores_due;
static PKTHREAD chores_thread;
static _Atomic uint32_t is_ending;
static _Atomic uint32_t is_recording;
static struct tracer_count own; /* ticks of the performance counter */

_IRQL_requires_(PASSIVE_LEVEL) INIT_ONLY NTSTATUS chores_init(PDRIVER_OBJECT driver)
{
	AT_PASSIVE();
	UNREFERENCED_PARAMETER(driver);
	KeInitializeEvent(&chores_due, SynchronizationEvent, FALSE);
	return STATUS_SUCCESS;
}

/* What is done each second, and when to do it again, by the performance counter. */
_IRQL_requires_(PASSIVE_LEVEL) static uint64_t do_chores(uint64_t next_second)
{
	AT_PASSIVE();
	if (measurement.mode->look_after != NULL && measurement.mode->look_after() && atomic_load(&is_recording))
		measurement_emit_state();
	if (!tracer_is_due(next_second, clock_qpc()))
		return next_second;
	if (atomic_load(&is_recording))
		measurement_emit_clock_sync();
	return clock_qpc() + clock_qpc_hz();
}

/* Until then, or until a read is due; in units of 100 ns from now, at least one. */
_IRQL_requires_(PASSIVE_LEVEL) static LONGLONG units_until(uint64_t next_second, uint64_t read_in)
{
	uint64_t now = clock_qpc(), ticks = tracer_is_due(next_second, now) ? 0 : next_second - now;

	AT_PASSIVE();
	return -(LONGLONG)tracer_scale(ticks < read_in ? ticks : read_in, UNITS_PER_SECOND, clock_qpc_hz()) - 1;
}

_IRQL_requires_(PASSIVE_LEVEL) static VOID NTAPI ChoresThread(PVOID context)
{
	uint64_t next_second = clock_qpc() + clock_qpc_hz(), began;
	LARGE_INTEGER wait;

	AT_PASSIVE();
	UNREFERENCED_PARAMETER(context);
	while (!atomic_load(&is_ending)) {
		began = clock_qpc();
		next_second = do_chores(next_second);
		wait.QuadPart = units_until(next_second, records_serve());
		tracer_count_add(&own, tracer_elapsed(began, clock_qpc()));
		KeWaitForSingleObject(&chores_due, Executive, KernelMode, FALSE, &wait);
	}
	PsTerminateSystemThread(STATUS_SUCCESS);
}

_IRQL_requires_(PASSIVE_LEVEL) bool chores_start(void)
{
	AT_PASSIVE();
	KeClearEvent(&chores_due);
	tracer_count_set(&own, 0);
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

_IRQL_requires_(PASSIVE_LEVEL) uint64_t chores_own_ns(void)
{
	AT_PASSIVE();
	return tracer_ticks_to_ns(tracer_count_read(&own), clock_qpc_hz());
}
