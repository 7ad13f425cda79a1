#include "tracer_nmi.h"

#include "tracer_hal.h"

#define PORT_8259 0x20u
#define PORT_8259_MASK 0x21u
#define PORT_SECOND_8259_MASK 0xA1u
#define POLL_8259 0x0Cu        /* OCW3: the next read acknowledges and names the pending interrupt */
#define POLL_PENDING 0x80u
#define POLL_LEVEL 7u
#define SPECIFIC_END 0x60u     /* OCW2 */
#define MASK_IRQ_0 1u
#define MASK_CASCADE 4u
#define MASK_ALL 0xFFu
#define MOST_DRAINED 8u

/* Command register: NMI, assert, to all but self. A shorthand leaves the destination register alone, which may be half written. */
#define BROADCAST_NMI 0xC4400u
#define COMMAND_PENDING 0x1000u
#define MOST_WAITS 1000u

/* An NMI in service and one behind it: a CPU never has more to come. */
#define MOST_EXPECTED 2u

#define CPUID_COUNTERS 0xAu
#define MSR_FIXED_COUNTER_1 0x30Au /* unhalted core cycles */
#define MSR_FIXED_CONTROL 0x38Du
#define MSR_GLOBAL_STATUS 0x38Eu
#define MSR_GLOBAL_CONTROL 0x38Fu
#define MSR_GLOBAL_CLEAR 0x390u
#define FIXED_1_CONTROL UINT64_C(0xF0)
#define FIXED_1_ALL_RINGS_NMI UINT64_C(0xB0)
#define FIXED_1_BIT (UINT64_C(1) << 33)

struct tracer_nmi tracer_nmi;

static uint32_t source(void)
{
	return atomic_load_explicit(&tracer_nmi.source, memory_order_acquire);
}

static enum tracer_apic_access access(void)
{
	return (enum tracer_apic_access)tracer_nmi.access;
}

/*
 * Asks the 8259 for its pending interrupt and ends it: true if that was IRQ 0. The poll makes the line fall, so that the next edge is
 * an NMI again.
 */
static bool poll_8259(bool *pending)
{
	uint8_t answer;

	tracer_hal_port_write(PORT_8259, POLL_8259);
	answer = tracer_hal_port_read(PORT_8259);
	*pending = (answer & POLL_PENDING) != 0;
	if (!*pending)
		return false;
	tracer_hal_port_write(PORT_8259, (uint8_t)(SPECIFIC_END | (answer & POLL_LEVEL)));
	return (answer & POLL_LEVEL) == 0;
}

enum tracer_refusal tracer_nmi_start_pit(enum tracer_apic_access apic_access, uint16_t cpus)
{
	uint8_t mask = tracer_hal_port_read(PORT_8259_MASK);
	uint32_t lint0;
	bool pending = true;

	if (source() != TRACER_NMI_OFF)
		return TRACER_REFUSAL_RUNNING;
	if (apic_access == TRACER_APIC_NONE || cpus == 0 || cpus > TRACER_MAX_CPUS)
		return TRACER_REFUSAL_HYPERVISOR;
	lint0 = tracer_apic_read(apic_access, TRACER_APIC_LVT_LINT0);
	/* Others behind the 8259: any line but the PIT's and the cascade, a line of the second one, or the PIT itself by ExtINT. */
	if ((mask | MASK_IRQ_0 | MASK_CASCADE) != MASK_ALL ||
		(!(mask & MASK_CASCADE) && tracer_hal_port_read(PORT_SECOND_8259_MASK) != MASK_ALL) ||
		(!(mask & MASK_IRQ_0) && !(lint0 & TRACER_LVT_MASKED)))
		return TRACER_REFUSAL_GATE;

	tracer_nmi.cpus = cpus;
	tracer_nmi.access = apic_access;
	tracer_nmi.saved_lint0 = lint0;
	tracer_nmi.saved_mask = mask;
	for (uint32_t cpu = 0; cpu < TRACER_MAX_CPUS; cpu++)
		atomic_store_explicit(&tracer_nmi.expected[cpu], 0, memory_order_relaxed);
	atomic_store_explicit(&tracer_nmi.source, TRACER_NMI_PIT, memory_order_release);
	tracer_apic_write(apic_access, TRACER_APIC_LVT_LINT0, TRACER_LVT_NMI);
	tracer_hal_port_write(PORT_8259_MASK, (uint8_t)(mask & ~MASK_IRQ_0));
	/* A line that is high already has no edge to come. */
	for (unsigned i = 0; pending && i < MOST_DRAINED; i++)
		poll_8259(&pending);
	return TRACER_REFUSAL_NONE;
}

