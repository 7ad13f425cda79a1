/*
 * A run of the driver core in `apic` mode: the probe on the local APIC's timer, the PIT at 1 kHz as the sampler, by its hooked vector or
 * as NMI. Afterwards everything that was touched is looked at again.
 */
#include "shell.h"

#define PROBE_PERIOD_NS UINT64_C(1000000)
#define THRESHOLD_NS UINT64_C(500000)
#define RING_SLOTS 256u
#define PRE_SAMPLES 2u
#define POST_SAMPLES 2u
#define QPC_HZ UINT64_C(10000000)
#define MEASURING_PRIORITY 12u
#define SETTLE_NS UINT64_C(20000000)
#define COUNTED_NS UINT64_C(500000000)
#define COUNTED_INTERRUPTS 50u /* of the PIT at 100 Hz */
#define PATIENCE_NS UINT64_C(100000000)

/* What is looked at before and after. */
struct machine_state {
	struct ki_gate gates[256];
	uint32_t apic[6];
	uint8_t pic_mask;
	uint8_t pit_mode;
};

static const uint8_t priorities[] = { 28, 24 };

static struct tracer_run run;
static struct tracer_probe probe;
static struct tracer_ring ring;
static struct tracer_slot slots[RING_SLOTS];
static struct tracer_apic apic;
static struct tracer_pit pit;
static struct tracer_hook hook;
static struct tracer_image images[BOOT_MAX_MODULES];
static struct tracer_gate latency_gate, latency_before, error_gate, error_before;
static struct machine_state before, after;
static volatile bool is_stopping;
static uint64_t random_state;

static bool is_sampled_by_nmi(void)
{
	return text_equal(ki_boot->sampling, "nmi");
}

void tracer_on_latency_interrupt(uint32_t cpu, const struct tracer_interrupt *interrupt)
{
	(void)cpu;
	tracer_probe_isr(&probe, tracer_apic_event(&apic, interrupt->clock), interrupt);
	tracer_apic_end_of_interrupt(&apic);
}

void tracer_on_apic_error(uint32_t cpu)
{
	(void)cpu;
	tracer_apic_error(&apic);
}

static void probe_dpc(struct ke_dpc *dpc)
{
	uint64_t clock = read_tsc();

	(void)dpc;
	tracer_probe_dpc(&probe, clock);
}

/* Somewhat irregularly: a probe that keeps time with what it measures would see the same part of it each time. */
static void arm(void)
{
	if (!is_stopping && tracer_probe_arm(&probe))
		tracer_apic_arm(&apic, PROBE_PERIOD_NS * 3 / 4 + boot_random(&random_state) % (PROBE_PERIOD_NS / 2));
}

static void measure_in_thread(unsigned index)
{
	for (;;) {
		KeWaitForEvent(&shell_wakes[index]);
		if (tracer_probe_thread(&probe, index, read_tsc()))
			arm();
	}
}

static void first_thread(void)
{
	measure_in_thread(0);
}

static void second_thread(void)
{
	measure_in_thread(1);
}

