/* The timer's ticks and floor on clocks that are meaner than the world's; what is too late by 500 us without a delay of ours is false. */
#include "checks.h"
#include "fake_machine.h"
#include "mean_clock.h"
#include "tracer_clock.h"
#include "tracer_timer.h"

#define US 10u /* in the clock's ticks */
#define MS 10000u
#define SECOND 10000000u
#define MINUTE (60 * (uint64_t)SECOND)
#define EXACT(thousandths) ((uint64_t)(thousandths) * 65536 / 1000)
#define DELAY_EVERY 199u
#define THRESHOLD (500 * US)

struct outcome {
	uint64_t floor_ns;
	uint64_t tick_ns;
	unsigned expiries;
	unsigned delays;
	unsigned found;
	unsigned late; /* though nothing delayed them */
	unsigned blind; /* expiries for which no tick was known */
};

static const uint32_t nominal_ns[] = { 15625000, 10000000, 7812500, 5000000, 4000000, 2000000, 1000000, 976563, 500000 };
#define NOMINAL (sizeof(nominal_ns) / sizeof(nominal_ns[0]))

static const struct tracer_start_request asked = {
	.abi = { TRACER_ABI_VERSION, sizeof(struct tracer_start_request) },
	.threshold_ns = 500000,
	.period_ns = 5000000,
	.mode = TRACER_MODE_TIMER,
	.priority_count = 2,
	.priorities = { 28, 24 },
};
static const struct tracer_offer offered = { .clock_hz = MEAN_CLOCK_HZ, .clock = TRACER_CLOCK_QPC };

static struct tracer_run run;
static struct tracer_timer timer;
static struct tracer_probe probe;
static struct outcome outcome;

/* A machine whose clock is started at an odd moment; the first CPU runs the callbacks. */
struct machine {
	const struct mean_clock *clock;
	uint64_t start;
	uint64_t now;
	uint64_t random;
};

static void start(struct machine *machine, const struct mean_clock *clock, uint64_t begin)
{
	*machine = (struct machine){ .clock = clock, .start = begin, .now = begin + 12345, .random = 7 };
	fake_reset();
	CHECK_EQUAL(TRACER_REFUSAL_NONE, tracer_run_prepare(&run, &asked, &offered));
	tracer_probe_init(&probe, &run, NULL, 0);
	tracer_timer_init(&timer, &run, 99);
	outcome = (struct outcome){ .floor_ns = 0 };
}

/* The CPU's wake-up of this expiry: quick, in a fifth of the callback's usual time. */
static void wake_up(uint64_t clock)
{
	tracer_probe_arm(&probe);
	if (!tracer_timer_queue(&timer, &probe, clock))
		return;
	tracer_probe_dpc(&probe, clock + 1 * US);
	tracer_probe_thread(&probe, 0, clock + 2 * US);
	tracer_probe_thread(&probe, 1, clock + 3 * US);
	fake.record_count = 0;
}

/* One expiry, late by that much; what came of it. */
static void expire(struct machine *machine, uint64_t late, struct mean_service *service)
{
	uint64_t due = machine->now + tracer_ns_to_ticks(tracer_timer_delay_ns(&timer), MEAN_CLOCK_HZ);

	tracer_timer_set(&timer, due);
	mean_clock_serve(machine->clock, machine->start, due, late, &machine->random, service);
	machine->now = service->served + 4 * US;
	CHECK(tracer_timer_expired(&timer, &probe, 0, service->served));
	wake_up(service->served + 1 * US);
}

static void settle(struct machine *machine)
{
	struct mean_service service;
	uint64_t began = machine->now;

	do {
		expire(machine, 0, &service);
	} while (machine->now - began < SECOND || !tracer_timer_measure_floor(&timer, nominal_ns, NOMINAL));
	tracer_timer_begin_run(&timer);
	outcome.floor_ns = run.floor_ns;
}

static void judge(const struct mean_service *service, bool is_delayed)
{
	uint64_t tick = timer.expiry.tick;
	bool is_late = tick != 0 && service->served - tick >= THRESHOLD;

	outcome.expiries++;
	outcome.blind += tick == 0;
	outcome.delays += is_delayed;
	outcome.found += is_delayed && is_late;
	outcome.late += !is_delayed && !service->is_paused && is_late;
	CHECK(tracer_elapsed(tick, service->served) < UINT64_MAX / 2 && tick <= service->served);
}

