#include "routines.h"

struct routines routines;

_IRQL_requires_(PASSIVE_LEVEL) INIT_ONLY static PVOID find(PCWSTR name)
{
	UNICODE_STRING string;

	AT_PASSIVE();
	RtlInitUnicodeString(&string, name);
	return MmGetSystemRoutineAddress(&string);
}

_IRQL_requires_(PASSIVE_LEVEL) INIT_ONLY static void find_timer(void)
{
	AT_PASSIVE();
	routines.allocate_timer = find(L"ExAllocateTimer");
	routines.set_timer = find(L"ExSetTimer");
	routines.delete_timer = find(L"ExDeleteTimer");
	routines.query_timer_resolution = find(L"ExQueryTimerResolution");
	if (routines.set_timer == NULL || routines.delete_timer == NULL || routines.query_timer_resolution == NULL)
		routines.allocate_timer = NULL;
}

_IRQL_requires_(PASSIVE_LEVEL) INIT_ONLY static void find_etw(void)
{
	AT_PASSIVE();
	routines.etw_register = find(L"EtwRegister");
	routines.etw_unregister = find(L"EtwUnregister");
	routines.etw_event_enabled = find(L"EtwEventEnabled");
	routines.etw_write = find(L"EtwWrite");
	routines.etw_set_information = find(L"EtwSetInformation");
	if (routines.etw_unregister == NULL || routines.etw_event_enabled == NULL || routines.etw_write == NULL ||
		routines.etw_set_information == NULL)
		routines.etw_register = NULL;
}

_IRQL_requires_(PASSIVE_LEVEL) INIT_ONLY NTSTATUS routines_init(PDRIVER_OBJECT driver)
{
	AT_PASSIVE();
	UNREFERENCED_PARAMETER(driver);
	find_timer();
	find_etw();
	routines.processor_number_from_index = find(L"KeGetProcessorNumberFromIndex");
	routines.set_group_affinity = find(L"KeSetSystemGroupAffinityThread");
	routines.register_power_setting = find(L"PoRegisterPowerSettingCallback");
	routines.unregister_power_setting = find(L"PoUnregisterPowerSettingCallback");
	if (routines.unregister_power_setting == NULL)
		routines.register_power_setting = NULL;
	routines.unbiased_time = find(L"KeQueryUnbiasedInterruptTime");
	routines.token_is_admin = find(L"SeTokenIsAdmin");
	return STATUS_SUCCESS;
}
