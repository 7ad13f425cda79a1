/* TracerLatency.sys on the fake kernel: each way through it, with everything that can come between. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests.h"
#include "tracer_ioctl.h"

#define WINDOWS_7 0x601u
#define WINDOWS_8_1 0x603u
#define WINDOWS_10 0xA00u
/* The thread sanitizer needs the paths, not the orders: it sees a race in any. */
#ifdef THREAD_SANITIZER
#define MEAN_SEEDS 1
#else
#define MEAN_SEEDS 2
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

static const GUID display_state = { 0x6FE69556, 0x704A, 0x47A0, { 0x8F, 0x24, 0xC2, 0x8D, 0x93, 0x6F, 0xDA, 0x47 } };
#define DISPLAY_OFF 0
#define DISPLAY_ON 1

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

/* SEEDS=1000 in the environment: for who has time. */
static unsigned more_seeds(unsigned usual_seeds)
{
	const char *wanted = getenv("SEEDS");

	return wanted != NULL ? (unsigned)atoi(wanted) : usual_seeds;
}

static NTSTATUS start_mode(PFILE_OBJECT file, enum tracer_mode mode, uint16_t flags, uint64_t period_ns, uint8_t priority_count)
{
	struct tracer_status status;
	struct tracer_start_request request = {
		.abi = { TRACER_ABI_VERSION, sizeof(request) },
		.threshold_ns = 5 * MS,
		.period_ns = period_ns,
		.mode = (uint8_t)mode,
		.priority_count = priority_count,
		.flags = flags,
		.priorities = { 24, 28 },
	};

	return user_controls(file, TRACER_IOCTL_START, &request, sizeof(request), &status, sizeof(status), NULL);
}

