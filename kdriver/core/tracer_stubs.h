/*
 * The interrupt stubs in kdriver/asm (NASM, one source for each word size, System V and Windows alike): nothing is generated at run time.
 * Each kind of interrupt has a row of thunks, one for each CPU: a CPU's own IDT leads to its own thunk, so the stub knows the CPU
 * without asking a register that the system uses.
 *
 *   PIT      takes a sample into the CPU's ring and jumps to tracer_stub_pit_chain; all registers as they were. No C is called.
 *   latency  takes a sample, notes the interrupt in tracer_stub_cpus[cpu].interrupt, calls tracer_on_latency_interrupt, returns.
 *   NMI      takes a sample, asks tracer_nmi_acknowledge; returns, or jumps to tracer_stub_nmi_chain. In 64-bit mode the sample has a
 *            stack only within the kernel stack of the thread that runs (`stack_end`): the stack pointer that an NMI finds may be a
 *            program's, any number, while the code is the kernel's already (SYSCALL).
 *   spurious counts and returns.   error: calls tracer_on_apic_error, returns.
 *
 * The C functions that stubs call are compiled with -mgeneral-regs-only: the stubs keep no floating-point state.
 */
#ifndef TRACER_STUBS_H
#define TRACER_STUBS_H

#include <stdint.h>

#include "tracer_ring.h"

#define TRACER_MAX_CPUS 64
#define TRACER_THUNK_BYTES 16
#define TRACER_NMI_STACK_BYTES 0x4000u

/* The interrupt that the latency stub took: what it interrupted, and when it began. */
struct tracer_interrupt {
	uint64_t clock; /* TSC at the first instruction of the stub that can read it */
	uint64_t ip;
	uint64_t sp;
	uint64_t flags;
	uint16_t cs;
	uint16_t cpu;
	uint32_t reserved;
};
TRACER_ASSERT_SIZE(struct tracer_interrupt, 40);
TRACER_ASSERT_OFFSET(struct tracer_interrupt, ip, 8);
TRACER_ASSERT_OFFSET(struct tracer_interrupt, sp, 16);
TRACER_ASSERT_OFFSET(struct tracer_interrupt, flags, 24);
TRACER_ASSERT_OFFSET(struct tracer_interrupt, cs, 32);
TRACER_ASSERT_OFFSET(struct tracer_interrupt, cpu, 34);

/* What the stubs know of a CPU. The shell sets `ring` before any gate leads to a thunk; 0 = no samples of this CPU. */
struct tracer_stub_cpu {
	union {
		struct tracer_ring *ring;
		uint64_t ring_word;
	};
	struct tracer_interrupt interrupt;
	uint32_t spurious; /* spurious interrupts */
	uint32_t given_up; /* samples that had no slot */
	/*
	 * Where the CPU keeps the end of the kernel stack of the thread that runs on it (64 bits: RSP0 of its task state), if the system
	 * sets that with each thread, and a kernel stack has TRACER_NMI_STACK_BYTES below it; 0 = not known, and NMIs have no stack.
	 */
	union {
		const volatile uint64_t *stack_end;
		uint64_t stack_end_word;
	};
};
TRACER_ASSERT_SIZE(struct tracer_stub_cpu, 64);
TRACER_ASSERT_OFFSET(struct tracer_stub_cpu, stack_end, 56);
TRACER_ASSERT_OFFSET(struct tracer_stub_cpu, interrupt, 8);
TRACER_ASSERT_OFFSET(struct tracer_stub_cpu, spurious, 48);
TRACER_ASSERT_OFFSET(struct tracer_stub_cpu, given_up, 52);

extern struct tracer_stub_cpu tracer_stub_cpus[TRACER_MAX_CPUS];

/* Thunk of CPU n stands TRACER_THUNK_BYTES * n behind. */
extern const uint8_t tracer_stub_pit[];
extern const uint8_t tracer_stub_latency[];
extern const uint8_t tracer_stub_nmi[];
extern const uint8_t tracer_stub_spurious[];
extern const uint8_t tracer_stub_error[];

/* Handlers that the PIT and NMI stubs jump on to. tracer_hook_install sets them. */
extern uintptr_t tracer_stub_pit_chain;
extern uintptr_t tracer_stub_nmi_chain;

/*
 * Lowest address that a kernel stack can have; a sample whose stack pointer is lower keeps no stack, because code may run with
 * privilege before it has left the user's stack. At first 0xFFFF800000000000, or 0x80000000 for 32 bits; a kernel that lives lower
 * sets it.
 */
extern uintptr_t tracer_stub_lowest_stack;

/* 32-bit only: selectors that the latency and error stubs load into DS and ES, and FS, before they call C. 0 = leave them alone. */
extern uint32_t tracer_stub_data_selector;
extern uint32_t tracer_stub_fs_selector;

/* Set to 1 where interrupts from user mode need SWAPGS before C may run (64-bit Windows). */
extern uint32_t tracer_stub_swap_gs;

/*
 * Set to 1 where supervisor mode access prevention is on (CR4.SMAP): the latency and error stubs then clear AC before they call C. A
 * program may have set it, and the CPU does not clear it for an interrupt.
 */
extern uint32_t tracer_stub_clear_ac;

/*
 * Given by the shell; called on `cpu` with interrupts off, on the interrupted stack, so they are short, block on nothing and use no
 * floating point. The latency one usually: tracer_apic_event, tracer_probe_isr, tracer_apic_end_of_interrupt. It must end the interrupt;
 * `interrupt` is the stub's and is overwritten by the next one. The error one leaves the end to tracer_apic_error.
 */
void tracer_on_latency_interrupt(uint32_t cpu, const struct tracer_interrupt *interrupt);
void tracer_on_apic_error(uint32_t cpu);

#endif
