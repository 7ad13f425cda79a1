#include "facts.h"

#include "hardware.h"
#include "tracer_apic.h"
#include "tracer_hal.h"

/* Classes of ZwQuerySystemInformation, which ntddk.h does not declare, and what they answer. */
#define KERNEL_DEBUGGER_INFORMATION 35
#define CODE_INTEGRITY_INFORMATION 103 /* Vista */
#define KVA_SHADOW_INFORMATION 196     /* Windows 10, 1803 */

#define HVCI_ENABLED 0x400u      /* CODEINTEGRITY_OPTION_HVCI_KMCI_ENABLED */
#define KVA_SHADOW_ENABLED 0x1u

#define CPUID_VERSION 1u
#define CPUID_HYPERVISOR 0x40000000u
#define HAS_HYPERVISOR (1u << 31) /* leaf 1, ecx */
#define HAS_EXCHANGE_16 (1u << 13) /* leaf 1, ecx */
#define HAS_EXCHANGE_8 (1u << 8)   /* leaf 1, edx */

#define MOST_OPTION_BYTES 1024u

struct debugger_answer {
	BOOLEAN is_enabled;
	BOOLEAN is_not_present;
};

struct integrity_answer {
	ULONG bytes;
	ULONG options;
};

typedef LOGICAL(NTAPI is_verifying)(PVOID address);

NTSYSAPI NTSTATUS NTAPI ZwQuerySystemInformation(ULONG what, PVOID answer, ULONG bytes, PULONG needed);

/* A system that does not know the question does not have what is asked about. */
_IRQL_requires_max_(HIGH_LEVEL) static bool is_unknown(NTSTATUS status)
{
	return status == STATUS_INVALID_INFO_CLASS || status == STATUS_NOT_IMPLEMENTED;
}

_IRQL_requires_(PASSIVE_LEVEL) static bool is_debugger_attached(void)
{
	struct debugger_answer answer = { FALSE, TRUE };

	AT_PASSIVE();
	return NT_SUCCESS(ZwQuerySystemInformation(KERNEL_DEBUGGER_INFORMATION, &answer, sizeof(answer), NULL)) &&
		answer.is_enabled && !answer.is_not_present;
}

_IRQL_requires_(PASSIVE_LEVEL) static bool has_hvci(void)
{
	struct integrity_answer answer = { sizeof(answer), 0 };
	NTSTATUS status;

	AT_PASSIVE();
	status = ZwQuerySystemInformation(CODE_INTEGRITY_INFORMATION, &answer, sizeof(answer), NULL);
	return NT_SUCCESS(status) ? (answer.options & HVCI_ENABLED) != 0 : !is_unknown(status);
}

_IRQL_requires_(PASSIVE_LEVEL) static bool has_kva_shadow(void)
{
	ULONG answer = 0;
	NTSTATUS status;

	AT_PASSIVE();
	status = ZwQuerySystemInformation(KVA_SHADOW_INFORMATION, &answer, sizeof(answer), NULL);
	return NT_SUCCESS(status) ? (answer & KVA_SHADOW_ENABLED) != 0 : !is_unknown(status);
}

/* MmIsDriverVerifyingByAddress: Windows Vista and later. It is looked for by name, because Wine does not have it. */
_IRQL_requires_(PASSIVE_LEVEL) static bool is_verified(void)
{
	UNICODE_STRING name = RTL_CONSTANT_STRING(L"MmIsDriverVerifyingByAddress");
	is_verifying *ask = (is_verifying *)(ULONG_PTR)MmGetSystemRoutineAddress(&name);

	AT_PASSIVE();
	return ask == NULL || ask((PVOID)(ULONG_PTR)facts_collect);
}

