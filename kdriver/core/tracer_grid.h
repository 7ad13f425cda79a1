/*
 * The ticks of the system's clock, which serve its timers: found by when the callbacks of a timer came, and followed from one to the next,
 * because the clocks drift against each other. Until the tick that should have served it a timer waited for nothing but its granularity
 * (Jones & Regehr 4.1): how late its callback is counts from there. tracer/capture/probe/TickGrid.cs does the same for user mode.
 *
 * A callback does not see its tick, only itself. So the ticks lie where the earliest callbacks came, and the constant cost of one, some
 * microseconds at most, is part of them.
 *
 * All times are in ticks of the run's clock; integers only, no division by hardware, no allocation.
 */
#ifndef TRACER_GRID_H
#define TRACER_GRID_H

#include <stdbool.h>
#include <stdint.h>

/* Parts of a clock tick in which what is exact is kept: 2^-16. */
#define TRACER_GRID_BITS 16

/* Fewer expiries show nothing, more are not looked at. */
#define TRACER_GRID_LEAST 64u
#define TRACER_GRID_MOST 512u

/* One expiry of a timer. */
struct tracer_served {
	uint64_t due;
	uint64_t served; /* first instruction of its callback */
};

struct tracer_grid {
	uint64_t origin; /* a tick of the system's clock is `offset` behind this */
	int64_t offset;  /* this and what follows in parts */
	int64_t period;  /* from one tick to the next; 0: timers are served when they are due */
	int64_t cost;    /* a timer that is due so long before a tick, as it is known, may still have missed it */
	int64_t usual;   /* a callback comes so long behind its tick at most, when nothing is wrong */
	uint64_t anchor; /* a tick some seconds ago, and so many ticks since then: they tell the period better than the search */
	uint64_t since_anchor;
	uint32_t misses; /* expiries in excess that were not where the ticks are */
	uint32_t in_row; /* the last so many were not */
	uint32_t skips;  /* how much speaks for timers that are often served by a later tick than the first one */
	bool is_known;
};

/*
 * Finds the ticks of `count` expiries in order, due at times that are spread over a tick. `nominal` are periods to look for, in clock
 * ticks, the longest first: half a period fits wherever one does. False, and the grid not known, where they are too few, in no order or
 * ages apart. Where they were served when they were due, its period is 0.
 */
bool tracer_grid_find(
	struct tracer_grid *grid, const struct tracer_served *expiries, unsigned count, const uint64_t *nominal, unsigned nominal_count);

/*
 * When it should have been served: the first tick at or after its due time, or where that cannot be told from a neighbour, the one that
 * served it; never later than it was served. 0 where that is not known: nor is it while expiry upon expiry is not where the ticks are.
 */
uint64_t tracer_grid_tick(const struct tracer_grid *grid, const struct tracer_served *expiry);

/*
 * Moves the ticks by what an expiry shows. False where too many of late were not where the ticks are: the clock has another rate now, and
 * the grid is not known any more.
 */
bool tracer_grid_follow(struct tracer_grid *grid, const struct tracer_served *expiry);

/* The same ticks, as if all expiries had been near them. */
void tracer_grid_trust(struct tracer_grid *grid);

/* From one tick to the next, in clock ticks, rounded; 0 where there are none. */
uint64_t tracer_grid_period(const struct tracer_grid *grid);

/*
 * For the search. The number of periods in a distance, rounded down, and how far an expiry is behind the tick that is predicted for it, the
 * first one at or after its due time, and behind whichever tick was before it; in parts.
 */
int64_t tracer_grid_number(int64_t distance, int64_t period);
int64_t tracer_grid_late(const struct tracer_grid *grid, const struct tracer_served *expiry);
int64_t tracer_grid_behind(const struct tracer_grid *grid, int64_t late);

#endif
