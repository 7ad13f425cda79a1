#include "power.h"

#include "measurement.h"
#include "routines.h"

/* GUID_CONSOLE_DISPLAY_STATE, Windows 8 and later. */
static const GUID display_state = { 0x6FE69556, 0x704A, 0x47A0, { 0x8F, 0x24, 0xC2, 0x8D, 0x93, 0x6F, 0xDA, 0x47 } };

static PCALLBACK_OBJECT callback;
static PVOID registration;
static PVOID display_registration;

/* `value`: 0 = about to leave S0, 1 = back in it. */
_IRQL_requires_max_(DISPATCH_LEVEL) static VOID NTAPI PowerStateChanged(PVOID context, PVOID what, PVOID value)
{
	AT_MOST_DISPATCH();
	UNREFERENCED_PARAMETER(context);
	if ((ULONG_PTR)what != PO_CB_SYSTEM_STATE_LOCK)
		return;
	if (value == NULL)
		measurement_pause(PAUSED_BY_SLEEP);
	else
		measurement_go_on(PAUSED_BY_SLEEP);
}

/*
 * A display that goes off is no sleep, and in modern standby a capture keeps the machine awake with it off: only what is on its way is left
 * out. Sleep within standby is nobody's announcement; timer_mode.c sees it by the clocks.
 */
_IRQL_requires_(PASSIVE_LEVEL) static NTSTATUS NTAPI DisplayStateChanged(LPCGUID setting, PVOID value, ULONG bytes, PVOID context)
{
	AT_PASSIVE();
	UNREFERENCED_PARAMETER(setting);
	UNREFERENCED_PARAMETER(value);
	UNREFERENCED_PARAMETER(bytes);
	UNREFERENCED_PARAMETER(context);
	measurement_discard();
	return STATUS_SUCCESS;
}

/* The driver works without either: it then cannot tell a sleep from a latency. */
_IRQL_requires_(PASSIVE_LEVEL) INIT_ONLY NTSTATUS power_init(PDRIVER_OBJECT driver)
{
	UNICODE_STRING name = RTL_CONSTANT_STRING(L"\\Callback\\PowerState");
	OBJECT_ATTRIBUTES attributes;

	AT_PASSIVE();
	UNREFERENCED_PARAMETER(driver);
	InitializeObjectAttributes(&attributes, &name, OBJ_CASE_INSENSITIVE | OBJ_KERNEL_HANDLE, NULL, NULL);
	if (NT_SUCCESS(ExCreateCallback(&callback, &attributes, FALSE, TRUE)))
		registration = ExRegisterCallback(callback, PowerStateChanged, NULL);
	else
		callback = NULL;
	if (routines.register_power_setting != NULL &&
		!NT_SUCCESS(routines.register_power_setting(NULL, &display_state, DisplayStateChanged, NULL, &display_registration)))
		display_registration = NULL;
	return STATUS_SUCCESS;
}

_IRQL_requires_(PASSIVE_LEVEL) void power_cleanup(void)
{
	AT_PASSIVE();
	if (display_registration != NULL)
		routines.unregister_power_setting(display_registration);
	if (registration != NULL)
		ExUnregisterCallback(registration);
	if (callback != NULL)
		ObDereferenceObject(callback);
	display_registration = registration = callback = NULL;
}
