/* Finds the ticks of the system's clock in the times at which it served timers (tracer_grid.h). */
#include "tracer_grid.h"

#include "tracer_clock.h"

/* The clocks may differ by this part of a period, in millionths. */
#define MOST_DRIFT_PPM 600
#define MILLION 1000000u

/* A turn, the phases of one period, in so many bins; so many of the times must lie in so many bins next to each other, in percent. */
#define BINS_SHIFT 5
#define BINS (1u << BINS_SHIFT)
#define WINDOW 6u
#define LEAST_STRENGTH 50u

#define ROUNDS 3

/* What spans more than 2^so many periods tells none, and would not fit into the sums. */
#define MOST_PERIODS_SHIFT 20

/* What is further off a tick than this part of a period tells nothing of it. */
#define NEAR_SHIFT 4

/* How far behind a tick a callback may come and still be that tick's: they have tails. So many must, in percent; the others were late. */
#define BEHIND_SHIFT 2
#define LEAST_FIT 70u

/* The earliest one of twenty, not of all: one that was late may stand a little before a later tick. */
#define EARLIEST 20u

/* Due times are looked at by 64ths of a period. */
#define COST_SHIFT 6
#define COST_BINS (1u << (COST_SHIFT - 2))

/* So many callbacks are not longer behind their tick, in percent, and nearly none is longer than so many times that. */
#define MOST_PERCENT 97u
#define TAIL_SHIFT 2

struct line {
	int64_t phase; /* of a tick, behind the first expiry's callback */
	int64_t period;
	uint64_t strength;
};

static int64_t scratch[TRACER_GRID_MOST];

static int64_t since_first(const struct tracer_served *expiries, unsigned i)
{
	return (int64_t)((expiries[i].served - expiries[0].served) << TRACER_GRID_BITS);
}

/* How congruent the times are at one period: sharp bins give a large sum of squares. 0 where they are not. */
static void weigh(const struct tracer_served *expiries, unsigned count, int64_t period, struct line *line)
{
	uint32_t bins[BINS] = { 0 };
	uint32_t best = 0, best_bin = 0;

	line->strength = 0;
	line->period = period;
	for (unsigned i = 0; i < count; i++)
		bins[tracer_scale((uint64_t)since_first(expiries, i), BINS, (uint64_t)period) & (BINS - 1)]++;
	for (unsigned bin = 0; bin < BINS; bin++) {
		uint32_t sum = 0;

		for (unsigned i = 0; i < WINDOW; i++)
			sum += bins[(bin + i) & (BINS - 1)];
		best = sum > best ? sum : best;
		line->strength += (uint64_t)bins[bin] * bins[bin];
		if (bins[bin] + bins[(bin + 1) & (BINS - 1)] > bins[best_bin] + bins[(best_bin + 1) & (BINS - 1)])
			best_bin = bin;
	}
	line->phase = (int64_t)(best_bin + 1) * (period >> BINS_SHIFT);
	if (best * 100 < count * LEAST_STRENGTH)
		line->strength = 0;
}

/* The period near a nominal one at which the times are most congruent; its strength 0 where they are at none. */
static void coarse(const struct tracer_served *expiries, unsigned count, int64_t nominal, struct line *best)
{
	int64_t drift = (int64_t)tracer_scale((uint64_t)nominal, MOST_DRIFT_PPM, MILLION);
	int64_t span = since_first(expiries, count - 1), step;
	struct line line;

	/* So fine that the phase of the last time moves by a sixteenth of a turn. */
	step = (int64_t)tracer_scale((uint64_t)nominal, (uint64_t)nominal >> 4, (uint64_t)(span > nominal ? span : nominal));
	if (step < drift >> 7)
		step = drift >> 7;
	if (step == 0)
		step = 1;
	best->strength = 0;
	for (int64_t period = nominal - drift; period <= nominal + drift; period += step) {
		weigh(expiries, count, period, &line);
		if (line.strength > best->strength)
			*best = line;
	}
}

/* How far the time is off the tick next to it, and that tick's number. */
static int64_t off_nearest(const struct line *line, int64_t time, int64_t *number)
{
	*number = tracer_grid_number(time - line->phase + (line->period >> 1), line->period);
	return time - line->phase - *number * line->period;
}

static int64_t divide(int64_t dividend, int64_t scale, int64_t divisor)
{
	int64_t quotient = (int64_t)tracer_scale((uint64_t)(dividend < 0 ? -dividend : dividend), (uint64_t)scale, (uint64_t)divisor);

	return dividend < 0 ? -quotient : quotient;
}

/* The line through the times by the number of their tick, those far off left out. Sums are of 256ths of clock ticks. */
static void straighten(const struct tracer_served *expiries, unsigned count, struct line *line)
{
	const int shift = TRACER_GRID_BITS - 8;
	int64_t n = 0, sum_x = 0, sum_r = 0, sum_xx = 0, sum_xr = 0, spread, slope;

	for (unsigned i = 0; i < count; i++) {
		int64_t x, r = off_nearest(line, since_first(expiries, i), &x);

		if (r > line->period >> NEAR_SHIFT || -r > line->period >> NEAR_SHIFT)
			continue;
		r >>= shift;
		n++;
		sum_x += x;
		sum_r += r;
		sum_xx += x * x;
		sum_xr += x * r;
	}
	spread = n * sum_xx - sum_x * sum_x;
	if (spread <= 0)
		return;
	slope = divide(n * sum_xr - sum_x * sum_r, 1 << shift, spread);
	line->phase += divide(sum_r * (1 << shift) - slope * sum_x, 1, n);
	line->period += slope;
}

