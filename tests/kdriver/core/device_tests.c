#include "checks.h"
#include "fake_shell.h"

#define BUFFER_BYTES 8192u
#define UNTOUCHED 0xA5

static uint64_t queue_memory[64];
static uint64_t words[BUFFER_BYTES / 8 + 1];
static struct tracer_call call;

static const struct tracer_start_request usual = {
	.abi = { TRACER_ABI_VERSION, sizeof(usual) },
	.threshold_ns = 1000000,
	.period_ns = 10000000,
	.mode = TRACER_MODE_TIMER,
	.priority_count = 2,
	.flags = TRACER_START_ALL_WAKEUPS,
	.priorities = { 28, 24 },
};
static const struct tracer_abi plain = { TRACER_ABI_VERSION, sizeof(plain) };
static const struct tracer_histogram_request total = {
	.abi = { TRACER_ABI_VERSION, sizeof(total) }, .phase = TRACER_PHASE_TOTAL, .cpu = TRACER_ALL_CPUS
};

/* One of each control code, and what it needs. */
static const struct {
	uint32_t code;
	const void *input;
	uint32_t input_bytes;
	uint32_t output_bytes;
} calls[] = {
	{ TRACER_IOCTL_STATUS, &plain, sizeof(plain), sizeof(struct tracer_status) },
	{ TRACER_IOCTL_START, &usual, sizeof(usual), sizeof(struct tracer_status) },
	{ TRACER_IOCTL_READ, &plain, sizeof(plain), TRACER_READ_LEAST_BYTES },
	{ TRACER_IOCTL_HISTOGRAM, &total, sizeof(total), sizeof(struct tracer_histogram) },
	{ TRACER_IOCTL_STOP, &plain, sizeof(plain), sizeof(struct tracer_status) },
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))

static uint8_t *buffer(void)
{
	return (uint8_t *)words;
}

static void reset(void)
{
	fake_shell_reset(queue_memory, sizeof(queue_memory));
}

/* Sends a call; everything of the buffer behind the input is UNTOUCHED before it. */
static uint32_t send(uint32_t code, const void *input, uint32_t input_bytes, uint32_t output_bytes)
{
	const uint8_t *from = input;

	for (unsigned i = 0; i < BUFFER_BYTES; i++)
		buffer()[i] = i < input_bytes ? from[i] : UNTOUCHED;
	call = (struct tracer_call){
		.buffer = words, .code = code, .input_bytes = input_bytes, .output_bytes = output_bytes, .written = 99
	};
	return tracer_device_call(&call);
}

static uint32_t send_usual(uint32_t code)
{
	for (unsigned i = 0; i < CALLS; i++) {
		if (calls[i].code == code)
			return send(code, calls[i].input, calls[i].input_bytes, BUFFER_BYTES);
	}
	return TRACER_ANSWER_UNKNOWN_CODE;
}

static bool is_untouched_from(uint32_t offset)
{
	for (; offset < BUFFER_BYTES; offset++) {
		if (buffer()[offset] != UNTOUCHED)
			return false;
	}
	return true;
}

static void starts_stops_and_says_so(void)
{
	const struct tracer_status *status = (const void *)words;

	reset();
	CHECK_EQUAL(TRACER_ANSWER_NOT_RUNNING, send_usual(TRACER_IOCTL_STOP));
	CHECK_EQUAL(0, call.written);
	CHECK_EQUAL(TRACER_ANSWER_DONE, send_usual(TRACER_IOCTL_START));
	CHECK_EQUAL(sizeof(*status), call.written);
	CHECK_EQUAL(TRACER_ABI_VERSION, status->abi.version);
	CHECK_EQUAL(sizeof(*status), status->abi.size);
	CHECK_EQUAL(TRACER_STATE_RUNNING, status->state);
	CHECK_EQUAL(0, status->worst_ns);
	CHECK(is_untouched_from(sizeof(*status)));
	CHECK_EQUAL(1000000, fake_shell.request.threshold_ns);
	CHECK_EQUAL(24, fake_shell.request.priorities[1]);
	CHECK_EQUAL(TRACER_ANSWER_REFUSED, send_usual(TRACER_IOCTL_START));
	CHECK_EQUAL(0, call.written);
	CHECK_EQUAL(TRACER_ANSWER_DONE, send_usual(TRACER_IOCTL_STATUS));
	CHECK_EQUAL(TRACER_ANSWER_DONE, send_usual(TRACER_IOCTL_STOP));
	CHECK_EQUAL(TRACER_STATE_STOPPED, status->state);
}

