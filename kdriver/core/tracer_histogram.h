/*
 * Log-linear histogram of latencies in the buckets that tracer_ioctl.h declares: no allocation, one writer, any number of readers.
 */
#ifndef TRACER_HISTOGRAM_H
#define TRACER_HISTOGRAM_H

#include <stdatomic.h>
#include <stdint.h>

#include "tracer_ioctl.h"

/*
 * A 64-bit count in words: a 32-bit machine cannot store 64 bits in one step without floating-point registers. The writer sets `check`,
 * `low`, `high` in this order, the reader goes the other way round: equal high words mean that the low one is theirs.
 */
struct tracer_count {
	_Atomic uint32_t low;
	_Atomic uint32_t high;
	_Atomic uint32_t check;
};

struct tracer_buckets {
	struct tracer_count total;
	struct tracer_count max_ns;
	struct tracer_count buckets[TRACER_HISTOGRAM_BUCKETS];
};

/*
 * Bucket of a latency, always below TRACER_HISTOGRAM_BUCKETS: the last one holds all that is longer too, so its start is no estimate of
 * what is in it. And the smallest latency of a bucket, which is not checked against that number.
 */
unsigned tracer_bucket_of(uint64_t ns);
uint64_t tracer_bucket_start(unsigned bucket);

/* Counts one latency. One writer at a time, at any level: two that interrupt each other lose counts. Never waits for a reader. */
void tracer_buckets_add(struct tracer_buckets *buckets, uint64_t ns);

/* Sets everything to 0. No writer may be at work. */
void tracer_buckets_clear(struct tracer_buckets *buckets);

/*
 * Adds the counts to a histogram that a caller of the device asked for, so it begins zeroed; a writer may be at work, and what it counts
 * meanwhile is in it or not. The total is the sum of what was read. Not at a level that interrupts the writer: see tracer_count_read.
 */
void tracer_buckets_sum(const struct tracer_buckets *buckets, struct tracer_histogram *histogram);

/*
 * Sets a count or adds to it (one writer), reads it whole (any reader). A read goes round while a write is half done, so nothing that
 * interrupts the writer on its own CPU may read: it would wait for ever.
 */
void tracer_count_set(struct tracer_count *count, uint64_t value);
void tracer_count_add(struct tracer_count *count, uint64_t value);
uint64_t tracer_count_read(const struct tracer_count *count);

#endif
