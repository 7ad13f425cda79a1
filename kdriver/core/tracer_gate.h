/*
 * Hooking one vector of every CPU's interrupt descriptor table (Cota-Robles & Held 2.3): the gate keeps its selector, type, privilege
 * and interrupt stack, only its handler becomes our stub, which jumps on to the old handler.
 */
#ifndef TRACER_GATE_H
#define TRACER_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer_ioctl.h"

/* A gate as the CPU has it: 16 bytes in 64-bit mode, 8 otherwise (bytes[8..15] are 0 then). */
struct tracer_gate {
	uint8_t bytes[16];
};

/* The same, read. */
struct tracer_gate_parts {
	uint64_t handler;
	uint16_t selector;
	uint8_t type;            /* 14 = interrupt gate, 15 = trap gate */
	uint8_t privilege;       /* least privileged level that may use INT n */
	uint8_t interrupt_stack; /* 64-bit: IST index */
	bool present;
	bool well_formed;        /* reserved bits 0, and a descriptor of a gate at all */
	uint8_t word_bytes;      /* 8 or 4 */
};

/*
 * `word_bytes` is that of the kernel, 8 or 4, here and below: the upper 8 bytes of a 4-byte kernel's gate are not looked at. Says what
 * stands there and judges nothing: a caller looks at `present` and `well_formed` before it believes the rest.
 */
void tracer_gate_decode(const struct tracer_gate *gate, unsigned word_bytes, struct tracer_gate_parts *parts);

/* The gate with another handler, everything else as it is. With 4-byte words the handler's upper half is dropped. */
void tracer_gate_redirect(const struct tracer_gate *gate, unsigned word_bytes, uint64_t handler, struct tracer_gate *redirected);

/* The gate for a vector that nobody has: present, interrupt gate, privilege 0. The interrupt stack (IST, 0 to 7) only with 8-byte words. */
void tracer_gate_encode(uint64_t handler, uint16_t selector, uint8_t interrupt_stack, unsigned word_bytes, struct tracer_gate *gate);

/* One hooked vector. Everything in it stays valid while the hook is in. */
struct tracer_hook {
	struct tracer_gate before;  /* the gate of all CPUs */
	uint64_t old_handler;       /* the stub's chain */
	uintptr_t *chain;           /* variable of the stub that holds it */
	uint64_t thunks;            /* address of CPU 0's thunk; each CPU's is TRACER_THUNK_BYTES further */
	uint16_t cpus;
	uint8_t vector;
	uint8_t word_bytes;
	bool installed;
	uint8_t reserved[3];
};

enum tracer_hook_answer {
	TRACER_HOOK_DONE = 0,
	TRACER_HOOK_NO_GATE = 1,      /* the IDT ends before the vector */
	TRACER_HOOK_FOREIGN = 2,      /* not a present kernel interrupt gate: trap or task gate, other privilege, malformed */
	TRACER_HOOK_UNEQUAL = 3,      /* the CPUs' gates differ: one chain cannot serve them */
	TRACER_HOOK_CHANGED = 4,      /* a gate changed under our hands; what was done is undone */
	TRACER_HOOK_HOOKED_OVER = 5,  /* unhook refused: a gate leads elsewhere, somebody may jump to our stub */
	TRACER_HOOK_ALREADY = 6,      /* hooked already, by this hook or by an older one of ours */
	TRACER_HOOK_TOO_MANY = 7      /* more CPUs than there are thunks */
};

/*
 * Hooks the vector on all CPUs or on none. `chain` is set before the first gate leads to the stub. selector is the kernel's code
 * segment: a gate through another is foreign. `cpus`, 1 to TRACER_MAX_CPUS, are all that the machine has: one that is left out would go
 * past the hook. `hook` begins zeroed and stays where it is.
 *
 * TRACER_HOOK_DONE: tracer_hook_remove is owed. TRACER_HOOK_CHANGED: look at hook->installed: where that is set, a CPU could not be put
 * back and still leads to the stub, which must stay in memory. Any other answer: nothing was written. Passive level; one install or
 * remove of a vector at a time.
 */
enum tracer_hook_answer tracer_hook_install(
	struct tracer_hook *hook, uint8_t vector, uint16_t cpus, uint16_t selector, uint64_t thunks, uintptr_t *chain);

/*
 * Puts the old gate back on all CPUs, only if every gate still is the one we wrote; else nothing is changed, and the stub must stay
 * in memory: TRACER_HOOK_HOOKED_OVER, and the caller may try again later. TRACER_HOOK_DONE where nothing was installed, too. After it the
 * shell must still let each CPU leave the stub (run once on each) before it unloads. Passive level.
 */
enum tracer_hook_answer tracer_hook_remove(struct tracer_hook *hook);

/* True where every gate still leads to the stub: at this moment, since nothing keeps others from writing gates. */
bool tracer_hook_is_in_place(const struct tracer_hook *hook);

/*
 * Takes an unused vector on one CPU, for the latency, spurious and error interrupts; and gives it back. `before` is the caller's to keep
 * for that: it is written by take in every case but TRACER_HOOK_NO_GATE. TRACER_HOOK_FOREIGN: somebody has the vector.
 * TRACER_HOOK_CHANGED: somebody took it just now. Neither wrote anything. TRACER_HOOK_HOOKED_OVER from the return: the gate is no longer
 * `ours` and stays; what it leads to may lead to our handler, which must stay in memory. Before the return nothing may raise the vector
 * any more.
 */
enum tracer_hook_answer tracer_vector_take(uint16_t cpu, uint8_t vector, const struct tracer_gate *wanted, struct tracer_gate *before);
enum tracer_hook_answer tracer_vector_return(
	uint16_t cpu, uint8_t vector, const struct tracer_gate *ours, const struct tracer_gate *before);

#endif