static void checks_the_lengths_of_every_code(void)
{
	for (unsigned i = 0; i < CALLS; i++) {
		reset();
		for (uint32_t bytes = 0; bytes < calls[i].input_bytes; bytes++)
			CHECK_EQUAL(TRACER_ANSWER_LENGTH_MISMATCH, send(calls[i].code, calls[i].input, bytes, BUFFER_BYTES));
		for (uint32_t bytes = 0; bytes < calls[i].output_bytes; bytes++) {
			CHECK_EQUAL(TRACER_ANSWER_BUFFER_TOO_SMALL, send(calls[i].code, calls[i].input, calls[i].input_bytes, bytes));
			CHECK(is_untouched_from(calls[i].input_bytes));
		}
		CHECK_EQUAL(0, call.written);
		CHECK(!fake_shell.outlet.is_running);
	}
	CHECK_EQUAL(TRACER_ANSWER_DONE, send(TRACER_IOCTL_STATUS, &plain, sizeof(plain), sizeof(struct tracer_status)));
	call = (struct tracer_call){ .buffer = NULL, .code = TRACER_IOCTL_STATUS };
	CHECK_EQUAL(TRACER_ANSWER_LENGTH_MISMATCH, tracer_device_call(&call));
}

static void checks_version_and_size(void)
{
	struct {
		struct tracer_start_request request;
		uint64_t more;
	} longer = { usual, 0 };
	struct tracer_start_request request = usual;

	reset();
	request.abi.version++;
	CHECK_EQUAL(TRACER_ANSWER_REVISION_MISMATCH, send(TRACER_IOCTL_START, &request, sizeof(request), BUFFER_BYTES));
	CHECK_EQUAL(TRACER_ANSWER_REVISION_MISMATCH, send(TRACER_IOCTL_START, &request, sizeof(request.abi), BUFFER_BYTES));
	request.abi.version = TRACER_ABI_VERSION;
	request.abi.size++;
	CHECK_EQUAL(TRACER_ANSWER_LENGTH_MISMATCH, send(TRACER_IOCTL_START, &request, sizeof(request), BUFFER_BYTES));
	request.abi.size = sizeof(request);
	CHECK_EQUAL(TRACER_ANSWER_DONE, send(TRACER_IOCTL_START, &longer, sizeof(longer), BUFFER_BYTES));
}

static void checks_every_value(void)
{
	struct tracer_start_request request = usual;
	struct tracer_histogram_request wanted = total;

	reset();
	request.mode = TRACER_MODE_WAKEUP + 1;
	CHECK_EQUAL(TRACER_ANSWER_INVALID_PARAMETER, send(TRACER_IOCTL_START, &request, sizeof(request), BUFFER_BYTES));
	request = usual;
	request.flags |= 0x8000;
	CHECK_EQUAL(TRACER_ANSWER_INVALID_PARAMETER, send(TRACER_IOCTL_START, &request, sizeof(request), BUFFER_BYTES));
	CHECK(!fake_shell.outlet.is_running);
	CHECK_EQUAL(TRACER_ANSWER_NOT_RUNNING, send_usual(TRACER_IOCTL_HISTOGRAM));
	CHECK_EQUAL(TRACER_ANSWER_DONE, send_usual(TRACER_IOCTL_START));
	wanted.phase = TRACER_PHASE_TIMER + 1;
	CHECK_EQUAL(TRACER_ANSWER_INVALID_PARAMETER, send(TRACER_IOCTL_HISTOGRAM, &wanted, sizeof(wanted), BUFFER_BYTES));
	wanted = total;
	wanted.reserved = 1;
	CHECK_EQUAL(TRACER_ANSWER_INVALID_PARAMETER, send(TRACER_IOCTL_HISTOGRAM, &wanted, sizeof(wanted), BUFFER_BYTES));
	wanted = total;
	wanted.priority = 32;
	CHECK_EQUAL(TRACER_ANSWER_INVALID_PARAMETER, send(TRACER_IOCTL_HISTOGRAM, &wanted, sizeof(wanted), BUFFER_BYTES));
	wanted = total;
	wanted.cpu = FAKE_SHELL_CPUS;
	CHECK_EQUAL(TRACER_ANSWER_INVALID_PARAMETER, send(TRACER_IOCTL_HISTOGRAM, &wanted, sizeof(wanted), BUFFER_BYTES));
	CHECK_EQUAL(0, call.written);
}

