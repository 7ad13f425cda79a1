/*
 * Each CPU's own descriptors (GDT entry of its task state, stacks of interrupts, IDT) and registers (GS, SYSCALL, access prevention), and
 * the start of the further CPUs.
 */
#include "kernel.h"

#define DESCRIPTOR_KERNEL_CODE UINT64_C(0x00AF9B000000FFFF)
#define DESCRIPTOR_KERNEL_DATA UINT64_C(0x00CF93000000FFFF)
#define DESCRIPTOR_USER_DATA UINT64_C(0x00CFF3000000FFFF)
#define DESCRIPTOR_USER_CODE UINT64_C(0x00AFFB000000FFFF)
#define TASK_STATE_PRESENT UINT64_C(0x8900)
#define FIRST_TASK_INDEX (FIRST_TASK / 8)
#define GATE_KERNEL 0x8Eu
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

#define MSR_EFER 0xC0000080u
#define EFER_SYSTEM_CALL 1u
#define MSR_STAR 0xC0000081u
#define MSR_LSTAR 0xC0000082u
#define MSR_SYSTEM_CALL_MASK 0xC0000084u
#define MSR_GS_BASE 0xC0000101u
#define MSR_KERNEL_GS_BASE 0xC0000102u
#define STAR_SELECTORS (UINT64_C(0x0010) << 48 | UINT64_C(0x0008) << 32) /* of SYSRET (8 and 16 behind it), of SYSCALL */
#define FLAGS_OF_SYSTEM_CALL (FLAG_ACCESS | 0x700u)                       /* switched off: AC, direction, interrupts, trap */
#define CR4_PREVENTION (UINT64_C(3) << 20)                                /* SMEP, SMAP */
#define USER_GS UINT64_C(0x00007FF5DEAD0000)                              /* a program's GS: nothing is there */

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

static void set_gate(struct ki_processor *processor, uint32_t vector)
{
	uint64_t handler = (uint64_t)(uintptr_t)ki_entries + 16 * (uint64_t)vector;
	struct ki_gate *gate = &processor->idt[vector];

	gate->bytes[0] = (uint8_t)handler;
	gate->bytes[1] = (uint8_t)(handler >> 8);
	gate->bytes[2] = KERNEL_CODE;
	gate->bytes[4] = vector == VECTOR_NMI ? NMI_STACK : 0;
	gate->bytes[5] = GATE_KERNEL;
	for (unsigned i = 0; i < 6; i++)
		gate->bytes[6 + i] = (uint8_t)(handler >> (16 + 8 * i));
}

static void set_gates(struct ki_processor *processor)
{
	for (uint32_t vector = 0; vector < 0x20; vector++)
		set_gate(processor, vector);
	for (uint32_t i = 0; i < KI_MAX_DEVICES; i++)
		set_gate(processor, VECTOR_FIRST_DEVICE + 0x10 * i);
	set_gate(processor, VECTOR_DISPATCH);
	set_gate(processor, VECTOR_CLOCK);
	set_gate(processor, VECTOR_PROFILE);
	set_gate(processor, VECTOR_SPURIOUS);
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

static void msr_write(uint32_t msr, uint64_t value)
{
	__asm__ volatile("wrmsr" : : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32)));
}

static uint64_t msr_read(uint32_t msr)
{
	uint32_t low, high;

	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
	return (uint64_t)high << 32 | low;
}

/* QEMU's CPU "max" has both preventions; setting a bit that a CPU has not is an exception. */
static void set_registers(uint32_t cpu)
{
	uint64_t control;

	ki_processors[cpu].number = cpu;
	msr_write(MSR_GS_BASE, (uint64_t)(uintptr_t)&ki_processors[cpu]);
	msr_write(MSR_KERNEL_GS_BASE, USER_GS);
	msr_write(MSR_EFER, msr_read(MSR_EFER) | EFER_SYSTEM_CALL);
	msr_write(MSR_STAR, STAR_SELECTORS);
	msr_write(MSR_LSTAR, (uint64_t)(uintptr_t)KiSystemCall64);
	msr_write(MSR_SYSTEM_CALL_MASK, FLAGS_OF_SYSTEM_CALL);
	__asm__ volatile("movq %%cr4, %0" : "=r"(control));
	__asm__ volatile("movq %0, %%cr4" : : "r"(control | CR4_PREVENTION) : "memory");
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
	set_registers(cpu);
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
	struct ki_processor *here = &ki_processors[KiCurrentCpu()];

	here->task.rsp0 = top;
	here->kernel_stack = top;
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
