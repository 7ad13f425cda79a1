/*
 * The local APIC of one CPU: its timer makes the interrupt that is measured (Bernadat 8). Three ways to know when the interrupt was due:
 *
 *   periodic       the counter starts over by itself and runs on while the interrupt waits: (initial - current) / rate is the time since
 *                  the hardware event, read in the ISR. The clock of the event itself, as in Bernadat.
 *   one-shot       the counter stands at 0 after the event: due = TSC when it was armed + count, by the calibrated rate.
 *   TSC deadline   due = the deadline that was written.
 *
 * Registers that are touched are saved first and restored on stop. An APIC that the system already runs keeps its spurious and error
 * vectors; one that is switched off gets ours. A timer that somebody else uses is refused. All functions: on the CPU they are about.
 */
#ifndef TRACER_APIC_H
#define TRACER_APIC_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer_hal.h"
#include "tracer_ioctl.h"

enum tracer_apic_access {
	TRACER_APIC_NONE = 0,   /* absent, or disabled in MSR IA32_APIC_BASE */
	TRACER_APIC_MEMORY = 1, /* xAPIC: tracer_hal_apic_read/write */
	TRACER_APIC_MSR = 2     /* x2APIC: MSR 0x800 + offset / 16 */
};

enum tracer_apic_timer_mode {
	TRACER_APIC_ONE_SHOT = 0,
	TRACER_APIC_PERIODIC = 1,
	TRACER_APIC_TSC_DEADLINE = 2
};

/* Offsets of the registers that are used here. */
#define TRACER_APIC_ID 0x20u
#define TRACER_APIC_VERSION 0x30u
#define TRACER_APIC_TASK_PRIORITY 0x80u
#define TRACER_APIC_EOI 0xB0u
#define TRACER_APIC_SPURIOUS 0xF0u
#define TRACER_APIC_ERROR_STATUS 0x280u
#define TRACER_APIC_COMMAND 0x300u
#define TRACER_APIC_LVT_TIMER 0x320u
#define TRACER_APIC_LVT_COUNTER 0x340u
#define TRACER_APIC_LVT_LINT0 0x350u
#define TRACER_APIC_LVT_ERROR 0x370u
#define TRACER_APIC_INITIAL_COUNT 0x380u
#define TRACER_APIC_CURRENT_COUNT 0x390u
#define TRACER_APIC_DIVIDE 0x3E0u

/* Bits of them. */
#define TRACER_APIC_ENABLED 0x100u       /* spurious vector register */
#define TRACER_LVT_MASKED 0x10000u
#define TRACER_LVT_PERIODIC 0x20000u
#define TRACER_LVT_TSC_DEADLINE 0x40000u
#define TRACER_LVT_DELIVERY 0x700u
#define TRACER_LVT_NMI 0x400u
#define TRACER_LVT_EXT_INT 0x700u

/* What one CPU's APIC was like, and what was made of it. */
struct tracer_apic {
	uint64_t tsc_hz;
	uint64_t timer_hz;  /* of the counter behind the divider */
	uint64_t due;       /* TSC: when the interrupt that is awaited is due */
	uint64_t armed;     /* TSC when it was armed */
	uint64_t period;    /* TSC ticks for which it was armed */
	uint32_t initial;   /* count that was written */
	uint32_t strays;    /* timer interrupts that came though none was due */
	uint32_t merged;    /* periodic: events that came while one was waiting, and had no interrupt of their own */
	uint32_t errors;    /* error interrupts, and the error bits seen in them */
	uint32_t error_bits;
	uint32_t saved_spurious;
	uint32_t saved_timer;
	uint32_t saved_error;
	uint32_t saved_divide;
	uint32_t saved_initial;
	uint8_t access;         /* enum tracer_apic_access */
	uint8_t mode;           /* enum tracer_apic_timer_mode */
	bool running;
	bool enabled_by_us;
	uint32_t reserved;
};

