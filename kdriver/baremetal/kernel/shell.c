/*
 * The shell of the driver core in the test kernel: what core/tracer_hal.h asks for, and records kept in memory until the run is over.
 */
#include "shell.h"

#define LOG_BASE UINT64_C(0x4000000) /* physical memory above what the loader uses */
#define LOG_BYTES UINT64_C(0x3000000)
#define PORT_DEBUG 0xE9u

struct ke_event shell_wakes[KI_MAX_CPUS][TRACER_MAX_PRIORITIES];
struct ke_dpc shell_probe_dpcs[KI_MAX_CPUS];

static uint64_t log_used, log_dropped;
static bool is_keeping;

uint64_t tracer_hal_clock(void)
{
	return read_tsc();
}

uint8_t tracer_hal_port_read(uint16_t port)
{
	return port_read(port);
}

void tracer_hal_port_write(uint16_t port, uint8_t value)
{
	port_write(port, value);
}

uint64_t tracer_hal_msr_read(uint32_t msr)
{
	uint32_t low, high;

	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
	return (uint64_t)high << 32 | low;
}

void tracer_hal_msr_write(uint32_t msr, uint64_t value)
{
	__asm__ volatile("wrmsr" : : "a"((uint32_t)value), "d"((uint32_t)(value >> 32)), "c"(msr));
}

uint32_t tracer_hal_apic_read(uint32_t offset)
{
	return KiApicRead(offset);
}

void tracer_hal_apic_write(uint32_t offset, uint32_t value)
{
	KiApicWrite(offset, value);
}

void tracer_hal_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	uint32_t eax = leaf, ebx, ecx = subleaf, edx;

	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	registers[0] = eax;
	registers[1] = ebx;
	registers[2] = ecx;
	registers[3] = edx;
}

uintptr_t tracer_hal_interrupts_off(void)
{
	return interrupts_off();
}

void tracer_hal_interrupts_restore(uintptr_t before)
{
	interrupts_restore(before);
}

bool tracer_hal_gate_read(uint16_t cpu, uint8_t vector, struct tracer_gate *gate)
{
	if (cpu >= ki_boot->cpus)
		return false;
	for (unsigned i = 0; i < sizeof(gate->bytes); i++)
		gate->bytes[i] = ki_processors[cpu].idt[vector].bytes[i];
	return true;
}

/* Another CPU's gate may be exchanged like this CPU's own: only its half with the handler's lower bits changes, in one access. */
bool tracer_hal_gate_exchange(uint16_t cpu, uint8_t vector, const struct tracer_gate *expected, const struct tracer_gate *wanted)
{
	uint64_t old[2], new[2];
	bool is_done;

	if (cpu >= ki_boot->cpus)
		return false;
	__builtin_memcpy(old, expected->bytes, sizeof(old));
	__builtin_memcpy(new, wanted->bytes, sizeof(new));
	__asm__ volatile("lock cmpxchg16b %1"
		: "=@ccz"(is_done), "+m"(*(__int128 *)&ki_processors[cpu].idt[vector]), "+a"(old[0]), "+d"(old[1])
		: "b"(new[0]), "c"(new[1])
		: "memory");
	return is_done;
}

void tracer_hal_queue_dpc(uint16_t cpu)
{
	KeInsertQueueDpc(&shell_probe_dpcs[cpu]);
}

void tracer_hal_wake_thread(uint16_t cpu, unsigned index)
{
	KeSetEvent(&shell_wakes[cpu][index]);
}

/* Of the log; null where it is full. Both CPUs write. */
static uint8_t *reserve(uint32_t bytes)
{
	uint64_t at = __atomic_load_n(&log_used, __ATOMIC_RELAXED);

	do {
		if (bytes > LOG_BYTES - at) {
			__atomic_fetch_add(&log_dropped, 1, __ATOMIC_RELAXED);
			return NULL;
		}
	} while (!__atomic_compare_exchange_n(&log_used, &at, at + bytes, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return (uint8_t *)LOG_BASE + at;
}

void tracer_hal_emit(const struct tracer_record_header *record)
{
	uint8_t *place = is_keeping ? reserve(record->size) : NULL;

	if (place != NULL)
		__builtin_memcpy(place, record, record->size);
}

void shell_keep_records(void)
{
	is_keeping = true;
}

uint32_t tracer_hal_smi_count(void)
{
	return TRACER_SMI_NOT_READ;
}

uint64_t shell_dropped(void)
{
	return log_dropped;
}

void shell_write_log(void)
{
	const uint8_t *bytes = (const uint8_t *)LOG_BASE;

	__asm__ volatile("rep outsb" : "+S"(bytes), "+c"(log_used) : "d"((uint16_t)PORT_DEBUG) : "memory");
}
