#include "fake_machine.h"
#include "tracer_clock.h"
#include "tracer_probe.h"

#define US 1000u
#define MS 1000000u

static struct tracer_slot slots[16];
static struct tracer_ring ring;
static struct tracer_run run;
static struct tracer_probe probe;
static struct tracer_histogram histogram;

static const struct tracer_start_request asked = {
	.abi = { TRACER_ABI_VERSION, sizeof(struct tracer_start_request) },
	.threshold_ns = MS,
	.period_ns = 10 * MS,
	.pre_samples = 4,
	.post_samples = 0,
	.cool_down_ms = 5,
	.mode = TRACER_MODE_APIC,
	.priority_count = 2,
	.priorities = { 28, 24 },
};
static const struct tracer_offer offered = {
	.clock_hz = 1000000000,
	.floor_ns = 2 * US,
	.shortest_period_ns = 100 * US,
	.capabilities = TRACER_CAN_APIC | TRACER_CAN_SAMPLE_PIT,
};

static void reset(void)
{
	fake_reset();
	fake.tsc_hz = 1000000000;
	CHECK_EQUAL(TRACER_REFUSAL_NONE, tracer_run_prepare(&run, &asked, &offered));
	CHECK(tracer_ring_init(&ring, slots, 16, 0));
	tracer_probe_init(&probe, &run, &ring, 0);
}

static void is_prepared_or_refused(void)
{
	struct tracer_start_request request = asked;
	struct tracer_offer offer = offered;

	CHECK_EQUAL(TRACER_REFUSAL_NONE, tracer_run_prepare(&run, &request, &offer));
	CHECK_EQUAL(5 * MS, run.cool_down_ns);
	CHECK_EQUAL(24, run.priorities[1]);
	CHECK(!run.record_all);
	request.flags = TRACER_START_ALL_WAKEUPS;
	CHECK_EQUAL(TRACER_REFUSAL_NONE, tracer_run_prepare(&run, &request, &offer));
	CHECK(run.record_all);
	request.threshold_ns = 4 * US - 1;
	CHECK_EQUAL(TRACER_REFUSAL_THRESHOLD, tracer_run_prepare(&run, &request, &offer));
	request.threshold_ns = 4 * US;
	CHECK_EQUAL(TRACER_REFUSAL_NONE, tracer_run_prepare(&run, &request, &offer));
	request.threshold_ns = 0;
	CHECK_EQUAL(TRACER_REFUSAL_THRESHOLD, tracer_run_prepare(&run, &request, &offer));
	request = asked;
	request.period_ns = 100 * US - 1;
	CHECK_EQUAL(TRACER_REFUSAL_PERIOD, tracer_run_prepare(&run, &request, &offer));
	/* A threshold above the period is no reason: what is late joins later. */
	request.period_ns = MS - 1;
	CHECK_EQUAL(TRACER_REFUSAL_NONE, tracer_run_prepare(&run, &request, &offer));
	request.period_ns = TRACER_LONGEST_PERIOD_NS + 1;
	CHECK_EQUAL(TRACER_REFUSAL_PERIOD, tracer_run_prepare(&run, &request, &offer));
	request = asked;
	request.priority_count = 0;
	CHECK_EQUAL(TRACER_REFUSAL_PRIORITIES, tracer_run_prepare(&run, &request, &offer));
	request.priority_count = TRACER_MAX_PRIORITIES + 1;
	CHECK_EQUAL(TRACER_REFUSAL_PRIORITIES, tracer_run_prepare(&run, &request, &offer));
	request.priority_count = 2;
	request.priorities[1] = 32;
	CHECK_EQUAL(TRACER_REFUSAL_PRIORITIES, tracer_run_prepare(&run, &request, &offer));
	request = asked;
	offer.capabilities = 0;
	CHECK_EQUAL(TRACER_REFUSAL_NOT_LABORATORY, tracer_run_prepare(&run, &request, &offer));
	request.mode = TRACER_MODE_TIMER;
	CHECK_EQUAL(TRACER_REFUSAL_NONE, tracer_run_prepare(&run, &request, &offer));
	request.mode = TRACER_MODE_WAKEUP;
	CHECK_EQUAL(TRACER_REFUSAL_NOT_LABORATORY, tracer_run_prepare(&run, &request, &offer));
	request = asked;
	offer = offered;
	offer.clock_hz = 0;
	CHECK_EQUAL(TRACER_REFUSAL_CALIBRATION, tracer_run_prepare(&run, &request, &offer));
}

