#include "fake_machine.h"

static void finds_divisors(void)
{
	CHECK_EQUAL(1193, tracer_pit_divisor(1000));
	CHECK_EQUAL(11932, tracer_pit_divisor(100));
	CHECK_EQUAL(65536 - 2737, tracer_pit_divisor(19));
	CHECK_EQUAL(1, tracer_pit_divisor(1193182));
	CHECK_EQUAL(0, tracer_pit_divisor(18));
	CHECK_EQUAL(0, tracer_pit_divisor(0));
	CHECK_EQUAL(0, tracer_pit_divisor(1193183));
}

static void measure(uint32_t divisor, uint8_t mode, uint64_t access_ticks)
{
	struct tracer_pit_setting setting;

	fake_reset();
	fake.access_ticks = access_ticks;
	fake.pit[0].divisor = divisor;
	fake.pit[0].mode = mode;
	fake_pass(12345);
	CHECK(tracer_pit_measure(fake.tsc_hz, 200000000, &setting));
	CHECK_EQUAL(mode, setting.mode);
	CHECK(setting.divisor + 4 >= divisor && setting.divisor <= divisor + 4);
	if (divisor == 65536)
		CHECK_EQUAL(65536, setting.divisor);
	CHECK(fake.interrupts_on);
	CHECK_EQUAL(0, fake.faults);
}

static void measures_what_cannot_be_read(void)
{
	measure(65536, 3, 900);
	measure(65536, 2, 3000);
	measure(11932, 2, 900);
	measure(11932, 2, 5000);
	measure(1194, 2, 900);
	measure(5966, 3, 2000);
}

static void does_not_measure_what_stands_still(void)
{
	struct tracer_pit_setting setting;

	fake_reset();
	fake.pit[0].mode = 0;
	CHECK(!tracer_pit_measure(fake.tsc_hz, 200000000, &setting));
	CHECK_EQUAL(0, setting.mode);
	fake.pit[0].mode = 2;
	CHECK(!tracer_pit_measure(fake.tsc_hz, 1000, &setting));
}

static void is_restored_on_stop(void)
{
	struct tracer_pit_setting setting = { .divisor = 11932, .mode = 2 };
	struct tracer_pit pit = { .running = false };

	fake_reset();
	CHECK(tracer_pit_start(&pit, &setting, TRACER_PIT_SAMPLE_HZ));
	CHECK(!tracer_pit_start(&pit, &setting, TRACER_PIT_SAMPLE_HZ));
	CHECK_EQUAL(1193, fake.pit[0].divisor);
	CHECK_EQUAL(2, fake.pit[0].mode);
	tracer_pit_stop(&pit);
	CHECK_EQUAL(11932, fake.pit[0].divisor);
	CHECK_EQUAL(2, fake.pit[0].mode);
	fake.pit[0].divisor = 77;
	tracer_pit_stop(&pit);
	CHECK_EQUAL(77, fake.pit[0].divisor);

	setting.divisor = 65536;
	setting.mode = 3;
	CHECK(tracer_pit_start(&pit, &setting, 100));
	tracer_pit_stop(&pit);
	CHECK_EQUAL(65536, fake.pit[0].divisor);
	CHECK_EQUAL(3, fake.pit[0].mode);
	CHECK(!tracer_pit_start(&pit, &setting, 10));
	CHECK(!pit.running);

	/* It did not run at all: afterwards it does not either. */
	setting.mode = 0xFF;
	CHECK(tracer_pit_start(&pit, &setting, 1000));
	tracer_pit_stop(&pit);
	CHECK_EQUAL(0, fake.pit[0].mode);
	CHECK(fake.interrupts_on);
}

static unsigned marks;

static void mark(void *context, int end)
{
	CHECK(context == &marks);
	CHECK_EQUAL(marks, end);
	CHECK(!fake.interrupts_on);
	marks++;
}

static void waits_on_channel_2(void)
{
	uint64_t elapsed;

	fake_reset();
	fake.port_61 = 0x0C;
	marks = 0;
	elapsed = tracer_pit_wait(11932, mark, &marks);
	CHECK_EQUAL(2, marks);
	CHECK(elapsed > 29990000 && elapsed < 30010000);
	CHECK_EQUAL(0x0C, fake.port_61);
	CHECK(fake.interrupts_on);
	CHECK_EQUAL(0, tracer_pit_wait(0, mark, &marks));
	CHECK_EQUAL(0, tracer_pit_wait(65536, mark, &marks));
	fake.has_channel_2 = false;
	marks = 0;
	CHECK_EQUAL(0, tracer_pit_wait(11932, mark, &marks));
}

void pit_tests(void)
{
	run_test("PIT: finds the divisor of a rate", finds_divisors);
	run_test("PIT: measures the divisor that it cannot read", measures_what_cannot_be_read);
	run_test("PIT: does not measure what stands still", does_not_measure_what_stands_still);
	run_test("PIT: is restored on stop", is_restored_on_stop);
	run_test("PIT: waits on channel 2, and not on one that is not there", waits_on_channel_2);
}