static NTSTATUS start_with(PFILE_OBJECT file, uint16_t flags, uint64_t period_ns, uint8_t priority_count)
{
	return start_mode(file, TRACER_MODE_TIMER, flags, period_ns, priority_count);
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

static unsigned starts;

static void start_and_stop(void *context)
{
	(void)context;
	for (unsigned i = 0; i < 6; i++) {
		PFILE_OBJECT file = user_opens();

		if (file == NULL)
			break;
		if (start_with(file, draw(2) == 0 ? TRACER_START_ALL_WAKEUPS : TRACER_START_STAY, (1 + draw(8)) * MS, 1 + (uint8_t)draw(2)) == 0) {
			starts++;
			user_sleeps(draw(50 * MS));
			status_of(file);
		}
		user_sleeps(50 * MS);
		if (draw(2) == 0)
			stop(file);
		user_closes(file);
	}
}

static void change_power(void *context)
{
	(void)context;
	while (!is_over) {
		user_sleeps(draw(3 * SECOND));
		user_changes_power(false, draw(2) == 0);
		user_sleeps(draw(3 * MS));
		if (draw(3) == 0)
			now_ns += HOUR; /* nobody runs meanwhile */
		user_changes_power(true, draw(2) == 0);
		user_changes_power_setting(&display_state, draw(2) == 0 ? DISPLAY_OFF : DISPLAY_ON);
		if (draw(4) == 0 && active_processors < setup.processors + 2)
			user_adds_processor();
		user_sleeps(draw(100 * MS));
		user_changes_power_setting(&display_state, DISPLAY_ON);
		setup.clock_owner = (unsigned)draw(setup.processors);
		user_masks((unsigned)draw(setup.processors), draw(2 * MS));
		is_session_on = draw(2) == 0;
	}
}

static void chaos_once(void)
{
	struct fake_fiber *threads[4];

	setup.has_standby = draw(2) == 0;
	CHECK(NT_SUCCESS(user_loads()));
	deadline_ns = now_ns + 100 * HOUR;
	is_over = false;
	threads[0] = user_thread("reader", 8, read_and_cancel, NULL);
	threads[1] = user_thread("second reader", 9, read_and_cancel, NULL);
	threads[2] = user_thread("starter", 10, start_and_stop, NULL);
	threads[3] = user_thread("power", 8, change_power, NULL);
	if (draw(2) == 0)
		user_joins(threads[2]);
	else
		user_sleeps(draw(4 * SECOND));
	if (draw(2) == 0)
		user_unloads(); /* in the midst: the last handle ends it */
	user_joins(threads[2]);
	is_over = true;
	for (unsigned i = 0; i < 4; i++)
		user_joins(threads[i]);
	if (user_is_loaded())
		CHECK(NT_SUCCESS(user_unloads()));
	CHECK(!user_is_loaded());
}

static void chaos(void)
{
	starts = 0;
	run_seeds(more_seeds(MEAN_SEEDS), 100, chaos_once);
	printf("# %u starts\n", starts);
	CHECK(starts >= MEAN_SEEDS);
}

/* A machine that sleeps for a night while wake-ups are on their way: none of their times is in a histogram. */
static void sleep_once(void)
{
	PFILE_OBJECT file = load_and_open();
	struct tracer_status status;

	CHECK(start(file, TRACER_START_STAY) == 0);
	deadline_ns = NEVER;
	for (unsigned i = 0; i < 12; i++) {
		user_sleeps(10 * MS + draw(5 * MS));
		user_changes_power(false, draw(2) == 0);
		now_ns += 8 * HOUR;
		user_changes_power(true, draw(2) == 0);
	}
	user_sleeps(100 * MS);
	status = status_of(file);
	CHECK(status.probes > 4 * 2 * 20);
	CHECK(status.worst_ns < SECOND);
	CHECK(status.run_ns < 10 * SECOND);
	for (enum tracer_phase phase = TRACER_PHASE_INTERRUPT; phase <= TRACER_PHASE_TIMER; phase++)
		CHECK(histogram_of(file, phase, TRACER_ALL_CPUS).max_ns < SECOND);
	CHECK(stop(file) == 0);
	close_and_unload(file);
}

static void sleeps(void)
{
	run_seeds(2, 20, sleep_once);
}

/* An hour with the display off, and a start in it: with modern standby a pause, and else a machine that works on. */
static void turn_display_off(void)
{
	PFILE_OBJECT file = load_and_open();
	struct tracer_status before, status;

	CHECK(start(file, TRACER_START_STAY) == 0);
	deadline_ns = NEVER;
	user_sleeps(50 * MS);
	user_changes_power_setting(&display_state, DISPLAY_OFF);
	user_sleeps(50 * MS);
	before = status_of(file);
	user_sleeps(2 * SECOND);
	status = status_of(file);
	if (setup.has_standby) {
		CHECK(status.probes == before.probes && status.run_ns == before.run_ns);
		/* Sleep within standby: the run goes on when both are over. */
		user_changes_power(false, false);
		user_changes_power(true, false);
		user_sleeps(50 * MS);
		CHECK(status_of(file).probes == before.probes);
		CHECK(stop(file) == 0);
		CHECK(start(file, TRACER_START_STAY) == (NTSTATUS)TRACER_ANSWER_REFUSED);
		CHECK(status_of(file).refusal == TRACER_REFUSAL_POWER);
		user_changes_power_setting(&display_state, DISPLAY_ON);
		CHECK(start(file, TRACER_START_STAY) == 0);
	} else {
		CHECK(status.probes > before.probes + 1000);
		user_changes_power_setting(&display_state, DISPLAY_ON);
	}
	before = status_of(file);
	user_changes_power_setting(&display_state, DISPLAY_OFF);
	user_sleeps(20 * MS);
	user_changes_power_setting(&display_state, DISPLAY_ON);
	user_sleeps(100 * MS);
	CHECK(status_of(file).probes > before.probes + 50);
	CHECK(status_of(file).worst_ns < 20 * MS);
	CHECK(stop(file) == 0);
	close_and_unload(file);
}

static void displays(void)
{
	struct setup setup = usual;

	machine_run(&setup, turn_display_off);
	setup.has_standby = true;
	machine_run(&setup, turn_display_off);
}

/* What a threshold may be depends on what the machine shows when nothing is wrong. */
static void start_below_the_floor(void)
{
	struct tracer_start_request request = {
		.abi = { TRACER_ABI_VERSION, sizeof(request) },
		.threshold_ns = 1,
		.period_ns = 2 * MS,
		.mode = TRACER_MODE_TIMER,
		.priority_count = 1,
		.priorities = { 28 },
	};
	PFILE_OBJECT file = load_and_open();
	struct tracer_status status;

	CHECK(user_controls(file, TRACER_IOCTL_START, &request, sizeof(request), &status, sizeof(status), NULL) ==
		(NTSTATUS)TRACER_ANSWER_REFUSED);
	status = status_of(file);
	CHECK(status.refusal == TRACER_REFUSAL_THRESHOLD && status.state == TRACER_STATE_STOPPED && status.floor_ns > 1);
	request.threshold_ns = 4 * status.floor_ns;
	CHECK(user_controls(file, TRACER_IOCTL_START, &request, sizeof(request), &status, sizeof(status), NULL) == 0);
	CHECK(status.floor_ns > 1 && status.tick_ns > MS - 1000 && status.tick_ns < MS + 1000);
	user_sleeps(100 * MS);
	status = status_of(file);
	CHECK(status.probes > 4 * 30 && status.own_ns > 0 && status.own_ns < status.run_ns && status.run_ns >= 100 * MS);
	CHECK(stop(file) == 0);
	/* Period and threshold know nothing of one another. */
	request.threshold_ns = 50 * MS;
	CHECK(user_controls(file, TRACER_IOCTL_START, &request, sizeof(request), &status, sizeof(status), NULL) == 0);
	CHECK(stop(file) == 0);
	close_and_unload(file);
}

static void floors(void)
{
	run_seeds(1, 0, start_below_the_floor);
}

/* The branches that the driver takes with a spin lock held do not grow with what there is to read: no loop over records is under it. */
static void read_much(void)
{
	static uint8_t buffer[0x10000];
	struct tracer_abi request = { TRACER_ABI_VERSION, sizeof(request) };
	const struct tracer_read_batch *batch = (const void *)buffer;
	PFILE_OBJECT file = load_and_open();
	ULONG_PTR written;

	CHECK(start_with(file, TRACER_START_ALL_WAKEUPS, MS, 2) == 0);
	user_sleeps(SECOND / 4);
	longest_lock_steps = 0;
	CHECK(user_controls(file, TRACER_IOCTL_READ, &request, sizeof(request), buffer, sizeof(buffer), &written) == 0);
	CHECK(batch->records > 500 && written > sizeof(buffer) - 200);
	CHECK(longest_lock_steps > 0 && longest_lock_steps < 60);
	CHECK(status_of(file).longest_lock_ns < MS);
	CHECK(stop(file) == 0);
	close_and_unload(file);
}

static void reads_much(void)
{
	run_seeds(1, 0, read_much);
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

/* Programs of the highest ordinary priority take every processor; the stop comes from above them, and has to end. */
static void take_processor(void *context)
{
	(void)context;
	while (!is_over)
		busy(MS);
}

static void stop_starved(void)
{
	PFILE_OBJECT file = load_and_open();
	struct fake_fiber *threads[4];
	uint64_t before;

	CHECK(start(file, TRACER_START_STAY) == 0);
	KeSetPriorityThread(self, 20);
	is_over = false;
	for (unsigned i = 0; i < 4; i++)
		threads[i] = user_thread("who computes", 17, take_processor, NULL);
	user_sleeps(50 * MS);
	before = now_ns;
	deadline_ns = now_ns + 5 * SECOND;
	CHECK(stop(file) == 0);
	CHECK(now_ns - before < SECOND);
	is_over = true;
	for (unsigned i = 0; i < 4; i++)
		user_joins(threads[i]);
	close_and_unload(file);
}

static void starved(void)
{
	run_seeds(2, 0, stop_starved);
}

/* The clock's owner has its interrupts off for 4 ms: that is the owner's, in the timer's phase, and no other processor's latency. */
static void mask_owner(void)
{
	PFILE_OBJECT file = load_and_open();

	CHECK(start(file, TRACER_START_STAY) == 0);
	for (unsigned i = 0; i < 10; i++) {
		user_sleeps(20 * MS);
		user_masks(setup.clock_owner, 4 * MS);
	}
	user_sleeps(20 * MS);
	for (uint16_t cpu = 0; cpu < 4; cpu++) {
		CHECK((histogram_of(file, TRACER_PHASE_TIMER, cpu).max_ns > 3 * MS) == (cpu == setup.clock_owner));
		CHECK(cpu == setup.clock_owner || histogram_of(file, TRACER_PHASE_TOTAL, cpu).max_ns < MS);
	}
	CHECK(stop(file) == 0);
	close_and_unload(file);
}

/* Another one has: its DPC waits. */
static void mask_another(void)
{
	unsigned another = (setup.clock_owner + 1) % 4;
	PFILE_OBJECT file = load_and_open();

	CHECK(start(file, TRACER_START_STAY) == 0);
	for (unsigned i = 0; i < 10; i++) {
		user_sleeps(20 * MS);
		user_masks(another, 4 * MS);
	}
	user_sleeps(20 * MS);
	for (uint16_t cpu = 0; cpu < 4; cpu++) {
		CHECK((histogram_of(file, TRACER_PHASE_DPC, cpu).max_ns > MS) == (cpu == another));
		CHECK(histogram_of(file, TRACER_PHASE_TIMER, cpu).max_ns < 2 * MS);
	}
	CHECK(stop(file) == 0);
	close_and_unload(file);
}

static void masked(void)
{
	run_seeds(2, 0, mask_owner);
	run_seeds(2, 0, mask_another);
}

/* Each processor has its share of wake-ups, in whatever group it is. */
static void run_on_groups(void)
{
	PFILE_OBJECT file = load_and_open();

	CHECK(start_with(file, TRACER_START_STAY, 5 * MS, 1) == 0);
	user_sleeps(100 * MS);
	CHECK(status_of(file).cpus == setup.processors);
	for (uint16_t cpu = 0; cpu < setup.processors; cpu++)
		CHECK(histogram_of(file, TRACER_PHASE_TOTAL, cpu).total > 10);
	CHECK(stop(file) == 0);
	close_and_unload(file);
}

static void groups(void)
{
	struct setup setup = usual;

	setup.processors = 5;
	setup.in_first_group = 3;
	machine_run(&setup, run_on_groups);
	setup.processors = 70;
	setup.in_first_group = 64;
	machine_run(&setup, run_on_groups);
}

static void add_processor(void)
{
	PFILE_OBJECT file = load_and_open();

	CHECK(start(file, TRACER_START_STAY) == 0);
	user_sleeps(20 * MS);
	user_adds_processor();
	user_sleeps(20 * MS);
	CHECK(status_of(file).unmeasured_cpus == 1);
	CHECK(stop(file) == 0);
	CHECK(start(file, TRACER_START_STAY) == 0);
	user_sleeps(20 * MS);
	CHECK(status_of(file).unmeasured_cpus == 0);
	CHECK(histogram_of(file, TRACER_PHASE_TOTAL, 4).total > 0);
	CHECK(stop(file) == 0);
	close_and_unload(file);
}

static void added(void)
{
	run_seeds(2, 0, add_processor);
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

/* Reads are completed some hundred times a second at most, however many records come; and no lock is held for many branches. */
static void read_all(void)
{
	static uint8_t output[65536];
	struct tracer_abi request = { TRACER_ABI_VERSION, sizeof(request) };
	PFILE_OBJECT file = load_and_open();
	unsigned reads = 0, records = 0;
	uint64_t until;

	CHECK(start_with(file, TRACER_START_ALL_WAKEUPS | TRACER_START_STAY, MS, 2) == 0);
	longest_lock_steps = 0;
	until = now_ns + SECOND / 2;
	while (now_ns < until) {
		ULONG_PTR written;

		CHECK(user_controls(file, TRACER_IOCTL_READ, &request, sizeof(request), output, sizeof(output), &written) == 0);
		records += ((struct tracer_read_batch *)(void *)output)->records;
		reads++;
	}
	printf("# %u records in %u reads, at most %llu steps under a lock\n", records, reads, (unsigned long long)longest_lock_steps);
	CHECK(records > 1000);
	CHECK(reads < 70);
	CHECK(longest_lock_steps < 60);
	CHECK(stop(file) == 0);
	close_and_unload(file);
}

static void batches(void)
{
	run_seeds(1, 0, read_all);
}

/* The clock's ticks change under a run: the driver finds the new ones, and says so. */
static void change_ticks(void)
{
	PFILE_OBJECT file = load_and_open();
	uint32_t states;

	CHECK(start(file, TRACER_START_STAY) == 0);
	user_sleeps(SECOND / 2);
	CHECK(status_of(file).tick_ns / 1000 == 1000);
	states = events_logged.timer_states;
	setup.tick_ns = MS / 2;
	user_sleeps(20 * SECOND);
	CHECK(status_of(file).tick_ns / 1000 == 500);
	CHECK(events_logged.timer_states > states);
	CHECK(stop(file) == 0);
	close_and_unload(file);
}

static void ticks(void)
{
	run_seeds(1, 0, change_ticks);
}

/* No threads meet in it but those that meet in the others, too: not under the thread sanitizer, for its time. */
static void run_for_addresses(const char *name, void (*test)(void))
{
#ifdef THREAD_SANITIZER
	(void)name;
	(void)test;
#else
	run_test(name, test);
#endif
}

void driver_tests(void)
{
	run_test("a run, from loading to unloading", runs);
	run_test("reads cancelled behind every step", cancels);
	run_test("a night's sleep with wake-ups on their way is in no histogram", sleeps);
	run_test("a processor that is added", added);
	run_test("a run ends with its starter's handle", closes);
	run_for_addresses("a threshold below twice the floor is refused", floors);
	run_for_addresses("a batch is copied without the lock", reads_much);
	run_for_addresses("modern standby pauses a run, a display that is off does not", displays);
	run_test("readers, starts, stops, sleep, closes, an unload in the midst", chaos);
	run_test("a mode with interrupts of its own, started under an unload", interrupts);
	run_for_addresses("a run on Windows 8.1", old_windows);
	run_for_addresses("only administrators open it", others);
	run_for_addresses("the n-th call that can fail fails, for every n", failures);
	run_for_addresses("unloaded with a handle open, a run stopped and started meanwhile", unload_pending);
	run_for_addresses("a stop under programs that take every processor", starved);
	run_for_addresses("interrupts off on the clock's owner, and on another processor", masked);
	run_for_addresses("two processor groups, of 5 and of 70 processors", groups);
	run_for_addresses("without high-resolution timers a start is refused", no_timer);
	run_for_addresses("records are read in batches", batches);
	run_for_addresses("the clock's ticks change under a run", ticks);
}