/* A whole wake-up with these latencies, in ns after one another. */
static void wake_up(uint64_t due, uint64_t isr, uint64_t dpc, uint64_t first, uint64_t second)
{
	const struct tracer_interrupt interrupt = { .clock = due + isr, .ip = 0xABC, .cs = 0x10 };

	fake.dpcs = 0;
	fake.wakes = 0;
	CHECK(tracer_probe_arm(&probe));
	CHECK(tracer_probe_isr(&probe, due, &interrupt));
	CHECK_EQUAL(1, fake.dpcs);
	CHECK(tracer_probe_dpc(&probe, due + isr + dpc));
	CHECK_EQUAL(3, fake.wakes);
	fake.clock = due + isr + dpc + first;
	CHECK(!tracer_probe_thread(&probe, 0, due + isr + dpc + first));
	fake.clock += second;
	CHECK(tracer_probe_thread(&probe, 1, due + isr + dpc + first + second));
}

static void measures_a_wake_up(void)
{
	static const struct tracer_record_header module = { .type = TRACER_RECORD_MODULE, .size = sizeof(struct tracer_module) };
	const struct tracer_wakeup *record;
	const struct tracer_episode_begin *begin;

	reset();
	wake_up(UINT64_C(1) << 40, 2 * US, 3 * US, 5 * US, 10 * US);
	CHECK_EQUAL(2, fake.record_count);
	record = fake_record(1, TRACER_RECORD_WAKEUP);
	CHECK_EQUAL(2, record->sequence);
	CHECK_EQUAL(0, tracer_run_route(&run, &record->header));
	wake_up(UINT64_C(2) << 40, 2 * US, 3 * US, 994 * US, 2 * MS);
	record = fake_record(2, TRACER_RECORD_WAKEUP);
	CHECK_EQUAL(0, tracer_run_route(&run, &record->header));
	record = fake_record(3, TRACER_RECORD_WAKEUP);
	CHECK_EQUAL(TRACER_ROUTE_QUEUE | TRACER_ROUTE_EVENT, tracer_run_route(&run, &record->header));
	CHECK_EQUAL(4, record->sequence);
	CHECK_EQUAL(24, record->priority);
	CHECK_EQUAL(UINT64_C(2) << 40, record->expected);
	CHECK_EQUAL(2 * US, record->isr - record->expected);
	CHECK_EQUAL(3 * US, record->dpc - record->isr);
	CHECK_EQUAL(2 * MS + 994 * US, record->thread - record->dpc);
	CHECK_EQUAL(0xABC, record->interrupted_ip);
	CHECK_EQUAL(0x10, record->interrupted_cs);
	begin = fake_record(4, TRACER_RECORD_EPISODE_BEGIN);
	CHECK_EQUAL(2 * MS + 999 * US, begin->latency_ns);
	CHECK_EQUAL(TRACER_ROUTE_QUEUE | TRACER_ROUTE_EVENT, tracer_run_route(&run, &begin->header));
	CHECK_EQUAL(4, tracer_count_read(&probe.probes));
	CHECK_EQUAL(1, tracer_count_read(&probe.over_threshold));
	CHECK_EQUAL(2 * MS + 999 * US, tracer_count_read(&probe.worst_ns));

	run.record_all = true;
	fake.record_count = 0;
	wake_up(UINT64_C(3) << 40, 2 * US, 3 * US, 5 * US, 10 * US);
	CHECK_EQUAL(2, fake.record_count);
	record = fake_record(0, TRACER_RECORD_WAKEUP);
	CHECK_EQUAL(28, record->priority);
	CHECK_EQUAL(5, record->sequence);
	CHECK_EQUAL(TRACER_ROUTE_QUEUE | TRACER_ROUTE_EVENT, tracer_run_route(&run, &record->header));
	CHECK_EQUAL(TRACER_ROUTE_QUEUE, tracer_run_route(&run, &module));
}

