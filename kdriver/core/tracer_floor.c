#include "tracer_floor.h"

#include "tracer_histogram.h"

void tracer_floor_clear(struct tracer_floor *floor)
{
	for (unsigned index = 0; index <= TRACER_FLOOR_CALLBACKS; index++) {
		for (unsigned i = 0; i < TRACER_HISTOGRAM_BUCKETS; i++)
			atomic_store_explicit(&floor->buckets[index][i], 0, memory_order_relaxed);
	}
}

void tracer_floor_add(struct tracer_floor *floor, unsigned index, uint64_t ns)
{
	atomic_fetch_add_explicit(&floor->buckets[index][tracer_bucket_of(ns)], 1, memory_order_relaxed);
}

static uint32_t count(const struct tracer_floor *floor, unsigned index)
{
	uint32_t total = 0;

	for (unsigned i = 0; i < TRACER_HISTOGRAM_BUCKETS; i++)
		total += atomic_load_explicit(&floor->buckets[index][i], memory_order_relaxed);
	return total;
}

uint32_t tracer_floor_wakeups(const struct tracer_floor *floor, unsigned threads)
{
	uint32_t least = UINT32_MAX;

	for (unsigned index = 0; index < threads; index++) {
		uint32_t total = count(floor, index);

		least = total < least ? total : least;
	}
	return threads == 0 ? 0 : least;
}

static uint64_t floor_of(const struct tracer_floor *floor, unsigned index)
{
	uint64_t total = count(floor, index), seen = 0;

	for (unsigned i = 0; i < TRACER_HISTOGRAM_BUCKETS && total != 0; i++) {
		seen += atomic_load_explicit(&floor->buckets[index][i], memory_order_relaxed);
		if (seen * 100 >= total * TRACER_FLOOR_PERCENT)
			return tracer_bucket_start(i + 1);
	}
	return 0;
}

uint64_t tracer_floor_ns(const struct tracer_floor *floor)
{
	uint64_t worst = 0;

	for (unsigned index = 0; index <= TRACER_FLOOR_CALLBACKS; index++) {
		uint64_t ns = floor_of(floor, index);

		worst = ns > worst ? ns : worst;
	}
	return worst;
}
