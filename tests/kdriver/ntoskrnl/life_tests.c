/* From loading to unloading: versions of Windows, who opens, failing calls, unloads, the end of a run. */
#include "driver_calls.h"

#include <stdio.h>

/* A start, wake-ups, a stop, an unload: the path that every Windows 10 runs. */
static void run_once(void)
{
	struct tracer_status status;
	PFILE_OBJECT file = load_and_open();

	CHECK(start(file, TRACER_START_ALL_WAKEUPS) == 0);
	user_sleeps(SECOND / 2);
	status = status_of(file);
	CHECK(status.state == TRACER_STATE_RUNNING);
	CHECK(status.probes > 4 * 2 * 50);
	CHECK(status.capabilities & TRACER_CAN_TIMER_HIGH_RESOLUTION);
	CHECK(status.capabilities & TRACER_CAN_LOG_EVENTS);
	CHECK(status.events_logged == events_logged.events);
	CHECK(stop(file) == 0);
	CHECK(2 * histogram_of(file, TRACER_PHASE_DPC, TRACER_ALL_CPUS).total ==
		histogram_of(file, TRACER_PHASE_TOTAL, TRACER_ALL_CPUS).total);
	CHECK(events_logged.events > 4 * 2 * 50);
	close_and_unload(file);
}

static void runs(void)
{
	run_seeds(1, 40, run_once);
}

/* Windows 8.1: no traits, so no events. */
static void run_without_events(void)
{
	struct tracer_status status;
	PFILE_OBJECT file = load_and_open();

	CHECK(start(file, 0) == 0);
	user_sleeps(SECOND / 10);
	status = status_of(file);
	CHECK(status.probes > 4 * 2 * 10);
	CHECK(!(status.capabilities & TRACER_CAN_LOG_EVENTS));
	CHECK(events_logged.events == 0);
	CHECK(stop(file) == 0);
	close_and_unload(file);
}

static void old_windows(void)
{
	struct setup setup = usual;

	setup.windows = WINDOWS_8_1;
	machine_run(&setup, run_without_events);
}

/* Who opens it. */
static void open_as_others(void)
{
	PFILE_OBJECT file = load_and_open();
	NTSTATUS status;

	CHECK(user_opens_as(false, "", &status) == NULL && status == STATUS_ACCESS_DENIED);
	CHECK(user_opens_as(true, "\\inside", &status) == NULL && status == STATUS_OBJECT_PATH_NOT_FOUND);
	close_and_unload(file);
}

static void others(void)
{
	run_seeds(1, 0, open_as_others);
}

/* Every call that can fail does so once: the driver is not loaded, or a start refused, or it works; and nothing is left of it. */
static void run_failing(void)
{
	PFILE_OBJECT file;

	if (!NT_SUCCESS(user_loads()))
		return;
	file = user_opens();
	CHECK(file != NULL);
	if (start_with(file, 0, 5 * MS, 1) == 0) {
		user_sleeps(20 * MS);
		CHECK(status_of(file).probes > 0);
		CHECK(stop(file) == 0);
	} else {
		CHECK(status_of(file).state == TRACER_STATE_STOPPED);
		CHECK(status_of(file).refusal == TRACER_REFUSAL_RESOURCES);
		CHECK(start_with(file, 0, 5 * MS, 1) == 0); /* what failed once does not fail again */
		CHECK(stop(file) == 0);
	}
	close_and_unload(file);
}

static void failures(void)
{
	unsigned count = 0;

	do {
		struct setup setup = usual;

		setup.processors = 2;
		setup.preempt_every = count % 4 == 0 ? 30 : 0;
		setup.fail_at = ++count;
		machine_run(&setup, run_failing);
	} while (failed_call != NULL);
	printf("# %u calls that can fail\n", count - 1);
	check(count > 20, "more than 20 calls that can fail", __FILE__, __LINE__);
}

/* The service is stopped with a handle open: requests go on, new handles are refused, the last close unloads. */
static void unload_with_handle(void)
{
	struct tracer_status status;
	PFILE_OBJECT file = load_and_open();
	NTSTATUS opened;

	CHECK(start(file, TRACER_START_STAY) == 0);
	CHECK(NT_SUCCESS(user_unloads()));
	CHECK(user_is_loaded());
	CHECK(user_opens_as(true, "", &opened) == NULL && opened == STATUS_NO_SUCH_DEVICE);
	CHECK(stop(file) == 0);
	CHECK(start(file, TRACER_START_STAY) == 0);
	CHECK(ask(file, TRACER_IOCTL_STATUS, &status) == 0);
	user_closes(file);
	CHECK(!user_is_loaded());
}

