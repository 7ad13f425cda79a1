/*
 * The one timer of all CPUs (timer mode). The shell sets it, once for each expiry; its callback stamps time and processor, then queues the
 * DPCs of each CPU whose probe is free, stamping each, and sets it again:
 *
 *   callback: tracer_timer_expired
 *             each CPU: tracer_timer_queue -> queue its DPCs
 *             tracer_timer_own
 *             tracer_timer_delay_ns -> tracer_timer_set -> set it     the last things, in this order: the next callback may follow at once
 *
 * Systems run all timers of a machine on one processor, so a long DPC there makes every CPU's late. The latency of a CPU therefore counts
 * from when its DPC was queued; what lies between the clock's tick that should have served the timer and the callback is a phase of its
 * own, of the processor that ran the callback.
 *
 * At first wake-ups are not counted in the run: they tell the floor, and which ticks the clock has (tracer_grid.h). Callbacks do not
 * overlap.
 */
#ifndef TRACER_TIMER_H
#define TRACER_TIMER_H

#include "tracer_floor.h"
#include "tracer_grid.h"
#include "tracer_probe.h"

/* Before the run counts: for so long, or longer where there was too little to see; expiries a period apart that is at most this. */
#ifndef TRACER_TIMER_FIRST_NS
#define TRACER_TIMER_FIRST_NS UINT64_C(1000000000)
#endif
#define TRACER_TIMER_FIRST_PERIOD_NS UINT64_C(2000000)

/* Wake-ups that tell a floor. */
#define TRACER_TIMER_LEAST_FIRST 64u

/* Expiries that are kept to find ticks by: the first second's. Later, when they are lost, fewer, to know them sooner. */
#define TRACER_TIMER_KEPT TRACER_GRID_MOST
#define TRACER_TIMER_KEPT_LATER TRACER_GRID_LEAST

/* Whose turn it is with kept[]. */
enum tracer_timer_search {
	TRACER_SEARCH_COLLECTS = 0, /* the callback's: it fills kept[] */
	TRACER_SEARCH_FULL = 1,     /* tracer_timer_search's: it looks for ticks */
	TRACER_SEARCH_FOUND = 2,    /* the callback's: it takes them over */
	TRACER_SEARCH_RESTS = 3     /* ticks are known: nobody's */
};

struct tracer_timer {
	struct tracer_run *run;
	struct tracer_expiry expiry;
	struct tracer_grid grid;  /* the callback's */
	struct tracer_grid found; /* by tracer_timer_search */
	struct tracer_floor floor;
	struct tracer_served kept[TRACER_TIMER_KEPT];
	uint64_t threshold; /* of the run, in clock ticks */
	uint64_t random;
	uint32_t kept_count;
	_Atomic uint32_t wanted;   /* of kept[], before the ticks are looked for */
	_Atomic uint32_t search;   /* enum tracer_timer_search */
	_Atomic uint32_t is_counted; /* the floor is known: from here on wake-ups are the run's */
	_Atomic uint32_t cpu;      /* of the last callback */
	struct tracer_count expiries; /* served, since the timer was initialised */
	struct tracer_count late;
	struct tracer_count discarded; /* expiries that spanned a change of the power state */
	struct tracer_count tick_ns;   /* of the grid, or 0 */
	struct tracer_count own;       /* clock ticks that the callbacks took */
};

/*
 * Before it is set the first time; `run` is prepared, and outlives the timer: the timer is the run's floor from here on. Memory that never
 * pages. `random` is any number.
 */
void tracer_timer_init(struct tracer_timer *timer, struct tracer_run *run, uint64_t random);

/*
 * How long the timer is to be set for: a period, give or take a quarter, so that it does not keep time with what it measures. While the
 * ticks are looked for it is TRACER_TIMER_FIRST_PERIOD_NS at most.
 */
uint64_t tracer_timer_delay_ns(struct tracer_timer *timer);

/* Right before it is set: when it will be due. Not while a callback runs, but by that callback. */
void tracer_timer_set(struct tracer_timer *timer, uint64_t expected);

/*
 * First thing in the callback, `clock` read before anything else, on processor `cpu`, whose probe is `here` (null: that one is not
 * measured). False where the machine's power state has changed since the timer was set: this expiry serves nobody.
 */
bool tracer_timer_expired(struct tracer_timer *timer, struct tracer_probe *here, uint16_t cpu, uint64_t clock);

/* For each CPU, `clock` read right before: as tracer_probe_queue. */
bool tracer_timer_queue(const struct tracer_timer *timer, struct tracer_probe *probe, uint64_t clock);

/* What the callback took, in clock ticks. */
void tracer_timer_own(struct tracer_timer *timer, uint64_t ticks);

/* Whether expiries are counted. Any level. */
bool tracer_timer_is_counted(const struct tracer_timer *timer);

/* Floor, ticks, late expiries so far, and adds its own time and what it discarded; header.cpu ran the last callback. Thread level. */
void tracer_timer_describe(const struct tracer_timer *timer, struct tracer_timer_state *state);

/* True where the callback waits for tracer_timer_search. Any level. */
bool tracer_timer_wants_search(const struct tracer_timer *timer);

/*
 * Looks for the ticks, where there is something to look at. `nominal_ns` are periods that the clock may have, the longest first. Thread
 * level, one at a time; may take some milliseconds. True where they may have changed.
 */
bool tracer_timer_search(struct tracer_timer *timer, const uint32_t *nominal_ns, unsigned count);

/*
 * Once the first second is over, again and again until it is true: then the floor is in the run. Until then there was too little to see.
 * Thread level.
 */
bool tracer_timer_measure_floor(struct tracer_timer *timer, const uint32_t *nominal_ns, unsigned count);

/* Behind that: from the next expiry on all are counted and recorded. */
void tracer_timer_begin_run(struct tracer_timer *timer);

#endif
