#include "tracer_timer.h"

#include "tracer_clock.h"

#define MOST_NOMINAL 16u

void tracer_timer_init(struct tracer_timer *timer, struct tracer_run *run, uint64_t random)
{
	timer->run = run;
	timer->expiry = (struct tracer_expiry){ .is_counted = false };
	timer->grid = (struct tracer_grid){ .is_known = false };
	timer->found = timer->grid;
	timer->threshold = tracer_ns_to_ticks(run->threshold_ns, run->clock_hz);
	timer->random = random | 1;
	timer->kept_count = 0;
	atomic_store_explicit(&timer->wanted, TRACER_TIMER_KEPT, memory_order_relaxed);
	atomic_store_explicit(&timer->search, TRACER_SEARCH_COLLECTS, memory_order_relaxed);
	atomic_store_explicit(&timer->is_counted, 0, memory_order_relaxed);
	atomic_store_explicit(&timer->cpu, 0, memory_order_relaxed);
	tracer_count_set(&timer->expiries, 0);
	tracer_count_set(&timer->late, 0);
	tracer_count_set(&timer->discarded, 0);
	tracer_count_set(&timer->tick_ns, 0);
	tracer_count_set(&timer->own, 0);
	tracer_floor_clear(&timer->floor);
	run->floor = &timer->floor;
}

bool tracer_timer_is_counted(const struct tracer_timer *timer)
{
	return atomic_load_explicit(&timer->is_counted, memory_order_acquire) != 0;
}

uint64_t tracer_timer_delay_ns(struct tracer_timer *timer)
{
	uint64_t period = timer->run->period_ns, quick = TRACER_TIMER_FIRST_PERIOD_NS;

	/* What shows ticks has to come quickly, if that is affordable: they drift meanwhile. */
	if (quick < timer->run->affordable_period_ns)
		quick = timer->run->affordable_period_ns;
	if ((!tracer_timer_is_counted(timer) || atomic_load_explicit(&timer->search, memory_order_relaxed) == TRACER_SEARCH_COLLECTS) &&
		period > quick)
		period = quick;
	/* xorshift64 (Marsaglia 2003). */
	timer->random ^= timer->random << 13;
	timer->random ^= timer->random >> 7;
	timer->random ^= timer->random << 17;
	return period - (period >> 2) + tracer_scale(period >> 1, timer->random >> 32, UINT64_C(1) << 32);
}

void tracer_timer_set(struct tracer_timer *timer, uint64_t expected)
{
	timer->expiry.expected = expected;
	timer->expiry.power_changes = tracer_run_power_changes(timer->run);
}

/* The ticks are known, or not any more. By whose turn it is. */
static void tell_ticks(struct tracer_timer *timer, const struct tracer_grid *grid)
{
	uint64_t period = grid->is_known ? tracer_grid_period(grid) : 0;

	tracer_count_set(&timer->tick_ns, period == 0 ? 0 : tracer_ticks_to_ns(period, timer->run->clock_hz));
}

/* Takes over what was found, or looks on. */
static void take_over(struct tracer_timer *timer)
{
	timer->grid = timer->found;
	timer->kept_count = 0;
	atomic_store_explicit(&timer->wanted, TRACER_TIMER_KEPT_LATER, memory_order_relaxed);
	atomic_store_explicit(
		&timer->search, timer->grid.is_known ? TRACER_SEARCH_RESTS : TRACER_SEARCH_COLLECTS, memory_order_release);
}

static void keep(struct tracer_timer *timer, const struct tracer_served *served)
{
	timer->kept[timer->kept_count++] = *served;
	if (timer->kept_count >= atomic_load_explicit(&timer->wanted, memory_order_relaxed))
		atomic_store_explicit(&timer->search, TRACER_SEARCH_FULL, memory_order_release);
}

/* The tick that should have served this expiry; follows the ticks, or collects what shows them. */
static uint64_t find_tick(struct tracer_timer *timer, const struct tracer_served *served)
{
	uint32_t search = atomic_load_explicit(&timer->search, memory_order_acquire);
	uint64_t tick;

	if (search == TRACER_SEARCH_FOUND) {
		take_over(timer);
		search = atomic_load_explicit(&timer->search, memory_order_relaxed);
	}
	if (search == TRACER_SEARCH_COLLECTS)
		keep(timer, served);
	if (search != TRACER_SEARCH_RESTS)
		return 0;
	tick = tracer_grid_tick(&timer->grid, served);
	if (!tracer_grid_follow(&timer->grid, served)) {
		tell_ticks(timer, &timer->grid);
		atomic_store_explicit(&timer->search, TRACER_SEARCH_COLLECTS, memory_order_release);
	}
	return tick;
}

/* How late the callback was, where that is known. */
static void count(struct tracer_timer *timer, struct tracer_probe *here)
{
	uint64_t behind = tracer_elapsed(timer->expiry.tick, timer->expiry.callback);

	if (timer->expiry.tick == 0)
		return;
	if (here != NULL)
		tracer_buckets_add(&here->timer_phase, tracer_ticks_to_ns(behind, timer->run->clock_hz));
	if (behind >= timer->threshold)
		tracer_count_add(&timer->late, 1);
}

