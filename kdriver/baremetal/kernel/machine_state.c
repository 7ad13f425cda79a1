/* Whether everything that the core touches is found as it was. */
#include "measurement.h"

static struct machine_state *reading;

/* Its own registers are what a CPU sees of the local APICs. */
static bool read_cpu(uint32_t cpu)
{
	static const uint32_t registers[APIC_REGISTERS] = { TRACER_APIC_SPURIOUS, TRACER_APIC_LVT_TIMER, TRACER_APIC_LVT_LINT0,
		TRACER_APIC_LVT_ERROR, TRACER_APIC_INITIAL_COUNT, TRACER_APIC_DIVIDE };
	struct cpu_state *state = &reading->cpus[cpu];

	for (unsigned i = 0; i < 256; i++)
		state->gates[i] = ki_processors[cpu].idt[i];
	for (unsigned i = 0; i < APIC_REGISTERS; i++)
		state->apic[i] = KiApicRead(registers[i]);
	return true;
}

void machine_state_read(struct machine_state *state)
{
	reading = state;
	each_cpu(read_cpu);
	state->pic_mask = port_read(0x21);
	port_write(0x43, 0xE2);
	state->pit_mode = port_read(0x40) & 0x3E; /* format and mode */
}

void machine_state_compare(const struct machine_state *before, const struct machine_state *after)
{
	bool is_idt = true, is_apic = true;

	for (uint32_t cpu = 0; cpu < ki_boot->cpus; cpu++) {
		const struct cpu_state *old = &before->cpus[cpu], *new = &after->cpus[cpu];
		is_idt &= __builtin_memcmp(old->gates, new->gates, sizeof(old->gates)) == 0;
		is_apic &= __builtin_memcmp(old->apic, new->apic, sizeof(old->apic)) == 0;
	}
	KiCheck(is_idt, "IDT restored");
	KiCheck(is_apic, "APIC restored");
	KiCheck(before->pic_mask == after->pic_mask, "8259 restored");
	KiCheck(before->pit_mode == after->pit_mode, "PIT mode restored");
}
