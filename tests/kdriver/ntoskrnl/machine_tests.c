/* Machines that are full, many, or have their interrupts off. */
#include "driver_calls.h"

/* Programs of the highest ordinary priority take every processor; the stop comes from above them, and has to end. */
static void take_processor(void *context)
{
	(void)context;
	while (!is_over)
		busy(MS);
}

static void stop_starved(void)
{
	PFILE_OBJECT file = load_and_open();
	struct fake_fiber *threads[4];
	uint64_t before;

	CHECK(start(file, TRACER_START_STAY) == 0);
	KeSetPriorityThread(self, 20);
	is_over = false;
	for (unsigned i = 0; i < 4; i++)
		threads[i] = user_thread("who computes", 17, take_processor, NULL);
	user_sleeps(50 * MS);
	before = now_ns;
	deadline_ns = now_ns + 5 * SECOND;
	CHECK(stop(file) == 0);
	CHECK(now_ns - before < SECOND);
	is_over = true;
	for (unsigned i = 0; i < 4; i++)
		user_joins(threads[i]);
	close_and_unload(file);
}

static void starved(void)
{
	run_seeds(2, 0, stop_starved);
}

/* The clock's owner has its interrupts off for 4 ms: that is the owner's, in the timer's phase, and no other processor's latency. */
static void mask_owner(void)
{
	PFILE_OBJECT file = load_and_open();

	CHECK(start(file, TRACER_START_STAY) == 0);
	for (unsigned i = 0; i < 10; i++) {
		user_sleeps(20 * MS);
		user_masks(setup.clock_owner, 4 * MS);
	}
	user_sleeps(20 * MS);
	for (uint16_t cpu = 0; cpu < 4; cpu++) {
		CHECK((histogram_of(file, TRACER_PHASE_TIMER, cpu).max_ns > 3 * MS) == (cpu == setup.clock_owner));
		CHECK(cpu == setup.clock_owner || histogram_of(file, TRACER_PHASE_TOTAL, cpu).max_ns < MS);
	}
	CHECK(stop(file) == 0);
	close_and_unload(file);
}

/* Another one has: its DPC waits. */
static void mask_another(void)
{
	unsigned another = (setup.clock_owner + 1) % 4;
	PFILE_OBJECT file = load_and_open();

	CHECK(start(file, TRACER_START_STAY) == 0);
	for (unsigned i = 0; i < 10; i++) {
		user_sleeps(20 * MS);
		user_masks(another, 4 * MS);
	}
	user_sleeps(20 * MS);
	for (uint16_t cpu = 0; cpu < 4; cpu++) {
		CHECK((histogram_of(file, TRACER_PHASE_DPC, cpu).max_ns > MS) == (cpu == another));
		CHECK(histogram_of(file, TRACER_PHASE_TIMER, cpu).max_ns < 2 * MS);
	}
	CHECK(stop(file) == 0);
	close_and_unload(file);
}

static void masked(void)
{
	run_seeds(2, 0, mask_owner);
	run_seeds(2, 0, mask_another);
}

/* Each processor has its share of wake-ups, in whatever group it is. */
static void run_on_groups(void)
{
	PFILE_OBJECT file = load_and_open();

	CHECK(start_with(file, TRACER_START_STAY, 5 * MS, 1) == 0);
	user_sleeps(100 * MS);
	CHECK(status_of(file).cpus == setup.processors);
	for (uint16_t cpu = 0; cpu < setup.processors; cpu++)
		CHECK(histogram_of(file, TRACER_PHASE_TOTAL, cpu).total > 10);
	CHECK(stop(file) == 0);
	close_and_unload(file);
}

static void groups(void)
{
	struct setup setup = usual;

	setup.processors = 5;
	setup.in_first_group = 3;
	machine_run(&setup, run_on_groups);
	setup.processors = 70;
	setup.in_first_group = 64;
	machine_run(&setup, run_on_groups);
}

static void add_processor(void)
{
	PFILE_OBJECT file = load_and_open();

	CHECK(start(file, TRACER_START_STAY) == 0);
	user_sleeps(20 * MS);
	user_adds_processor();
	user_sleeps(20 * MS);
	CHECK(status_of(file).unmeasured_cpus == 1);
	CHECK(stop(file) == 0);
	CHECK(start(file, TRACER_START_STAY) == 0);
	user_sleeps(20 * MS);
	CHECK(status_of(file).unmeasured_cpus == 0);
	CHECK(histogram_of(file, TRACER_PHASE_TOTAL, 4).total > 0);
	CHECK(stop(file) == 0);
	close_and_unload(file);
}

static void added(void)
{
	run_seeds(2, 0, add_processor);
}

void machine_tests(void)
{
	run_test("a processor that is added", added);
	run_for_addresses("a stop under programs that take every processor", starved);
	run_for_addresses("interrupts off on the clock's owner, and on another processor", masked);
	run_for_addresses("two processor groups, of 5 and of 70 processors", groups);
}
