/* Reads: cancelled, in batches, copied without the lock. */
#include "driver_calls.h"

#include <stdio.h>

static PFILE_OBJECT shared_file;

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
		status = user_begins_control(shared_file, TRACER_IOCTL_READ, &request, sizeof(request), output, sizeof(output),
			&read_request);
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

/*
 * A quiet run: records come once a second, and until then a read ends by nothing but its cancelling or its handle's close, at once. The
 * canceller is another thread: its last steps in the driver may come when the handle is closed and the driver unloaded.
 */
static void cancel_one(void *context)
{
	struct request *request = context;

	while (request->irp == NULL)
		user_sleeps(50);
	user_sleeps(draw(2000));
	user_cancels(request);
}

static void end_reads(void)
{
	struct tracer_abi wanted = { TRACER_ABI_VERSION, sizeof(wanted) };
	static uint8_t output[4096];
	struct request request = { .irp = NULL };
	PFILE_OBJECT file = load_and_open();
	struct fake_fiber *thread;
	uint64_t before;

	CHECK(start_mode(file, TRACER_MODE_APIC, TRACER_START_STAY, 5 * MS, 1) == 0);
	user_sleeps(50 * MS);
	CHECK(user_controls(file, TRACER_IOCTL_READ, &wanted, sizeof(wanted), output, sizeof(output), NULL) == 0);
	thread = user_thread("who cancels", 9, cancel_one, &request);
	before = now_ns;
	if (user_begins_control(file, TRACER_IOCTL_READ, &wanted, sizeof(wanted), output, sizeof(output), &request) == STATUS_PENDING)
		user_awaits(&request);
	CHECK(request.status == STATUS_CANCELLED && now_ns - before < 100 * MS);
	close_and_unload(file);
	user_joins(thread);
}

static void close_on_reads(void)
{
	struct tracer_abi wanted = { TRACER_ABI_VERSION, sizeof(wanted) };
	static uint8_t output[4096];
	struct request request;
	PFILE_OBJECT file = load_and_open();
	uint64_t before;

	CHECK(start_mode(file, TRACER_MODE_APIC, TRACER_START_STAY, 5 * MS, 1) == 0);
	user_sleeps(50 * MS);
	CHECK(user_controls(file, TRACER_IOCTL_READ, &wanted, sizeof(wanted), output, sizeof(output), NULL) == 0);
	CHECK(user_begins_control(file, TRACER_IOCTL_READ, &wanted, sizeof(wanted), output, sizeof(output), &request) == STATUS_PENDING);
	before = now_ns;
	close_and_unload(file);
	CHECK(request.status == STATUS_CANCELLED && now_ns - before < 100 * MS);
}

static void quiet_reads(void)
{
	run_seeds(30, 5, end_reads);
	run_seeds(3, 20, close_on_reads);
}

void read_tests(void)
{
	run_test("reads cancelled behind every step", cancels);
	run_test("a read is cancelled, or its handle closed, where no record comes; then an unload", quiet_reads);
	run_for_addresses("a batch is copied without the lock", reads_much);
	run_for_addresses("records are read in batches", batches);
}