/* Both threads are late, the first more than the second: one episode, of the first. */
static void begins_one_episode_with_the_latest(void)
{
	const struct tracer_interrupt interrupt = { .clock = 1000 };
	const struct tracer_episode_begin *begin;

	reset();
	CHECK(tracer_probe_arm(&probe));
	CHECK(tracer_probe_isr(&probe, 1000, &interrupt));
	CHECK(tracer_probe_dpc(&probe, 1000));
	CHECK(!tracer_probe_thread(&probe, 1, 1000 + 2 * MS));
	CHECK_EQUAL(0, fake.record_count);
	CHECK(tracer_probe_thread(&probe, 0, 1000 + 3 * MS));
	fake_record(0, TRACER_RECORD_WAKEUP);
	fake_record(1, TRACER_RECORD_WAKEUP);
	begin = fake_record(2, TRACER_RECORD_EPISODE_BEGIN);
	CHECK_EQUAL(3 * MS, begin->latency_ns);
	fake_record(3, TRACER_RECORD_EPISODE_END);
	CHECK_EQUAL(4, fake.record_count);
}

static uint64_t counted(enum tracer_phase phase, uint8_t priority, uint64_t ns)
{
	static const struct tracer_histogram empty;

	histogram = empty;
	CHECK(tracer_probe_histogram(&probe, phase, priority, &histogram));
	CHECK_EQUAL(sizeof(histogram), histogram.abi.size);
	return histogram.buckets[tracer_bucket_of(ns)];
}

static void counts_each_phase(void)
{
	reset();
	for (unsigned i = 1; i <= 3; i++)
		wake_up((uint64_t)i << 40, 2 * US, 30 * US, 100 * US, 400 * US);
	CHECK_EQUAL(3, counted(TRACER_PHASE_INTERRUPT, 0, 2 * US));
	CHECK_EQUAL(3, counted(TRACER_PHASE_DPC, 0, 30 * US));
	CHECK_EQUAL(3, counted(TRACER_PHASE_THREAD, 28, 100 * US));
	CHECK_EQUAL(0, counted(TRACER_PHASE_THREAD, 28, 500 * US));
	CHECK_EQUAL(3, counted(TRACER_PHASE_THREAD, 24, 500 * US));
	CHECK_EQUAL(3, counted(TRACER_PHASE_TOTAL, 24, 532 * US));
	CHECK_EQUAL(3, counted(TRACER_PHASE_TOTAL, 0, 532 * US));
	CHECK_EQUAL(6, histogram.total);
	CHECK_EQUAL(532 * US, histogram.max_ns);
	CHECK(!tracer_probe_histogram(&probe, TRACER_PHASE_TOTAL, 7, &histogram));
	CHECK(!tracer_probe_histogram(&probe, (enum tracer_phase)9, 0, &histogram));
}

static void keeps_the_order_of_its_stations(void)
{
	const struct tracer_interrupt interrupt = { .clock = 1000 };

	reset();
	/* Nothing is due; then everything out of turn, twice, or by a thread that is not measured. */
	CHECK(!tracer_probe_isr(&probe, 900, &interrupt));
	CHECK_EQUAL(1, probe.missed);
	CHECK(!tracer_probe_isr(&probe, 0, &interrupt));
	CHECK_EQUAL(1, probe.missed);
	CHECK(!tracer_probe_dpc(&probe, 1000));
	CHECK(!tracer_probe_thread(&probe, 0, 1000));
	CHECK(tracer_probe_arm(&probe));
	CHECK(!tracer_probe_arm(&probe));
	CHECK(!tracer_probe_dpc(&probe, 1000));
	CHECK(tracer_probe_isr(&probe, 900, &interrupt));
	CHECK(!tracer_probe_isr(&probe, 900, &interrupt));
	CHECK_EQUAL(2, probe.missed);
	CHECK(tracer_probe_dpc(&probe, 1000));
	CHECK(!tracer_probe_dpc(&probe, 1000));
	CHECK(!tracer_probe_thread(&probe, 2, 1100));
	CHECK(!tracer_probe_thread(&probe, 1, 1100));
	CHECK(!tracer_probe_thread(&probe, 1, 1200));
	CHECK(!tracer_probe_arm(&probe));
	CHECK(tracer_probe_thread(&probe, 0, 1300));
	CHECK(!tracer_probe_thread(&probe, 0, 1300));
	CHECK(tracer_probe_arm(&probe));
	CHECK_EQUAL(2, tracer_count_read(&probe.probes));
	CHECK_EQUAL(1, fake.dpcs);
	tracer_probe_close(&probe, 2000);
	CHECK(tracer_probe_arm(&probe));
}

