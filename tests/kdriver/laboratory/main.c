/*
 * laboratory.exe DRIVER    loads TracerLatencyLab.sys under Wine as a service and asks for both modes. Wine's processes say they are a new
 * 64-bit Windows without a debugger: `apic` mode must be refused, and by name.
 */
#include "device.h"

#include <stdio.h>

#define LAB_SERVICE L"TracerLatencyLab"

static SC_HANDLE manager, service;
static const char *driver;

static void loads(void)
{
	wchar_t path[MAX_PATH];

	MultiByteToWideChar(CP_UTF8, 0, driver, -1, path, MAX_PATH);
	manager = OpenSCManagerW(NULL, NULL, SC_MANAGER_ALL_ACCESS);
	service = CreateServiceW(manager, LAB_SERVICE, LAB_SERVICE, SERVICE_ALL_ACCESS, SERVICE_KERNEL_DRIVER, SERVICE_DEMAND_START,
		SERVICE_ERROR_NORMAL, path, NULL, NULL, NULL, NULL, NULL);
	CHECK(service != NULL);
	CHECK(StartServiceW(service, 0, NULL));
}

static void refuses_apic_mode(void)
{
	HANDLE device = open_device();
	struct tracer_start_request request = usual_run;
	struct tracer_status status;

	request.mode = TRACER_MODE_APIC;
	CHECK_EQUAL(ERROR_REQ_NOT_ACCEP,
		send_request(device, TRACER_IOCTL_START, &request, sizeof(request), &status, sizeof(status), NULL));
	status = status_of(device);
	CHECK_EQUAL(TRACER_STATE_STOPPED, status.state);
	CHECK_EQUAL(TRACER_REFUSAL_PATCH_GUARD, status.refusal);
	CHECK_EQUAL(0, status.capabilities & (TRACER_CAN_APIC | TRACER_CAN_SAMPLE_PIT | TRACER_CAN_SAMPLE_NMI));
	CloseHandle(device);
}

/* Wine has no high-resolution timers. */
static void refuses_timer_mode(void)
{
	HANDLE device = open_device();
	struct tracer_status status;

	CHECK_EQUAL(ERROR_REQ_NOT_ACCEP,
		send_request(device, TRACER_IOCTL_START, &usual_run, sizeof(usual_run), &status, sizeof(status), NULL));
	CHECK_EQUAL(TRACER_REFUSAL_NO_TIMER, status_of(device).refusal);
	CloseHandle(device);
}

static void unloads(void)
{
	SERVICE_STATUS status;

	CHECK(ControlService(service, SERVICE_CONTROL_STOP, &status));
	CHECK(DeleteService(service));
	CHECK(CreateFileW(DEVICE_PATH, 0, 0, NULL, OPEN_EXISTING, 0, NULL) == INVALID_HANDLE_VALUE);
	CloseServiceHandle(service);
	CloseServiceHandle(manager);
}

int main(int count, char **arguments)
{
	if (count != 2)
		return 2;
	driver = arguments[1];
	run_test("the laboratory driver loads", loads);
	run_test("the laboratory driver refuses apic mode and says why", refuses_apic_mode);
	run_test("the laboratory driver refuses timer mode without high-resolution timers", refuses_timer_mode);
	run_test("the laboratory driver unloads", unloads);
	return failures() == 0 ? 0 : 1;
}
