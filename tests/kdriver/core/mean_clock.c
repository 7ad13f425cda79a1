#include "mean_clock.h"

#include "checks.h"
#include "tracer_clock.h"

#define BITS 16
#define MINUTE (60 * (uint64_t)MEAN_CLOCK_HZ)

/* Ticks of another rate come at another phase. */
#define PHASE 377

/* Sixteen quantiles of a lognormal distribution (sigma 0.5) around its median, in 256ths of it. */
static const unsigned lognormal[] = { 101, 132, 154, 174, 192, 209, 227, 246, 266, 288, 313, 342, 377, 424, 495, 650 };

static bool chance(uint64_t *random, unsigned percent)
{
	return (unsigned)tracer_scale(next_random(random) >> 32, 100, UINT64_C(1) << 32) < percent;
}

/* The period of a rate at that time; it drifts evenly. */
static uint64_t period_at(const struct mean_clock *clock, unsigned rate, uint64_t time)
{
	uint64_t period = clock->rates[rate].period;
	uint64_t ppm = (uint64_t)(clock->drift_ppm < 0 ? -clock->drift_ppm : clock->drift_ppm);
	uint64_t off = tracer_scale(tracer_scale(period, ppm, 1000000), time, MINUTE);

	return clock->drift_ppm < 0 ? period - off : period + off;
}

/* The first tick at or after a time from the start; with a drift by the mean of the period so far. */
static uint64_t next_tick(const struct mean_clock *clock, unsigned rate, uint64_t time)
{
	uint64_t origin = clock->rates[rate].since + PHASE, period = period_at(clock, rate, time >> 1), number, tick;

	if (clock->rates[rate].period == 0 || time <= origin)
		return time <= origin && clock->rates[rate].period != 0 ? origin : time;
	number = tracer_scale((time - origin) << BITS, 1, period);
	tick = origin + ((number * period + (1u << BITS) - 1) >> BITS);
	if (tick < time)
		tick = origin + (((number + 1) * period + (1u << BITS) - 1) >> BITS);
	if (rate + 1 < MEAN_CLOCK_RATES && clock->rates[rate + 1].since != 0 && tick >= clock->rates[rate + 1].since)
		return next_tick(clock, rate + 1, time);
	return tick;
}

static unsigned rate_at(const struct mean_clock *clock, uint64_t time)
{
	unsigned rate = 0;

	while (rate + 1 < MEAN_CLOCK_RATES && clock->rates[rate + 1].since != 0 && clock->rates[rate + 1].since <= time)
		rate++;
	return rate;
}

static uint64_t service_of(const struct mean_clock *clock, uint64_t *random)
{
	uint64_t dice = next_random(random) >> 32;
	uint64_t ticks = (uint64_t)clock->median * lognormal[dice & 15] >> 8;

	if (chance(random, clock->idle_percent))
		ticks += tracer_scale(clock->idle, (UINT64_C(1) << 31) + (next_random(random) >> 32), UINT64_C(1) << 32);
	return ticks;
}

void mean_clock_serve(
	const struct mean_clock *clock, uint64_t start, uint64_t due, uint64_t late, uint64_t *random, struct mean_service *service)
{
	uint64_t time = due - start, tick = next_tick(clock, rate_at(clock, time), time), served, into;

	while (chance(random, clock->missed_percent))
		tick = next_tick(clock, rate_at(clock, tick + 1), tick + 1);
	served = tick + service_of(clock, random) + late;
	service->is_paused = false;
	if (clock->pause_every != 0) {
		into = served - tracer_scale(served, 1, clock->pause_every) * clock->pause_every;
		service->is_paused = into < clock->pause;
		served += into < clock->pause ? clock->pause - into : 0;
	}
	service->tick = start + tick;
	service->served = start + served;
}