static const struct tracer_expiry expiry = {
	.expected = 1000, .tick = 2000, .callback = 2000 + 5 * US, .cpu = 3, .is_counted = true
};
#define QUEUED (expiry.callback + 2 * US)

static void measures_from_when_its_dpc_was_queued(void)
{
	const struct tracer_wakeup *record;

	reset();
	CHECK(!tracer_probe_queue(&probe, &expiry, QUEUED));
	CHECK(tracer_probe_arm(&probe));
	CHECK(tracer_probe_queue(&probe, &expiry, QUEUED));
	CHECK(!tracer_probe_queue(&probe, &expiry, QUEUED + 1));
	CHECK(tracer_probe_dpc(&probe, QUEUED + 40 * US));
	CHECK(!tracer_probe_queue(&probe, &expiry, QUEUED + 2));
	CHECK(!tracer_probe_thread(&probe, 0, QUEUED + 50 * US));
	CHECK(tracer_probe_thread(&probe, 1, QUEUED + 60 * US));
	CHECK_EQUAL(0, probe.missed);
	CHECK_EQUAL(1, counted(TRACER_PHASE_DPC, 0, 40 * US));
	CHECK_EQUAL(0, counted(TRACER_PHASE_INTERRUPT, 0, 0));
	CHECK_EQUAL(1, counted(TRACER_PHASE_TOTAL, 24, 60 * US));
	CHECK_EQUAL(0, counted(TRACER_PHASE_REFERENCE, 0, 0));
	record = fake_record(1, TRACER_RECORD_WAKEUP);
	CHECK_EQUAL(1000, record->expected);
	CHECK_EQUAL(2000, record->tick);
	CHECK_EQUAL(2000 + 5 * US, record->callback);
	CHECK_EQUAL(3, record->timer_cpu);
	CHECK_EQUAL(QUEUED, record->queued);
	CHECK_EQUAL(0, tracer_run_route(&run, &record->header));
}

/* The wake-up itself is quick, but its timer's callback came a threshold behind its tick: it is told, but no latency of this CPU's. */
static void tells_a_late_timer(void)
{
	struct tracer_expiry late = expiry;
	const struct tracer_wakeup *record;

	late.callback = late.tick + MS;
	reset();
	CHECK(tracer_probe_arm(&probe));
	CHECK(tracer_probe_queue(&probe, &late, late.callback));
	CHECK(tracer_probe_dpc(&probe, late.callback + 40 * US));
	CHECK(!tracer_probe_thread(&probe, 0, late.callback + 50 * US));
	CHECK(tracer_probe_thread(&probe, 1, late.callback + 60 * US));
	CHECK_EQUAL(2, fake.record_count);
	record = fake_record(1, TRACER_RECORD_WAKEUP);
	CHECK_EQUAL(TRACER_ROUTE_QUEUE | TRACER_ROUTE_EVENT, tracer_run_route(&run, &record->header));
	CHECK_EQUAL(0, tracer_count_read(&probe.over_threshold));
	CHECK_EQUAL(60 * US, tracer_count_read(&probe.worst_ns));
	late.tick = 0;
	CHECK(tracer_probe_arm(&probe));
	CHECK(tracer_probe_queue(&probe, &late, late.callback));
	CHECK(tracer_probe_dpc(&probe, late.callback + 40 * US));
	CHECK(!tracer_probe_thread(&probe, 0, late.callback + 50 * US));
	CHECK(tracer_probe_thread(&probe, 1, late.callback + 60 * US));
	record = fake_record(3, TRACER_RECORD_WAKEUP);
	CHECK_EQUAL(0, tracer_run_route(&run, &record->header));
}

