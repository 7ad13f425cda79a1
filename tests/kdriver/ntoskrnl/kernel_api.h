/* Routines that the driver finds by name (MmGetSystemRoutineAddress) and does not get from ntifs.h. */
#ifndef KERNEL_API_H
#define KERNEL_API_H

#include "include/ntifs.h"

typedef struct ex_timer *PEX_TIMER;
typedef void ex_timer_callback(PEX_TIMER timer, PVOID context);
#define EX_TIMER_HIGH_RESOLUTION 4u
#define EX_TIMER_NO_WAKE 8u
PEX_TIMER ExAllocateTimer(ex_timer_callback *callback, PVOID context, ULONG attributes);
BOOLEAN ExSetTimer(PEX_TIMER timer, LONGLONG due, LONGLONG period, PVOID parameters);
BOOLEAN ExCancelTimer(PEX_TIMER timer, PVOID parameters);
BOOLEAN ExDeleteTimer(PEX_TIMER timer, BOOLEAN is_cancelled, BOOLEAN is_waited, PVOID parameters);
void ExQueryTimerResolution(PULONG maximum, PULONG minimum, PULONG current);

struct event_data {
	uint64_t address;
	uint32_t bytes;
	uint32_t type;
};
NTSTATUS EtwRegister(const GUID *provider, PVOID callback, PVOID context, PREGHANDLE handle);
NTSTATUS EtwUnregister(REGHANDLE handle);
BOOLEAN EtwEventEnabled(REGHANDLE handle, const void *descriptor);
NTSTATUS EtwWrite(REGHANDLE handle, const void *descriptor, const GUID *activity, ULONG count, const void *data);
NTSTATUS EtwSetInformation(REGHANDLE handle, ULONG what, const void *information, ULONG bytes);

NTSTATUS PoRegisterPowerSettingCallback(PDEVICE_OBJECT device, LPCGUID setting, PPOWER_SETTING_CALLBACK callback, PVOID context,
	PVOID *handle);
NTSTATUS PoUnregisterPowerSettingCallback(PVOID handle);
ULONGLONG KeQueryUnbiasedInterruptTime(void);
BOOLEAN SeTokenIsAdmin(PACCESS_TOKEN token);

#endif
