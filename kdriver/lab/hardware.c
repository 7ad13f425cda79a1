#include "hardware.h"

#include "tracer_hal.h"

#define MSR_APIC_BASE 0x1Bu
#define APIC_BASE_X2 (1u << 10)
#define APIC_BASE_ADDRESS UINT64_C(0x000FFFFFFFFFF000)
#define PAGE_BYTES 4096u
#define INTERRUPTS_ON 0x200u /* of the flags */

static volatile uint8_t *registers_of_apic;

_IRQL_requires_(PASSIVE_LEVEL) bool hardware_map_apic(void)
{
	PHYSICAL_ADDRESS address;

	AT_PASSIVE();
	address.QuadPart = (LONGLONG)(tracer_hal_msr_read(MSR_APIC_BASE) & APIC_BASE_ADDRESS);
	registers_of_apic = MmMapIoSpace(address, PAGE_BYTES, MmNonCached);
	return registers_of_apic != NULL;
}

_IRQL_requires_(PASSIVE_LEVEL) void hardware_unmap_apic(void)
{
	AT_PASSIVE();
	if (registers_of_apic != NULL)
		MmUnmapIoSpace((PVOID)(ULONG_PTR)registers_of_apic, PAGE_BYTES);
	registers_of_apic = NULL;
}

_IRQL_requires_max_(HIGH_LEVEL) uint64_t hardware_control_4(void)
{
	uintptr_t control;

	__asm__ volatile("mov %%cr4, %0" : "=r"(control));
	return control;
}

_IRQL_requires_max_(HIGH_LEVEL) bool hardware_is_x2_apic(void)
{
	return (tracer_hal_msr_read(MSR_APIC_BASE) & APIC_BASE_X2) != 0;
}

_IRQL_requires_max_(HIGH_LEVEL) uint8_t tracer_hal_port_read(uint16_t port)
{
	uint8_t value;

	__asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

_IRQL_requires_max_(HIGH_LEVEL) void tracer_hal_port_write(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

_IRQL_requires_max_(HIGH_LEVEL) uint64_t tracer_hal_msr_read(uint32_t msr)
{
	uint32_t low, high;

	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
	return (uint64_t)high << 32 | low;
}

_IRQL_requires_max_(HIGH_LEVEL) void tracer_hal_msr_write(uint32_t msr, uint64_t value)
{
	__asm__ volatile("wrmsr" : : "a"((uint32_t)value), "d"((uint32_t)(value >> 32)), "c"(msr));
}

_IRQL_requires_max_(HIGH_LEVEL) uint32_t tracer_hal_apic_read(uint32_t offset)
{
	return *(volatile uint32_t *)(registers_of_apic + offset);
}

_IRQL_requires_max_(HIGH_LEVEL) void tracer_hal_apic_write(uint32_t offset, uint32_t value)
{
	*(volatile uint32_t *)(registers_of_apic + offset) = value;
}

_IRQL_requires_max_(HIGH_LEVEL) void tracer_hal_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	__asm__ volatile("cpuid"
		: "=a"(registers[0]), "=b"(registers[1]), "=c"(registers[2]), "=d"(registers[3])
		: "a"(leaf), "c"(subleaf));
}

_IRQL_requires_max_(HIGH_LEVEL) uintptr_t tracer_hal_interrupts_off(void)
{
	uintptr_t flags;

	__asm__ volatile("pushf\n\tpop %0\n\tcli" : "=r"(flags) : : "memory");
	return flags;
}

_IRQL_requires_max_(HIGH_LEVEL) void tracer_hal_interrupts_restore(uintptr_t before)
{
	if (before & INTERRUPTS_ON)
		__asm__ volatile("sti" : : : "memory");
}
