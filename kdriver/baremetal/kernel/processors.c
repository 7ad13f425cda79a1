/* Each CPU's own descriptors (GDT entry of its task state, stacks of interrupts, IDT), and the start of the further CPUs. */
#include "kernel.h"

#define DESCRIPTOR_KERNEL_CODE UINT64_C(0x00AF9B000000FFFF)
#define DESCRIPTOR_KERNEL_DATA UINT64_C(0x00CF93000000FFFF)
#define DESCRIPTOR_USER_DATA UINT64_C(0x00CFF3000000FFFF)
#define DESCRIPTOR_USER_CODE UINT64_C(0x00AFFB000000FFFF)
#define TASK_STATE_PRESENT UINT64_C(0x8900)
#define FIRST_TASK_INDEX (FIRST_TASK / 8)
#define GATE_KERNEL 0x8Eu
#define GATE_USER 0xEEu
#define NMI_STACK 1u /* of the task state's interrupt stacks */

#define APIC_SPURIOUS 0xF0u
#define APIC_COMMAND 0x300u
#define APIC_DESTINATION 0x310u
#define APIC_LINT0 0x350u
#define APIC_SOFTWARE_ENABLED 0x100u
#define EXT_INT_MASKED 0x10700u
#define COMMAND_INIT 0x4500u
#define COMMAND_START 0x4600u
#define INIT_US 10000u
#define START_US 200u
#define PATIENCE_US 100000u

#define STACK_WORDS 1024u
#define HOME_WORDS 4u

struct pointer {
	uint16_t padding[3];
	uint16_t limit;
	uint64_t base;
};

struct ki_processor ki_processors[KI_MAX_CPUS];

extern const uint8_t ki_entries[];
void KiLoadDescriptors(const void *gdt_pointer, const void *idt_pointer, uint16_t task);

static uint64_t gdt[FIRST_TASK_INDEX + 2 * KI_MAX_CPUS] = { 0, DESCRIPTOR_KERNEL_CODE, DESCRIPTOR_KERNEL_DATA, DESCRIPTOR_USER_DATA,
	DESCRIPTOR_USER_CODE };
static _Alignas(16) uint64_t start_stacks[KI_MAX_CPUS][STACK_WORDS];
static volatile uint32_t starting, started;

static void set_gate(struct ki_processor *processor, uint32_t vector, uint8_t access)
{
	uint64_t handler = (uint64_t)(uintptr_t)ki_entries + 16 * (uint64_t)vector;
	struct ki_gate *gate = &processor->idt[vector];

	gate->bytes[0] = (uint8_t)handler;
	gate->bytes[1] = (uint8_t)(handler >> 8);
	gate->bytes[2] = KERNEL_CODE;
	gate->bytes[4] = vector == VECTOR_NMI ? NMI_STACK : 0;
	gate->bytes[5] = access;
	for (unsigned i = 0; i < 6; i++)
		gate->bytes[6 + i] = (uint8_t)(handler >> (16 + 8 * i));
}

static void set_gates(struct ki_processor *processor)
{
	for (uint32_t vector = 0; vector < 0x20; vector++)
		set_gate(processor, vector, GATE_KERNEL);
	for (uint32_t i = 0; i < KI_MAX_DEVICES; i++)
		set_gate(processor, VECTOR_FIRST_DEVICE + 0x10 * i, GATE_KERNEL);
	set_gate(processor, VECTOR_SYSTEM_CALL, GATE_USER);
	set_gate(processor, VECTOR_DISPATCH, GATE_KERNEL);
	set_gate(processor, VECTOR_CLOCK, GATE_KERNEL);
	set_gate(processor, VECTOR_PROFILE, GATE_KERNEL);
	set_gate(processor, VECTOR_SPURIOUS, GATE_KERNEL);
}

/* A system descriptor of 16 bytes. */
static void set_task_state(uint32_t cpu)
{
	struct ki_task_state *task = &ki_processors[cpu].task;
	uint64_t base = (uint64_t)(uintptr_t)task;
	uint64_t *descriptor = &gdt[FIRST_TASK_INDEX + 2 * cpu];

	task->ist1 = (uint64_t)(uintptr_t)(ki_processors[cpu].nmi_stack + KI_NMI_STACK_WORDS);
	task->port_map = sizeof(*task); /* none */
	descriptor[0] = (sizeof(*task) - 1) | (base & 0xFFFFFF) << 16 | TASK_STATE_PRESENT << 32 | (base >> 24 & 0xFF) << 56;
	descriptor[1] = base >> 32;
}

/* On the CPU itself. */
static void initialize(uint32_t cpu)
{
	struct ki_processor *processor = &ki_processors[cpu];
	struct pointer gdt_pointer = { { 0 }, sizeof(gdt) - 1, (uint64_t)(uintptr_t)gdt };
	struct pointer idt_pointer = { { 0 }, sizeof(processor->idt) - 1, (uint64_t)(uintptr_t)processor->idt };

	set_gates(processor);
	set_task_state(cpu);
	KiLoadDescriptors(&gdt_pointer.limit, &idt_pointer.limit, (uint16_t)(FIRST_TASK + 16 * cpu));
	KiApicWrite(APIC_SPURIOUS, APIC_SOFTWARE_ENABLED | VECTOR_SPURIOUS);
	KiApicWrite(APIC_LINT0, EXT_INT_MASKED); /* what comes from the PIT comes through the I/O APIC */
	irql_write(PASSIVE_LEVEL);
}

void KiInitializeProcessor(void)
{
	initialize(0);
}

void KiSetInterruptStack(uint64_t top)
{
	ki_processors[KiCurrentCpu()].task.rsp0 = top;
}

static void wait(uint64_t us)
{
	uint64_t begin = read_tsc();

	while (read_tsc() - begin < us * ki_ticks_per_us)
		__builtin_ia32_pause();
}

static void start_here(void)
{
	initialize(starting);
	started = starting;
	KiIdle();
}

static void command(uint32_t cpu, uint32_t word)
{
	KiApicWrite(APIC_DESTINATION, cpu << 24);
	KiApicWrite(APIC_COMMAND, word);
}

/* INIT, then two start-up IPIs, with the pauses that Intel's manual asks for (volume 3, 9.4.4.1). */
void KiStartProcessors(void)
{
	for (uint32_t cpu = 1; cpu < ki_boot->cpus; cpu++) {
		starting = cpu;
		*ki_boot->second = (struct boot_second_cpu){ .routine = (uint64_t)(uintptr_t)start_here,
			.stack = (uint64_t)(uintptr_t)(start_stacks[cpu] + STACK_WORDS - HOME_WORDS) };
		command(cpu, COMMAND_INIT);
		wait(INIT_US);
		for (unsigned i = 0; i < 2; i++) {
			command(cpu, COMMAND_START | BOOT_START_PAGE);
			wait(START_US);
		}
		for (uint64_t us = 0; started != cpu && us < PATIENCE_US; us += START_US)
			wait(START_US);
		if (started != cpu)
			KiStopAll("a CPU does not start");
	}
}
