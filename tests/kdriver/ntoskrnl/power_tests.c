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

/* A display that is off is no sleep: a run goes on, and one may start. */
static void turn_display_off(void)
{
	PFILE_OBJECT file = load_and_open();
	struct tracer_status before, status;

	user_changes_power_setting(&display_state, DISPLAY_OFF);
	CHECK(start(file, TRACER_START_STAY) == 0);
	deadline_ns = NEVER;
	before = status_of(file);
	user_sleeps(2 * SECOND);
	status = status_of(file);
	CHECK(status.probes > before.probes + 1000 && status.run_ns >= before.run_ns + 2 * SECOND);
	user_changes_power_setting(&display_state, DISPLAY_ON);
	user_sleeps(100 * MS);
	CHECK(status_of(file).probes > status.probes + 50);
	CHECK(status_of(file).worst_ns < 20 * MS);
	CHECK(stop(file) == 0);
	close_and_unload(file);
}

static void displays(void)
{
	struct setup setup = usual;

	machine_run(&setup, turn_display_off);
}

/* Modern standby: the machine sleeps for hours and tells nobody. Its clocks do: none of it is a latency, or time that was measured. */
static void sleep_unannounced(void)
{
	PFILE_OBJECT file = load_and_open();
	struct tracer_status status;

	CHECK(start(file, TRACER_START_STAY) == 0);
	deadline_ns = NEVER;
	for (unsigned i = 0; i < 6; i++) {
		user_sleeps(20 * MS + draw(5 * MS));
		now_ns += 8 * HOUR;
		slept_ns += 8 * HOUR;
	}
	user_sleeps(100 * MS);
	status = status_of(file);
	CHECK(status.discarded > 0 && status.probes > 4 * 2 * 20);
	CHECK(status.run_ns < 10 * SECOND);
	CHECK(histogram_of(file, TRACER_PHASE_TIMER, TRACER_ALL_CPUS).max_ns < SECOND);
	CHECK(stop(file) == 0);
	close_and_unload(file);
}

static void standby(void)
{
	run_seeds(4, 0, sleep_unannounced);
}

/* What the callback of the one timer costs: two DPCs for each processor, each time. */
#define INSERT_NS 2000u

static void count_dpcs(void)
{
	PFILE_OBJECT file = load_and_open();
	struct tracer_status status;
	uint64_t before, spent;

	CHECK(start_with(file, TRACER_START_STAY, MS, 1) == 0);
	deadline_ns = NEVER;
	user_sleeps(100 * MS);
	before = dpcs_inserted;
	user_sleeps(200 * MS);
	spent = (dpcs_inserted - before) * INSERT_NS;
	status = status_of(file);
	/* A twentieth of one processor, drawn from a quarter less to a quarter more; and it is not given up either. */
	CHECK(spent <= 200 * MS / 20 * 3 / 2);
	CHECK(spent >= 200 * MS / 20 / 4);
	CHECK(status.period_ns == (setup.processors * 80000u > MS ? setup.processors * 80000u : MS));
	CHECK(stop(file) == 0);
	close_and_unload(file);
}

static void large_machines(void)
{
	static const unsigned processors[] = { 8, 32, 128, 256 };

	for (unsigned i = 0; i < sizeof(processors) / sizeof(processors[0]); i++) {
		struct setup setup = usual;

		setup.processors = processors[i];
		setup.in_first_group = processors[i] < 64 ? processors[i] : 64;
		machine_run(&setup, count_dpcs);
	}
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
	run_for_addresses("a display that is off keeps no run from starting or going on", displays);
	run_for_addresses("a sleep that nobody announces is no latency and no time of the run", standby);
	run_for_addresses("on 8, 32, 128, 256 processors the timer takes a twentieth of one at most", large_machines);
	run_for_addresses("the clock's ticks change under a run", ticks);
}
