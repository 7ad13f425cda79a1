/*
 * device_tests.exe tests SECONDS SEED    all tests; the driver is loaded and no run is on; random requests for so long
 * device_tests.exe refused                 what the driver says where the system has no high-resolution timers
 * device_tests.exe pointers              requests with pointers into nowhere, of which this process may die
 * device_tests.exe gone                  succeeds where there is no device
 * device_tests.exe hold FILE             keeps Wine's services alive until the file is gone, half an hour at most
 */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void hold(const char *file)
{
	for (unsigned i = 0; i < 18000 && GetFileAttributesA(file) != INVALID_FILE_ATTRIBUTES; i++)
		Sleep(100);
}

static void still_answers_others(void)
{
	HANDLE device = open_device();

	status_of(device);
	CloseHandle(device);
}

/* The process that sends them may live or die; the driver must not notice. */
static void bad_pointers_harm_nobody_else(void)
{
	char path[MAX_PATH], command[MAX_PATH + 16];
	STARTUPINFOA startup = { .cb = sizeof(startup) };
	PROCESS_INFORMATION child;
	DWORD exit_code = STILL_ACTIVE;

	GetModuleFileNameA(NULL, path, sizeof(path));
	snprintf(command, sizeof(command), "\"%s\" pointers", path);
	CHECK(CreateProcessA(NULL, command, NULL, NULL, FALSE, 0, NULL, NULL, &startup, &child));
	CHECK_EQUAL(WAIT_OBJECT_0, WaitForSingleObject(child.hProcess, 100000));
	GetExitCodeProcess(child.hProcess, &exit_code);
	note("the process with bad pointers ended with 0x%lx", exit_code);
	CloseHandle(child.hThread);
	CloseHandle(child.hProcess);
	still_answers_others();
}

/* It answers, and tells why there can be no run. */
static void refuses_a_run_without_timers(void)
{
	HANDLE device = open_device();
	struct tracer_status status = status_of(device);

	CHECK_EQUAL(TRACER_STATE_STOPPED, status.state);
	CHECK_EQUAL(0, status.capabilities & TRACER_CAN_TIMER_HIGH_RESOLUTION);
	CHECK_EQUAL(ERROR_REQ_NOT_ACCEP,
		send_request(device, TRACER_IOCTL_START, &usual_run, sizeof(usual_run), &status, sizeof(status), NULL));
	status = status_of(device);
	CHECK_EQUAL(TRACER_STATE_STOPPED, status.state);
	CHECK_EQUAL(TRACER_REFUSAL_NO_TIMER, status.refusal);
	CHECK_EQUAL(ERROR_BAD_COMMAND,
		send_request(device, TRACER_IOCTL_STOP, &plain_request, sizeof(plain_request), &status, sizeof(status), NULL));
	CloseHandle(device);
}

int main(int count, char **arguments)
{
	if (count == 3 && strcmp(arguments[1], "hold") == 0) {
		hold(arguments[2]);
		return 0;
	}
	if (count == 2 && strcmp(arguments[1], "gone") == 0)
		return CreateFileW(DEVICE_PATH, 0, 0, NULL, OPEN_EXISTING, 0, NULL) == INVALID_HANDLE_VALUE &&
			GetLastError() == ERROR_FILE_NOT_FOUND ? 0 : 1;
	if (count == 2 && strcmp(arguments[1], "refused") == 0) {
		run_test("the released driver answers, and refuses a run where there are no high-resolution timers",
			refuses_a_run_without_timers);
		return failures();
	}
	if (count == 2 && strcmp(arguments[1], "pointers") == 0) {
		send_bad_pointers();
		return 0;
	}
	if (count != 4 || strcmp(arguments[1], "tests") != 0)
		return 2;
	protocol_tests();
	run_tests();
	pending_tests();
	access_tests();
	run_test("pointers into nowhere harm nobody else", bad_pointers_harm_nobody_else);
	fuzz_tests((unsigned)atoi(arguments[2]), strtoull(arguments[3], NULL, 0));
	unload_tests();
	return failures() == 0 ? 0 : 1;
}
