#include "fake_machine.h"
#include "tracer_clock.h"

static const struct tracer_apic_vectors vectors = { .timer = 0x41, .spurious = 0x4F, .error = 0x42 };

static struct tracer_apic apic;
static uint32_t before[64];

static void remember(void)
{
	for (unsigned i = 0; i < 64; i++)
		before[i] = fake.apic[i];
}

static void check_restored(void)
{
	for (unsigned i = 0; i < 64; i++)
		CHECK_EQUAL(before[i], fake.apic[i]);
	CHECK_EQUAL(0, fake.faults);
	CHECK(fake.interrupts_on);
}

static void start(enum tracer_apic_access access, enum tracer_apic_timer_mode mode)
{
	apic = (struct tracer_apic){ .running = false };
	CHECK_EQUAL(TRACER_REFUSAL_NONE, tracer_apic_start(&apic, access, mode, &vectors, fake.tsc_hz, fake.bus_hz / 16));
}

static void is_found(void)
{
	fake_reset();
	CHECK_EQUAL(TRACER_APIC_MEMORY, tracer_apic_find());
	CHECK(!tracer_apic_has_tsc_deadline());
	fake.has_deadline = true;
	CHECK(tracer_apic_has_tsc_deadline());
	fake.apic_base |= 0x400;
	CHECK_EQUAL(TRACER_APIC_MSR, tracer_apic_find());
	fake.apic_base = 0xFEE00000u;
	CHECK_EQUAL(TRACER_APIC_NONE, tracer_apic_find());
	CHECK_EQUAL(0, fake.faults);
}

static void check_rates(enum tracer_apic_access access)
{
	uint64_t tsc_hz, timer_hz;

	remember();
	CHECK_EQUAL(TRACER_REFUSAL_NONE, tracer_apic_calibrate(access, &tsc_hz, &timer_hz));
	CHECK(tsc_hz > fake.tsc_hz - 3000000 && tsc_hz < fake.tsc_hz + 3000000);
	CHECK(timer_hz > 62437500 && timer_hz < 62562500);
	check_restored();
}

static void is_calibrated(void)
{
	uint64_t tsc_hz, timer_hz;

	fake_reset();
	check_rates(TRACER_APIC_MEMORY);
	fake.x2_apic_only = true;
	check_rates(TRACER_APIC_MSR);

	/* No channel 2; clocks that disagree; a timer that runs. */
	fake.x2_apic_only = false;
	fake.has_channel_2 = false;
	CHECK_EQUAL(TRACER_REFUSAL_CALIBRATION, tracer_apic_calibrate(TRACER_APIC_MEMORY, &tsc_hz, &timer_hz));
	CHECK_EQUAL(0, tsc_hz);
	fake.has_channel_2 = true;
	fake.jitter = 1000000;
	CHECK_EQUAL(TRACER_REFUSAL_CALIBRATION, tracer_apic_calibrate(TRACER_APIC_MEMORY, &tsc_hz, &timer_hz));
	fake.apic[TRACER_APIC_LVT_TIMER >> 4] = 0xD1;
	CHECK_EQUAL(TRACER_REFUSAL_HYPERVISOR, tracer_apic_calibrate(TRACER_APIC_MEMORY, &tsc_hz, &timer_hz));
	CHECK_EQUAL(TRACER_REFUSAL_HYPERVISOR, tracer_apic_calibrate(TRACER_APIC_NONE, &tsc_hz, &timer_hz));
}

static uint64_t in_ns(uint64_t ticks)
{
	return tracer_ticks_to_ns(ticks, fake.tsc_hz);
}

/* Latency of an interrupt that is taken so long after it was due, as the core sees it. */
static uint64_t latency_after(uint64_t delay_ns, uint64_t late_ns)
{
	uint64_t isr;

	CHECK(tracer_apic_arm(&apic, delay_ns) != 0);
	fake_pass(delay_ns + late_ns);
	isr = tracer_hal_clock();
	return in_ns(isr - tracer_apic_event(&apic, isr));
}

static void check_one_event(enum tracer_apic_access access, enum tracer_apic_timer_mode mode)
{
	uint64_t latency;

	remember();
	start(access, mode);
	for (uint64_t late = 0; late <= 5000000; late += 1250000) {
		latency = latency_after(10000000, late);
		/* A tick of the counter is 16 ns. */
		CHECK(latency + 16 >= late && latency < late + 1000);
		tracer_apic_end_of_interrupt(&apic);
	}
	CHECK_EQUAL(0, apic.strays);
	tracer_apic_stop(&apic);
	check_restored();
}

