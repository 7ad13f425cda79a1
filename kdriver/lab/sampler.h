/*
 * Sampling what the CPUs execute, about once a millisecond, into their rings:
 *
 *   NMI     the PIT's, as the core makes them (tracer_nmi.h): masked code is sampled too. 64-bit systems only: elsewhere the NMI's gate is
 *           a task gate, which the core does not hook.
 *   clock   the vector of the system's clock is hooked (Cota-Robles & Held 2.3), and the system is asked for a tick of 1 ms by its own
 *           function, so its time stays right. The clock is the PIT (vector 0x30) where the system takes its interrupts from the 8259, as
 *           in the paper; elsewhere it has vector 0xD1, whatever device makes it.
 *
 * Either is looked at after it was started: one that does not tick is taken out again.
 */
#ifndef SAMPLER_H
#define SAMPLER_H

#include "kernel.h"

#include "tracer_ioctl.h"

/*
 * The first of the two that ticks; the rings of the CPUs are in tracer_stub_cpus already. TRACER_REFUSAL_SAMPLER where neither does,
 * TRACER_REFUSAL_GATE where the clock's gate is none that may be hooked.
 */
_IRQL_requires_(PASSIVE_LEVEL) enum tracer_refusal sampler_start(uint16_t cpus, uint64_t tsc_hz);

/* False where somebody has hooked over us: our stubs must stay in memory. */
_IRQL_requires_(PASSIVE_LEVEL) bool sampler_stop(void);

#endif