static void counts_its_reference_apart(void)
{
	reset();
	tracer_probe_reference(&probe, 999);
	CHECK(tracer_probe_arm(&probe));
	tracer_probe_reference(&probe, 999);
	CHECK(tracer_probe_queue(&probe, &expiry, QUEUED));
	tracer_probe_reference(&probe, QUEUED + 30 * US);
	CHECK_EQUAL(0, counted(TRACER_PHASE_REFERENCE, 0, 30 * US));
	CHECK(tracer_probe_dpc(&probe, QUEUED + 40 * US));
	tracer_probe_reference(&probe, QUEUED + 50 * US);
	CHECK(!tracer_probe_thread(&probe, 0, QUEUED + 50 * US));
	CHECK(tracer_probe_thread(&probe, 1, QUEUED + 60 * US));
	CHECK_EQUAL(1, counted(TRACER_PHASE_REFERENCE, 0, 30 * US));
	CHECK_EQUAL(1, histogram.total);
	CHECK_EQUAL(0, counted(TRACER_PHASE_DPC, 0, 30 * US));
}

/* Eight hours of sleep in the midst: in no histogram, the reference's neither. */
static void discards_one_wake_up_only(void)
{
	static const enum tracer_phase phases[] = { TRACER_PHASE_INTERRUPT, TRACER_PHASE_DPC, TRACER_PHASE_THREAD, TRACER_PHASE_TOTAL,
		TRACER_PHASE_REFERENCE, TRACER_PHASE_TIMER };
	const uint64_t asleep = UINT64_C(28800000) * MS;
	_Atomic uint32_t power_changes = 7;
	struct tracer_expiry before = expiry;

	before.power_changes = 7;
	reset();
	run.record_all = true;
	run.power_changes = &power_changes;
	CHECK(tracer_probe_arm(&probe));
	CHECK(tracer_probe_queue(&probe, &before, QUEUED));
	power_changes++;
	tracer_probe_reference(&probe, QUEUED + asleep);
	CHECK(tracer_probe_dpc(&probe, QUEUED + asleep));
	CHECK(!tracer_probe_thread(&probe, 0, QUEUED + asleep));
	CHECK(tracer_probe_thread(&probe, 1, QUEUED + asleep));
	CHECK_EQUAL(2, tracer_count_read(&probe.discarded));
	CHECK_EQUAL(0, tracer_count_read(&probe.probes));
	CHECK_EQUAL(0, tracer_count_read(&probe.worst_ns));
	CHECK_EQUAL(0, fake.record_count);
	for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
		counted(phases[i], 0, asleep);
		CHECK_EQUAL(0, histogram.total);
		CHECK_EQUAL(0, histogram.max_ns);
	}
	wake_up(1000, 1, 1, 1, 1);
	CHECK_EQUAL(2, tracer_count_read(&probe.probes));
	CHECK_EQUAL(2, fake.record_count);
}

static void numbers_wake_ups_beyond_32_bits(void)
{
	const struct tracer_wakeup *record;

	reset();
	run.next_sequence = UINT32_MAX - 1;
	probe.last_sequence = UINT32_MAX - 5;
	wake_up(UINT64_C(1) << 40, 1, 1, 1, 1);
	record = fake_record(0, TRACER_RECORD_WAKEUP);
	CHECK_EQUAL(UINT32_MAX, record->sequence);
	record = fake_record(1, TRACER_RECORD_WAKEUP);
	CHECK_EQUAL((uint64_t)UINT32_MAX + 1, record->sequence);
}

