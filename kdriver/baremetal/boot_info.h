/*
 * What the loader tells the test kernel. Both are compiled with these fixed layouts.
 */
#ifndef BAREMETAL_BOOT_INFO_H
#define BAREMETAL_BOOT_INFO_H

#include <stdint.h>

#define BOOT_MAX_MODULES 8
#define BOOT_WORD_BYTES 24

/* A PE image as loaded: relocated and bound to the kernel's exports. */
struct boot_module {
	char name[BOOT_WORD_BYTES]; /* file name */
	uint64_t base;
	uint64_t copy;  /* the same bytes where only the kernel sees them: a program's own pages are not for it */
	uint32_t bytes;
	uint32_t entry; /* offset of its entry point */
	uint64_t user_stack; /* where its stack begins, if it is a program for user mode; else 0 */
};

/* What programs have as their stack pointer when they call the system: an address that the kernel could have, and nothing is there. */
#define BOOT_BAD_STACK UINT64_C(0xFFFFFF7FFFFFE038)

/* What a CPU does that gets a start-up IPI to BOOT_START_PAGE: in 64-bit mode, with the loader's page tables, interrupts off. */
#define BOOT_START_PAGE 8u
struct boot_second_cpu {
	uint64_t routine; /* no argument, does not return */
	uint64_t stack;
};

struct boot_info {
	uint64_t seed;
	uint64_t milliseconds;          /* how long the run takes */
	uint64_t rate;                  /* samples a second */
	uint64_t window_us;             /* how long a system call stays on the program's stack pointer, about */
	uint32_t module_count;          /* in the order of loading, which follows the seed; the kernel first */
	uint32_t cpus;
	struct boot_second_cpu *second;
	char scenario[BOOT_WORD_BYTES];
	char sampling[BOOT_WORD_BYTES]; /* pit or nmi */
	char timer[BOOT_WORD_BYTES];    /* one-shot or periodic */
	struct boot_module modules[BOOT_MAX_MODULES];
};

/* Random numbers of a seed (SplitMix64). */
static inline uint64_t boot_random(uint64_t *state)
{
	uint64_t value = *state += UINT64_C(0x9E3779B97F4A7C15);

	value = (value ^ (value >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	value = (value ^ (value >> 27)) * UINT64_C(0x94D049BB133111EB);
	return value ^ (value >> 31);
}

#endif