static void refuses_other_codes_and_places(void)
{
	reset();
	CHECK_EQUAL(TRACER_ANSWER_UNKNOWN_CODE, send(0, &plain, sizeof(plain), BUFFER_BYTES));
	CHECK_EQUAL(TRACER_ANSWER_UNKNOWN_CODE, send(TRACER_IOCTL(0x805u), &plain, sizeof(plain), BUFFER_BYTES));
	CHECK_EQUAL(TRACER_ANSWER_UNKNOWN_CODE, send(TRACER_IOCTL_STATUS | 3, &plain, sizeof(plain), BUFFER_BYTES));
	CHECK_EQUAL(0, call.written);
	call = (struct tracer_call){ .buffer = buffer() + 4, .code = TRACER_IOCTL_STATUS, .input_bytes = 8, .output_bytes = BUFFER_BYTES };
	CHECK_EQUAL(TRACER_ANSWER_MISALIGNED, tracer_device_call(&call));
}

static void gives_a_histogram(void)
{
	const struct tracer_histogram *histogram = (const void *)words;

	reset();
	CHECK_EQUAL(TRACER_ANSWER_DONE, send_usual(TRACER_IOCTL_START));
	CHECK_EQUAL(TRACER_ANSWER_DONE, send_usual(TRACER_IOCTL_HISTOGRAM));
	CHECK_EQUAL(sizeof(*histogram), call.written);
	CHECK_EQUAL(sizeof(*histogram), histogram->abi.size);
	CHECK_EQUAL(1, histogram->total);
	CHECK_EQUAL(0, histogram->max_ns);
	CHECK_EQUAL(0, histogram->buckets[0]);
	CHECK_EQUAL(1, histogram->buckets[TRACER_HISTOGRAM_BUCKETS - 1]);
	CHECK(is_untouched_from(sizeof(*histogram)));
}

static void reads_in_batches(void)
{
	const struct tracer_wakeup wakeup = { .header = { .type = TRACER_RECORD_WAKEUP, .size = sizeof(wakeup) }, .sequence = 5 };
	const struct tracer_read_batch *batch = (const void *)words;
	const struct tracer_wakeup *records = (const void *)(batch + 1);
	struct tracer_call *answered;

	reset();
	CHECK_EQUAL(TRACER_ANSWER_NOT_RUNNING, send_usual(TRACER_IOCTL_READ));
	CHECK_EQUAL(TRACER_ANSWER_DONE, send_usual(TRACER_IOCTL_START));
	for (unsigned i = 0; i < 8; i++)
		fake_shell_emit(&wakeup.header, &answered);
	CHECK_EQUAL(TRACER_ANSWER_DONE, send(TRACER_IOCTL_READ, &plain, sizeof(plain), TRACER_READ_LEAST_BYTES));
	CHECK_EQUAL(sizeof(*batch) + 2 * sizeof(wakeup), call.written);
	CHECK_EQUAL(call.written, batch->abi.size);
	CHECK_EQUAL(2, batch->records);
	CHECK_EQUAL(0, batch->reserved);
	CHECK_EQUAL(3, batch->dropped);
	CHECK_EQUAL(5, records[1].sequence);
	CHECK(is_untouched_from(call.written));
	/* The rest does not fill half of this buffer, but has waited. */
	fake_shell.clock += TRACER_OUTLET_PATIENCE_NS;
	CHECK_EQUAL(TRACER_ANSWER_DONE, send_usual(TRACER_IOCTL_READ));
	CHECK_EQUAL(3, batch->records);
}

static const struct tracer_clock_sync sync_record = {
	.header = { .type = TRACER_RECORD_CLOCK_SYNC, .size = sizeof(sync_record) }, .clock = 9
};

/* Ten milliseconds behind the first record, with all that have come by then. */
static void keeps_a_read_waiting_for_a_batch(void)
{
	const struct tracer_read_batch *batch = (const void *)words;
	struct tracer_call *answered;

	reset();
	CHECK_EQUAL(TRACER_ANSWER_DONE, send_usual(TRACER_IOCTL_START));
	CHECK_EQUAL(TRACER_ANSWER_PENDING, send_usual(TRACER_IOCTL_READ));
	CHECK_EQUAL(0, call.written);
	CHECK_EQUAL(UINT64_MAX, tracer_outlet_due_in(&fake_shell.outlet, fake_shell.clock));
	fake_shell.clock += 77;
	CHECK_EQUAL(TRACER_ANSWER_PENDING, fake_shell_emit(&sync_record.header, &answered));
	CHECK_EQUAL(TRACER_OUTLET_PATIENCE_NS, tracer_outlet_due_in(&fake_shell.outlet, fake_shell.clock));
	fake_shell.clock += TRACER_OUTLET_PATIENCE_NS - 1;
	CHECK_EQUAL(TRACER_ANSWER_PENDING, fake_shell_emit(&sync_record.header, &answered));
	CHECK_EQUAL(1, tracer_outlet_due_in(&fake_shell.outlet, fake_shell.clock));
	CHECK(is_untouched_from(sizeof(plain)));
	fake_shell.clock++;
	CHECK_EQUAL(TRACER_ANSWER_DONE, fake_shell_serve(&answered));
	CHECK(answered == &call);
	CHECK_EQUAL(sizeof(*batch) + 2 * sizeof(sync_record), call.written);
	CHECK_EQUAL(2, batch->records);
	CHECK_EQUAL(9, ((const struct tracer_clock_sync *)(const void *)(batch + 1))->clock);
	CHECK_EQUAL(TRACER_ANSWER_PENDING, fake_shell_emit(&sync_record.header, &answered));
	CHECK(answered == NULL);
	CHECK_EQUAL(UINT64_MAX, tracer_outlet_due_in(&fake_shell.outlet, fake_shell.clock));
}

