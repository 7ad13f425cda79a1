#include "fake_machine.h"

static void samples_by_the_8259(void)
{
	fake_reset();
	/* A request that waits already: without draining it there would never be an edge. */
	fake.irq_0_pending = true;
	CHECK_EQUAL(TRACER_REFUSAL_NONE, tracer_nmi_start_pit(TRACER_APIC_MEMORY, 1));
	CHECK_EQUAL(TRACER_LVT_NMI, fake.apic[TRACER_APIC_LVT_LINT0 >> 4]);
	CHECK_EQUAL(0xFE, fake.mask_8259);
	CHECK(!fake.irq_0_pending && !fake.irq_0_in_service);

	CHECK_EQUAL(0, tracer_nmi_acknowledge(0));
	for (unsigned i = 0; i < 5; i++) {
		fake.irq_0_pending = true;
		CHECK_EQUAL(1, tracer_nmi_acknowledge(0));
		CHECK(!fake.irq_0_in_service);
	}
	CHECK_EQUAL(0, tracer_nmi_acknowledge(0));
	CHECK_EQUAL(0, fake.broadcasts);
	CHECK_EQUAL(TRACER_REFUSAL_RUNNING, tracer_nmi_start_pit(TRACER_APIC_MEMORY, 1));

	tracer_nmi_stop_pit();
	CHECK_EQUAL(0x10700, fake.apic[TRACER_APIC_LVT_LINT0 >> 4]);
	CHECK_EQUAL(0xFF, fake.mask_8259);
	fake.irq_0_pending = true;
	CHECK_EQUAL(0, tracer_nmi_acknowledge(0));
	tracer_nmi_stop_pit();
	CHECK_EQUAL(0, fake.faults);
}

static void passes_the_tick_on_to_the_other_cpus(void)
{
	fake_reset();
	fake.x2_apic_only = true;
	CHECK_EQUAL(TRACER_REFUSAL_NONE, tracer_nmi_start_pit(TRACER_APIC_MSR, 3));
	CHECK_EQUAL(0, tracer_nmi_acknowledge(1));
	fake.irq_0_pending = true;
	CHECK_EQUAL(1, tracer_nmi_acknowledge(0));
	CHECK_EQUAL(1, fake.broadcasts);
	CHECK_EQUAL(1, tracer_nmi_acknowledge(1));
	CHECK_EQUAL(0, tracer_nmi_acknowledge(1));
	CHECK_EQUAL(0, tracer_nmi_acknowledge(3));

	/* CPU 2 had its NMIs blocked for long: one is in service and one waits, more do not come. */
	for (unsigned i = 0; i < 10; i++) {
		fake.irq_0_pending = true;
		CHECK_EQUAL(1, tracer_nmi_acknowledge(0));
	}
	/* What is on its way when sampling stops is still ours. */
	tracer_nmi_stop_pit();
	CHECK_EQUAL(1, tracer_nmi_acknowledge(2));
	CHECK_EQUAL(1, tracer_nmi_acknowledge(2));
	CHECK_EQUAL(0, tracer_nmi_acknowledge(2));
	CHECK_EQUAL(0, tracer_nmi_acknowledge(TRACER_MAX_CPUS));
	CHECK_EQUAL(0, fake.faults);
}

static void refuse_pit(uint8_t mask, uint8_t second_mask, uint32_t lint0)
{
	fake_reset();
	fake.mask_8259 = mask;
	fake.second_mask_8259 = second_mask;
	fake.apic[TRACER_APIC_LVT_LINT0 >> 4] = lint0;
	CHECK_EQUAL(TRACER_REFUSAL_GATE, tracer_nmi_start_pit(TRACER_APIC_MEMORY, 1));
	CHECK_EQUAL(mask, fake.mask_8259);
	CHECK_EQUAL(lint0, fake.apic[TRACER_APIC_LVT_LINT0 >> 4]);
}

static void refuses_an_8259_that_others_use(void)
{
	refuse_pit(0xFD, 0xFF, 0x700);   /* keyboard */
	refuse_pit(0xFB, 0xFE, 0x700);   /* clock of the second 8259 */
	refuse_pit(0xFE, 0xFF, 0x700);   /* the PIT itself, by ExtINT */
	fake_reset();
	CHECK_EQUAL(TRACER_REFUSAL_HYPERVISOR, tracer_nmi_start_pit(TRACER_APIC_NONE, 1));
	CHECK_EQUAL(TRACER_REFUSAL_HYPERVISOR, tracer_nmi_start_pit(TRACER_APIC_MEMORY, TRACER_MAX_CPUS + 1));
	/* Open, but the line to this CPU is closed: nobody's. */
	fake.mask_8259 = 0xFA;
	CHECK_EQUAL(TRACER_REFUSAL_NONE, tracer_nmi_start_pit(TRACER_APIC_MEMORY, 1));
	tracer_nmi_stop_pit();
	CHECK_EQUAL(0xFA, fake.mask_8259);
}

