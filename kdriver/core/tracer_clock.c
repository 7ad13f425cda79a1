#include "tracer_clock.h"

struct wide {
	uint64_t high;
	uint64_t low;
};

static struct wide multiply(uint64_t a, uint64_t b)
{
	uint64_t a_low = (uint32_t)a, a_high = a >> 32;
	uint64_t b_low = (uint32_t)b, b_high = b >> 32;
	uint64_t low = a_low * b_low;
	uint64_t middle = a_high * b_low + (low >> 32);
	uint64_t other = a_low * b_high + (uint32_t)middle;
	struct wide product = {
		.high = a_high * b_high + (middle >> 32) + (other >> 32),
		.low = (other << 32) | (uint32_t)low,
	};
	return product;
}

/* Long division, bit by bit: the quotient fits because high < denominator. */
static uint64_t divide(struct wide dividend, uint64_t denominator)
{
	uint64_t remainder = dividend.high, quotient = dividend.low;

	for (int bit = 0; bit < 64; bit++) {
		bool carry = remainder >> 63;
		remainder = (remainder << 1) | (quotient >> 63);
		quotient <<= 1;
		if (carry || remainder >= denominator) {
			remainder -= denominator;
			quotient |= 1;
		}
	}
	return quotient;
}

static uint64_t scale(uint64_t value, uint64_t numerator, uint64_t denominator, uint64_t round)
{
	struct wide product = multiply(value, numerator);

	product.low += round;
	if (product.low < round)
		product.high++;
	/* A denominator of 0 ends here too. */
	if (product.high >= denominator)
		return UINT64_MAX;
	return divide(product, denominator);
}

uint64_t tracer_scale(uint64_t value, uint64_t numerator, uint64_t denominator)
{
	return scale(value, numerator, denominator, 0);
}

uint64_t tracer_scale_nearest(uint64_t value, uint64_t numerator, uint64_t denominator)
{
	return scale(value, numerator, denominator, denominator >> 1);
}

uint64_t tracer_ticks_to_ns(uint64_t ticks, uint64_t hz)
{
	return tracer_scale(ticks, TRACER_NS_PER_SECOND, hz);
}

uint64_t tracer_ns_to_ticks(uint64_t ns, uint64_t hz)
{
	return tracer_scale(ns, hz, TRACER_NS_PER_SECOND);
}

uint64_t tracer_elapsed(uint64_t earlier, uint64_t later)
{
	uint64_t distance = later - earlier;

	return distance >> 63 ? 0 : distance;
}

bool tracer_is_due(uint64_t due, uint64_t clock)
{
	return (clock - due) >> 63 == 0;
}

uint64_t tracer_counter_elapsed(uint64_t earlier, uint64_t later, unsigned bits)
{
	uint64_t distance = later - earlier;

	return bits >= 64 ? distance : distance & ((UINT64_C(1) << bits) - 1);
}

uint64_t tracer_convert(const struct tracer_clock_pair *pair, uint64_t clock)
{
	uint64_t distance = clock - pair->from;

	if (distance >> 63)
		return pair->to - tracer_scale_nearest(0 - distance, pair->to_hz, pair->from_hz);
	return pair->to + tracer_scale_nearest(distance, pair->to_hz, pair->from_hz);
}

void tracer_latencies_of(const struct tracer_wakeup *wakeup, uint64_t clock_hz, struct tracer_latencies *latencies)
{
	uint64_t due = wakeup->callback != 0 ? wakeup->queued : wakeup->expected;
	uint64_t before_dpc = wakeup->isr != 0 ? wakeup->isr : due;
	bool is_known = wakeup->callback != 0 && wakeup->tick != 0;

	latencies->interrupt_ns = tracer_ticks_to_ns(tracer_elapsed(due, before_dpc), clock_hz);
	latencies->dpc_ns = tracer_ticks_to_ns(tracer_elapsed(before_dpc, wakeup->dpc), clock_hz);
	latencies->thread_ns = tracer_ticks_to_ns(tracer_elapsed(wakeup->dpc, wakeup->thread), clock_hz);
	latencies->total_ns = tracer_ticks_to_ns(tracer_elapsed(due, wakeup->thread), clock_hz);
	latencies->timer_ns = is_known ? tracer_ticks_to_ns(tracer_elapsed(wakeup->tick, wakeup->callback), clock_hz) : 0;
}