static uint32_t send_stop_record(struct tracer_call **answered)
{
	static const struct tracer_stop stop = { .header = { .type = TRACER_RECORD_STOP, .size = sizeof(stop) } };

	return fake_shell_emit(&stop.header, answered);
}

/* At once where half of the buffer is full, or the last record has come; what does not fit stays as old as it is. */
static void ends_a_wait_at_half_a_buffer(void)
{
	const struct tracer_read_batch *batch = (const void *)words;
	const uint32_t half = (uint32_t)(sizeof(*batch) + 8 * sizeof(sync_record));
	struct tracer_call *answered;

	reset();
	CHECK_EQUAL(TRACER_ANSWER_DONE, send_usual(TRACER_IOCTL_START));
	CHECK_EQUAL(TRACER_ANSWER_PENDING, send(TRACER_IOCTL_READ, &plain, sizeof(plain), half + 8 * sizeof(sync_record)));
	for (unsigned i = 0; i < 7; i++)
		CHECK_EQUAL(TRACER_ANSWER_PENDING, fake_shell_emit(&sync_record.header, &answered));
	CHECK_EQUAL(TRACER_ANSWER_DONE, fake_shell_emit(&sync_record.header, &answered));
	CHECK_EQUAL(8, batch->records);
	/* Ten records into room for eight: two are left, and as old. */
	for (unsigned i = 0; i < 10; i++)
		fake_shell_emit(&sync_record.header, &answered);
	CHECK_EQUAL(TRACER_ANSWER_DONE, send(TRACER_IOCTL_READ, &plain, sizeof(plain), half));
	CHECK_EQUAL(8, batch->records);
	CHECK_EQUAL(TRACER_ANSWER_PENDING, send_usual(TRACER_IOCTL_READ));
	fake_shell.clock += TRACER_OUTLET_PATIENCE_NS;
	CHECK_EQUAL(TRACER_ANSWER_DONE, fake_shell_serve(&answered));
	CHECK_EQUAL(2, batch->records);
	CHECK_EQUAL(TRACER_ANSWER_PENDING, send_usual(TRACER_IOCTL_READ));
	CHECK_EQUAL(TRACER_ANSWER_DONE, send_stop_record(&answered));
	CHECK_EQUAL(1, batch->records);
}

static void gives_what_is_left_after_a_stop(void)
{
	const struct tracer_read_batch *batch = (const void *)words;

	reset();
	CHECK_EQUAL(TRACER_ANSWER_DONE, send_usual(TRACER_IOCTL_START));
	CHECK_EQUAL(TRACER_ANSWER_DONE, send_usual(TRACER_IOCTL_STOP));
	CHECK_EQUAL(TRACER_ANSWER_DONE, send_usual(TRACER_IOCTL_READ));
	CHECK_EQUAL(1, batch->records);
	CHECK_EQUAL(TRACER_RECORD_STOP, ((const struct tracer_record_header *)(const void *)(batch + 1))->type);
	CHECK_EQUAL(TRACER_ANSWER_NOT_RUNNING, send_usual(TRACER_IOCTL_READ));
}

void device_tests(void)
{
	run_test("device: starts, stops and says so", starts_stops_and_says_so);
	run_test("device: checks the lengths of every code", checks_the_lengths_of_every_code);
	run_test("device: checks version and size", checks_version_and_size);
	run_test("device: checks every value", checks_every_value);
	run_test("device: refuses other codes and places", refuses_other_codes_and_places);
	run_test("device: gives a histogram", gives_a_histogram);
	run_test("device: reads in batches", reads_in_batches);
	run_test("device: keeps a read waiting for a batch", keeps_a_read_waiting_for_a_batch);
	run_test("device: ends a wait at half a buffer", ends_a_wait_at_half_a_buffer);
	run_test("device: gives what is left after a stop", gives_what_is_left_after_a_stop);
}