static void look(struct machine_state *state)
{
	static const uint32_t registers[] = { TRACER_APIC_SPURIOUS, TRACER_APIC_LVT_TIMER, TRACER_APIC_LVT_LINT0, TRACER_APIC_LVT_ERROR,
		TRACER_APIC_INITIAL_COUNT, TRACER_APIC_DIVIDE };

	for (unsigned i = 0; i < 256; i++)
		state->gates[i] = ki_idt[i];
	for (unsigned i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
		state->apic[i] = KiApicRead(registers[i]);
	state->pic_mask = port_read(0x21);
	port_write(0x43, 0xE2);
	state->pit_mode = port_read(0x40) & 0x3E; /* format and mode */
}

static uint32_t read_32(const uint8_t *at)
{
	uint32_t value;
	__builtin_memcpy(&value, at, sizeof(value));
	return value;
}

/* The module record of an image: what its PE header and its RSDS record say. */
static void emit_module(const struct boot_module *module)
{
	struct tracer_module record = {
		.header = { .type = TRACER_RECORD_MODULE, .size = sizeof(record) },
		.base = module->base,
		.image_bytes = module->bytes,
	};
	const uint8_t *image = (const uint8_t *)module->base;
	const uint8_t *headers = image + read_32(image + 60);
	uint32_t debug = read_32(headers + 24 + 160), bytes = read_32(headers + 24 + 164);

	record.timestamp = read_32(headers + 8);
	record.checksum = read_32(headers + 24 + 64);
	for (unsigned i = 0; i < BOOT_WORD_BYTES && module->name[i] != 0; i++)
		record.name[i] = module->name[i];
	for (; bytes >= 28; bytes -= 28, debug += 28) {
		const uint8_t *rsds = image + read_32(image + debug + 20);
		if (read_32(image + debug + 12) != 2 || read_32(rsds) != 0x53445352)
			continue;
		__builtin_memcpy(record.pdb_guid, rsds + 4, sizeof(record.pdb_guid));
		record.pdb_age = read_32(rsds + 20);
		for (unsigned at = 0; at < TRACER_NAME_BYTES - 1 && rsds[24 + at] != 0; at++)
			record.pdb_name[at] = (char)rsds[24 + at];
	}
	tracer_hal_emit(&record.header);
}

static void emit_clock_sync(void)
{
	uint64_t clock = read_tsc();

	tracer_run_emit_clock_sync(0, clock, tracer_scale(clock, QPC_HZ, run.clock_hz));
}

/* Everything up to the first interrupt of the probe; says what went wrong. */
static const char *start(void)
{
	static const struct tracer_apic_vectors vectors = { .timer = VECTOR_LATENCY, .spurious = VECTOR_SPURIOUS, .error = VECTOR_ERROR };
	enum tracer_apic_access access = tracer_apic_find();
	struct tracer_pit_setting setting;
	struct tracer_offer offer = { .clock = TRACER_CLOCK_TSC, .shortest_period_ns = 10000 };
	struct tracer_start_request request = { .threshold_ns = THRESHOLD_NS, .period_ns = PROBE_PERIOD_NS, .pre_samples = PRE_SAMPLES,
		.post_samples = POST_SAMPLES, .mode = TRACER_MODE_APIC, .priority_count = sizeof(priorities) };
	uint64_t timer_hz;

	if (tracer_apic_calibrate(access, &offer.clock_hz, &timer_hz) != TRACER_REFUSAL_NONE)
		return "calibrated";
	if (!tracer_pit_measure(offer.clock_hz, PATIENCE_NS, &setting))
		return "the PIT's rate is known";
	offer.capabilities = TRACER_CAN_APIC | (is_sampled_by_nmi() ? TRACER_CAN_SAMPLE_NMI : TRACER_CAN_SAMPLE_PIT);
	for (unsigned i = 0; i < sizeof(priorities); i++)
		request.priorities[i] = priorities[i];
	if (tracer_run_prepare(&run, &request, &offer) != TRACER_REFUSAL_NONE)
		return "the request is accepted";
	run.record_all = true;
	run.images = images;
	run.image_count = ki_boot->module_count;
	tracer_ring_init(&ring, slots, RING_SLOTS, 0);
	tracer_probe_init(&probe, &run, &ring, 0);
	tracer_stub_cpus[0].ring = &ring;
	tracer_gate_encode((uint64_t)(uintptr_t)tracer_stub_latency, KERNEL_CODE, 0, 8, &latency_gate);
	tracer_gate_encode((uint64_t)(uintptr_t)tracer_stub_error, KERNEL_CODE, 0, 8, &error_gate);
	if (tracer_vector_take(0, VECTOR_LATENCY, &latency_gate, &latency_before) != TRACER_HOOK_DONE ||
		tracer_vector_take(0, VECTOR_ERROR, &error_gate, &error_before) != TRACER_HOOK_DONE)
		return "vectors are free";
	if (tracer_hook_install(&hook, is_sampled_by_nmi() ? VECTOR_NMI : VECTOR_PROFILE, 1, KERNEL_CODE,
		(uint64_t)(uintptr_t)(is_sampled_by_nmi() ? tracer_stub_nmi : tracer_stub_pit),
		is_sampled_by_nmi() ? &tracer_stub_nmi_chain : &tracer_stub_pit_chain) != TRACER_HOOK_DONE)
		return "the sampler is hooked";
	if (is_sampled_by_nmi() && tracer_nmi_start_pit(access, 1) != TRACER_REFUSAL_NONE)
		return "the NMI source starts";
	if (!tracer_pit_start(&pit, &setting, TRACER_PIT_SAMPLE_HZ))
		return "the PIT takes 1 kHz";
	if (tracer_apic_start(&apic, access, TRACER_APIC_ONE_SHOT, &vectors, run.clock_hz, timer_hz) != TRACER_REFUSAL_NONE)
		return "the APIC timer starts";
	return NULL;
}

static void stop(void)
{
	bool is_returned;

	is_stopping = true;
	KeDelayExecutionThread(SETTLE_NS);
	tracer_apic_stop(&apic);
	tracer_pit_stop(&pit);
	tracer_nmi_stop_pit();
	KiCheck(tracer_hook_remove(&hook) == TRACER_HOOK_DONE, "the hook comes out");
	is_returned = tracer_vector_return(0, VECTOR_LATENCY, &latency_gate, &latency_before) == TRACER_HOOK_DONE;
	is_returned &= tracer_vector_return(0, VECTOR_ERROR, &error_gate, &error_before) == TRACER_HOOK_DONE;
	KiCheck(is_returned, "vectors given back");
	tracer_probe_close(&probe, read_tsc());
}

static void check(void)
{
	uint32_t counted;

	look(&after);
	KiCheck(__builtin_memcmp(before.gates, after.gates, sizeof(before.gates)) == 0, "IDT restored");
	KiCheck(__builtin_memcmp(before.apic, after.apic, sizeof(before.apic)) == 0, "APIC restored");
	KiCheck(before.pic_mask == after.pic_mask, "8259 restored");
	KiCheck(before.pit_mode == after.pit_mode, "PIT mode restored");
	counted = ki_profile_interrupts;
	KeDelayExecutionThread(COUNTED_NS);
	counted = ki_profile_interrupts - counted;
	KiCheck(counted + 1 >= COUNTED_INTERRUPTS && counted <= COUNTED_INTERRUPTS + 1, "PIT rate restored");
	KiCheck(apic.strays == 0 && apic.errors == 0 && tracer_stub_cpus[0].spurious == 0, "no stray interrupts");
	KiCheck(is_sampled_by_nmi() || ki_foreign_nmis == 0, "no foreign NMIs");
	KiCheck(tracer_stub_cpus[0].given_up == 0 && shell_dropped() == 0, "no record lost");
	KiCheck(atomic_load(&probe.missed) == 0, "no wake-up missed");
}

static void measure(void)
{
	uint64_t left = ki_boot->milliseconds;
	const char *trouble;

	look(&before);
	trouble = start();
	KiCheck(trouble == NULL, trouble == NULL ? "started" : trouble);
	if (trouble != NULL)
		KiExit();
	tracer_run_emit_start(&run, 0);
	emit_clock_sync();
	arm();
	while (left > 0) {
		uint64_t step = left < 1000 ? left : 1000;
		KeDelayExecutionThread(step * 1000000);
		left -= step;
		emit_clock_sync();
	}
	stop();
	emit_clock_sync();
	tracer_run_emit_stop(0, tracer_count_read(&probe.probes), shell_dropped());
	check();
	KiPrint("wake-ups ");
	KiPrintNumber(tracer_count_read(&probe.probes));
	KiPrint(" over threshold ");
	KiPrintNumber(tracer_count_read(&probe.over_threshold));
	KiPrint(" worst ns ");
	KiPrintNumber(tracer_count_read(&probe.worst_ns));
	KiPrint("\n");
	shell_write_log();
	KiExit();
}

void KiPrepareMeasurement(void)
{
	for (uint32_t i = 0; i < ki_boot->module_count; i++) {
		const struct boot_module *module = &ki_boot->modules[i];
		images[i] = (struct tracer_image){ .base = module->base, .bytes = (const uint8_t *)module->base, .size = module->bytes };
		KiCheck(tracer_image_open(&images[i]), module->name);
		emit_module(module);
	}
	random_state = ki_boot->seed ^ UINT64_C(0x70726F6265);
	shell_probe_dpc.routine = probe_dpc;
	KiCreateThread(first_thread, priorities[0]);
	KiCreateThread(second_thread, priorities[1]);
	KiCreateThread(measure, MEASURING_PRIORITY);
}