static void sort(int64_t *values, unsigned count)
{
	for (unsigned gap = count >> 1; gap > 0; gap >>= 1) {
		for (unsigned i = gap; i < count; i++) {
			int64_t value = values[i];
			unsigned at = i;

			for (; at >= gap && values[at - gap] > value; at -= gap)
				values[at] = values[at - gap];
			values[at] = value;
		}
	}
}

static unsigned share(unsigned count, unsigned percent)
{
	return (unsigned)tracer_scale(count, percent, 100);
}

/* To where the earliest are served. */
static void place_ticks(const struct tracer_served *expiries, unsigned count, struct line *line)
{
	unsigned placed = 0;
	int64_t number;

	for (unsigned i = 0; i < count; i++) {
		int64_t off = off_nearest(line, since_first(expiries, i), &number);

		if (off <= line->period >> BEHIND_SHIFT && -off <= line->period >> BEHIND_SHIFT)
			scratch[placed++] = off;
	}
	sort(scratch, placed);
	if (placed != 0)
		line->phase += scratch[share(placed, 100 / EARLIEST)];
}

/* Whether they were served a little behind a tick; which tick it was does not matter: some clocks leave ticks out. */
static bool fits(const struct tracer_grid *grid, const struct tracer_served *expiries, unsigned count)
{
	unsigned fit = 0;

	for (unsigned i = 0; i < count; i++) {
		int64_t late = tracer_grid_late(grid, &expiries[i]);

		fit += late >= -grid->period - (grid->period >> NEAR_SHIFT) &&
			tracer_grid_behind(grid, late) <= grid->period >> BEHIND_SHIFT;
	}
	return fit * 100 >= count * LEAST_FIT;
}

/*
 * How long before a tick due times still miss it: where most of those were served one tick later. Ticks that are left out come at any
 * distance.
 */
static int64_t cost_of(const struct tracer_grid *grid, const struct tracer_served *expiries, unsigned count)
{
	unsigned later[COST_BINS] = { 0 }, all[COST_BINS] = { 0 }, bins = 0;

	for (unsigned i = 0; i < count; i++) {
		int64_t late = tracer_grid_late(grid, &expiries[i]);
		int64_t before = (int64_t)((expiries[i].served - expiries[i].due) << TRACER_GRID_BITS) - late;
		int64_t bin = tracer_grid_number(before * (1 << COST_SHIFT), grid->period);

		if (bin < 0 || bin >= (int64_t)COST_BINS || late > 2 * grid->period)
			continue;
		all[bin]++;
		later[bin] += late >= grid->period - (grid->period >> NEAR_SHIFT);
	}
	while (bins < COST_BINS && later[bins] > 0 && 2 * later[bins] >= all[bins])
		bins++;
	/* The last one is met in part, and the ticks move a little while they are followed. */
	return (int64_t)(bins < COST_BINS ? bins + 1 : COST_BINS) * (grid->period >> COST_SHIFT);
}

static int64_t usual_of(const struct tracer_grid *grid, const struct tracer_served *expiries, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		scratch[i] = tracer_grid_behind(grid, tracer_grid_late(grid, &expiries[i]));
	sort(scratch, count);
	return scratch[share(count, MOST_PERCENT)] * (1 << TAIL_SHIFT);
}

/* The grid with a period near this one; false where they do not fit. */
static bool try_period(struct tracer_grid *grid, const struct tracer_served *expiries, unsigned count, uint64_t nominal)
{
	int64_t span = since_first(expiries, count - 1);
	struct line line;

	if (nominal == 0 || span >> MOST_PERIODS_SHIFT >= (int64_t)(nominal << TRACER_GRID_BITS))
		return false;
	coarse(expiries, count, (int64_t)(nominal << TRACER_GRID_BITS), &line);
	if (line.strength == 0)
		return false;
	for (int round = 0; round < ROUNDS; round++)
		straighten(expiries, count, &line);
	place_ticks(expiries, count, &line);
	*grid = (struct tracer_grid){
		.origin = expiries[0].served, .offset = line.phase, .period = line.period, .is_known = true
	};
	if (!fits(grid, expiries, count))
		return false;
	grid->cost = cost_of(grid, expiries, count);
	grid->usual = usual_of(grid, expiries, count);
	return true;
}

/* So far apart that parts of them fit, and in order. */
static bool are_in_order(const struct tracer_served *expiries, unsigned count)
{
	for (unsigned i = 1; i < count; i++) {
		if (expiries[i].served - expiries[i - 1].served > UINT64_C(1) << 36)
			return false;
	}
	return true;
}

bool tracer_grid_find(
	struct tracer_grid *grid, const struct tracer_served *expiries, unsigned count, const uint64_t *nominal, unsigned nominal_count)
{
	*grid = (struct tracer_grid){ .is_known = false };
	count = count < TRACER_GRID_MOST ? count : TRACER_GRID_MOST;
	if (count < TRACER_GRID_LEAST || !are_in_order(expiries, count))
		return false;
	for (unsigned i = 0; i < nominal_count; i++) {
		if (try_period(grid, expiries, count, nominal[i]))
			return true;
	}
	*grid = (struct tracer_grid){ .is_known = true };
	return true;
}
