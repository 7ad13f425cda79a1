#include "device.h"

#include <string.h>

static const struct tracer_histogram_request whole_histogram = {
	.abi = { TRACER_ABI_VERSION, sizeof(whole_histogram) }, .phase = TRACER_PHASE_TOTAL, .cpu = TRACER_ALL_CPUS
};

/* Each control code, what it takes and what it gives. Stop is last: it ends the run that start began. */
static const struct {
	DWORD code;
	const void *input;
	DWORD input_bytes;
	DWORD output_bytes;
} calls[] = {
	{ TRACER_IOCTL_STATUS, &plain_request, sizeof(plain_request), sizeof(struct tracer_status) },
	{ TRACER_IOCTL_START, &usual_run, sizeof(usual_run), sizeof(struct tracer_status) },
	{ TRACER_IOCTL_READ, &plain_request, sizeof(plain_request), TRACER_READ_LEAST_BYTES },
	{ TRACER_IOCTL_HISTOGRAM, &whole_histogram, sizeof(whole_histogram), sizeof(struct tracer_histogram) },
	{ TRACER_IOCTL_STOP, &plain_request, sizeof(plain_request), sizeof(struct tracer_status) },
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))

static uint8_t input[BUFFER_BYTES];
static uint8_t output[BUFFER_BYTES];

static void round_trips(void)
{
	HANDLE device = open_device();

	for (unsigned i = 0; i < CALLS; i++) {
		struct tracer_abi abi;
		DWORD written;

		CHECK_EQUAL(0, send_request(device, calls[i].code, calls[i].input, calls[i].input_bytes, output, sizeof(output), &written));
		memcpy(&abi, output, sizeof(abi));
		CHECK_EQUAL(TRACER_ABI_VERSION, abi.version);
		CHECK_EQUAL(written, abi.size);
		if (calls[i].code != TRACER_IOCTL_READ)
			CHECK_EQUAL(calls[i].output_bytes, written);
	}
	CHECK_EQUAL(TRACER_STATE_STOPPED, status_of(device).state);
	CloseHandle(device);
}

static void refuses_short_inputs(void)
{
	HANDLE device = open_device();

	for (unsigned i = 0; i < CALLS; i++)
		for (DWORD bytes = 0; bytes < calls[i].input_bytes; bytes++)
			CHECK_EQUAL(ERROR_BAD_LENGTH,
				send_request(device, calls[i].code, calls[i].input, bytes, output, sizeof(output), NULL));
	CloseHandle(device);
}

static void refuses_other_sizes_and_versions(void)
{
	HANDLE device = open_device();

	for (unsigned i = 0; i < CALLS; i++) {
		struct tracer_abi *abi = (struct tracer_abi *)input;

		memcpy(input, calls[i].input, calls[i].input_bytes);
		for (int by = -1; by <= 1; by += 2) {
			abi->size = calls[i].input_bytes + (uint32_t)by;
			CHECK_EQUAL(ERROR_BAD_LENGTH,
				send_request(device, calls[i].code, input, calls[i].input_bytes + 8, output, sizeof(output), NULL));
		}
		abi->size = calls[i].input_bytes;
		abi->version = TRACER_ABI_VERSION + 1;
		CHECK_EQUAL(ERROR_REVISION_MISMATCH,
			send_request(device, calls[i].code, input, calls[i].input_bytes, output, sizeof(output), NULL));
	}
	CloseHandle(device);
}

static void refuses_short_outputs_and_writes_nothing(void)
{
	HANDLE device = open_device();

	for (unsigned i = 0; i < CALLS; i++) {
		for (DWORD bytes = 0; bytes < calls[i].output_bytes; bytes += bytes < 16 ? 1 : 7) {
			DWORD written;

			memset(output, 0xA5, sizeof(output));
			CHECK_EQUAL(ERROR_INSUFFICIENT_BUFFER,
				send_request(device, calls[i].code, calls[i].input, calls[i].input_bytes, output, bytes, &written));
			CHECK_EQUAL(0, written);
			CHECK(output[0] == 0xA5 && output[bytes] == 0xA5);
		}
	}
	CHECK_EQUAL(TRACER_STATE_STOPPED, status_of(device).state);
	CloseHandle(device);
}

/* The same functions with other methods and access, and functions that there are not. */
static void refuses_unknown_codes(void)
{
	HANDLE device = open_device();

	for (DWORD code = TRACER_IOCTL(0x7FEu); code <= TRACER_IOCTL(0x810u); code++) {
		bool is_known = false;

		for (unsigned i = 0; i < CALLS; i++)
			is_known |= calls[i].code == code;
		if (!is_known)
			CHECK_EQUAL(ERROR_INVALID_FUNCTION,
				send_request(device, code, &usual_run, sizeof(usual_run), output, sizeof(output), NULL));
	}
	CHECK_EQUAL(ERROR_INVALID_FUNCTION,
		send_request(device, TRACER_IOCTL_STATUS & ~(3u << 14), &plain_request, sizeof(plain_request), output, sizeof(output),
			NULL));
	CloseHandle(device);
}