void tracer_nmi_stop_pit(void)
{
	bool pending = true;

	if (source() != TRACER_NMI_PIT)
		return;
	/* An NMI on its way is still ours while these run: the source is switched off last. */
	tracer_hal_port_write(PORT_8259_MASK, (uint8_t)(tracer_nmi.saved_mask | MASK_IRQ_0));
	for (unsigned i = 0; pending && i < MOST_DRAINED; i++)
		poll_8259(&pending);
	tracer_apic_write(access(), TRACER_APIC_LVT_LINT0, tracer_nmi.saved_lint0);
	tracer_hal_port_write(PORT_8259_MASK, tracer_nmi.saved_mask);
	atomic_store_explicit(&tracer_nmi.source, TRACER_NMI_OFF, memory_order_release);
}

/* One NMI to every other CPU, each noted before it is sent. */
static void pass_on(void)
{
	if (tracer_nmi.cpus < 2)
		return;
	for (uint32_t cpu = 1; cpu < tracer_nmi.cpus; cpu++) {
		_Atomic uint32_t *of_cpu = &tracer_nmi.expected[cpu];
		uint32_t expected = atomic_load_explicit(of_cpu, memory_order_relaxed);
		while (expected < MOST_EXPECTED && !atomic_compare_exchange_weak_explicit(
			of_cpu, &expected, expected + 1, memory_order_acq_rel, memory_order_relaxed)) {
		}
	}
	if (access() == TRACER_APIC_MEMORY) {
		for (unsigned i = 0; i < MOST_WAITS && (tracer_apic_read(access(), TRACER_APIC_COMMAND) & COMMAND_PENDING); i++) {
		}
	}
	tracer_apic_write(access(), TRACER_APIC_COMMAND, BROADCAST_NMI);
}

static bool take_expected(uint32_t cpu)
{
	uint32_t expected = atomic_load_explicit(&tracer_nmi.expected[cpu], memory_order_acquire);

	while (expected > 0) {
		if (atomic_compare_exchange_weak_explicit(
			&tracer_nmi.expected[cpu], &expected, expected - 1, memory_order_acq_rel, memory_order_acquire))
			return true;
	}
	return false;
}

static unsigned counter_bits(void)
{
	uint32_t registers[4];

	tracer_hal_cpuid(0, 0, registers);
	if (registers[0] < CPUID_COUNTERS)
		return 0;
	tracer_hal_cpuid(CPUID_COUNTERS, 0, registers);
	/* Version 2 or later, at least two fixed counters. */
	if ((registers[0] & 0xFF) < 2 || (registers[3] & 0x1F) < 2)
		return 0;
	return (registers[3] >> 5) & 0xFF;
}

bool tracer_nmi_has_counter(void)
{
	unsigned bits = counter_bits();

	return bits >= 32 && bits < 64;
}

/* The counter counts up: it overflows after `cycles`. */
static void load_counter(uint32_t cpu)
{
	tracer_hal_msr_write(MSR_FIXED_COUNTER_1, (0 - tracer_nmi.cycles) & tracer_nmi.counter_mask);
	tracer_nmi.loads[cpu]++;
}

