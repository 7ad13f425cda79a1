/*
 * One run of the measurement: what was asked, whether it may start, its counts, its first and last records.
 */
#ifndef TRACER_RUN_H
#define TRACER_RUN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracer_clock.h"
#include "tracer_hal.h"
#include "tracer_ioctl.h"
#include "tracer_walk.h"

struct tracer_floor;

struct tracer_run {
	uint64_t clock_hz;
	uint64_t threshold_ns;
	uint64_t period_ns;
	uint64_t affordable_period_ns; /* as in the offer */
	uint64_t floor_ns;
	uint64_t cool_down_ns;
	uint64_t post_wait_ns; /* an episode closes so long after its latency even if its samples did not come */
	uint32_t pre_samples;
	uint32_t post_samples;
	uint32_t capabilities;
	uint8_t mode;  /* enum tracer_mode */
	uint8_t clock; /* enum tracer_clock */
	uint8_t priority_count;
	bool record_all; /* TRACER_START_ALL_WAKEUPS: see tracer_run_route */
	uint8_t priorities[TRACER_MAX_PRIORITIES];
	const struct tracer_image *images; /* for walking stacks; may be null */
	uint32_t image_count;
	const _Atomic uint32_t *power_changes; /* counts changes of the machine's power state; null: it has none */
	struct tracer_floor *floor; /* where wake-ups go that are not counted (tracer_timer.h); null: all are */
	_Atomic uint32_t episodes; /* numbers given so far; the first is 1 */
	_Atomic uint32_t next_sequence;
};

/* What the machine offers, for the check of a request. */
struct tracer_offer {
	uint64_t clock_hz;
	uint64_t floor_ns;           /* 0 = not measured yet */
	uint64_t shortest_period_ns; /* that the timer of the mode can do */
	uint64_t affordable_period_ns; /* shorter ones are raised to it: so many processors would cost too much; 0 = none */
	uint32_t capabilities;
	uint8_t clock; /* enum tracer_clock */
	uint8_t reserved[3];
};

/*
 * Checks a request and fills in the run, with all counts 0 and without images, power changes and floor: the caller sets those behind it,
 * and they outlive the run.
 * Or says why not, the first reason that it meets; `run` is as it was then and not to be used. Both structures are only read. While a run
 * is on, its `run` may not be prepared again.
 */
enum tracer_refusal tracer_run_prepare(
	struct tracer_run *run, const struct tracer_start_request *request, const struct tracer_offer *offer);

/* Whether the threshold is at least twice the run's floor. */
bool tracer_run_is_above_floor(const struct tracer_run *run);

/* What the caller counts as power changes so far; wake-ups that span one say nothing about latency. Any level. */
uint32_t tracer_run_power_changes(const struct tracer_run *run);

/* Whether the latency of a wake-up, or how late the timer's callback was, is at or above the threshold. */
bool tracer_run_is_late(const struct tracer_run *run, const struct tracer_latencies *latencies);

/*
 * Where a record goes that the core emitted: to ETW all that are events; to the queue, for who reads the device, everything; but no
 * wake-up that is not late, unless the run records all.
 */
#define TRACER_ROUTE_QUEUE 1u
#define TRACER_ROUTE_EVENT 2u
unsigned tracer_run_route(const struct tracer_run *run, const struct tracer_record_header *record);

/*
 * Emit the Start, ClockSync and Stop records, by tracer_hal_emit, at thread level. Start is the first record of a run and Stop the last;
 * nothing may be emitted behind that. `clock` and `qpc` are readings of one moment: taken with interrupts off, one right behind the other.
 * `probes` are the wake-ups of all CPUs, `dropped` the records that found no room.
 */
void tracer_run_emit_start(const struct tracer_run *run, uint16_t cpu);
void tracer_run_emit_clock_sync(uint16_t cpu, uint64_t clock, uint64_t qpc);
void tracer_run_emit_stop(uint16_t cpu, uint64_t probes, uint64_t dropped);

#endif
