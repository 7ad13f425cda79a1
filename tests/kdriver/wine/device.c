#include "device.h"

#include <stdarg.h>
#include <stdio.h>

/* A stop may take a period of the run. */
#define MOST_READS 100000u
#define MOST_FAULTS 3u /* that one test tells */

/* A threshold that no host is so busy as to have a floor of half of it. */
const struct tracer_start_request usual_run = {
	.abi = { TRACER_ABI_VERSION, sizeof(usual_run) },
	.threshold_ns = 2000000000,
	.period_ns = 2000000,
	.mode = TRACER_MODE_TIMER,
	.priority_count = 2,
	.flags = TRACER_START_ALL_WAKEUPS | TRACER_START_STAY,
	.priorities = { 28, 24 },
};
const struct tracer_abi plain_request = { TRACER_ABI_VERSION, sizeof(plain_request) };

static unsigned faults;
static const char *reason_to_skip;
static int failed_tests;

HANDLE open_device(void)
{
	HANDLE device = CreateFileW(DEVICE_PATH, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING,
		FILE_FLAG_OVERLAPPED, NULL);

	CHECK(device != INVALID_HANDLE_VALUE);
	return device;
}

static DWORD finish(HANDLE device, OVERLAPPED *overlapped, DWORD milliseconds, DWORD *written)
{
	if (WaitForSingleObject(overlapped->hEvent, milliseconds) != WAIT_OBJECT_0) {
		CancelIoEx(device, overlapped);
		WaitForSingleObject(overlapped->hEvent, PATIENCE_MS);
		return WAIT_TIMEOUT;
	}
	return GetOverlappedResult(device, overlapped, written, FALSE) ? ERROR_SUCCESS : GetLastError();
}

DWORD send_request(HANDLE device, DWORD code, const void *input, DWORD input_bytes, void *output, DWORD output_bytes, DWORD *written)
{
	OVERLAPPED overlapped = { .hEvent = CreateEventW(NULL, TRUE, FALSE, NULL) };
	DWORD bytes = 0;
	DWORD error = ERROR_SUCCESS;

	if (!DeviceIoControl(device, code, (void *)input, input_bytes, output, output_bytes, NULL, &overlapped))
		error = GetLastError();
	if (error == ERROR_SUCCESS || error == ERROR_IO_PENDING)
		error = finish(device, &overlapped, PATIENCE_MS, &bytes);
	CloseHandle(overlapped.hEvent);
	if (written != NULL)
		*written = bytes;
	return error;
}

DWORD begin_read(HANDLE device, struct pending_request *request)
{
	request->overlapped = (OVERLAPPED){ .hEvent = CreateEventW(NULL, TRUE, FALSE, NULL) };
	request->input = plain_request;
	if (DeviceIoControl(device, TRACER_IOCTL_READ, &request->input, sizeof(request->input), request->output,
		    sizeof(request->output), NULL, &request->overlapped))
		return ERROR_SUCCESS;
	return GetLastError();
}

DWORD finish_read(HANDLE device, struct pending_request *request, DWORD milliseconds, DWORD *written)
{
	DWORD bytes = 0;
	DWORD error = finish(device, &request->overlapped, milliseconds, &bytes);

	if (written != NULL)
		*written = bytes;
	forget_read(request);
	return error;
}

void forget_read(struct pending_request *request)
{
	CloseHandle(request->overlapped.hEvent);
}

bool read_until_waiting(HANDLE device, struct pending_request *request)
{
	for (unsigned i = 0; i < MOST_READS; i++) {
		DWORD error = begin_read(device, request);

		/* A read of records that are there may be told as pending and yet be over. */
		if (error == ERROR_IO_PENDING && WaitForSingleObject(request->overlapped.hEvent, 100) == WAIT_TIMEOUT)
			return true;
		forget_read(request);
		if (error != ERROR_IO_PENDING && error != ERROR_SUCCESS)
			return false;
	}
	return false;
}

struct tracer_status status_of(HANDLE device)
{
	struct tracer_status status = { 0 };
	DWORD written;

	CHECK_EQUAL(0, send_request(device, TRACER_IOCTL_STATUS, &plain_request, sizeof(plain_request), &status, sizeof(status), &written));
	CHECK_EQUAL(sizeof(status), written);
	CHECK_EQUAL(TRACER_ABI_VERSION, status.abi.version);
	CHECK_EQUAL(sizeof(status), status.abi.size);
	return status;
}

void stop_run(HANDLE device)
{
	struct tracer_status status;

	send_request(device, TRACER_IOCTL_STOP, &plain_request, sizeof(plain_request), &status, sizeof(status), NULL);
}

void run_test(const char *name, void (*test)(void))
{
	faults = 0;
	reason_to_skip = NULL;
	test();
	printf("%s wine: %s", faults > 0 ? "not ok" : "ok", name);
	if (faults == 0 && reason_to_skip != NULL)
		printf(" # SKIP %s", reason_to_skip);
	printf("\n");
	fflush(stdout);
	if (faults > 0)
		failed_tests++;
}

void skip_test(const char *why)
{
	reason_to_skip = why;
}

void note(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	printf("# ");
	vprintf(format, values);
	printf("\n");
	va_end(values);
}

void check(bool holds, const char *what, const char *file, int line)
{
	if (holds)
		return;
	if (faults++ < MOST_FAULTS)
		note("%s:%d: %s", file, line, what);
}

void check_equal(uint64_t expected, uint64_t actual, const char *what, const char *file, int line)
{
	if (expected == actual)
		return;
	if (faults++ < MOST_FAULTS)
		note("%s:%d: %s is %llu, not %llu", file, line, what, (unsigned long long)actual, (unsigned long long)expected);
}

int failures(void)
{
	return failed_tests;
}
