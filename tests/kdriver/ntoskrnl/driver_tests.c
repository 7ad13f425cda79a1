/* TracerLatency.sys on the fake kernel: each way through it, with everything that can come between. */
#include <stdio.h>
#include <string.h>

#include "tests.h"
#include "tracer_ioctl.h"

#define WINDOWS_7 0x601u
#define WINDOWS_8_1 0x603u
#define WINDOWS_10 0xA00u
/* The thread sanitizer needs the paths, not the orders: it sees a race in any. */
#ifdef THREAD_SANITIZER
#define MEAN_SEEDS 2
#else
#define MEAN_SEEDS 5
#endif
#define HOUR (UINT64_C(3600) * SECOND)

static const struct setup usual = {
	.processors = 4,
	.seed = 1,
	.tick_ns = MS,
	.tick_phase_ns = 137000,
	.windows = WINDOWS_10,
	.clock_owner = 1,
};

/* Of the test that runs. */
static PFILE_OBJECT shared_file;
static bool is_over;

static void run_seeds(unsigned seeds, unsigned preempt_every, void (*scenario)(void))
{
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		struct setup setup = usual;

		setup.seed = seed;
		setup.preempt_every = preempt_every;
		setup.clock_owner = (unsigned)seed % setup.processors;
		machine_run(&setup, scenario);
	}
}

static NTSTATUS start_with(PFILE_OBJECT file, uint16_t flags, uint64_t period_ns, uint8_t priority_count)
{
	struct tracer_status status;
	struct tracer_start_request request = {
		.abi = { TRACER_ABI_VERSION, sizeof(request) },
		.threshold_ns = 5 * MS,
		.period_ns = period_ns,
		.mode = TRACER_MODE_TIMER,
		.priority_count = priority_count,
		.flags = flags,
		.priorities = { 24, 28 },
	};

	return user_controls(file, TRACER_IOCTL_START, &request, sizeof(request), &status, sizeof(status), NULL);
}

static NTSTATUS start(PFILE_OBJECT file, uint16_t flags)
{
	return start_with(file, flags, 5 * MS, 2);
}

static NTSTATUS ask(PFILE_OBJECT file, uint32_t code, struct tracer_status *status)
{
	struct tracer_abi request = { TRACER_ABI_VERSION, sizeof(request) };

	return user_controls(file, code, &request, sizeof(request), status, sizeof(*status), NULL);
}

static NTSTATUS stop(PFILE_OBJECT file)
{
	struct tracer_status status;

	return ask(file, TRACER_IOCTL_STOP, &status);
}

static struct tracer_status status_of(PFILE_OBJECT file)
{
	struct tracer_status status;

	CHECK(ask(file, TRACER_IOCTL_STATUS, &status) == 0);
	return status;
}

static struct tracer_histogram histogram_of(PFILE_OBJECT file, enum tracer_phase phase, uint16_t cpu)
{
	struct tracer_histogram_request request = { .abi = { TRACER_ABI_VERSION, sizeof(request) }, .phase = phase, .cpu = cpu };
	struct tracer_histogram histogram;

	CHECK(user_controls(file, TRACER_IOCTL_HISTOGRAM, &request, sizeof(request), &histogram, sizeof(histogram), NULL) == 0);
	return histogram;
}

static PFILE_OBJECT load_and_open(void)
{
	PFILE_OBJECT file;

	CHECK(NT_SUCCESS(user_loads()));
	file = user_opens();
	CHECK(file != NULL);
	return file;
}

static void close_and_unload(PFILE_OBJECT file)
{
	user_closes(file);
	CHECK(NT_SUCCESS(user_unloads()));
	CHECK(!user_is_loaded());
}

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
	CHECK(histogram_of(file, TRACER_PHASE_DPC, TRACER_ALL_CPUS).total * 2 == histogram_of(file, TRACER_PHASE_TOTAL, TRACER_ALL_CPUS).total);
	CHECK(events_logged.events > 4 * 2 * 50);
	close_and_unload(file);
}

static void runs(void)
{
	run_seeds(2, 40, run_once);
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
	run_seeds(2, 10, unload_with_handle);
}

/* A read is cancelled behind its first branch or routine, behind its second, ... until it ends before it is cancelled. */
static struct request read_request;
static uint64_t cancelled;

static void cancel_reads(void *context)
{
	(void)context;
	while (!is_over) {
		intrusion_awaited();
		if (!is_over)
			user_cancels(&read_request);
		intrusion_over();
		yield();
	}
}

/* `is_stamps`: ReadFile; else records. The buffer is this fiber's and lives longer than the request. */
static bool read_cancelled_at(uint64_t step, bool is_stamps)
{
	static uint8_t output[4096];
	struct tracer_abi request = { TRACER_ABI_VERSION, sizeof(request) };
	NTSTATUS status;

	intrude_at = steps + step;
	if (is_stamps)
		status = user_begins_read(shared_file, output, 24, &read_request);
	else
		status = user_begins_control(shared_file, TRACER_IOCTL_READ, &request, sizeof(request), output, sizeof(output), &read_request);
	if (status == STATUS_PENDING)
		status = user_awaits(&read_request);
	cancelled += status == STATUS_CANCELLED;
	return steps < intrude_at;
}

