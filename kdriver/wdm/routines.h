/*
 * Kernel routines that not every Windows has, nor Wine: found by name at run time, null where they are absent. An import of one that
 * is absent would keep the driver from loading.
 */
#ifndef ROUTINES_H
#define ROUTINES_H

#include "kernel.h"

/* Declared here and not by wdm.h: new in Windows 8.1 (timers) and 10 (EtwSetInformation), where this driver starts at 7. */
struct system_timer; /* EX_TIMER */

typedef VOID(NTAPI system_timer_callback)(struct system_timer *timer, PVOID context);

#define SYSTEM_TIMER_HIGH_RESOLUTION 4u /* EX_TIMER_HIGH_RESOLUTION */
#define EVENT_PROVIDER_SET_TRAITS 2u    /* EventProviderSetTraits */

struct routines {
	/* Windows 8.1 and later, all four or none. */
	struct system_timer *(NTAPI *allocate_timer)(system_timer_callback *callback, PVOID context, ULONG attributes);
	BOOLEAN(NTAPI *set_timer)(struct system_timer *timer, LONGLONG due, LONGLONG period, PVOID parameters);
	BOOLEAN(NTAPI *delete_timer)(struct system_timer *timer, BOOLEAN cancel, BOOLEAN wait, PVOID parameters);
	VOID(NTAPI *query_timer_resolution)(PULONG maximum, PULONG minimum, PULONG current);

	/* All five or none: without traits the schema would land in the payload (Windows 10). */
	NTSTATUS(NTAPI *etw_register)(const GUID *provider, PVOID callback, PVOID context, PREGHANDLE handle);
	NTSTATUS(NTAPI *etw_unregister)(REGHANDLE handle);
	BOOLEAN(NTAPI *etw_event_enabled)(REGHANDLE handle, const void *descriptor);
	NTSTATUS(NTAPI *etw_write)(REGHANDLE handle, const void *descriptor, const GUID *activity, ULONG count, const void *data);
	NTSTATUS(NTAPI *etw_set_information)(REGHANDLE handle, ULONG what, const void *information, ULONG bytes);

	/* Windows 7 and later; Wine has one group only. */
	NTSTATUS(NTAPI *processor_number_from_index)(ULONG index, PPROCESSOR_NUMBER number);
	VOID(NTAPI *set_group_affinity)(PGROUP_AFFINITY affinity, PGROUP_AFFINITY before);

	/* Both or none. */
	NTSTATUS(NTAPI *register_power_setting)(PDEVICE_OBJECT device, LPCGUID setting, PPOWER_SETTING_CALLBACK callback, PVOID context,
		PVOID *handle);
	NTSTATUS(NTAPI *unregister_power_setting)(PVOID handle);

	/* Windows 7 and later: time in units of 100 ns that stands still while the machine sleeps. */
	ULONGLONG(NTAPI *unbiased_time)(void);

	BOOLEAN(NTAPI *token_is_admin)(PACCESS_TOKEN token);
};

extern struct routines routines;

_IRQL_requires_(PASSIVE_LEVEL) NTSTATUS routines_init(PDRIVER_OBJECT driver);

#endif
