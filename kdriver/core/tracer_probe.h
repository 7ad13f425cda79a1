/*
 * The latency probe of one CPU: interrupt -> DPC -> threads (Cota-Robles & Held 2.2, Bernadat 8). The shell calls it at each station; the
 * probe keeps the times, counts histograms, writes records and finds episodes. The shell arms the next interrupt when a wake-up is done.
 *
 *   shell: arm timer -> tracer_probe_arm        any level
 *   latency ISR      -> tracer_probe_isr        queues the DPC          (timer mode: tracer_probe_queue in the timer's callback instead)
 *   DPC              -> tracer_probe_dpc        wakes the threads
 *   thread k         -> tracer_probe_thread     the last thread returns true: arm again
 *
 * The stations of one wake-up follow one another; an interrupt that comes while the last wake-up is still on its way is counted as missed.
 * One that spans a change of the machine's power state (tracer_run.power_changes) says nothing about latency: it goes to its end, but is in
 * no histogram and no record.
 */
#ifndef TRACER_PROBE_H
#define TRACER_PROBE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracer_episode.h"
#include "tracer_histogram.h"
#include "tracer_run.h"
#include "tracer_stubs.h"

enum tracer_probe_state {
	TRACER_PROBE_IDLE = 0,
	TRACER_PROBE_ARMED = 1,
	TRACER_PROBE_QUEUED = 2, /* the ISR, or the timer's callback, queued the DPC, which did not run yet */
	TRACER_PROBE_IN_DPC = 3  /* the DPC ran, not all threads did yet */
};

/* One expiry of the timer of all CPUs (tracer_timer.h), as its callback found it; for every CPU that it serves the same. */
struct tracer_expiry {
	uint64_t expected;      /* when the timer was due */
	uint64_t tick;          /* the clock's tick that should have served it; 0 = not known */
	uint64_t callback;      /* first instruction of the callback */
	uint32_t power_changes; /* when the timer was set */
	uint16_t cpu;           /* that ran the callback */
	bool is_counted;        /* or it tells the floor only */
};

struct tracer_probe {
	struct tracer_run *run;
	struct tracer_episode episode;
	struct tracer_expiry expiry; /* all 0 but for `expected`, power changes and is_counted where an ISR did it */
	uint64_t queued;
	uint64_t isr;
	uint64_t dpc;
	uint64_t reference; /* first instruction of the second DPC, or 0 */
	uint64_t interrupted_ip;
	uint64_t thread[TRACER_MAX_PRIORITIES];
	_Atomic uint32_t state;   /* enum tracer_probe_state */
	_Atomic uint32_t came;     /* bit k: thread k has come */
	_Atomic uint32_t measured; /* bit k: and its time is kept */
	uint64_t last_sequence;
	uint16_t cpu;
	uint16_t interrupted_cs;
	_Atomic uint32_t missed;
	struct tracer_count probes;         /* wake-ups measured: one for each thread */
	struct tracer_count over_threshold;
	struct tracer_count discarded; /* wake-ups that spanned a change of the power state, in no other count */
	struct tracer_count worst_ns;
	struct tracer_count dpc_own;   /* clock ticks that the DPCs took, and each thread, with what interrupted them */
	struct tracer_count thread_own[TRACER_MAX_PRIORITIES];
	struct tracer_buckets interrupt_phase;
	struct tracer_buckets dpc_phase;
	struct tracer_buckets reference_phase;
	struct tracer_buckets timer_phase; /* of callbacks that ran on this CPU; the timer is its writer */
	struct tracer_buckets thread_phase[TRACER_MAX_PRIORITIES];
	struct tracer_buckets total_phase[TRACER_MAX_PRIORITIES];
};

/*
 * Before the first wake-up, when nothing of the run is on its way: everything counted is 0. `run` is prepared (tracer_run_prepare); it and
 * the ring (null: no samples) outlive the probe. Memory that never pages: ISR and DPC use it.
 */
void tracer_probe_init(struct tracer_probe *probe, struct tracer_run *run, const struct tracer_ring *ring, uint16_t cpu);

/*
 * The timer is about to be armed: before that, or its interrupt could come first and count as missed. False, and nothing changed, where a
 * wake-up is still on its way: the caller arms nothing and comes again behind the thread that ends it. True is undone by a whole wake-up
 * only, or by tracer_probe_close.
 */
bool tracer_probe_arm(struct tracer_probe *probe);

/*
 * In the latency ISR, interrupts off, on the probe's CPU. `expected` is the clock at which it was due; 0 = a stray interrupt: nothing
 * happens. Queues the DPC, true if it did. False with another `expected`: the last wake-up is still on its way, and this one is counted
 * as missed. `interrupt` is copied. The caller ends the interrupt in every case.
 */
bool tracer_probe_isr(struct tracer_probe *probe, uint64_t expected, const struct tracer_interrupt *interrupt);

/*
 * In the timer's callback, in place of tracer_probe_isr, `clock` read right before: true where the caller is to queue this CPU's DPCs now,
 * the reference first. False where the last wake-up is still on its way: this expiry goes by, and the probe joins again at a later one.
 */
bool tracer_probe_queue(struct tracer_probe *probe, const struct tracer_expiry *expiry, uint64_t clock);

/*
 * First thing in the DPC, with the clock read before anything else: wakes the threads, true if it did. False where no interrupt led to it
 * (a DPC left over from a run that ended): nothing happens, and nothing may be armed for it.
 */
bool tracer_probe_dpc(struct tracer_probe *probe, uint64_t clock);

/*
 * First thing in thread `index`, likewise. The last thread of the wake-up evaluates it: writes the records, begins an episode with the
 * latest one if that reached the threshold, and gets true: it, and nobody else, arms again. All others get false and go back to their wait;
 * so does a thread that was woken for nothing or twice. Thread level of the run's priorities; evaluating takes as long as emitting does.
 */
bool tracer_probe_thread(struct tracer_probe *probe, unsigned index, uint64_t clock);

/*
 * In a second DPC that goes to the head of the queue, `clock` read before anything else: from `queued` to here there was no queue. What the
 * DPC phase has more than this one is queueing. Ignored where the measured DPC came first. Counted with the wake-up.
 */
void tracer_probe_reference(struct tracer_probe *probe, uint64_t clock);

/*
 * What a DPC, or thread `index`, took of the CPU this time, in clock ticks: the last thing that it does. tracer_probe_own is the sum so
 * far; it may not interrupt the threads or the DPC.
 */
void tracer_probe_own_dpc(struct tracer_probe *probe, uint64_t ticks);
void tracer_probe_own_thread(struct tracer_probe *probe, unsigned index, uint64_t ticks);
uint64_t tracer_probe_own(const struct tracer_probe *probe);

/*
 * At the end of the run, when no interrupt, DPC or thread is on its way any more, which the caller sees to (timer off, DPCs flushed,
 * threads ended): closes an open episode. Thread level, before the Stop record. Counts and histograms can be read until the next init.
 */
void tracer_probe_close(struct tracer_probe *probe, uint64_t now);

/*
 * Fills in a histogram that a caller asked for; adds to it, so that CPUs can be summed: zeroed before the first. Priority 0 stands for all
 * threads; phases without a thread do not look at it. False for a phase or priority that is not there: only `abi` is filled in. A run may
 * be on; not at a level that interrupts the threads or the DPC (tracer_count_read).
 */
bool tracer_probe_histogram(
	const struct tracer_probe *probe, enum tracer_phase phase, uint8_t priority, struct tracer_histogram *histogram);

#endif