static void writes_its_first_and_last_records(void)
{
	const struct tracer_start *start;
	const struct tracer_stop *stop;
	const struct tracer_clock_sync *sync;

	reset();
	tracer_run_emit_start(&run, 1);
	tracer_run_emit_clock_sync(1, 7, 8);
	tracer_run_emit_stop(1, 9, 10);
	start = fake_record(0, TRACER_RECORD_START);
	CHECK_EQUAL(sizeof(*start), start->header.size);
	CHECK_EQUAL(MS, start->threshold_ns);
	CHECK_EQUAL(10 * MS, start->period_ns);
	CHECK_EQUAL(2 * US, start->floor_ns);
	CHECK_EQUAL(offered.capabilities, start->capabilities);
	CHECK_EQUAL(2, start->priority_count);
	CHECK_EQUAL(28, start->priorities[0]);
	sync = fake_record(1, TRACER_RECORD_CLOCK_SYNC);
	CHECK_EQUAL(7, sync->clock);
	CHECK_EQUAL(8, sync->qpc);
	stop = fake_record(2, TRACER_RECORD_STOP);
	CHECK_EQUAL(9, stop->probes);
	CHECK_EQUAL(10, stop->dropped);
}

/* The whole chain on the fake machine: APIC, interrupt 3 ms late, samples around it. */
static void measures_a_masked_interrupt(void)
{
	const struct tracer_apic_vectors vectors = { 0x41, 0x4F, 0x42 };
	struct tracer_apic apic = { .running = false };
	struct tracer_interrupt interrupt = { .ip = 0x7777, .cs = 0x10 };
	struct tracer_sample sample = { .ip = 0x7777, .source = TRACER_SAMPLE_LATENCY_ISR, .word_bytes = 8 };
	const struct tracer_episode_begin *begin;
	const struct tracer_pit_sample *late;
	uint64_t due;

	reset();
	CHECK_EQUAL(TRACER_REFUSAL_NONE,
		tracer_apic_start(&apic, TRACER_APIC_MEMORY, TRACER_APIC_ONE_SHOT, &vectors, fake.tsc_hz, fake.bus_hz / 16));
	CHECK(tracer_probe_arm(&probe));
	CHECK(tracer_apic_arm(&apic, 5 * MS) != 0);
	fake_pass(8 * MS);
	interrupt.clock = tracer_hal_clock();
	sample.clock = interrupt.clock;
	CHECK(tracer_ring_write(&ring, &sample));
	due = tracer_apic_event(&apic, interrupt.clock);
	CHECK(tracer_probe_isr(&probe, due, &interrupt));
	tracer_apic_end_of_interrupt(&apic);
	CHECK(tracer_probe_dpc(&probe, tracer_hal_clock()));
	CHECK(!tracer_probe_thread(&probe, 0, tracer_hal_clock()));
	CHECK(tracer_probe_thread(&probe, 1, tracer_hal_clock()));
	begin = fake_record(2, TRACER_RECORD_EPISODE_BEGIN);
	CHECK(begin->latency_ns >= 3 * MS && begin->latency_ns < 3 * MS + 10 * US);
	late = fake_record(3, TRACER_RECORD_PIT_SAMPLE);
	CHECK_EQUAL(TRACER_SAMPLE_LATENCY_ISR, late->source);
	CHECK_EQUAL(0x7777, late->ip);
	fake_record(4, TRACER_RECORD_EPISODE_END);
	tracer_apic_stop(&apic);
}

void probe_tests(void)
{
	run_test("probe: a run is prepared or refused", is_prepared_or_refused);
	run_test("probe: measures a wake-up, and records it above the threshold", measures_a_wake_up);
	run_test("probe: begins one episode, with the latest thread", begins_one_episode_with_the_latest);
	run_test("probe: counts each phase and priority", counts_each_phase);
	run_test("probe: keeps the order of its stations", keeps_the_order_of_its_stations);
	run_test("probe: measures from when its DPC was queued", measures_from_when_its_dpc_was_queued);
	run_test("probe: tells a late timer", tells_a_late_timer);
	run_test("probe: counts its reference apart", counts_its_reference_apart);
	run_test("probe: discards one wake-up only", discards_one_wake_up_only);
	run_test("probe: numbers wake-ups beyond 32 bits", numbers_wake_ups_beyond_32_bits);
	run_test("probe: writes the first and last records", writes_its_first_and_last_records);
	run_test("probe: measures a masked interrupt by its APIC", measures_a_masked_interrupt);
}
