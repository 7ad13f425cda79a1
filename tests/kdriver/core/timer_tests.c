/* The one timer of all CPUs: whom its callback serves, what it counts, and what it does not. */
#include "checks.h"
#include "fake_machine.h"
#include "tracer_clock.h"
#include "tracer_timer.h"

#define US 1000u
#define MS 1000000u
#define CPUS 4u
#define BEGIN (UINT64_C(1) << 40)

static const uint32_t nominal_ns[] = { 1000000 };

static const struct tracer_start_request asked = {
	.abi = { TRACER_ABI_VERSION, sizeof(struct tracer_start_request) },
	.threshold_ns = MS,
	.period_ns = 10 * MS,
	.mode = TRACER_MODE_TIMER,
	.priority_count = 1,
	.priorities = { 28 },
};
static const struct tracer_offer offered = { .clock_hz = 1000000000, .clock = TRACER_CLOCK_QPC };

static struct tracer_run run;
static struct tracer_timer timer;
static struct tracer_probe probes[CPUS];
static struct tracer_histogram histogram;
static _Atomic uint32_t power_changes;
static uint64_t now;

static void start(void)
{
	fake_reset();
	CHECK_EQUAL(TRACER_REFUSAL_NONE, tracer_run_prepare(&run, &asked, &offered));
	run.power_changes = &power_changes;
	for (uint16_t cpu = 0; cpu < CPUS; cpu++)
		tracer_probe_init(&probes[cpu], &run, NULL, cpu);
	tracer_timer_init(&timer, &run, 42);
	now = BEGIN;
}

static uint64_t set(void)
{
	uint64_t due = now + tracer_timer_delay_ns(&timer);

	tracer_timer_set(&timer, due);
	return due;
}

/* Of the wake-ups that are free, each CPU's, so long behind its stamp. */
static unsigned serve(uint64_t latency)
{
	unsigned served = 0;

	for (uint16_t cpu = 0; cpu < CPUS; cpu++) {
		now += 1 * US;
		if (!tracer_timer_queue(&timer, &probes[cpu], now))
			continue;
		served++;
		fake.cpu = cpu;
		CHECK(tracer_probe_dpc(&probes[cpu], now + latency / 2));
		CHECK(tracer_probe_thread(&probes[cpu], 0, now + latency));
	}
	return served;
}

static void arm(void)
{
	for (uint16_t cpu = 0; cpu < CPUS; cpu++)
		tracer_probe_arm(&probes[cpu]);
}

/* Ticks each ms; the callback comes that long behind the one that serves it. */
static bool expire(uint64_t behind)
{
	uint64_t due = set(), tick = BEGIN + tracer_scale(due - BEGIN + MS - 1, 1, MS) * MS;

	now = tick + behind;
	return tracer_timer_expired(&timer, &probes[2], 2, now);
}

static void settle(void)
{
	uint64_t began = now;

	do {
		arm();
		CHECK(expire(3 * US));
		CHECK_EQUAL(CPUS, serve(20 * US));
	} while (now - began < TRACER_TIMER_FIRST_NS || !tracer_timer_measure_floor(&timer, nominal_ns, 1));
}

static uint64_t counted(unsigned cpu, enum tracer_phase phase)
{
	static const struct tracer_histogram empty;

	histogram = empty;
	CHECK(tracer_probe_histogram(&probes[cpu], phase, 0, &histogram));
	return histogram.total;
}

/* The first second is the floor's: in no record, count or histogram. */
static void measures_the_floor_first(void)
{
	start();
	CHECK(!tracer_timer_measure_floor(&timer, nominal_ns, 1));
	settle();
	CHECK(!tracer_timer_is_counted(&timer));
	CHECK(run.floor_ns >= 20 * US && run.floor_ns < 22 * US);
	CHECK(tracer_run_is_above_floor(&run));
	CHECK_EQUAL(0, fake.record_count);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		CHECK_EQUAL(0, tracer_count_read(&probes[cpu].probes));
		for (enum tracer_phase phase = TRACER_PHASE_INTERRUPT; phase <= TRACER_PHASE_TIMER; phase++)
			CHECK_EQUAL(0, counted(cpu, phase));
	}
	/* The state that is told behind the start has the ticks. */
	CHECK_EQUAL(1000000, tracer_count_read(&timer.tick_ns));
	tracer_timer_begin_run(&timer);
	arm();
	CHECK(expire(3 * US));
	CHECK_EQUAL(CPUS, serve(20 * US));
	CHECK_EQUAL(CPUS, fake.record_count);
	CHECK_EQUAL(1, counted(2, TRACER_PHASE_TIMER));
	CHECK_EQUAL(0, counted(0, TRACER_PHASE_TIMER));
	CHECK_EQUAL(1, counted(0, TRACER_PHASE_DPC));
	CHECK_EQUAL(1000000, tracer_count_read(&timer.tick_ns));
}