/* A minute of it; every DELAY_EVERYth callback is late by 2 to 6 ms. */
static void measure(const struct mean_clock *clock, uint64_t begin)
{
	struct machine machine;
	struct mean_service service;

	start(&machine, clock, begin);
	settle(&machine);
	while (machine.now - machine.start < MINUTE) {
		bool is_delayed = outcome.expiries % DELAY_EVERY == DELAY_EVERY - 1;
		uint64_t late = is_delayed ? 2 * MS + tracer_scale(4 * MS, next_random(&machine.random) >> 32, UINT64_C(1) << 32) : 0;

		expire(&machine, late, &service);
		judge(&service, is_delayed);
		/* The thread that looks comes some expiries later. */
		if (outcome.expiries % 8 == 0)
			tracer_timer_search(&timer, nominal_ns, NOMINAL);
	}
	outcome.tick_ns = tracer_count_read(&timer.tick_ns);
}

static const struct mean_clock quick_1_ms = { .name = "1 ms, 5 us", .rates = { { 0, EXACT(10001000) } }, .median = 50 };

/* A clock, and what comes of it. */
struct expectation {
	struct mean_clock clock;
	uint64_t tick_ns;    /* to 1 us */
	unsigned most_false;
	unsigned most_blind;
	bool is_refused; /* 500 us are below twice its floor */
};

static const struct expectation expectations[] = {
	{ { "1 ms, 20 us", { { 0, EXACT(10001000) } }, .median = 200 }, .tick_ns = 1000100 },
	{ { "1 ms, 40 us", { { 0, EXACT(10001000) } }, .median = 400 }, .tick_ns = 1000100 },
	{ { "0.5 ms, 5 us", { { 0, EXACT(5000300) } }, .median = 50 }, .tick_ns = 500030 },
	{ { "0.5 ms, 40 us", { { 0, EXACT(5000300) } }, .median = 400 }, .tick_ns = 500030 },
	{ { "15.6 ms, 10 us", { { 0, EXACT(156251000) } }, .median = 100 }, .tick_ns = 15625100 },
	{ { "1/1024 s", { { 0, EXACT(9765630) } }, .median = 30 }, .tick_ns = 976563 },
	{ { "a tenth of the ticks missed", { { 0, EXACT(10001000) } }, .median = 100, .missed_percent = 10 }, .tick_ns = 1000100 },
	{ { "most of the ticks missed", { { 0, EXACT(10001000) } }, .median = 100, .missed_percent = 55 }, .tick_ns = 1000100 },
	{ { "most of 0.5 ms missed", { { 0, EXACT(5000300) } }, .median = 200, .missed_percent = 55 }, .tick_ns = 500030 },
	{ { "idle exits", { { 0, EXACT(10001000) } }, .median = 100, .idle_percent = 30, .idle = 1500 }, .tick_ns = 1000100 },
	{ { "long idle exits", { { 0, EXACT(10001000) } }, .median = 100, .idle_percent = 30, .idle = 4000 }, .is_refused = true },
	/* Behind each change two callbacks are late by the ticks as they were; then they are not believed any more. */
	{ { "four changes of its rate",
		  { { 0, EXACT(5000300) }, { 10 * SECOND, EXACT(10001000) }, { 20 * SECOND, EXACT(156251000) },
			  { 30 * SECOND, EXACT(5000300) }, { 40 * SECOND, EXACT(10001000) } },
		  .median = 100 },
		.tick_ns = 1000100,
		.most_false = 4,
		.most_blind = 400 },
	{ { "a hypervisor's pauses", { { 0, EXACT(10001000) } }, .median = 200, .pause_every = SECOND / 2, .pause = 4 * MS },
		.tick_ns = 1000100,
		.most_blind = 4 },
	{ { "served when due", { { 0, 0 } }, .median = 50 }, .tick_ns = 0 },
	{ { "ticks no more", { { 0, EXACT(10001000) }, { 20 * SECOND, 0 } }, .median = 50 },
		.tick_ns = 0,
		.most_false = 2,
		.most_blind = 100 },
	{ { "600 ppm fast", { { 0, EXACT(9994000) } }, .median = 50 }, .tick_ns = 999400 },
	{ { "600 ppm slow", { { 0, EXACT(10006000) } }, .median = 50 }, .tick_ns = 1000600 },
	{ { "drifts by 20 ppm", { { 0, EXACT(10001000) } }, .median = 50, .drift_ppm = 20 }, .tick_ns = 1000110 },
};

static void expect(const struct expectation *expected)
{
	uint64_t apart;

	measure(&expected->clock, UINT64_C(1) << 40);
	CHECK_EQUAL(expected->is_refused, !tracer_run_is_above_floor(&run));
	if (expected->is_refused)
		return;
	apart = outcome.tick_ns > expected->tick_ns ? outcome.tick_ns - expected->tick_ns : expected->tick_ns - outcome.tick_ns;
	CHECK(apart <= 1000);
	CHECK(outcome.late <= expected->most_false);
	CHECK(outcome.blind <= expected->most_blind);
	CHECK(outcome.delays >= 18 && outcome.found * 5 >= outcome.delays * 2);
}