/* Vectors of the IDT that the shell keeps for us; each a multiple of its own: spurious vectors end in binary 1111 on old CPUs. */
struct tracer_apic_vectors {
	uint8_t timer;
	uint8_t spurious;
	uint8_t error;
};

/*
 * Finds the APIC of the CPU it is called on by CPUID and IA32_APIC_BASE, and whether that has a TSC deadline. Writes nothing to it. The
 * access found holds for this CPU alone, and as long as nobody switches it between xAPIC and x2APIC: ask again on each CPU and for each
 * run.
 */
enum tracer_apic_access tracer_apic_find(void);
bool tracer_apic_has_tsc_deadline(void);

/*
 * One register, by offset (TRACER_APIC_*), in either access; any level. `access` must be what tracer_apic_find gave on this CPU: with
 * TRACER_APIC_NONE nothing may be called, and the wrong one of the two faults (x2APIC MSRs) or reads memory that is no APIC. Nothing is
 * checked here. A caller that reads, changes and writes keeps interrupts off meanwhile.
 */
uint32_t tracer_apic_read(enum tracer_apic_access access, uint32_t offset);
void tracer_apic_write(enum tracer_apic_access access, uint32_t offset, uint32_t value);

/*
 * Rates of the TSC and of the APIC timer behind its divider (16), against PIT channel 2: the median of five waits of 10 ms.
 * TRACER_REFUSAL_CALIBRATION where channel 2 does not answer or the waits differ by more than 1/64; the timer must be free.
 */
enum tracer_refusal tracer_apic_calibrate(enum tracer_apic_access access, uint64_t *tsc_hz, uint64_t *timer_hz);

/*
 * Takes the timer: saves, programs divider, vectors and mode; nothing is armed yet. TRACER_REFUSAL_HYPERVISOR ("the local APIC is not
 * ours") where there is none or its timer is in use, TRACER_REFUSAL_CALIBRATION without rates.
 */
enum tracer_refusal tracer_apic_start(struct tracer_apic *apic, enum tracer_apic_access access, enum tracer_apic_timer_mode mode,
	const struct tracer_apic_vectors *vectors, uint64_t tsc_hz, uint64_t timer_hz);

/*
 * Arms the timer for `delay_ns` from now (periodic: each so long) and returns the TSC at which it is due. 0 and nothing armed where it does
 * not run, or where the delay is less than a tick or does not fit the counter: no interrupt comes then, so the caller must end the run.
 * Any level; interrupts are off while it writes. Armed again before its interrupt came, the earlier due time is forgotten.
 */
uint64_t tracer_apic_arm(struct tracer_apic *apic, uint64_t delay_ns);

/*
 * In the latency ISR, with the TSC of its first instruction: the TSC at which this interrupt was due, never after `isr_clock`, or 0 for a
 * stray one, which is counted and of which nothing more may be made. Once for each interrupt, before its end is signalled, interrupts
 * off: a one-shot's due time is used up by it. Periodic: from the current count; where more than a period went by, the TSC tells how many
 * (interrupts of one vector merge).
 */
uint64_t tracer_apic_event(struct tracer_apic *apic, uint64_t isr_clock);

/*
 * End of interrupt: once for each timer interrupt, stray ones too, or the CPU takes no other of this level or below. Not for spurious
 * interrupts, nor behind tracer_apic_error: one too many ends somebody else's interrupt. Any level.
 */
void tracer_apic_end_of_interrupt(const struct tracer_apic *apic);

/* In the error ISR, interrupts off: reads the error status, counts it, and ends the interrupt itself: no tracer_apic_end_of_interrupt. */
void tracer_apic_error(struct tracer_apic *apic);

/*
 * Puts everything back as it was found. Does nothing if it does not run. A timer interrupt may still be pending: the gates stay until
 * the CPU has had its interrupts on once.
 */
void tracer_apic_stop(struct tracer_apic *apic);

#endif
