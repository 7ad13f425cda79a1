#include "tracer_grid.h"

#include "tracer_clock.h"

/* Shifts: this part of a period tells nothing of whether a tick came before or after it. */
#define TIE_SHIFT 6
/* What is served more than this part of a period off its tick was late, and tells nothing of where the tick was. */
#define NEAR_SHIFT 2
#define JUST_BEHIND_SHIFT 4

/*
 * Nothing is served before its tick, but much a little behind it: the early ones tell most. The longer ago the last one was, the further
 * the clocks have drifted apart meanwhile: the late ones tell more.
 */
#define EARLY_GAIN_SHIFT 1
#define LATE_GAIN_SHIFT 8
#define LATE_GAIN_SHIFT_BEHIND_64 5
#define LATE_GAIN_SHIFT_BEHIND_512 2

/* No single expiry moves the ticks by more than this part of a period, to the front and to the back, and this part of the time gone by. */
#define LARGEST_EARLY_SHIFT 11
#define LARGEST_LATE_SHIFT 13
#define LARGEST_DRIFTED_SHIFT 17

/* So many ticks, 8 s of them at 1 ms, tell the period; what is further off than this part of it is no drift. */
#define ANCHOR_TICKS 8192u
#define LARGEST_DRIFT_SHIFT 12

/* Lost, where so many more did not fit than did; and not to be trusted, where so many in a row did not. */
#define MOST_MISSES 6u
#define MOST_IN_ROW 2u

/*
 * An expiry that was served by a later tick than the first one counts for so many that were not: from one of some sixty on, leaving out
 * ticks is this machine's way. Two within sixty, so that one delay which by chance ended behind a tick is a delay.
 */
#define SKIP_WEIGHT 64u
#define MOST_SKIPS 2048u
#define USUAL_SKIPS 100u

static int64_t parts(uint64_t from, uint64_t to)
{
	/* A distance that does not fit is far away all the same. */
	uint64_t forward = to - from, most = UINT64_C(1) << (62 - TRACER_GRID_BITS);

	if (forward >> 63)
		return -(int64_t)((0 - forward < most ? 0 - forward : most) << TRACER_GRID_BITS);
	return (int64_t)((forward < most ? forward : most) << TRACER_GRID_BITS);
}

int64_t tracer_grid_number(int64_t distance, int64_t period)
{
	if (distance >= 0)
		return (int64_t)tracer_scale((uint64_t)distance, 1, (uint64_t)period);
	return -(int64_t)tracer_scale((uint64_t)(period - 1 - distance), 1, (uint64_t)period);
}

static int64_t absolute(int64_t value)
{
	return value < 0 ? -value : value;
}

