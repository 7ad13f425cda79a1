/* Routines by name and the version they came with, strings, ETW. */
#include <string.h>

#include "kernel_api.h"
#include "machine.h"
#include "user.h"

#define WINDOWS_7 0x601u
#define WINDOWS_8_1 0x603u
#define WINDOWS_10 0xA00u
#define SET_TRAITS 2u

struct routine {
	const char *name;
	unsigned since;
	void *address;
};

#define ENTRY(name, since) { #name, since, (void *)(uintptr_t)name }

static const struct routine by_name[] = {
	ENTRY(ExAllocateTimer, WINDOWS_8_1),
	ENTRY(ExSetTimer, WINDOWS_8_1),
	ENTRY(ExCancelTimer, WINDOWS_8_1),
	ENTRY(ExDeleteTimer, WINDOWS_8_1),
	ENTRY(ExQueryTimerResolution, WINDOWS_8_1),
	ENTRY(EtwRegister, WINDOWS_7),
	ENTRY(EtwUnregister, WINDOWS_7),
	ENTRY(EtwEventEnabled, WINDOWS_7),
	ENTRY(EtwWrite, WINDOWS_7),
	ENTRY(EtwSetInformation, WINDOWS_10),
	ENTRY(PoRegisterPowerSettingCallback, WINDOWS_7),
	ENTRY(PoUnregisterPowerSettingCallback, WINDOWS_7),
	ENTRY(SeTokenIsAdmin, WINDOWS_7),
	ENTRY(KeQueryUnbiasedInterruptTime, WINDOWS_7),
	ENTRY(KeGetProcessorNumberFromIndex, WINDOWS_7),
	ENTRY(KeGetProcessorIndexFromNumber, WINDOWS_7),
	ENTRY(KeSetTargetProcessorDpcEx, WINDOWS_7),
	ENTRY(KeSetSystemGroupAffinityThread, WINDOWS_7),
	ENTRY(KeRevertToUserGroupAffinityThread, WINDOWS_7),
	ENTRY(KeRegisterProcessorChangeCallback, WINDOWS_7),
	ENTRY(KeDeregisterProcessorChangeCallback, WINDOWS_7),
};

struct log events_logged;
bool is_session_on;

static bool is_registered;
static bool has_traits;

void routines_reset(void)
{
	events_logged = (struct log){ .events = 0 };
	is_session_on = true;
	is_registered = has_traits = false;
}

bool is_name(const UNICODE_STRING *string, const char *text)
{
	if (string->Length != 2 * strlen(text))
		return false;
	for (unsigned i = 0; i < string->Length / 2; i++) {
		if (string->Buffer[i] != (unsigned char)text[i])
			return false;
	}
	return true;
}

void RtlInitUnicodeString(PUNICODE_STRING string, PCWSTR text)
{
	USHORT count = 0;

	ROUTINE(DISPATCH_LEVEL);
	while (text[count] != 0)
		count++;
	*string = (UNICODE_STRING){ .Length = (USHORT)(2 * count), .MaximumLength = (USHORT)(2 * count + 2), .Buffer = (PWSTR)text };
}

NTSTATUS RtlGetVersion(PRTL_OSVERSIONINFOW version)
{
	ROUTINE(PASSIVE_LEVEL);
	version->dwMajorVersion = setup.windows >> 8;
	version->dwMinorVersion = setup.windows & 0xFF;
	return STATUS_SUCCESS;
}

PVOID MmGetSystemRoutineAddress(PUNICODE_STRING name)
{
	ROUTINE(PASSIVE_LEVEL);
	if (setup.absent != NULL && is_name(name, setup.absent))
		return NULL;
	for (unsigned i = 0; i < sizeof(by_name) / sizeof(by_name[0]); i++) {
		if (is_name(name, by_name[i].name))
			return setup.windows >= by_name[i].since ? by_name[i].address : NULL;
	}
	bug("MmGetSystemRoutineAddress of a routine that this fake does not know: %lc...", name->Buffer[0]);
}

NTSTATUS EtwRegister(const GUID *provider, PVOID callback, PVOID context, PREGHANDLE handle)
{
	ROUTINE(PASSIVE_LEVEL);
	(void)provider;
	(void)callback;
	(void)context;
	if (is_registered)
		bug("EtwRegister twice");
	if (fails("EtwRegister"))
		return STATUS_INSUFFICIENT_RESOURCES;
	is_registered = true;
	*handle = 0x1234;
	return STATUS_SUCCESS;
}

static void check(REGHANDLE handle)
{
	if (!is_registered || handle != 0x1234)
		bug("ETW is called without a registration");
}

NTSTATUS EtwUnregister(REGHANDLE handle)
{
	ROUTINE(PASSIVE_LEVEL);
	check(handle);
	is_registered = has_traits = false;
	return STATUS_SUCCESS;
}

/* Traits: a u16 of all their bytes, then the provider's name. */
NTSTATUS EtwSetInformation(REGHANDLE handle, ULONG what, const void *information, ULONG bytes)
{
	const UCHAR *traits = information;

	ROUTINE(PASSIVE_LEVEL);
	check(handle);
	if (what != SET_TRAITS || bytes < 4 || (traits[0] | traits[1] << 8) != (int)bytes || traits[bytes - 1] != 0)
		bug("EtwSetInformation with traits that are none");
	if (fails("EtwSetInformation"))
		return STATUS_NOT_SUPPORTED;
	has_traits = true;
	return STATUS_SUCCESS;
}

BOOLEAN EtwEventEnabled(REGHANDLE handle, const void *descriptor)
{
	ROUTINE(ANY_LEVEL);
	check(handle);
	(void)descriptor;
	return is_session_on;
}

/* The event's metadata: a u16 of their bytes, then tags, then the event's name. */
static void check_event(const UCHAR *descriptor, const struct event_data *data, ULONG count)
{
	const UCHAR *metadata;

	if (!has_traits)
		bug("EtwWrite of an event that describes itself, before the traits are set");
	if (descriptor[3] != 11 || count < 2 || data[0].type != 2 || data[1].type != 1)
		bug("EtwWrite: channel %u, parts of type %u and %u", descriptor[3], data[0].type, data[1].type);
	metadata = (const UCHAR *)(uintptr_t)data[1].address;
	if ((metadata[0] | metadata[1] << 8) != (int)data[1].bytes)
		bug("EtwWrite: the event's metadata are %u bytes and say something else", data[1].bytes);
}

NTSTATUS EtwWrite(REGHANDLE handle, const void *descriptor, const GUID *activity, ULONG count, const void *data)
{
	const struct event_data *parts = data;
	unsigned sum = 0;

	ROUTINE(ANY_LEVEL);
	check(handle);
	(void)activity;
	check_event(descriptor, parts, count);
	for (ULONG i = 0; i < count; i++) {
		for (uint32_t k = 0; k < parts[i].bytes; k++)
			sum += ((const UCHAR *)(uintptr_t)parts[i].address)[k];
		events_logged.bytes += parts[i].bytes;
	}
	/* The name stands behind the metadata's length and one byte of tags. The sum is for the sanitizer: every byte was read. */
	events_logged.timer_states += strcmp((const char *)(uintptr_t)parts[1].address + 3, "TimerState") == 0 && sum != 0;
	/* Buffers are full at times: STATUS_NO_MEMORY. */
	if (draw(50) == 0)
		return (NTSTATUS)0xC0000017;
	events_logged.events++;
	return STATUS_SUCCESS;
}

void routines_check(void)
{
	if (is_registered)
		bug("the driver is gone and its ETW provider is registered");
}