bool tracer_timer_expired(struct tracer_timer *timer, struct tracer_probe *here, uint16_t cpu, uint64_t clock)
{
	struct tracer_expiry *expiry = &timer->expiry;
	const struct tracer_served served = { .due = expiry->expected, .served = clock };

	atomic_store_explicit(&timer->cpu, cpu, memory_order_relaxed);
	if (expiry->power_changes != tracer_run_power_changes(timer->run)) {
		tracer_count_add(&timer->discarded, 1);
		return false;
	}
	expiry->callback = clock;
	expiry->cpu = cpu;
	expiry->is_counted = tracer_timer_is_counted(timer);
	expiry->tick = find_tick(timer, &served);
	if (expiry->is_counted)
		count(timer, here);
	tracer_count_add(&timer->expiries, 1);
	return true;
}

bool tracer_timer_queue(const struct tracer_timer *timer, struct tracer_probe *probe, uint64_t clock)
{
	return tracer_probe_queue(probe, &timer->expiry, clock);
}

void tracer_timer_describe(const struct tracer_timer *timer, struct tracer_timer_state *state)
{
	state->header.cpu = (uint16_t)atomic_load_explicit(&timer->cpu, memory_order_relaxed);
	state->floor_ns = timer->run->floor_ns;
	state->tick_ns = tracer_count_read(&timer->tick_ns);
	state->own_ns += tracer_ticks_to_ns(tracer_count_read(&timer->own), timer->run->clock_hz);
	state->late_timers = tracer_count_read(&timer->late);
	state->discarded += tracer_count_read(&timer->discarded);
}

void tracer_timer_own(struct tracer_timer *timer, uint64_t ticks)
{
	tracer_count_add(&timer->own, ticks);
}

bool tracer_timer_wants_search(const struct tracer_timer *timer)
{
	return atomic_load_explicit(&timer->search, memory_order_acquire) == TRACER_SEARCH_FULL;
}

static bool find(struct tracer_timer *timer, const uint32_t *nominal_ns, unsigned count)
{
	uint64_t nominal[MOST_NOMINAL];
	unsigned known = 0;

	for (; known < count && known < MOST_NOMINAL; known++)
		nominal[known] = tracer_ns_to_ticks(nominal_ns[known], timer->run->clock_hz);
	return tracer_grid_find(&timer->found, timer->kept, timer->kept_count, nominal, known);
}

/* Most of the expiries that were kept came so soon behind their due time that no ticks like those before can have served them. */
static bool are_prompt(const struct tracer_timer *timer)
{
	uint64_t soon = tracer_grid_period(&timer->grid) >> 2;
	uint32_t prompt = 0;

	for (uint32_t i = 0; i < timer->kept_count; i++)
		prompt += tracer_elapsed(timer->kept[i].due, timer->kept[i].served) <= soon;
	return prompt * 4 >= timer->kept_count * 3;
}

bool tracer_timer_search(struct tracer_timer *timer, const uint32_t *nominal_ns, unsigned count)
{
	if (!tracer_timer_wants_search(timer))
		return false;
	find(timer, nominal_ns, count);
	/* On a machine so busy that no ticks are to be seen those that were known stay. */
	if (timer->found.period == 0 && timer->grid.period != 0 && !are_prompt(timer)) {
		timer->found = timer->grid;
		tracer_grid_trust(&timer->found);
	}
	tell_ticks(timer, &timer->found);
	atomic_store_explicit(&timer->search, TRACER_SEARCH_FOUND, memory_order_release);
	return true;
}

/* How long behind their ticks the callbacks of the first second came. */
static void add_callbacks(struct tracer_timer *timer)
{
	struct tracer_grid *grid = &timer->found;

	for (uint32_t i = 0; i < timer->kept_count; i++) {
		const struct tracer_served *served = &timer->kept[i];
		uint64_t tick;

		tracer_grid_trust(grid);
		tick = tracer_grid_tick(grid, served);
		tracer_grid_follow(grid, served);
		tracer_floor_add(&timer->floor, TRACER_FLOOR_CALLBACKS,
			tracer_ticks_to_ns(tracer_elapsed(tick, served->served), timer->run->clock_hz));
	}
	/* The search left the ticks where the first of these were; they are near the last ones now. */
	tracer_grid_trust(grid);
}

bool tracer_timer_measure_floor(struct tracer_timer *timer, const uint32_t *nominal_ns, unsigned count)
{
	if (!tracer_timer_wants_search(timer)) {
		atomic_store_explicit(&timer->wanted, TRACER_GRID_LEAST, memory_order_relaxed);
		return false;
	}
	if (tracer_floor_wakeups(&timer->floor, timer->run->priority_count) < TRACER_TIMER_LEAST_FIRST)
		return false;
	find(timer, nominal_ns, count);
	add_callbacks(timer);
	timer->run->floor_ns = tracer_floor_ns(&timer->floor);
	tell_ticks(timer, &timer->found);
	atomic_store_explicit(&timer->search, TRACER_SEARCH_FOUND, memory_order_release);
	return true;
}

void tracer_timer_begin_run(struct tracer_timer *timer)
{
	atomic_store_explicit(&timer->is_counted, 1, memory_order_release);
}
