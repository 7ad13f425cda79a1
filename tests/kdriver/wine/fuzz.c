#include "device.h"

#include <string.h>

static uint64_t random_state;
static uint8_t input[8192];
static uint8_t output[8192];

static uint64_t next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static uint32_t below(uint32_t bound)
{
	return (uint32_t)(next() % bound);
}

static DWORD some_code(void)
{
	return below(8) == 0 ? (DWORD)next() : TRACER_IOCTL(0x800u + below(6));
}

static DWORD input_size_of(DWORD code)
{
	switch (code) {
	case TRACER_IOCTL_START:
		return sizeof(struct tracer_start_request);
	case TRACER_IOCTL_HISTOGRAM:
		return sizeof(struct tracer_histogram_request);
	default:
		return sizeof(struct tracer_abi);
	}
}

/* A request that is sound but for a few bytes, or nothing but random ones. */
static DWORD fill_input(DWORD code)
{
	DWORD bytes = below(8) == 0 ? below(sizeof(input)) : input_size_of(code);
	struct tracer_start_request start = usual_run;
	struct tracer_histogram_request histogram = { .phase = below(6), .cpu = below(2) == 0 ? TRACER_ALL_CPUS : (uint16_t)below(4) };

	for (unsigned i = 0; i < sizeof(input); i++)
		input[i] = (uint8_t)next();
	if (below(8) == 0)
		return bytes;
	start.abi.size = bytes;
	histogram.abi = start.abi;
	if (code == TRACER_IOCTL_HISTOGRAM)
		memcpy(input, &histogram, sizeof(histogram));
	else
		memcpy(input, &start, sizeof(start));
	for (unsigned changes = below(4) == 0 ? 1 + below(3) : 0; changes > 0; changes--)
		input[below(sizeof(start))] = (uint8_t)next();
	return bytes;
}

static void send_one(HANDLE device, unsigned *answers)
{
	OVERLAPPED overlapped = { .hEvent = CreateEventW(NULL, TRUE, FALSE, NULL) };
	DWORD code = some_code();
	DWORD input_bytes = fill_input(code);
	DWORD output_bytes = below(2) == 0 ? below(sizeof(output)) : sizeof(output);
	DWORD written = 0;
	DWORD error = ERROR_SUCCESS;

	if (!DeviceIoControl(device, code, input, input_bytes, output, output_bytes, NULL, &overlapped))
		error = GetLastError();
	if (error == ERROR_IO_PENDING || error == ERROR_SUCCESS) {
		if (WaitForSingleObject(overlapped.hEvent, below(4)) != WAIT_OBJECT_0)
			CancelIoEx(device, &overlapped);
		error = GetOverlappedResult(device, &overlapped, &written, TRUE) ? ERROR_SUCCESS : GetLastError();
	}
	CHECK(written <= output_bytes);
	if (error == ERROR_SUCCESS && written >= sizeof(struct tracer_abi)) {
		struct tracer_abi abi;

		memcpy(&abi, output, sizeof(abi));
		CHECK_EQUAL(TRACER_ABI_VERSION, abi.version);
		CHECK_EQUAL(written, abi.size);
		(*answers)++;
	}
	CloseHandle(overlapped.hEvent);
}

static unsigned fuzz_seconds;

static void survives_random_requests(void)
{
	HANDLE device = open_device();
	uint64_t seed = random_state;
	DWORD end = GetTickCount() + 1000 * fuzz_seconds;
	unsigned requests = 0, answers = 0;

	while ((LONG)(end - GetTickCount()) > 0) {
		send_one(device, &answers);
		requests++;
		if (below(100) == 0) {
			CloseHandle(device);
			device = open_device();
		}
	}
	note("%u requests in %u s, %u of them answered with a structure; seed %llu", requests, fuzz_seconds, answers,
		(unsigned long long)seed);
	CHECK(requests > 20 && answers > 3);
	stop_run(device);
	CHECK_EQUAL(TRACER_STATE_STOPPED, status_of(device).state);
	CloseHandle(device);
}

void fuzz_tests(unsigned seconds, uint64_t seed)
{
	fuzz_seconds = seconds;
	random_state = seed;
	run_test("random requests are answered or refused, and the driver goes on", survives_random_requests);
}

void send_bad_pointers(void)
{
	static const DWORD codes[] = { TRACER_IOCTL_STATUS, TRACER_IOCTL_START, TRACER_IOCTL_READ, TRACER_IOCTL_HISTOGRAM,
		TRACER_IOCTL_STATUS | 1, TRACER_IOCTL_STATUS | 2, TRACER_IOCTL_STATUS | 3 };
	static void *const pointers[] = { NULL, (void *)16, (void *)0x7FFFFFFF0000, (void *)0xFFFF800000000000 };
	HANDLE device = open_device();

	for (unsigned i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		for (unsigned j = 0; j < sizeof(pointers) / sizeof(pointers[0]); j++) {
			DWORD error = send_request(device, codes[i], pointers[j], 64, output, sizeof(output), NULL);

			CHECK(error != ERROR_SUCCESS);
		}
	}
	/* Last, because Wine ends a program whose output buffer is not there. */
	for (unsigned j = 0; j < sizeof(pointers) / sizeof(pointers[0]); j++)
		send_request(device, TRACER_IOCTL_STATUS, &plain_request, sizeof(plain_request), pointers[j], 4096, NULL);
}
