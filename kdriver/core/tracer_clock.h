/*
 * Arithmetic of clocks and latencies: counters of different widths and rates, 64 bits throughout, no overflow, no floating point and
 * no division by hardware (a 32-bit build needs no run-time library).
 */
#ifndef TRACER_CLOCK_H
#define TRACER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer_records.h"

#define TRACER_NS_PER_SECOND 1000000000u

/* floor(value * numerator / denominator) with a product of 128 bits; UINT64_MAX where that does not fit or denominator is 0. */
uint64_t tracer_scale(uint64_t value, uint64_t numerator, uint64_t denominator);

/* The same, rounded to the nearest, halves upwards; the same ends. */
uint64_t tracer_scale_nearest(uint64_t value, uint64_t numerator, uint64_t denominator);

/*
 * Ticks of a clock of so many Hz in ns, and back. Both round down, so there and back may lose a tick, and a time shorter than one is 0;
 * both end at UINT64_MAX. With 0 Hz the first gives UINT64_MAX, which counts as "for ever", and the second 0: check the rate before.
 */
uint64_t tracer_ticks_to_ns(uint64_t ticks, uint64_t hz);
uint64_t tracer_ns_to_ticks(uint64_t ns, uint64_t hz);

/*
 * later - earlier of a 64-bit counter that may have wrapped between; 0 where `later` is in truth the earlier one (two CPUs' counters
 * differ a little, an estimate of the due time may be late): a latency is never negative and never 2^64.
 */
uint64_t tracer_elapsed(uint64_t earlier, uint64_t later);

/* True where `clock` is at or past `due`, whatever has wrapped. Both of one counter, less than 2^63 ticks apart. */
bool tracer_is_due(uint64_t due, uint64_t clock);

/*
 * later - earlier for a counter of `bits` (1 to 64) that counts up and wrapped at most once: always the forward distance. Two readings in
 * the wrong order give nearly a whole lap, not 0 as above: only for readings of one counter on one CPU.
 */
uint64_t tracer_counter_elapsed(uint64_t earlier, uint64_t later, unsigned bits);

/* One moment read in two clocks of different rate; moments of one are turned into the other around it. */
struct tracer_clock_pair {
	uint64_t from;    /* the moment in the clock that is converted */
	uint64_t to;      /* and in the clock that is wanted */
	uint64_t from_hz;
	uint64_t to_hz;
};

/*
 * A moment of the first clock in the second; moments before the pair's count too. Exact at the pair and off by what the two rates are off
 * for each second away from it: take a pair near the moments that are converted.
 */
uint64_t tracer_convert(const struct tracer_clock_pair *pair, uint64_t clock);

/* The phases of one wake-up in ns (Cota-Robles & Held 2.1). */
struct tracer_latencies {
	uint64_t interrupt_ns; /* due -> ISR; 0 where the ISR was not measurable */
	uint64_t dpc_ns;       /* ISR -> DPC; due -> DPC where it was not */
	uint64_t thread_ns;    /* DPC -> thread */
	uint64_t total_ns;     /* due -> thread */
	uint64_t timer_ns;     /* the timer's tick -> its callback, which no other phase counts; 0 where one of them is not known */
};

/*
 * From the raw clock values of a wake-up record, all in ticks of `clock_hz`. Due is when the timer's callback queued the DPC, or the due
 * time where there was no callback. isr 0: not measured, interrupt_ns is 0 and dpc_ns counts from due. Values that stand in the wrong order
 * count as 0, never as negative: the phases then do not add up to total_ns.
 */
void tracer_latencies_of(const struct tracer_wakeup *wakeup, uint64_t clock_hz, struct tracer_latencies *latencies);

#endif