static void cancel_each_step(void)
{
	for (unsigned kind = 0; kind < 2; kind++) {
		uint64_t before = cancelled;

		for (uint64_t step = 1; !read_cancelled_at(step, kind != 0); step++)
			intrude_at = 0;
		CHECK(cancelled - before > 20);
	}
}

static void cancel_everywhere(void)
{
	struct fake_fiber *thread;

	shared_file = load_and_open();
	CHECK(start_with(shared_file, TRACER_START_ALL_WAKEUPS, 5 * MS, 1) == 0);
	is_over = false;
	cancelled = 0;
	thread = user_thread("who cancels", 30, cancel_reads, NULL);
	intruder = thread;
	user_sleeps(MS);
	cancel_each_step();
	intruder = NULL;
	is_over = true;
	wake_all(&intruder);
	user_joins(thread);
	CHECK(stop(shared_file) == 0);
	close_and_unload(shared_file);
}

static void cancels(void)
{
	struct setup setup = usual;

	setup.processors = 3;
	machine_run(&setup, cancel_everywhere);
}

/* Programs that do what they like, while the power comes and goes and the service is stopped. */
static void read_and_cancel(void *context)
{
	uint8_t output[2][1024];
	struct request requests[2];
	bool waits[2];
	PFILE_OBJECT file;
	struct tracer_abi request = { TRACER_ABI_VERSION, sizeof(request) };

	(void)context;
	while (!is_over) {
		file = user_opens();
		if (file == NULL)
			break;
		for (unsigned i = 0; i < 12; i++) {
			waits[0] = user_begins_control(file, TRACER_IOCTL_READ, &request, sizeof(request), output[0], sizeof(output[0]), &requests[0]) ==
				STATUS_PENDING;
			waits[1] = user_begins_read(file, output[1], 24, &requests[1]) == STATUS_PENDING;
			user_sleeps(draw(6 * MS));
			for (unsigned k = 0; k < 2 && draw(8) != 0; k++) {
				if (waits[k] && draw(2) == 0)
					user_cancels(&requests[k]);
				else if (waits[k] && i == 11)
					continue; /* the close ends it */
				else if (waits[k] && draw(2) == 0)
					user_cancels(&requests[k]);
			}
			if (i < 11) {
				for (unsigned k = 0; k < 2; k++) {
					user_cancels(&requests[k]);
					user_awaits(&requests[k]);
				}
			}
		}
		user_closes(file);
		for (unsigned k = 0; k < 2; k++)
			CHECK(requests[k].irp == NULL);
	}
}

static void start_and_stop(void *context)
{
	(void)context;
	while (!is_over) {
		PFILE_OBJECT file = user_opens();

		if (file == NULL)
			break;
		if (start_with(file, draw(2) == 0 ? TRACER_START_ALL_WAKEUPS : TRACER_START_STAY, (1 + draw(8)) * MS, 1 + (uint8_t)draw(2)) == 0) {
			user_sleeps(draw(50 * MS));
			status_of(file);
		}
		if (draw(2) == 0)
			stop(file);
		user_closes(file);
	}
}

static void change_power(void *context)
{
	(void)context;
	while (!is_over) {
		user_sleeps(draw(40 * MS));
		user_changes_power(false, draw(2) == 0);
		user_sleeps(draw(3 * MS));
		if (draw(3) == 0)
			now_ns += HOUR; /* nobody runs meanwhile */
		user_changes_power(true, draw(2) == 0);
		setup.clock_owner = (unsigned)draw(setup.processors);
		user_masks((unsigned)draw(setup.processors), draw(2 * MS));
		is_session_on = draw(2) == 0;
	}
}

static void chaos_once(void)
{
	struct fake_fiber *threads[4];

	CHECK(NT_SUCCESS(user_loads()));
	deadline_ns = now_ns + 100 * HOUR;
	is_over = false;
	threads[0] = user_thread("reader", 8, read_and_cancel, NULL);
	threads[1] = user_thread("second reader", 9, read_and_cancel, NULL);
	threads[2] = user_thread("starter", 10, start_and_stop, NULL);
	threads[3] = user_thread("power", 8, change_power, NULL);
	user_sleeps(4 * SECOND);
	if (draw(2) == 0)
		user_unloads(); /* in the midst: the last handle ends it */
	is_over = true;
	for (unsigned i = 0; i < 4; i++)
		user_joins(threads[i]);
	if (user_is_loaded())
		CHECK(NT_SUCCESS(user_unloads()));
	CHECK(!user_is_loaded());
}

static void chaos(void)
{
	run_seeds(MEAN_SEEDS, 25, chaos_once);
}

void driver_tests(void)
{
	run_test("a run, from loading to unloading", runs);
	run_test("a run on Windows 8.1", old_windows);
	run_test("only administrators open it", others);
	run_test("the n-th call that can fail fails, for every n", failures);
	run_test("unloaded with a handle open, a run stopped and started meanwhile", unload_pending);
	run_test("reads cancelled behind every step", cancels);
	run_test("readers, starts, stops, sleep, closes, an unload in the midst", chaos);
}