static int64_t lesser(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t greater(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* A moment in parts behind the origin. */
static int64_t place(const struct tracer_grid *grid, uint64_t moment)
{
	return parts(grid->origin, moment) - grid->offset;
}

/* The first tick at or after a place, and the last at or before it. */
static int64_t tick_at_or_after(const struct tracer_grid *grid, int64_t at)
{
	return -tracer_grid_number(-at, grid->period) * grid->period;
}

static int64_t tick_before(const struct tracer_grid *grid, int64_t at)
{
	return tracer_grid_number(at, grid->period) * grid->period;
}

int64_t tracer_grid_late(const struct tracer_grid *grid, const struct tracer_served *expiry)
{
	return place(grid, expiry->served) - tick_at_or_after(grid, place(grid, expiry->due));
}

/* A little less than 0 where it is just before the next tick. */
int64_t tracer_grid_behind(const struct tracer_grid *grid, int64_t late)
{
	return late - tick_before(grid, late + (grid->period >> JUST_BEHIND_SHIFT));
}

/* Served this far behind a tick it may be that tick's. */
static int64_t near(const struct tracer_grid *grid)
{
	return greater(grid->period >> JUST_BEHIND_SHIFT, lesser(grid->usual, grid->period >> 1));
}

static bool has_skips(const struct tracer_grid *grid)
{
	return grid->skips >= USUAL_SKIPS;
}

/*
 * The place of the tick that an expiry was meant for. One served before its tick was done by an earlier one: the kernel's due time was
 * before ours, because it counts from the tick before the timer was set. One that was due at a tick as exactly as can be told may have been
 * meant for the next.
 */
static int64_t meant(const struct tracer_grid *grid, int64_t due, int64_t served)
{
	int64_t tick = tick_at_or_after(grid, due);
	int64_t tie = (grid->period >> TIE_SHIFT) + grid->cost;

	if (served < tick - tie)
		return tick_before(grid, served + tie);
	return tick - due <= tie && served >= tick + grid->period - tie ? tick + grid->period : tick;
}

uint64_t tracer_grid_tick(const struct tracer_grid *grid, const struct tracer_served *expiry)
{
	int64_t served, tick, behind;
	uint64_t clock;

	if (!grid->is_known || (grid->period != 0 && grid->in_row >= MOST_IN_ROW))
		return 0;
	if (grid->period == 0)
		return tracer_is_due(expiry->due, expiry->served) ? expiry->due : expiry->served;
	served = place(grid, expiry->served);
	tick = meant(grid, place(grid, expiry->due), served);
	behind = tracer_grid_behind(grid, served - tick);
	/* A later one did it, as so often here. What delays a callback ends anywhere between two ticks, and mostly not just behind one. */
	if (has_skips(grid) && served > tick && behind <= near(grid))
		tick = served - greater(0, behind);
	/* No timer is later than it is behind its due time, wherever the ticks are. */
	if (tracer_is_due(expiry->due, expiry->served))
		tick = greater(tick, place(grid, expiry->due));
	clock = grid->origin + (uint64_t)((tick + grid->offset + (1 << (TRACER_GRID_BITS - 1))) >> TRACER_GRID_BITS);
	return tracer_is_due(clock, expiry->served) ? clock : expiry->served;
}

static void count_skip(struct tracer_grid *grid, bool is_skip)
{
	if (is_skip)
		grid->skips = grid->skips + SKIP_WEIGHT > MOST_SKIPS ? MOST_SKIPS : grid->skips + SKIP_WEIGHT;
	else if (grid->skips > 0)
		grid->skips--;
}

static void count_miss(struct tracer_grid *grid, bool is_near)
{
	grid->in_row = is_near ? 0 : grid->in_row + 1;
	if (!is_near)
		grid->misses++;
	else if (grid->misses > 0)
		grid->misses--;
}

/* From where the ticks were some seconds ago. */
static void refine(struct tracer_grid *grid)
{
	int64_t period = (int64_t)tracer_scale(grid->origin - grid->anchor, UINT64_C(1) << TRACER_GRID_BITS, grid->since_anchor);

	if (absolute(period - grid->period) <= grid->period >> LARGEST_DRIFT_SHIFT)
		grid->period = period;
	grid->anchor = grid->origin;
	grid->since_anchor = 0;
}

static int late_gain_shift(int64_t ticks)
{
	if (ticks < 64)
		return LATE_GAIN_SHIFT;
	return ticks < 512 ? LATE_GAIN_SHIFT_BEHIND_64 : LATE_GAIN_SHIFT_BEHIND_512;
}

/* How far the ticks move for an expiry that is `off` its tick, so many ticks behind the last one. */
static int64_t step_of(const struct tracer_grid *grid, int64_t off, int64_t ticks)
{
	int64_t drifted = absolute(ticks) * grid->period >> LARGEST_DRIFTED_SHIFT;

	if (off < 0)
		return -lesser(-off >> EARLY_GAIN_SHIFT, (grid->period >> LARGEST_EARLY_SHIFT) + drifted);
	return lesser(off >> late_gain_shift(ticks), (grid->period >> LARGEST_LATE_SHIFT) + drifted);
}

/* The tick at `tick` is `off` before what it served; from here on the grid's origin is near it. */
static void move(struct tracer_grid *grid, int64_t tick, int64_t off)
{
	int64_t ticks = tracer_grid_number(tick + (grid->period >> 1), grid->period);
	int64_t moved = tick + grid->offset + step_of(grid, off, ticks);

	if (grid->anchor == 0)
		grid->anchor = grid->origin + (uint64_t)(grid->offset >> TRACER_GRID_BITS);
	grid->since_anchor += (uint64_t)ticks;
	grid->origin += (uint64_t)(moved >> TRACER_GRID_BITS);
	grid->offset = moved & ((1 << TRACER_GRID_BITS) - 1);
	if (grid->since_anchor >= ANCHOR_TICKS && grid->since_anchor >> 63 == 0)
		refine(grid);
}

bool tracer_grid_follow(struct tracer_grid *grid, const struct tracer_served *expiry)
{
	int64_t served, tick, off, behind;
	bool is_skip, is_near;

	if (!grid->is_known || grid->period == 0)
		return grid->is_known;
	served = place(grid, expiry->served);
	tick = meant(grid, place(grid, expiry->due), served);
	off = served - tick;
	behind = tracer_grid_behind(grid, off);
	is_skip = off > grid->period >> 1 && behind <= near(grid);
	count_skip(grid, is_skip);
	if (is_skip && has_skips(grid)) {
		tick += off - behind;
		off = behind;
	}
	is_near = absolute(off) <= grid->period >> NEAR_SHIFT;
	count_miss(grid, is_near);
	if (is_near)
		move(grid, tick, off);
	grid->is_known = grid->misses < MOST_MISSES;
	return grid->is_known;
}

void tracer_grid_trust(struct tracer_grid *grid)
{
	grid->anchor = 0;
	grid->since_anchor = 0;
	grid->misses = 0;
	grid->in_row = 0;
	grid->is_known = true;
}

uint64_t tracer_grid_period(const struct tracer_grid *grid)
{
	return (uint64_t)(grid->period + (1 << (TRACER_GRID_BITS - 1))) >> TRACER_GRID_BITS;
}
