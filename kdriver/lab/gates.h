/*
 * Every CPU's interrupt descriptor table, as the core's HAL reads and changes it. A table is read where the CPU has it and written
 * through a mapping of our own, on its own CPU with interrupts off: it may be read-only where it is.
 */
#ifndef GATES_H
#define GATES_H

#include "kernel.h"

/* Finds the tables of CPUs 0 to cpus - 1. */
_IRQL_requires_(PASSIVE_LEVEL) void gates_find(uint16_t cpus);

/* The kernel's code segment. */
_IRQL_requires_max_(HIGH_LEVEL) uint16_t gates_selector(void);

/* Handlers of CPU 0's present kernel interrupt gates, 0 for others. */
_IRQL_requires_(PASSIVE_LEVEL) void gates_handlers(uint64_t handlers[256]);

#endif
