#include "checks.h"
#include "tracer_histogram.h"

static struct tracer_buckets buckets;
static struct tracer_histogram histogram;

static void has_exact_bounds(void)
{
	for (unsigned bucket = 0; bucket < TRACER_HISTOGRAM_BUCKETS; bucket++) {
		uint64_t start = tracer_bucket_start(bucket);
		CHECK_EQUAL(bucket, tracer_bucket_of(start));
		if (bucket > 0)
			CHECK_EQUAL(bucket - 1, tracer_bucket_of(start - 1));
		if (bucket >= 16 && bucket + 1 < TRACER_HISTOGRAM_BUCKETS)
			CHECK((tracer_bucket_start(bucket + 1) - start) * 16 <= start);
	}
	for (uint64_t ns = 0; ns < 16; ns++)
		CHECK_EQUAL(ns, tracer_bucket_of(ns));
	CHECK_EQUAL(TRACER_HISTOGRAM_BUCKETS - 1, tracer_bucket_of(UINT64_C(1) << 36));
	CHECK_EQUAL(TRACER_HISTOGRAM_BUCKETS - 1, tracer_bucket_of((UINT64_C(1) << 36) - 1));
	CHECK_EQUAL(TRACER_HISTOGRAM_BUCKETS - 1, tracer_bucket_of(UINT64_MAX));
}

static void counts_and_sums(void)
{
	uint64_t total = 0;

	tracer_buckets_clear(&buckets);
	for (uint64_t ns = 1; ns < UINT64_C(1) << 40; ns *= 3)
		tracer_buckets_add(&buckets, ns);
	tracer_buckets_add(&buckets, 100);
	histogram = (struct tracer_histogram){ .max_ns = 5 };
	tracer_buckets_sum(&buckets, &histogram);
	tracer_buckets_sum(&buckets, &histogram);
	for (unsigned i = 0; i < TRACER_HISTOGRAM_BUCKETS; i++)
		total += histogram.buckets[i];
	CHECK_EQUAL(54, total);
	CHECK_EQUAL(total, histogram.total);
	CHECK_EQUAL(UINT64_C(847288609443), histogram.max_ns);
	CHECK_EQUAL(2, histogram.buckets[tracer_bucket_of(100)]);
	CHECK_EQUAL(27, tracer_count_read(&buckets.total));
	tracer_buckets_clear(&buckets);
	CHECK_EQUAL(0, tracer_count_read(&buckets.total));
	CHECK_EQUAL(0, tracer_count_read(&buckets.max_ns));
}

static void carries_into_the_high_word(void)
{
	struct tracer_count count;

	tracer_count_set(&count, UINT32_MAX);
	tracer_count_add(&count, 1);
	CHECK_EQUAL(UINT64_C(0x100000000), tracer_count_read(&count));
	tracer_count_set(&count, UINT64_MAX - 1);
	tracer_count_add(&count, 1);
	CHECK_EQUAL(UINT64_MAX, tracer_count_read(&count));
}

void histogram_tests(void)
{
	run_test("histogram: has exact bounds and buckets of a sixteenth", has_exact_bounds);
	run_test("histogram: counts, sums and remembers the worst", counts_and_sums);
	run_test("histogram: counts beyond 32 bits", carries_into_the_high_word);
}