static void knows_when_its_interrupt_was_due(void)
{
	fake_reset();
	check_one_event(TRACER_APIC_MEMORY, TRACER_APIC_ONE_SHOT);
	check_one_event(TRACER_APIC_MEMORY, TRACER_APIC_PERIODIC);
	fake.x2_apic_only = true;
	check_one_event(TRACER_APIC_MSR, TRACER_APIC_ONE_SHOT);
	check_one_event(TRACER_APIC_MSR, TRACER_APIC_PERIODIC);
	fake.has_deadline = true;
	check_one_event(TRACER_APIC_MSR, TRACER_APIC_TSC_DEADLINE);
	CHECK_EQUAL(0, fake.deadline);
	CHECK_EQUAL(25, fake.ends_of_interrupt);
}

/* Periodic, and the interrupt waits for 3.4 periods: it is that of the first event, the other three have none of their own. */
static void counts_back_over_merged_events(void)
{
	uint64_t isr, due;

	fake_reset();
	start(TRACER_APIC_MEMORY, TRACER_APIC_PERIODIC);
	CHECK(tracer_apic_arm(&apic, 1000000) != 0);
	fake_pass(1000000 + 3400000);
	isr = tracer_hal_clock();
	due = tracer_apic_event(&apic, isr);
	CHECK(in_ns(isr - due) >= 3400000 && in_ns(isr - due) < 3401000);
	CHECK_EQUAL(3, apic.merged);
	/* And the next one is measured from its own. */
	fake_pass(600000 + 20000);
	isr = tracer_hal_clock();
	due = tracer_apic_event(&apic, isr);
	CHECK(in_ns(isr - due) >= 20000 && in_ns(isr - due) < 22000);
	CHECK_EQUAL(3, apic.merged);
	/* The rate of the run need not be the rate of the moment: an error of 1/1000 does not add up. */
	apic.timer_hz += 62500;
	for (unsigned i = 0; i < 1000; i++) {
		fake_pass(1000000);
		isr = tracer_hal_clock();
		due = tracer_apic_event(&apic, isr);
		CHECK(due != 0 && in_ns(isr - due) < 1000000);
	}
	CHECK_EQUAL(3, apic.merged);
	tracer_apic_stop(&apic);
}

static void tells_strays(void)
{
	fake_reset();
	start(TRACER_APIC_MEMORY, TRACER_APIC_ONE_SHOT);
	CHECK_EQUAL(0, tracer_apic_event(&apic, tracer_hal_clock()));
	CHECK(tracer_apic_arm(&apic, 1000000) != 0);
	fake_pass(400000);
	CHECK_EQUAL(0, tracer_apic_event(&apic, tracer_hal_clock()));
	CHECK_EQUAL(2, apic.strays);
	fake_pass(700000);
	CHECK(tracer_apic_event(&apic, tracer_hal_clock()) != 0);
	CHECK_EQUAL(0, tracer_apic_event(&apic, tracer_hal_clock()));
	CHECK_EQUAL(3, apic.strays);
	tracer_apic_stop(&apic);

	fake.has_deadline = true;
	start(TRACER_APIC_MEMORY, TRACER_APIC_TSC_DEADLINE);
	CHECK(tracer_apic_arm(&apic, 1000000) != 0);
	CHECK_EQUAL(0, tracer_apic_event(&apic, tracer_hal_clock()));
	CHECK_EQUAL(1, apic.strays);
	/* Somebody else's period, longer than ours. */
	tracer_apic_stop(&apic);
	start(TRACER_APIC_MEMORY, TRACER_APIC_PERIODIC);
	CHECK(tracer_apic_arm(&apic, 1000000) != 0);
	fake.apic[TRACER_APIC_INITIAL_COUNT >> 4] = UINT32_MAX;
	CHECK_EQUAL(0, tracer_apic_event(&apic, tracer_hal_clock()));
	tracer_apic_stop(&apic);
}

static void arms_what_fits(void)
{
	fake_reset();
	CHECK_EQUAL(0, tracer_apic_arm(&(struct tracer_apic){ .running = false }, 1000));
	start(TRACER_APIC_MEMORY, TRACER_APIC_ONE_SHOT);
	CHECK_EQUAL(0, tracer_apic_arm(&apic, 0));
	CHECK_EQUAL(0, tracer_apic_arm(&apic, 10));
	CHECK_EQUAL(0, tracer_apic_arm(&apic, UINT64_MAX));
	CHECK_EQUAL(0, tracer_apic_arm(&apic, UINT64_C(68720000000)));
	CHECK(tracer_apic_arm(&apic, UINT64_C(68000000000)) != 0);
	tracer_apic_stop(&apic);
}

