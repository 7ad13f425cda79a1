/* Doing something on each CPU: descriptor tables and local APICs can be reached from their own CPU only. */
#ifndef EACH_CPU_H
#define EACH_CPU_H

#include "kernel.h"

/* Runs the function on the CPU, at passive level. */
_IRQL_requires_(PASSIVE_LEVEL) void on_cpu(uint16_t cpu, void (*function)(uint16_t cpu, void *context), void *context);

/* On CPUs 0 to cpus - 1, one after the other. A null function only has each CPU's interrupts on once: it has left every stub then. */
_IRQL_requires_(PASSIVE_LEVEL) void on_each_cpu(uint16_t cpus, void (*function)(uint16_t cpu, void *context), void *context);

#endif