enum tracer_refusal tracer_nmi_start_counter(enum tracer_apic_access apic_access, uint16_t cpu, uint64_t cycles)
{
	if (source() == TRACER_NMI_PIT || cpu >= TRACER_MAX_CPUS || tracer_nmi.counting[cpu])
		return TRACER_REFUSAL_RUNNING;
	if (apic_access == TRACER_APIC_NONE || !tracer_nmi_has_counter())
		return TRACER_REFUSAL_HYPERVISOR;
	/* Less would leave the CPU in its NMI handler; more does not fit the counter. */
	if (cycles < TRACER_NMI_LEAST_CYCLES || cycles >> (counter_bits() - 1) != 0)
		return TRACER_REFUSAL_PERIOD;
	tracer_nmi.saved_fixed_control[cpu] = tracer_hal_msr_read(MSR_FIXED_CONTROL);
	tracer_nmi.saved_lvt_counter[cpu] = tracer_apic_read(apic_access, TRACER_APIC_LVT_COUNTER);
	if ((tracer_nmi.saved_fixed_control[cpu] & FIXED_1_CONTROL) != 0 || !(tracer_nmi.saved_lvt_counter[cpu] & TRACER_LVT_MASKED))
		return TRACER_REFUSAL_GATE;
	tracer_nmi.saved_counter[cpu] = tracer_hal_msr_read(MSR_FIXED_COUNTER_1);
	tracer_nmi.saved_global_control[cpu] = tracer_hal_msr_read(MSR_GLOBAL_CONTROL);
	tracer_nmi.access = apic_access;
	tracer_nmi.cycles = cycles;
	tracer_nmi.counter_mask = (UINT64_C(1) << counter_bits()) - 1;
	tracer_nmi.counting[cpu] = true;
	atomic_store_explicit(&tracer_nmi.source, TRACER_NMI_COUNTER, memory_order_release);

	load_counter(cpu);
	tracer_hal_msr_write(MSR_GLOBAL_CLEAR, FIXED_1_BIT);
	tracer_apic_write(apic_access, TRACER_APIC_LVT_COUNTER, TRACER_LVT_NMI);
	tracer_hal_msr_write(MSR_FIXED_CONTROL, tracer_nmi.saved_fixed_control[cpu] | FIXED_1_ALL_RINGS_NMI);
	tracer_hal_msr_write(MSR_GLOBAL_CONTROL, tracer_nmi.saved_global_control[cpu] | FIXED_1_BIT);
	return TRACER_REFUSAL_NONE;
}

void tracer_nmi_stop_counter(uint16_t cpu)
{
	if (cpu >= TRACER_MAX_CPUS || !tracer_nmi.counting[cpu])
		return;
	/* Only our own bits: others may have set theirs meanwhile. */
	tracer_hal_msr_write(MSR_FIXED_CONTROL, tracer_hal_msr_read(MSR_FIXED_CONTROL) & ~FIXED_1_CONTROL);
	if (!(tracer_nmi.saved_global_control[cpu] & FIXED_1_BIT))
		tracer_hal_msr_write(MSR_GLOBAL_CONTROL, tracer_hal_msr_read(MSR_GLOBAL_CONTROL) & ~FIXED_1_BIT);
	tracer_apic_write(access(), TRACER_APIC_LVT_COUNTER, tracer_nmi.saved_lvt_counter[cpu]);
	tracer_hal_msr_write(MSR_FIXED_COUNTER_1, tracer_nmi.saved_counter[cpu]);
	tracer_hal_msr_write(MSR_GLOBAL_CLEAR, FIXED_1_BIT);
	tracer_nmi.counting[cpu] = false;
	for (uint32_t other = 0; other < TRACER_MAX_CPUS; other++) {
		if (tracer_nmi.counting[other])
			return;
	}
	atomic_store_explicit(&tracer_nmi.source, TRACER_NMI_OFF, memory_order_release);
}

static bool acknowledge_counter(uint32_t cpu)
{
	if (!tracer_nmi.counting[cpu] || !(tracer_hal_msr_read(MSR_GLOBAL_STATUS) & FIXED_1_BIT))
		return false;
	load_counter(cpu);
	tracer_hal_msr_write(MSR_GLOBAL_CLEAR, FIXED_1_BIT);
	/* The CPU masks the entry when it delivers the NMI. */
	tracer_apic_write(access(), TRACER_APIC_LVT_COUNTER, TRACER_LVT_NMI);
	return true;
}

uint32_t tracer_nmi_acknowledge(uint32_t cpu)
{
	bool pending;

	if (cpu >= TRACER_MAX_CPUS)
		return 0;
	if (source() == TRACER_NMI_COUNTER)
		return acknowledge_counter(cpu);
	if (source() == TRACER_NMI_PIT && cpu == 0) {
		if (!poll_8259(&pending))
			return 0;
		pass_on();
		return 1;
	}
	/* Broadcasts on their way when sampling stopped are still ours. */
	return take_expected(cpu);
}