static void refuses_a_timer_in_use(void)
{
	fake_reset();
	apic = (struct tracer_apic){ .running = false };
	fake.apic[TRACER_APIC_LVT_TIMER >> 4] = 0xD1;
	remember();
	CHECK_EQUAL(TRACER_REFUSAL_HYPERVISOR,
		tracer_apic_start(&apic, TRACER_APIC_MEMORY, TRACER_APIC_ONE_SHOT, &vectors, 3000000000, 62500000));
	check_restored();
	fake.apic[TRACER_APIC_LVT_TIMER >> 4] = 0x100D1;
	CHECK_EQUAL(TRACER_REFUSAL_HYPERVISOR,
		tracer_apic_start(&apic, TRACER_APIC_MEMORY, TRACER_APIC_TSC_DEADLINE, &vectors, 3000000000, 62500000));
	CHECK_EQUAL(TRACER_REFUSAL_CALIBRATION,
		tracer_apic_start(&apic, TRACER_APIC_MEMORY, TRACER_APIC_ONE_SHOT, &vectors, 3000000000, 0));
	CHECK_EQUAL(TRACER_REFUSAL_HYPERVISOR,
		tracer_apic_start(&apic, TRACER_APIC_NONE, TRACER_APIC_ONE_SHOT, &vectors, 3000000000, 62500000));
	start(TRACER_APIC_MEMORY, TRACER_APIC_ONE_SHOT);
	CHECK_EQUAL(TRACER_REFUSAL_RUNNING,
		tracer_apic_start(&apic, TRACER_APIC_MEMORY, TRACER_APIC_ONE_SHOT, &vectors, 3000000000, 62500000));
	tracer_apic_stop(&apic);
}

/* Switched off by the firmware, as on Bernadat's machines: ours get the vectors, and it is off again afterwards. */
static void switches_an_apic_on_and_off_again(void)
{
	fake_reset();
	fake.apic[TRACER_APIC_SPURIOUS >> 4] = 0xFF;
	fake.apic[TRACER_APIC_LVT_ERROR >> 4] = 0x10000;
	fake.apic[TRACER_APIC_LVT_TIMER >> 4] = 0x10000;
	remember();
	start(TRACER_APIC_MEMORY, TRACER_APIC_ONE_SHOT);
	CHECK_EQUAL(0x14F, fake.apic[TRACER_APIC_SPURIOUS >> 4]);
	CHECK_EQUAL(0x42, fake.apic[TRACER_APIC_LVT_ERROR >> 4]);
	CHECK_EQUAL(0x41, fake.apic[TRACER_APIC_LVT_TIMER >> 4]);
	tracer_apic_stop(&apic);
	check_restored();

	/* One that the system runs keeps its own. */
	fake_reset();
	start(TRACER_APIC_MEMORY, TRACER_APIC_ONE_SHOT);
	CHECK_EQUAL(0x1DF, fake.apic[TRACER_APIC_SPURIOUS >> 4]);
	CHECK_EQUAL(0xE3, fake.apic[TRACER_APIC_LVT_ERROR >> 4]);
	tracer_apic_stop(&apic);
}

static void collects_errors(void)
{
	fake_reset();
	start(TRACER_APIC_MEMORY, TRACER_APIC_ONE_SHOT);
	fake.apic[TRACER_APIC_ERROR_STATUS >> 4] = 0x40;
	tracer_apic_error(&apic);
	fake.apic[TRACER_APIC_ERROR_STATUS >> 4] = 0x20;
	tracer_apic_error(&apic);
	CHECK_EQUAL(2, apic.errors);
	CHECK_EQUAL(0x60, apic.error_bits);
	CHECK_EQUAL(2, fake.ends_of_interrupt);
	tracer_apic_stop(&apic);
}

void apic_tests(void)
{
	run_test("APIC: is found, memory-mapped or by MSR", is_found);
	run_test("APIC: is calibrated against the PIT, or refused", is_calibrated);
	run_test("APIC: knows when its interrupt was due, in every mode and access", knows_when_its_interrupt_was_due);
	run_test("APIC: counts back over merged events", counts_back_over_merged_events);
	run_test("APIC: tells strays", tells_strays);
	run_test("APIC: arms what fits the counter", arms_what_fits);
	run_test("APIC: refuses a timer that is in use", refuses_a_timer_in_use);
	run_test("APIC: switches one on and off again, and restores each register", switches_an_apic_on_and_off_again);
	run_test("APIC: collects errors", collects_errors);
}