/* A callback that comes late is so for all CPUs, and counted once; the CPUs' own latency does not have it. */
static void charges_a_late_callback_to_its_processor(void)
{
	const struct tracer_wakeup *record;
	struct tracer_timer_state state = { .own_ns = 5 };

	start();
	settle();
	tracer_timer_begin_run(&timer);
	arm();
	CHECK(expire(7 * MS + 300 * US));
	CHECK_EQUAL(CPUS, serve(20 * US));
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		record = fake_record(cpu, TRACER_RECORD_WAKEUP);
		CHECK_EQUAL(cpu, record->header.cpu);
		CHECK_EQUAL(2, record->timer_cpu);
		CHECK_EQUAL(TRACER_ROUTE_QUEUE | TRACER_ROUTE_EVENT, tracer_run_route(&run, &record->header));
		/* The ticks stand where the earliest callbacks came, 3 us behind. */
		CHECK(record->callback - record->tick > 7 * MS + 290 * US && record->callback - record->tick <= 7 * MS + 300 * US);
		CHECK_EQUAL(0, tracer_count_read(&probes[cpu].over_threshold));
		CHECK_EQUAL(20 * US, tracer_count_read(&probes[cpu].worst_ns));
	}
	tracer_timer_own(&timer, 9 * US);
	tracer_timer_describe(&timer, &state);
	CHECK_EQUAL(1, state.late_timers);
	CHECK_EQUAL(2, state.header.cpu);
	CHECK_EQUAL(9 * US + 5, state.own_ns);
	CHECK_EQUAL(run.floor_ns, state.floor_ns);
	CHECK_EQUAL(1000000, state.tick_ns);
	CHECK_EQUAL(1, counted(2, TRACER_PHASE_TIMER));
	CHECK(histogram.max_ns > 7 * MS);
}

/* One CPU's thread does not come: the others go on, and it joins at the expiry behind that. */
static void leaves_out_who_is_on_its_way(void)
{
	start();
	settle();
	tracer_timer_begin_run(&timer);
	arm();
	CHECK(expire(0));
	now += 1 * US;
	CHECK(tracer_timer_queue(&timer, &probes[1], now));
	CHECK_EQUAL(CPUS - 1, serve(20 * US));
	for (unsigned i = 0; i < 3; i++) {
		arm();
		CHECK(expire(0));
		CHECK_EQUAL(CPUS - 1, serve(20 * US));
	}
	fake.cpu = 1;
	CHECK(tracer_probe_dpc(&probes[1], now));
	CHECK(tracer_probe_thread(&probes[1], 0, now));
	CHECK_EQUAL(0, probes[1].missed);
	CHECK(tracer_count_read(&probes[1].worst_ns) > 20 * MS);
	arm();
	CHECK(expire(0));
	CHECK_EQUAL(CPUS, serve(20 * US));
	CHECK_EQUAL(2, tracer_count_read(&probes[1].probes));
}

/* Eight hours of sleep between setting and callback: nobody is served, nothing counted, and the ticks are still known. */
static void serves_nobody_behind_a_sleep(void)
{
	uint64_t late;

	start();
	settle();
	tracer_timer_begin_run(&timer);
	arm();
	set();
	power_changes++;
	now += UINT64_C(28800000) * MS;
	CHECK(!tracer_timer_expired(&timer, &probes[2], 2, now));
	CHECK_EQUAL(1, tracer_count_read(&timer.discarded));
	CHECK_EQUAL(0, tracer_count_read(&timer.late));
	CHECK_EQUAL(0, counted(2, TRACER_PHASE_TIMER));
	for (unsigned i = 0; i < 200; i++) {
		arm();
		CHECK(expire(3 * US));
		CHECK_EQUAL(CPUS, serve(20 * US));
		tracer_timer_search(&timer, nominal_ns, 1);
	}
	late = tracer_count_read(&timer.late);
	CHECK_EQUAL(0, late);
	CHECK(timer.expiry.tick != 0);
	counted(2, TRACER_PHASE_TIMER);
	CHECK(histogram.max_ns < MS);
}

static void keeps_no_time_with_what_it_measures(void)
{
	uint64_t least = UINT64_MAX, most = 0;

	start();
	settle();
	CHECK(tracer_timer_delay_ns(&timer) <= 5 * MS / 2);
	tracer_timer_begin_run(&timer);
	arm();
	CHECK(expire(0));
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t delay = tracer_timer_delay_ns(&timer);

		least = delay < least ? delay : least;
		most = delay > most ? delay : most;
	}
	CHECK(least >= 15 * MS / 2 && least < 15 * MS / 2 + MS / 10);
	CHECK(most <= 25 * MS / 2 && most > 25 * MS / 2 - MS / 10);
}

/* The callbacks are far behind their ticks, the wake-ups are not: the floor is the callbacks'. */
static void takes_the_larger_floor(void)
{
	uint64_t began;

	start();
	began = now;
	for (unsigned i = 0; now - began < TRACER_TIMER_FIRST_NS || !tracer_timer_measure_floor(&timer, nominal_ns, 1); i++) {
		arm();
		CHECK(expire(i % 5 == 0 ? 200 * US : 3 * US));
		serve(20 * US);
	}
	CHECK(run.floor_ns > 190 * US && run.floor_ns < 220 * US);
	run.threshold_ns = 2 * run.floor_ns - 1;
	CHECK(!tracer_run_is_above_floor(&run));
	run.threshold_ns++;
	CHECK(tracer_run_is_above_floor(&run));
}

void timer_tests(void)
{
	run_test("timer: measures the floor first", measures_the_floor_first);
	run_test("timer: charges a late callback to its processor", charges_a_late_callback_to_its_processor);
	run_test("timer: leaves out who is on its way", leaves_out_who_is_on_its_way);
	run_test("timer: serves nobody behind a sleep", serves_nobody_behind_a_sleep);
	run_test("timer: keeps no time with what it measures", keeps_no_time_with_what_it_measures);
	run_test("timer: takes the larger floor", takes_the_larger_floor);
}
