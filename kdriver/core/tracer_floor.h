/*
 * What the probe shows when nothing is wrong: at the start of a run wake-ups are counted here, of all CPUs together, and in none of the
 * run's histograms. A threshold below twice the floor would report the machine's ordinary ways.
 */
#ifndef TRACER_FLOOR_H
#define TRACER_FLOOR_H

#include <stdatomic.h>
#include <stdint.h>

#include "tracer_ioctl.h"

/* Nine of ten wake-ups are not longer: what a troubled machine does to fewer than one of ten does not raise it. */
#define TRACER_FLOOR_PERCENT 90u

/* Of latencies: each thread's by its index, and behind them the callbacks', from their ticks. */
#define TRACER_FLOOR_CALLBACKS TRACER_MAX_PRIORITIES

struct tracer_floor {
	_Atomic uint32_t buckets[TRACER_MAX_PRIORITIES + 1][TRACER_HISTOGRAM_BUCKETS];
};

/* No writer may be at work. */
void tracer_floor_clear(struct tracer_floor *floor);

/* One latency. Any number of CPUs at once. */
void tracer_floor_add(struct tracer_floor *floor, unsigned index, uint64_t ns);

/* How many wake-ups there are of the thread that has fewest. */
uint32_t tracer_floor_wakeups(const struct tracer_floor *floor, unsigned threads);

/*
 * So long, in ns, that TRACER_FLOOR_PERCENT of the wake-ups of each thread are not longer, nor of the callbacks; by the end of a bucket. 0
 * where there is nothing.
 */
uint64_t tracer_floor_ns(const struct tracer_floor *floor);

#endif
