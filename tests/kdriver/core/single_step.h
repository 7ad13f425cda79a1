/*
 * Running code one instruction at a time on Linux x86-64: `on_step` is called after each, until step_off or until it clears TRAP_FLAG
 * in the registers. Compile with -mno-red-zone.
 */
#ifndef SINGLE_STEP_H
#define SINGLE_STEP_H

#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

#define TRAP_FLAG 0x100

typedef void (*on_step)(greg_t *registers);

static on_step step_handler;

static void take_step(int number, siginfo_t *information, void *context)
{
	(void)number;
	(void)information;
	step_handler(((ucontext_t *)context)->uc_mcontext.gregs);
}

static inline bool step_install(on_step handler)
{
	struct sigaction action = { .sa_sigaction = take_step, .sa_flags = SA_SIGINFO };

	step_handler = handler;
	return sigaction(SIGTRAP, &action, NULL) == 0;
}

static inline __attribute__((always_inline)) void step_on(void)
{
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
}

static inline __attribute__((always_inline)) void step_off(void)
{
	__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
}

#endif
