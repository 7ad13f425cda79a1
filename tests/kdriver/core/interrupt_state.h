/* Entering the stubs from user mode: interrupt_x64.asm, interrupt_x86.asm. */
#ifndef INTERRUPT_STATE_H
#define INTERRUPT_STATE_H

#include <stdint.h>

/* Numbers of registers in interrupt_state. */
enum { AX, CX, DX, BX, SP, BP, SI, DI, R8, R9, R10, R11, R12, R13, R14, R15 };

struct interrupt_state {
	uintptr_t registers[16];
	uintptr_t ip;
	uintptr_t cs;
	uintptr_t flags;
	uintptr_t ss;
};

void enter_stub_at(const void *thunk, const struct interrupt_state *before);
extern const char interrupt_landing[];
extern const char interrupt_return[];
extern struct interrupt_state interrupt_after;

/* Where enter_stub_at goes on; whoever nests another one keeps and restores it, and interrupt_after. */
extern uintptr_t interrupt_kept_sp;

#endif