static void samples_by_the_performance_counter(void)
{
	fake_reset();
	CHECK(!tracer_nmi_has_counter());
	CHECK_EQUAL(TRACER_REFUSAL_HYPERVISOR, tracer_nmi_start_counter(TRACER_APIC_MEMORY, 0, 300000));
	fake.has_counter = true;
	CHECK(tracer_nmi_has_counter());
	fake.fixed_control = 0x3; /* somebody's counter 0 */
	fake.global_control = 0xF;
	fake.counter = 77;
	CHECK_EQUAL(TRACER_REFUSAL_PERIOD, tracer_nmi_start_counter(TRACER_APIC_MEMORY, 0, 1000));
	CHECK_EQUAL(TRACER_REFUSAL_PERIOD, tracer_nmi_start_counter(TRACER_APIC_MEMORY, 0, UINT64_C(1) << 47));
	CHECK_EQUAL(TRACER_REFUSAL_NONE, tracer_nmi_start_counter(TRACER_APIC_MEMORY, 0, 300000));
	CHECK_EQUAL(TRACER_REFUSAL_RUNNING, tracer_nmi_start_counter(TRACER_APIC_MEMORY, 0, 300000));
	CHECK_EQUAL(TRACER_REFUSAL_RUNNING, tracer_nmi_start_pit(TRACER_APIC_MEMORY, 1));
	CHECK_EQUAL((UINT64_C(1) << 48) - 300000, fake.counter);
	CHECK_EQUAL(0xB3, fake.fixed_control);
	CHECK_EQUAL((UINT64_C(1) << 33) | 0xF, fake.global_control);
	CHECK_EQUAL(TRACER_LVT_NMI, fake.apic[TRACER_APIC_LVT_COUNTER >> 4]);

	/* An NMI without our overflow is somebody's; with it, it is acknowledged and the next is prepared. */
	fake.global_status = 1;
	CHECK_EQUAL(0, tracer_nmi_acknowledge(0));
	fake.global_status = UINT64_C(1) << 33 | 1;
	fake.counter = 5;
	fake.apic[TRACER_APIC_LVT_COUNTER >> 4] |= TRACER_LVT_MASKED;
	CHECK_EQUAL(1, tracer_nmi_acknowledge(0));
	CHECK_EQUAL(1, fake.global_status);
	CHECK_EQUAL((UINT64_C(1) << 48) - 300000, fake.counter);
	CHECK_EQUAL(TRACER_LVT_NMI, fake.apic[TRACER_APIC_LVT_COUNTER >> 4]);
	CHECK_EQUAL(0, tracer_nmi_acknowledge(1));

	tracer_nmi_stop_counter(0);
	tracer_nmi_stop_counter(0);
	CHECK_EQUAL(3, fake.fixed_control);
	CHECK_EQUAL(0xF, fake.global_control);
	CHECK_EQUAL(77, fake.counter);
	CHECK_EQUAL(0x100FE, fake.apic[TRACER_APIC_LVT_COUNTER >> 4]);
	fake.global_status = UINT64_C(1) << 33;
	CHECK_EQUAL(0, tracer_nmi_acknowledge(0));
	CHECK_EQUAL(0, fake.faults);
}

static void refuses_a_counter_in_use(void)
{
	fake_reset();
	fake.has_counter = true;
	fake.fixed_control = 0x30;
	CHECK_EQUAL(TRACER_REFUSAL_GATE, tracer_nmi_start_counter(TRACER_APIC_MEMORY, 0, 300000));
	fake.fixed_control = 0;
	fake.apic[TRACER_APIC_LVT_COUNTER >> 4] = 0xFE;
	CHECK_EQUAL(TRACER_REFUSAL_GATE, tracer_nmi_start_counter(TRACER_APIC_MEMORY, 0, 300000));
	CHECK_EQUAL(0, fake.fixed_control);
	CHECK_EQUAL(0xFE, fake.apic[TRACER_APIC_LVT_COUNTER >> 4]);
	CHECK_EQUAL(0, tracer_nmi.source);
}

void nmi_tests(void)
{
	run_test("NMI: samples by PIT and 8259, and leaves other NMIs alone", samples_by_the_8259);
	run_test("NMI: passes the tick on to the other CPUs", passes_the_tick_on_to_the_other_cpus);
	run_test("NMI: refuses an 8259 that others use", refuses_an_8259_that_others_use);
	run_test("NMI: samples by the performance counter", samples_by_the_performance_counter);
	run_test("NMI: refuses a counter that is in use", refuses_a_counter_in_use);
}
