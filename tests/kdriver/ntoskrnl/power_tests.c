/* Sleep, modern standby, floors and ticks of clocks. */
#include "driver_calls.h"

/* A machine that sleeps for a night while wake-ups are on their way: none of their times is in a histogram. */
static void sleep_once(void)
{
	PFILE_OBJECT file = load_and_open();
	struct tracer_status status;

	CHECK(start(file, TRACER_START_STAY) == 0);
	deadline_ns = NEVER;
	for (unsigned i = 0; i < 12; i++) {
		user_sleeps(10 * MS + draw(5 * MS));
		user_changes_power(false, draw(2) == 0);
		now_ns += 8 * HOUR;
		user_changes_power(true, draw(2) == 0);
	}
	user_sleeps(100 * MS);
	status = status_of(file);
	CHECK(status.probes > 4 * 2 * 20);
	CHECK(status.worst_ns < SECOND);
	CHECK(status.run_ns < 10 * SECOND);
	for (enum tracer_phase phase = TRACER_PHASE_INTERRUPT; phase <= TRACER_PHASE_TIMER; phase++)
		CHECK(histogram_of(file, phase, TRACER_ALL_CPUS).max_ns < SECOND);
	CHECK(stop(file) == 0);
	close_and_unload(file);
}

static void sleeps(void)
{
	run_seeds(2, 20, sleep_once);
}

/* An hour with the display off, and a start in it: with modern standby a pause, and else a machine that works on. */
static void turn_display_off(void)
{
	PFILE_OBJECT file = load_and_open();
	struct tracer_status before, status;

	CHECK(start(file, TRACER_START_STAY) == 0);
	deadline_ns = NEVER;
	user_sleeps(50 * MS);
	user_changes_power_setting(&display_state, DISPLAY_OFF);
	user_sleeps(50 * MS);
	before = status_of(file);
	user_sleeps(2 * SECOND);
	status = status_of(file);
	if (setup.has_standby) {
		CHECK(status.probes == before.probes && status.run_ns == before.run_ns);
		/* Sleep within standby: the run goes on when both are over. */
		user_changes_power(false, false);
		user_changes_power(true, false);
		user_sleeps(50 * MS);
		CHECK(status_of(file).probes == before.probes);
		CHECK(stop(file) == 0);
		CHECK(start(file, TRACER_START_STAY) == (NTSTATUS)TRACER_ANSWER_REFUSED);
		CHECK(status_of(file).refusal == TRACER_REFUSAL_POWER);
		user_changes_power_setting(&display_state, DISPLAY_ON);
		CHECK(start(file, TRACER_START_STAY) == 0);
	} else {
		CHECK(status.probes > before.probes + 1000);
		user_changes_power_setting(&display_state, DISPLAY_ON);
	}
	before = status_of(file);
	user_changes_power_setting(&display_state, DISPLAY_OFF);
	user_sleeps(20 * MS);
	user_changes_power_setting(&display_state, DISPLAY_ON);
	user_sleeps(100 * MS);
	CHECK(status_of(file).probes > before.probes + 50);
	CHECK(status_of(file).worst_ns < 20 * MS);
	CHECK(stop(file) == 0);
	close_and_unload(file);
}

static void displays(void)
{
	struct setup setup = usual;

	machine_run(&setup, turn_display_off);
	setup.has_standby = true;
	machine_run(&setup, turn_display_off);
}

/* What a threshold may be depends on what the machine shows when nothing is wrong. */
static void start_below_the_floor(void)
{
	struct tracer_start_request request = {
		.abi = { TRACER_ABI_VERSION, sizeof(request) },
		.threshold_ns = 1,
		.period_ns = 2 * MS,
		.mode = TRACER_MODE_TIMER,
		.priority_count = 1,
		.priorities = { 28 },
	};
	PFILE_OBJECT file = load_and_open();
	struct tracer_status status;

	CHECK(user_controls(file, TRACER_IOCTL_START, &request, sizeof(request), &status, sizeof(status), NULL) ==
		(NTSTATUS)TRACER_ANSWER_REFUSED);
	status = status_of(file);
	CHECK(status.refusal == TRACER_REFUSAL_THRESHOLD && status.state == TRACER_STATE_STOPPED && status.floor_ns > 1);
	request.threshold_ns = 4 * status.floor_ns;
	CHECK(user_controls(file, TRACER_IOCTL_START, &request, sizeof(request), &status, sizeof(status), NULL) == 0);
	CHECK(status.floor_ns > 1 && status.tick_ns > MS - 1000 && status.tick_ns < MS + 1000);
	/* The first second is in neither. */
	CHECK(status.own_ns <= 4 * status.run_ns);
	user_sleeps(100 * MS);
	status = status_of(file);
	CHECK(status.probes > 4 * 30 && status.own_ns > 0 && status.own_ns < status.run_ns && status.run_ns >= 100 * MS);
	CHECK(stop(file) == 0);
	/* Period and threshold know nothing of one another. */
	request.threshold_ns = 50 * MS;
	CHECK(user_controls(file, TRACER_IOCTL_START, &request, sizeof(request), &status, sizeof(status), NULL) == 0);
	CHECK(stop(file) == 0);
	close_and_unload(file);
}

static void floors(void)
{
	run_seeds(1, 0, start_below_the_floor);
}

/* The clock's ticks change under a run: the driver finds the new ones, and says so. */
static void change_ticks(void)
{
	PFILE_OBJECT file = load_and_open();
	uint32_t states;

	CHECK(start(file, TRACER_START_STAY) == 0);
	user_sleeps(SECOND / 2);
	CHECK(status_of(file).tick_ns / 1000 == 1000);
	states = events_logged.timer_states;
	setup.tick_ns = MS / 2;
	user_sleeps(20 * SECOND);
	CHECK(status_of(file).tick_ns / 1000 == 500);
	CHECK(events_logged.timer_states > states);
	CHECK(stop(file) == 0);
	close_and_unload(file);
}

static void ticks(void)
{
	run_seeds(1, 0, change_ticks);
}

void power_tests(void)
{
	run_test("a night's sleep with wake-ups on their way is in no histogram", sleeps);
	run_for_addresses("a threshold below twice the floor is refused", floors);
	run_for_addresses("modern standby pauses a run, a display that is off does not", displays);
	run_for_addresses("the clock's ticks change under a run", ticks);
}