static void unload_pending(void)
{
	run_seeds(1, 40, unload_with_handle);
}

/*
 * A mode with an interrupt of its own, as the laboratory driver's: the image is held while a run is on. The service is stopped with a
 * handle open; then START, STOP or not, and close: the unload must find its routine.
 */
static void run_interrupts(void)
{
	bool is_stopped = draw(2) == 0;
	PFILE_OBJECT file = load_and_open();

	CHECK(start_mode(file, TRACER_MODE_APIC, TRACER_START_STAY, 2 * MS, 2) == 0);
	user_sleeps(50 * MS);
	CHECK(status_of(file).probes > 4 * 2 * 10);
	CHECK(histogram_of(file, TRACER_PHASE_INTERRUPT, TRACER_ALL_CPUS).total > 4 * 10);
	CHECK(stop(file) == 0);
	CHECK(NT_SUCCESS(user_unloads()));
	CHECK(start_mode(file, TRACER_MODE_APIC, TRACER_START_STAY, 2 * MS, 1) == 0);
	user_sleeps(20 * MS);
	CHECK(!is_stopped || stop(file) == 0);
	user_closes(file);
	CHECK(!user_is_loaded());
}

static void interrupts(void)
{
	run_seeds(2, 20, run_interrupts);
}

static void start_in_thread(void *context)
{
	start(context, 0);
	is_over = true;
}

/* With the handle it was started by a run ends, not with another one, nor where it is to stay; also if that is closed under the start. */
static void close_starters(void)
{
	PFILE_OBJECT watcher = load_and_open(), starter = user_opens();
	struct fake_fiber *thread;

	CHECK(start(starter, 0) == 0);
	user_closes(user_opens());
	CHECK(status_of(watcher).state == TRACER_STATE_RUNNING);
	user_closes(starter);
	CHECK(status_of(watcher).state == TRACER_STATE_STOPPED);
	CHECK(start(watcher, 0) == 0);
	CHECK(stop(watcher) == 0);
	starter = user_opens();
	CHECK(start(starter, TRACER_START_STAY) == 0);
	user_closes(starter);
	user_sleeps(20 * MS);
	CHECK(status_of(watcher).state == TRACER_STATE_RUNNING);
	CHECK(stop(watcher) == 0);
	starter = user_opens();
	is_over = false;
	thread = user_thread("starter", 8, start_in_thread, starter);
	user_sleeps(draw(1500 * MS));
	user_closes(starter);
	user_joins(thread);
	CHECK(status_of(watcher).state == TRACER_STATE_STOPPED);
	close_and_unload(watcher);
}

static void closes(void)
{
	run_seeds(2, 60, close_starters);
}

/* Windows 8 and earlier. */
static void refuse_without_timer(void)
{
	PFILE_OBJECT file = load_and_open();

	CHECK(start(file, 0) == (NTSTATUS)TRACER_ANSWER_REFUSED);
	CHECK(status_of(file).refusal == TRACER_REFUSAL_NO_TIMER);
	close_and_unload(file);
}

static void no_timer(void)
{
	static const char *const needed[] = { "ExAllocateTimer", "ExSetTimer", "ExDeleteTimer", "ExQueryTimerResolution" };
	struct setup setup = usual;

	for (unsigned i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		setup.absent = needed[i];
		machine_run(&setup, refuse_without_timer);
	}
	setup.absent = NULL;
	setup.windows = WINDOWS_7;
	machine_run(&setup, refuse_without_timer);
}

void life_tests(void)
{
	run_test("a run, from loading to unloading", runs);
	run_test("a run ends with its starter's handle", closes);
	run_test("a mode with interrupts of its own, started under an unload", interrupts);
	run_for_addresses("a run on Windows 8.1", old_windows);
	run_for_addresses("only administrators open it", others);
	run_for_addresses("the n-th call that can fail fails, for every n", failures);
	run_for_addresses("unloaded with a handle open, a run stopped and started meanwhile", unload_pending);
	run_for_addresses("without high-resolution timers a start is refused", no_timer);
}