/* HKLM\SYSTEM\CurrentControlSet\Control, value SystemStartOptions; no options where it cannot be read. */
_IRQL_requires_(PASSIVE_LEVEL) static void read_options(struct tracer_lab_facts *facts)
{
	UNICODE_STRING path = RTL_CONSTANT_STRING(L"\\Registry\\Machine\\SYSTEM\\CurrentControlSet\\Control");
	UNICODE_STRING name = RTL_CONSTANT_STRING(L"SystemStartOptions");
	union {
		KEY_VALUE_PARTIAL_INFORMATION value;
		UCHAR bytes[MOST_OPTION_BYTES];
	} answer;
	OBJECT_ATTRIBUTES attributes;
	HANDLE key;
	ULONG bytes;

	AT_PASSIVE();
	InitializeObjectAttributes(&attributes, &path, OBJ_KERNEL_HANDLE | OBJ_CASE_INSENSITIVE, NULL, NULL);
	if (!NT_SUCCESS(ZwOpenKey(&key, KEY_READ, &attributes)))
		return;
	if (NT_SUCCESS(ZwQueryValueKey(key, &name, KeyValuePartialInformation, &answer, sizeof(answer), &bytes)) &&
		answer.value.Type == REG_SZ) {
		const uint16_t *options = (const uint16_t *)(const void *)answer.value.Data;
		size_t count = answer.value.DataLength / sizeof(*options);

		facts->has_option_debug = tracer_lab_has_option(options, count, "DEBUG");
		facts->has_option_break = tracer_lab_has_option(options, count, "BREAK");
	}
	ZwClose(key);
}

/* "Microsoft Hv": Hyper-V's guests and its root, and other hypervisors that offer its interface. */
_IRQL_requires_max_(HIGH_LEVEL) static bool is_hyper_v(void)
{
	uint32_t version[4], vendor[4];

	tracer_hal_cpuid(CPUID_VERSION, 0, version);
	if (!(version[2] & HAS_HYPERVISOR))
		return false;
	tracer_hal_cpuid(CPUID_HYPERVISOR, 0, vendor);
	return vendor[1] == 0x7263694D && vendor[2] == 0x666F736F && vendor[3] == 0x76482074;
}

_IRQL_requires_max_(HIGH_LEVEL) static bool can_exchange(void)
{
	uint32_t version[4];

	tracer_hal_cpuid(CPUID_VERSION, 0, version);
	return sizeof(uintptr_t) == 8 ? (version[2] & HAS_EXCHANGE_16) != 0 : (version[3] & HAS_EXCHANGE_8) != 0;
}

/* The registers are looked at only where they are memory. */
_IRQL_requires_(PASSIVE_LEVEL) static void read_apic(struct tracer_lab_facts *facts)
{
	AT_PASSIVE();
	facts->has_apic = tracer_apic_find() != TRACER_APIC_NONE;
	if (!facts->has_apic)
		return;
	facts->is_x2_apic = hardware_is_x2_apic();
	if (facts->is_x2_apic || !hardware_map_apic())
		return;
	facts->is_apic_enabled = (tracer_hal_apic_read(TRACER_APIC_SPURIOUS) & TRACER_APIC_ENABLED) != 0;
	hardware_unmap_apic();
}

_IRQL_requires_(PASSIVE_LEVEL) void facts_collect(struct tracer_lab_facts *facts)
{
	RTL_OSVERSIONINFOW version = { .dwOSVersionInfoSize = sizeof(version) };

	AT_PASSIVE();
	*facts = (struct tracer_lab_facts){
		.windows = UINT32_MAX,
		.word_bytes = sizeof(uintptr_t),
		.is_hyper_v = is_hyper_v(),
		.has_hvci = has_hvci(),
		.has_kva_shadow = has_kva_shadow(),
		.is_debugger_attached = is_debugger_attached(),
		.is_verified = is_verified(),
		.can_exchange = can_exchange(),
	};
	if (NT_SUCCESS(RtlGetVersion(&version)))
		facts->windows = TRACER_LAB_WINDOWS(version.dwMajorVersion, version.dwMinorVersion);
	read_options(facts);
	/* Hardware last, and only where nothing else is against it already. */
	facts->has_apic = true;
	facts->is_apic_enabled = true;
	if (tracer_lab_decide(facts) == TRACER_REFUSAL_NONE) {
		facts->control_4 = hardware_control_4();
		read_apic(facts);
	}
}
