#include "smi.h"

#include "tracer_hal.h"

#define MSR_SMI_COUNT 0x34u
#define CPUID_HYPERVISOR (1u << 31) /* leaf 1, ecx */
#define FAMILY_6 6u
#define NEHALEM_MODEL 0x1Au /* the oldest with the counter; models count on from there but for two, below */

static bool is_counted;

_IRQL_requires_max_(HIGH_LEVEL) bool smi_is_counted(void)
{
	return is_counted;
}

/* A call of its own: clang's exception handlers cover calls, not instructions. */
_IRQL_requires_max_(HIGH_LEVEL) __attribute__((noinline)) static uint32_t read_counter(void)
{
	uint32_t low, high;

	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(MSR_SMI_COUNT));
	return low;
}

_IRQL_requires_max_(HIGH_LEVEL) uint32_t tracer_hal_smi_count(void)
{
	return is_counted ? read_counter() : TRACER_SMI_NOT_READ;
}

_IRQL_requires_max_(HIGH_LEVEL) static void cpuid(uint32_t leaf, uint32_t registers[4])
{
	__asm__ volatile("cpuid" : "=a"(registers[0]), "=b"(registers[1]), "=c"(registers[2]), "=d"(registers[3]) : "a"(leaf), "c"(0));
}

/* "GenuineIntel", family 6, a model that has the counter, no hypervisor. Atom's 0x1C is older than its number. */
_IRQL_requires_max_(HIGH_LEVEL) INIT_ONLY static bool is_known(void)
{
	uint32_t vendor[4], version[4], model;

	cpuid(0, vendor);
	if (vendor[1] != 0x756E6547 || vendor[3] != 0x49656E69 || vendor[2] != 0x6C65746E)
		return false;
	cpuid(1, version);
	model = (version[0] >> 4 & 0xF) | (version[0] >> 12 & 0xF0);
	return !(version[2] & CPUID_HYPERVISOR) && (version[0] >> 8 & 0xF) == FAMILY_6 && model >= NEHALEM_MODEL && model != 0x1C;
}

/* Reads it once under an exception handler; only clang for x64 has one in this build, others do not read the counter. */
_IRQL_requires_(PASSIVE_LEVEL) INIT_ONLY static bool can_read(void)
{
	AT_PASSIVE();
#if defined(__clang__) && defined(__x86_64__)
	__try {
		read_counter();
		return true;
	} __except (EXCEPTION_EXECUTE_HANDLER) {
		return false;
	}
#else
	return false;
#endif
}

_IRQL_requires_(PASSIVE_LEVEL) INIT_ONLY NTSTATUS smi_init(PDRIVER_OBJECT driver)
{
	AT_PASSIVE();
	UNREFERENCED_PARAMETER(driver);
	is_counted = is_known() && can_read();
	return STATUS_SUCCESS;
}
