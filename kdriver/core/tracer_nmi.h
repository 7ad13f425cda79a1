/*
 * Sampling by NMI, so that code which masks interrupts is seen too (future work of Cota-Robles & Held 6.1). Two sources:
 *
 *   PIT       channel 0 -> 8259 -> LINT0 of CPU 0 in NMI mode. The NMI handler polls the 8259, which tells whether it was its interrupt
 *             and lowers the line again; then it passes the NMI on to the other CPUs by one broadcast, having noted for each that it comes.
 *   counter   the performance counter "unhalted core cycles" of each CPU overflows after so many cycles and raises an NMI through the
 *             APIC's LVT (architectural performance monitoring version 2 or later). Each CPU by itself.
 *
 * An NMI that is neither is handed to the handler that was there before: it may be a failing memory, or a debugger.
 */
#ifndef TRACER_NMI_H
#define TRACER_NMI_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracer_apic.h"
#include "tracer_stubs.h"

/* From one NMI of the counter to the next, at least. */
#define TRACER_NMI_LEAST_CYCLES 50000u

enum tracer_nmi_source {
	TRACER_NMI_OFF = 0,
	TRACER_NMI_PIT = 1,
	TRACER_NMI_COUNTER = 2
};

struct tracer_nmi {
	_Atomic uint32_t source;   /* enum tracer_nmi_source */
	uint32_t cpus;             /* that take part; CPU 0 has the 8259 */
	uint32_t access;           /* enum tracer_apic_access */
	uint32_t saved_lint0;
	uint64_t cycles;           /* counter: from one NMI to the next */
	uint64_t counter_mask;     /* of the counter's width */
	uint8_t saved_mask;        /* of the first 8259 */
	uint8_t reserved[7];
	_Atomic uint32_t expected[TRACER_MAX_CPUS]; /* broadcasts that a CPU has not answered yet, at most 2 */
	uint32_t loads[TRACER_MAX_CPUS];            /* of the counter: one, and one for each NMI */
	uint32_t saved_lvt_counter[TRACER_MAX_CPUS];
	bool counting[TRACER_MAX_CPUS];
	uint64_t saved_fixed_control[TRACER_MAX_CPUS];
	uint64_t saved_global_control[TRACER_MAX_CPUS];
	uint64_t saved_counter[TRACER_MAX_CPUS];
};

/* The one that the NMI stub asks. */
extern struct tracer_nmi tracer_nmi;

/*
 * On CPU 0, with the NMI vector hooked: LINT0 becomes NMI, the 8259 lets IRQ 0 through. Refused (TRACER_REFUSAL_GATE) where the 8259
 * serves anybody else: those interrupts would be lost. The PIT's rate is tracer_pit's business. After the stop a broadcast may still be on
 * its way to another CPU: the hook stays until each has had the time to take it.
 */
enum tracer_refusal tracer_nmi_start_pit(enum tracer_apic_access access, uint16_t cpus);
void tracer_nmi_stop_pit(void);

/*
 * Whether CPUID announces the counter; TRACER_REFUSAL_HYPERVISOR from the start where it does not, TRACER_REFUSAL_GATE where it is in
 * use.
 */
bool tracer_nmi_has_counter(void);

/*
 * On each CPU that takes part, one after the other, with the NMI vector hooked; and there again to stop, also those before the one that
 * was refused. `cycles` from one NMI to the next, at least TRACER_NMI_LEAST_CYCLES and less than half of what the counter holds,
 * else TRACER_REFUSAL_PERIOD. Stopped before the
 * NMI vector is unhooked: an overflow that nobody owns looks like a failing machine.
 */
enum tracer_refusal tracer_nmi_start_counter(enum tracer_apic_access access, uint16_t cpu, uint64_t cycles);
void tracer_nmi_stop_counter(uint16_t cpu);

/*
 * Called by the NMI stub after it took the sample: 1 = it was ours, return to the interrupted code; 0 = old handler. Once for each NMI: it
 * lowers the source's line, counts down an expected broadcast, or loads the counter again. No lock, no FS or GS, nothing that pages.
 */
uint32_t tracer_nmi_acknowledge(uint32_t cpu);

#endif