static DWORD start(HANDLE device, const struct tracer_start_request *request)
{
	return send_request(device, TRACER_IOCTL_START, request, sizeof(*request), output, sizeof(output), NULL);
}

static void refuses_runs_and_says_why(void)
{
	static const struct {
		uint64_t threshold_ns;
		uint64_t period_ns;
		uint8_t mode;
		uint8_t priority_count;
		uint8_t priority;
		uint32_t refusal;
	} runs[] = {
		{ 0, 2000000, TRACER_MODE_TIMER, 2, 28, TRACER_REFUSAL_THRESHOLD },
		{ 1, 2000000, TRACER_MODE_TIMER, 2, 28, TRACER_REFUSAL_THRESHOLD }, /* below twice the floor, whatever it is */
		{ 1000000, UINT64_MAX, TRACER_MODE_TIMER, 2, 28, TRACER_REFUSAL_PERIOD },
		{ 1000000, 2000000, TRACER_MODE_APIC, 2, 28, TRACER_REFUSAL_NOT_LABORATORY },
		{ 1000000, 2000000, TRACER_MODE_TIMER, 0, 28, TRACER_REFUSAL_PRIORITIES },
		{ 1000000, 2000000, TRACER_MODE_TIMER, TRACER_MAX_PRIORITIES + 1, 28, TRACER_REFUSAL_PRIORITIES },
		{ 1000000, 2000000, TRACER_MODE_TIMER, 2, 32, TRACER_REFUSAL_PRIORITIES },
	};
	HANDLE device = open_device();
	struct tracer_start_request request;

	for (unsigned i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		request = usual_run;
		request.threshold_ns = runs[i].threshold_ns;
		request.period_ns = runs[i].period_ns;
		request.mode = runs[i].mode;
		request.priority_count = runs[i].priority_count;
		request.priorities[0] = runs[i].priority;
		CHECK_EQUAL(ERROR_REQ_NOT_ACCEP, start(device, &request));
		CHECK_EQUAL(runs[i].refusal, status_of(device).refusal);
	}
	request = usual_run;
	request.flags = 0x8000;
	CHECK_EQUAL(ERROR_INVALID_PARAMETER, start(device, &request));
	CHECK_EQUAL(0, start(device, &usual_run));
	CHECK_EQUAL(ERROR_REQ_NOT_ACCEP, start(device, &usual_run));
	CHECK_EQUAL(TRACER_REFUSAL_RUNNING, status_of(device).refusal);
	stop_run(device);
	CloseHandle(device);
}

static void says_that_no_run_is_on(void)
{
	HANDLE device = open_device();
	DWORD error = 0;

	CHECK_EQUAL(ERROR_BAD_COMMAND,
		send_request(device, TRACER_IOCTL_STOP, &plain_request, sizeof(plain_request), output, sizeof(output), NULL));
	/* What the last run left can still be read. */
	for (unsigned i = 0; i < 10000 && error == 0; i++)
		error = send_request(device, TRACER_IOCTL_READ, &plain_request, sizeof(plain_request), output, sizeof(output), NULL);
	CHECK_EQUAL(ERROR_BAD_COMMAND, error);
	CloseHandle(device);
}

static void refuses_unknown_histograms(void)
{
	HANDLE device = open_device();
	struct tracer_histogram_request request = whole_histogram;

	request.phase = 99;
	CHECK_EQUAL(ERROR_INVALID_PARAMETER,
		send_request(device, TRACER_IOCTL_HISTOGRAM, &request, sizeof(request), output, sizeof(output), NULL));
	request = whole_histogram;
	request.priority = 32;
	CHECK_EQUAL(ERROR_INVALID_PARAMETER,
		send_request(device, TRACER_IOCTL_HISTOGRAM, &request, sizeof(request), output, sizeof(output), NULL));
	CHECK_EQUAL(0, start(device, &usual_run));
	request = whole_histogram;
	request.cpu = 0xFFFE;
	CHECK_EQUAL(ERROR_INVALID_PARAMETER,
		send_request(device, TRACER_IOCTL_HISTOGRAM, &request, sizeof(request), output, sizeof(output), NULL));
	stop_run(device);
	CloseHandle(device);
}

void protocol_tests(void)
{
	run_test("each control code round-trips", round_trips);
	run_test("short inputs are refused", refuses_short_inputs);
	run_test("inputs of other sizes and versions are refused", refuses_other_sizes_and_versions);
	run_test("short outputs are refused and not written to", refuses_short_outputs_and_writes_nothing);
	run_test("unknown control codes are refused", refuses_unknown_codes);
	run_test("a refused run says why", refuses_runs_and_says_why);
	run_test("without a run there is nothing to stop or to read", says_that_no_run_is_on);
	run_test("histograms of nothing are refused", refuses_unknown_histograms);
}
