/*
 * The driver's device under Wine, for tests that do on purpose what a program should not. Lines of TAP on standard output.
 */
#ifndef WINE_DEVICE_H
#define WINE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "tracer_ioctl.h"

#define DEVICE_PATH L"\\\\.\\TracerLatency"
#define SERVICE_NAME L"TracerLatency"
#define BUFFER_BYTES 65536u
/* How long what has to come is waited for: a busy machine takes its time. */
#define PATIENCE_MS 75000u

/* A run that a test asks for: one wake-up each 2 ms, all of them recorded. */
extern const struct tracer_start_request usual_run;
extern const struct tracer_abi plain_request;

/* Opens the device for overlapped requests; fails the test where it can't. */
HANDLE open_device(void);

/* Sends a request and waits for its end. Gives the Win32 error, 0 for none; `written` may be null. */
DWORD send_request(HANDLE device, DWORD code, const void *input, DWORD input_bytes, void *output, DWORD output_bytes, DWORD *written);

/* A request that may wait: its event, its buffer. */
struct pending_request {
	OVERLAPPED overlapped;
	struct tracer_abi input;
	uint8_t output[4096];
};

/* Begins a read and gives the Win32 error, mostly ERROR_IO_PENDING; finish_read waits at most so long and gives the error of its end. */
DWORD begin_read(HANDLE device, struct pending_request *request);
DWORD finish_read(HANDLE device, struct pending_request *request, DWORD milliseconds, DWORD *written);
void forget_read(struct pending_request *request);

/* Reads what is there until a read waits; leaves it waiting. False where none ever does. */
bool read_until_waiting(HANDLE device, struct pending_request *request);

/* The driver's status; fails the test where it gives none or one that is not sound. */
struct tracer_status status_of(HANDLE device);

/* Ends a run if one is on. */
void stop_run(HANDLE device);

void run_test(const char *name, void (*test)(void));
void skip_test(const char *why); /* from within it: it can't show here what it is to show */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void check(bool holds, const char *what, const char *file, int line);
void check_equal(uint64_t expected, uint64_t actual, const char *what, const char *file, int line);
#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)
#define CHECK_EQUAL(expected, actual) check_equal((uint64_t)(expected), (uint64_t)(actual), #actual, __FILE__, __LINE__)
int failures(void);

void protocol_tests(void);
void run_tests(void);
void pending_tests(void);
void access_tests(void);
void unload_tests(void);
void fuzz_tests(unsigned seconds, uint64_t seed);

/* Sends requests with pointers into nowhere: for a process of its own, which may die of it. */
void send_bad_pointers(void);

#endif
