#include "device.h"

static DWORD service_state(SC_HANDLE service)
{
	SERVICE_STATUS status = { 0 };

	return QueryServiceStatus(service, &status) ? status.dwCurrentState : 0;
}

static DWORD wait_for(SC_HANDLE service, DWORD wanted)
{
	for (unsigned i = 0; i < 2500 && service_state(service) != wanted; i++)
		Sleep(20);
	return service_state(service);
}

static bool is_device_there(void)
{
	HANDLE device = CreateFileW(
		DEVICE_PATH, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);

	if (device != INVALID_HANDLE_VALUE)
		CloseHandle(device);
	return device != INVALID_HANDLE_VALUE;
}

/* In the middle of a run, as often as it takes to leave something behind that the next load would trip over. */
static void unloads_in_the_middle_of_a_run(void)
{
	SC_HANDLE manager = OpenSCManagerW(NULL, NULL, SC_MANAGER_CONNECT);
	SC_HANDLE service = OpenServiceW(manager, SERVICE_NAME, SERVICE_ALL_ACCESS);

	CHECK(service != NULL);
	for (unsigned i = 0; i < 10; i++) {
		struct tracer_status answer;
		SERVICE_STATUS status;
		HANDLE device = open_device();

		CHECK_EQUAL(0, send_request(device, TRACER_IOCTL_START, &usual_run, sizeof(usual_run), &answer, sizeof(answer), NULL));
		Sleep(20);
		CloseHandle(device);
		CHECK(ControlService(service, SERVICE_CONTROL_STOP, &status));
		CHECK_EQUAL(SERVICE_STOPPED, wait_for(service, SERVICE_STOPPED));
		CHECK(!is_device_there());
		CHECK(StartServiceW(service, 0, NULL));
		CHECK_EQUAL(SERVICE_RUNNING, wait_for(service, SERVICE_RUNNING));
	}
	CHECK(is_device_there());
	CloseServiceHandle(service);
	CloseServiceHandle(manager);
}

/*
 * The service is stopped while a handle is open, a run is asked for on it, and it is closed. Windows puts the unload off until then, Wine
 * unloads at once and the run is refused; in either case the driver is gone behind it and can be loaded again.
 */
static void unloads_with_an_open_handle(void)
{
	SC_HANDLE manager = OpenSCManagerW(NULL, NULL, SC_MANAGER_CONNECT);
	SC_HANDLE service = OpenServiceW(manager, SERVICE_NAME, SERVICE_ALL_ACCESS);
	struct tracer_status answer;
	SERVICE_STATUS status;
	HANDLE device = open_device();

	CHECK(service != NULL);
	CHECK_EQUAL(0, send_request(device, TRACER_IOCTL_START, &usual_run, sizeof(usual_run), &answer, sizeof(answer), NULL));
	ControlService(service, SERVICE_CONTROL_STOP, &status);
	note("a run asked for behind the stop is answered with %lu",
		send_request(device, TRACER_IOCTL_START, &usual_run, sizeof(usual_run), &answer, sizeof(answer), NULL));
	CHECK(CloseHandle(device));
	CHECK_EQUAL(SERVICE_STOPPED, wait_for(service, SERVICE_STOPPED));
	CHECK(!is_device_there());
	CHECK(StartServiceW(service, 0, NULL));
	CHECK_EQUAL(SERVICE_RUNNING, wait_for(service, SERVICE_RUNNING));
	device = open_device();
	CHECK_EQUAL(TRACER_STATE_STOPPED, status_of(device).state);
	CloseHandle(device);
	CloseServiceHandle(service);
	CloseServiceHandle(manager);
}

void unload_tests(void)
{
	run_test("stopped with an open handle, started again on it, closed: it is gone, and loads again", unloads_with_an_open_handle);
	run_test("unloaded in the middle of a run it leaves nothing, ten times", unloads_in_the_middle_of_a_run);
}