static void accuses_nobody_for_the_clock(void)
{
	for (size_t i = 0; i < sizeof(expectations) / sizeof(expectations[0]); i++)
		expect(&expectations[i]);
}

static void finds_every_delay_on_an_ordinary_clock(void)
{
	measure(&quick_1_ms, UINT64_C(1) << 40);
	CHECK_EQUAL(outcome.delays, outcome.found);
	CHECK_EQUAL(0, outcome.late);
	CHECK_EQUAL(0, outcome.blind);
	CHECK(outcome.floor_ns >= 5000 && outcome.floor_ns <= 10000);
	CHECK(tracer_count_read(&timer.late) >= outcome.found);
	CHECK_EQUAL(tracer_count_read(&timer.late), outcome.found);
}

/* The counter starts over while it measures. */
static void goes_round_with_its_counter(void)
{
	measure(&quick_1_ms, 0 - (uint64_t)30 * SECOND);
	CHECK_EQUAL(outcome.delays, outcome.found);
	CHECK_EQUAL(0, outcome.late);
	CHECK_EQUAL(0, outcome.blind);
}

/* From one expiry to the next the clocks drift apart by some microseconds: the ticks are not lost. */
static void keeps_ticks_over_long_periods(void)
{
	static const struct mean_clock clock = { .name = "1 ms", .rates = { { 0, EXACT(10001000) } }, .median = 50, .drift_ppm = 2 };
	struct machine machine;
	struct mean_service service;

	start(&machine, &clock, UINT64_C(1) << 40);
	settle(&machine);
	run.period_ns = UINT64_C(2000000000);
	while (machine.now - machine.start < 10 * MINUTE) {
		expire(&machine, outcome.expiries % 10 == 9 ? 3 * MS + MS * (outcome.expiries % 7) / 10 + 2 * MS / 10 : 0, &service);
		judge(&service, outcome.expiries % 10 == 9);
		tracer_timer_search(&timer, nominal_ns, NOMINAL);
	}
	CHECK_EQUAL(0, outcome.late);
	CHECK_EQUAL(0, outcome.blind);
	CHECK_EQUAL(outcome.delays, outcome.found);
}

static void knows_nothing_by_few(void)
{
	static struct tracer_served few[TRACER_GRID_LEAST];
	const uint64_t nominal[] = { 10000 };
	struct tracer_grid grid;
	uint64_t random = 3;

	for (unsigned i = 0; i < TRACER_GRID_LEAST; i++)
		few[i] = (struct tracer_served){ .due = 20000 * i + 77 * i, .served = 10000 * (2 * i + 1 + i / 100) };
	CHECK(!tracer_grid_find(&grid, few, TRACER_GRID_LEAST - 1, nominal, 1));
	CHECK(!grid.is_known);
	CHECK_EQUAL(0, tracer_grid_tick(&grid, &few[0]));
	CHECK(tracer_grid_find(&grid, few, TRACER_GRID_LEAST, nominal, 0));
	CHECK_EQUAL(0, tracer_grid_period(&grid));
	CHECK_EQUAL(few[3].due, tracer_grid_tick(&grid, &few[3]));
	/* All at one moment, and in no order. */
	for (unsigned i = 0; i < TRACER_GRID_LEAST; i++)
		few[i] = (struct tracer_served){ .due = 5, .served = 5 };
	CHECK(tracer_grid_find(&grid, few, TRACER_GRID_LEAST, nominal, 1));
	tracer_grid_follow(&grid, &few[0]);
	for (unsigned i = 0; i < TRACER_GRID_LEAST; i++)
		few[i] = (struct tracer_served){ .due = next_random(&random), .served = next_random(&random) };
	CHECK(!tracer_grid_find(&grid, few, TRACER_GRID_LEAST, nominal, 1));
	CHECK(!grid.is_known);
	for (unsigned i = 0; i < TRACER_GRID_LEAST; i++)
		CHECK(!tracer_grid_follow(&grid, &few[i]));
}

void grid_tests(void)
{
	run_test("grid: accuses nobody for the clock", accuses_nobody_for_the_clock);
	run_test("grid: finds every delay on an ordinary clock", finds_every_delay_on_an_ordinary_clock);
	run_test("grid: goes round with its counter", goes_round_with_its_counter);
	run_test("grid: keeps ticks over long periods", keeps_ticks_over_long_periods);
	run_test("grid: knows nothing by few", knows_nothing_by_few);
}
