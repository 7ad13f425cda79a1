#include "checks.h"
#include "tracer_clock.h"

static void scales(void)
{
	CHECK_EQUAL(0, tracer_scale(0, 5, 7));
	CHECK_EQUAL(UINT64_MAX, tracer_scale(UINT64_MAX, 1, 1));
	CHECK_EQUAL(UINT64_MAX, tracer_scale(UINT64_MAX, UINT64_MAX, UINT64_MAX));
	CHECK_EQUAL(UINT64_MAX - 1, tracer_scale(UINT64_MAX, UINT64_MAX - 1, UINT64_MAX));
	CHECK_EQUAL(UINT64_MAX, tracer_scale(UINT64_MAX, 2, 1));
	CHECK_EQUAL(UINT64_MAX, tracer_scale(1, 1, 0));
	CHECK_EQUAL(UINT64_MAX, tracer_scale(0, 0, 0));
	CHECK_EQUAL(2, tracer_scale(8, 1, 3));
	CHECK_EQUAL(3, tracer_scale_nearest(8, 1, 3));
	CHECK_EQUAL(2, tracer_scale_nearest(7, 1, 3));
	CHECK_EQUAL(UINT64_MAX, tracer_scale_nearest(UINT64_MAX, UINT64_MAX, UINT64_MAX));
}

static uint64_t next_of_any_size(uint64_t *state)
{
	unsigned shift = next_random(state) & 63;

	return next_random(state) >> shift;
}

/* Every build gives the same results, and a 64-bit one shows that they are right. */
static void scales_alike_in_every_build(void)
{
	uint64_t state = 12345, sum = 0;

	for (int i = 0; i < 20000; i++) {
		uint64_t value = next_of_any_size(&state);
		uint64_t numerator = next_of_any_size(&state);
		uint64_t denominator = next_of_any_size(&state) | 1;
		uint64_t scaled = tracer_scale(value, numerator, denominator);
#ifdef __SIZEOF_INT128__
		unsigned __int128 exact = (unsigned __int128)value * numerator / denominator;
		CHECK_EQUAL(exact > UINT64_MAX ? UINT64_MAX : (uint64_t)exact, scaled);
#endif
		sum = fold(sum, scaled);
	}
	CHECK_EQUAL(UINT64_C(0x4A5A2BEE3FDD0837), sum);
}

static void converts_ticks(void)
{
	/* 3.000000001 GHz for a hundred years does not overflow. */
	CHECK_EQUAL(UINT64_C(3155760000000000000), tracer_ticks_to_ns(UINT64_C(9467280003155760000), 3000000001));
	CHECK_EQUAL(1000000000, tracer_ticks_to_ns(10000000, 10000000));
	CHECK_EQUAL(279, tracer_ticks_to_ns(1, 3579545));
	CHECK_EQUAL(3000000, tracer_ns_to_ticks(1000000, 3000000000));
	CHECK_EQUAL(UINT64_MAX, tracer_ticks_to_ns(UINT64_MAX, 1));
	CHECK_EQUAL(UINT64_MAX, tracer_ticks_to_ns(1, 0));
}

static void measures_over_a_wrap(void)
{
	CHECK_EQUAL(20, tracer_elapsed(UINT64_MAX - 9, 10));
	CHECK_EQUAL(0, tracer_elapsed(10, UINT64_MAX - 9));
	CHECK_EQUAL(0, tracer_elapsed(1000, 999));
	CHECK(tracer_is_due(UINT64_MAX, 0));
	CHECK(tracer_is_due(5, 5));
	CHECK(!tracer_is_due(0, UINT64_MAX));
	CHECK_EQUAL(0x20, tracer_counter_elapsed(0xFFFFF0, 0x10, 24));
	CHECK_EQUAL(0x20, tracer_counter_elapsed(0xFFFFFFF0, 0x10, 32));
	CHECK_EQUAL(0x20, tracer_counter_elapsed(UINT64_MAX - 0xF, 0x10, 64));
	CHECK_EQUAL(1, tracer_counter_elapsed(1, 0, 1));
}

static void converts_between_clocks(void)
{
	struct tracer_clock_pair pair = { .from = 1000, .to = 500000, .from_hz = 3000000000, .to_hz = 10000000 };

	CHECK_EQUAL(500000, tracer_convert(&pair, 1000));
	CHECK_EQUAL(500010, tracer_convert(&pair, 4000));
	CHECK_EQUAL(499990, tracer_convert(&pair, UINT64_MAX - 1999));
	pair.from = UINT64_MAX - 2999;
	CHECK_EQUAL(500010, tracer_convert(&pair, 0));
}

static void splits_a_wake_up(void)
{
	struct tracer_wakeup wakeup = { .expected = UINT64_MAX - 999, .isr = 9000, .dpc = 19000, .thread = 49000 };
	struct tracer_latencies latencies;

	tracer_latencies_of(&wakeup, 10000000, &latencies);
	CHECK_EQUAL(1000000, latencies.interrupt_ns);
	CHECK_EQUAL(1000000, latencies.dpc_ns);
	CHECK_EQUAL(3000000, latencies.thread_ns);
	CHECK_EQUAL(5000000, latencies.total_ns);

	wakeup.isr = 0;
	tracer_latencies_of(&wakeup, 10000000, &latencies);
	CHECK_EQUAL(0, latencies.interrupt_ns);
	CHECK_EQUAL(2000000, latencies.dpc_ns);

	/* Due later than its interrupt, by clocks that disagree: no latency rather than a huge one. */
	wakeup.isr = UINT64_MAX - 1100;
	wakeup.dpc = UINT64_MAX - 1050;
	wakeup.thread = UINT64_MAX - 1000;
	tracer_latencies_of(&wakeup, 10000000, &latencies);
	CHECK_EQUAL(0, latencies.interrupt_ns);
	CHECK_EQUAL(5000, latencies.dpc_ns);
	CHECK_EQUAL(0, latencies.total_ns);
}

void clock_tests(void)
{
	run_test("clock: scales with 128 bits and ends at the largest number", scales);
	run_test("clock: gives the same numbers in every build", scales_alike_in_every_build);
	run_test("clock: converts ticks and ns of any rate", converts_ticks);
	run_test("clock: measures over a wrap, and never a negative time", measures_over_a_wrap);
	run_test("clock: converts moments before and after the pair", converts_between_clocks);
	run_test("clock: splits a wake-up into its phases", splits_a_wake_up);
}
