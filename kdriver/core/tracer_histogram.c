#include "tracer_histogram.h"

#define SUB_BUCKETS (1u << TRACER_HISTOGRAM_SUB_BITS)

unsigned tracer_bucket_of(uint64_t ns)
{
	unsigned shift = 0;

	if (ns >> (TRACER_HISTOGRAM_SUB_BITS + TRACER_HISTOGRAM_OCTAVES) != 0)
		return TRACER_HISTOGRAM_BUCKETS - 1;
	/* Until the first bit and the sub bits behind it are left. */
	while (ns >> shift >= UINT64_C(2) * SUB_BUCKETS)
		shift++;
	/* In octave 0 the first bit is missing: then the value itself is the bucket, and the sum below is the same. */
	return shift * SUB_BUCKETS + (unsigned)(ns >> shift);
}

uint64_t tracer_bucket_start(unsigned bucket)
{
	unsigned octave = bucket >> TRACER_HISTOGRAM_SUB_BITS;

	if (octave == 0)
		return bucket;
	return (uint64_t)(SUB_BUCKETS + (bucket & (SUB_BUCKETS - 1))) << (octave - 1);
}

void tracer_count_set(struct tracer_count *count, uint64_t value)
{
	atomic_store_explicit(&count->check, (uint32_t)(value >> 32), memory_order_release);
	atomic_store_explicit(&count->low, (uint32_t)value, memory_order_release);
	atomic_store_explicit(&count->high, (uint32_t)(value >> 32), memory_order_release);
}

void tracer_count_add(struct tracer_count *count, uint64_t value)
{
	uint64_t before = (uint64_t)atomic_load_explicit(&count->high, memory_order_relaxed) << 32 |
		atomic_load_explicit(&count->low, memory_order_relaxed);

	tracer_count_set(count, before + value);
}

uint64_t tracer_count_read(const struct tracer_count *count)
{
	uint32_t high, low, check;

	do {
		high = atomic_load_explicit(&count->high, memory_order_acquire);
		low = atomic_load_explicit(&count->low, memory_order_acquire);
		check = atomic_load_explicit(&count->check, memory_order_acquire);
	} while (high != check);
	return (uint64_t)high << 32 | low;
}

void tracer_buckets_add(struct tracer_buckets *buckets, uint64_t ns)
{
	tracer_count_add(&buckets->buckets[tracer_bucket_of(ns)], 1);
	tracer_count_add(&buckets->total, 1);
	if (ns > tracer_count_read(&buckets->max_ns))
		tracer_count_set(&buckets->max_ns, ns);
}

void tracer_buckets_clear(struct tracer_buckets *buckets)
{
	for (unsigned i = 0; i < TRACER_HISTOGRAM_BUCKETS; i++)
		tracer_count_set(&buckets->buckets[i], 0);
	tracer_count_set(&buckets->total, 0);
	tracer_count_set(&buckets->max_ns, 0);
}

void tracer_buckets_sum(const struct tracer_buckets *buckets, struct tracer_histogram *histogram)
{
	uint64_t max_ns;

	/* The total is the sum of what was read, so that the two always agree. */
	for (unsigned i = 0; i < TRACER_HISTOGRAM_BUCKETS; i++) {
		uint64_t count = tracer_count_read(&buckets->buckets[i]);
		histogram->buckets[i] += count;
		histogram->total += count;
	}
	max_ns = tracer_count_read(&buckets->max_ns);
	if (max_ns > histogram->max_ns)
		histogram->max_ns = max_ns;
}
