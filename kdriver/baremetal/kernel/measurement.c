/*
 * A run of the driver core in `apic` mode: on each CPU the probe on the local APIC's timer, the PIT at 1 kHz as the sampler of all, by
 * its hooked vector or as NMI. First the floor is measured, while no driver is loaded; afterwards everything that was touched is looked
 * at again.
 */
#include "measurement.h"

#define PROBE_PERIOD_NS UINT64_C(1000000)
#define THRESHOLD_NS UINT64_C(500000)
#define PRE_SAMPLES 2u
#define POST_SAMPLES 2u
#define QPC_HZ UINT64_C(10000000)
#define FLOOR_NS UINT64_C(100000000) /* how long the floor is measured */
#define SETTLE_NS UINT64_C(20000000)
#define WINDOW_STEP_NS UINT64_C(50000000) /* the rings keep more */
#define COUNTED_NS UINT64_C(200000000)
#define COUNTED_INTERRUPTS 20u /* of the PIT at 100 Hz */
#define PATIENCE_NS UINT64_C(100000000)
#define ROUNDS_PER_US 30u /* four instructions of 8 ns each */
#define NMI_FRAME_CS 4u /* words below the top of the stack */

struct measured_cpu measured_cpus[KI_MAX_CPUS];

static const uint8_t priorities[] = { 28, 24 };
static const struct tracer_apic_vectors vectors = { .timer = VECTOR_LATENCY, .spurious = VECTOR_SPURIOUS, .error = VECTOR_ERROR };

static struct tracer_run run;
static struct tracer_pit pit;
static struct tracer_hook hook;
static struct tracer_image images[BOOT_MAX_MODULES];
static struct machine_state before, after;
static enum tracer_apic_access access;
static uint64_t timer_hz;
static volatile bool is_stopping;
static uint32_t samples_of_window;

static bool is_sampled_by_nmi(void)
{
	return text_equal(ki_boot->sampling, "nmi");
}

static bool is_periodic(void)
{
	return text_equal(ki_boot->timer, "periodic");
}

/* All CPUs by the system's timer, in place of each one's APIC. */
static bool is_one_timer(void)
{
	return text_equal(ki_boot->timer, "one");
}

void tracer_on_latency_interrupt(uint32_t cpu, const struct tracer_interrupt *interrupt)
{
	struct measured_cpu *here = &measured_cpus[cpu];

	KiCheckPrevention();
	tracer_probe_isr(&here->probe, tracer_apic_event(&here->apic, interrupt->clock), interrupt);
	tracer_apic_end_of_interrupt(&here->apic);
}

void tracer_on_apic_error(uint32_t cpu)
{
	KiCheckPrevention();
	tracer_apic_error(&measured_cpus[cpu].apic);
}

static void probe_dpc(struct ke_dpc *dpc)
{
	uint64_t clock = read_tsc();
	struct tracer_probe *probe = &measured_cpus[KiCurrentCpu()].probe;

	(void)dpc;
	tracer_probe_dpc(probe, clock);
	tracer_probe_own_dpc(probe, read_tsc() - clock);
}

/*
 * A periodic timer goes on by itself. A one-shot is armed somewhat irregularly: a probe that keeps time with what it measures would see
 * the same part of it each time.
 */
static void arm(struct measured_cpu *here, bool is_first)
{
	if (is_stopping || !tracer_probe_arm(&here->probe) || is_one_timer())
		return;
	if (!is_periodic())
		tracer_apic_arm(&here->apic, PROBE_PERIOD_NS * 3 / 4 + boot_random(&here->random_state) % (PROBE_PERIOD_NS / 2));
	else if (is_first)
		tracer_apic_arm(&here->apic, PROBE_PERIOD_NS);
}

static void measure_in_thread(unsigned index)
{
	uint32_t cpu = KiCurrentCpu();
	struct tracer_probe *probe = &measured_cpus[cpu].probe;
	uint64_t clock;

	for (;;) {
		KeWaitForEvent(&shell_wakes[cpu][index]);
		clock = read_tsc();
		if (tracer_probe_thread(probe, index, clock))
			arm(&measured_cpus[cpu], false);
		tracer_probe_own_thread(probe, index, read_tsc() - clock);
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

static void emit_clock_sync(void)
{
	uint64_t clock = read_tsc();

	tracer_run_emit_clock_sync(0, clock, tracer_scale(clock, QPC_HZ, run.clock_hz));
}

/* Vectors of one CPU, and its timer. */
static bool start_cpu(uint32_t cpu)
{
	enum tracer_apic_timer_mode mode = is_periodic() ? TRACER_APIC_PERIODIC : TRACER_APIC_ONE_SHOT;
	struct measured_cpu *here = &measured_cpus[cpu];
	uint64_t thunk = (uint64_t)cpu * TRACER_THUNK_BYTES;

	if (is_one_timer())
		return true;
	tracer_gate_encode((uint64_t)(uintptr_t)tracer_stub_latency + thunk, KERNEL_CODE, 0, 8, &here->latency_gate);
	tracer_gate_encode((uint64_t)(uintptr_t)tracer_stub_error + thunk, KERNEL_CODE, 0, 8, &here->error_gate);
	return tracer_vector_take((uint16_t)cpu, VECTOR_LATENCY, &here->latency_gate, &here->latency_before) == TRACER_HOOK_DONE &&
		tracer_vector_take((uint16_t)cpu, VECTOR_ERROR, &here->error_gate, &here->error_before) == TRACER_HOOK_DONE &&
		tracer_apic_start(&here->apic, access, mode, &vectors, run.clock_hz, timer_hz) == TRACER_REFUSAL_NONE;
}

static bool start_probe(uint32_t cpu)
{
	struct measured_cpu *here = &measured_cpus[cpu];

	tracer_probe_init(&here->probe, &run, &here->ring, (uint16_t)cpu);
	arm(here, true);
	return true;
}

static bool stop_cpu(uint32_t cpu)
{
	tracer_apic_stop(&measured_cpus[cpu].apic);
	return true;
}

static bool return_vectors(uint32_t cpu)
{
	const struct measured_cpu *here = &measured_cpus[cpu];
	bool is_returned;

	if (is_one_timer())
		return true;
	is_returned = tracer_vector_return((uint16_t)cpu, VECTOR_LATENCY, &here->latency_gate, &here->latency_before) == TRACER_HOOK_DONE;
	return is_returned &
		(tracer_vector_return((uint16_t)cpu, VECTOR_ERROR, &here->error_gate, &here->error_before) == TRACER_HOOK_DONE);
}

/* Sampler and timers; says what went wrong. */
static const char *start(void)
{
	uint16_t cpus = (uint16_t)ki_boot->cpus;
	struct tracer_pit_setting setting;

	if (!tracer_pit_measure(run.clock_hz, PATIENCE_NS, &setting))
		return "the PIT's rate is known";
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		tracer_ring_init(&measured_cpus[cpu].ring, measured_cpus[cpu].slots, RING_SLOTS, 0);
		tracer_stub_cpus[cpu].ring = &measured_cpus[cpu].ring;
		tracer_stub_cpus[cpu].stack_end_word = (uint64_t)(uintptr_t)&ki_processors[cpu].task.rsp0;
	}
	if (!each_cpu(start_cpu))
		return "vectors and APIC timer are free";
	if (tracer_hook_install(&hook, is_sampled_by_nmi() ? VECTOR_NMI : VECTOR_PROFILE, cpus, KERNEL_CODE,
		(uint64_t)(uintptr_t)(is_sampled_by_nmi() ? tracer_stub_nmi : tracer_stub_pit),
		is_sampled_by_nmi() ? &tracer_stub_nmi_chain : &tracer_stub_pit_chain) != TRACER_HOOK_DONE)
		return "the sampler is hooked";
	if (is_sampled_by_nmi() && tracer_nmi_start_pit(access, cpus) != TRACER_REFUSAL_NONE)
		return "the NMI source starts";
	return tracer_pit_start(&pit, &setting, (uint32_t)ki_boot->rate) ? NULL : "the PIT takes the rate";
}

static void stop(void)
{
	is_stopping = true;
	one_timer_stop();
	KeDelayExecutionThread(SETTLE_NS);
	each_cpu(stop_cpu);
	tracer_pit_stop(&pit);
	tracer_nmi_stop_pit();
	/* An NMI that is on its way to another CPU still needs the hook. */
	KeDelayExecutionThread(SETTLE_NS);
	KiCheck(tracer_hook_remove(&hook) == TRACER_HOOK_DONE, "the hook comes out");
	KiCheck(each_cpu(return_vectors), "vectors given back");
	for (uint32_t cpu = 0; cpu < ki_boot->cpus; cpu++)
		tracer_probe_close(&measured_cpus[cpu].probe, read_tsc());
}

/* Probes of the idle machine, which leave nothing but their histograms. */
static uint64_t measure_floor(void)
{
	uint64_t floor_ns;

	each_cpu(start_probe);
	if (is_one_timer()) {
		one_timer_begin(&run);
		floor_ns = one_timer_floor();
	} else {
		KeDelayExecutionThread(FLOOR_NS);
		is_stopping = true;
		KeDelayExecutionThread(SETTLE_NS);
		is_stopping = false;
		floor_ns = floor_of_probes();
	}
	KiPrint("floor ns ");
	KiPrintNumber(floor_ns);
	KiPrint("\n");
	return floor_ns;
}

static void prepare(const struct tracer_start_request *request, const struct tracer_offer *offer)
{
	if (tracer_run_prepare(&run, request, offer) != TRACER_REFUSAL_NONE)
		KiStopAll("the request is accepted");
	run.record_all = true;
	run.images = images;
	run.image_count = ki_boot->module_count;
}

/* Everything up to the first interrupt of the run. */
static void begin(void)
{
	struct tracer_offer offer = { .clock = TRACER_CLOCK_TSC, .shortest_period_ns = 10000 };
	struct tracer_start_request request = { .threshold_ns = PROBE_PERIOD_NS, .period_ns = PROBE_PERIOD_NS, .pre_samples = PRE_SAMPLES,
		.post_samples = POST_SAMPLES, .mode = TRACER_MODE_APIC, .priority_count = sizeof(priorities) };
	const char *trouble;

	access = tracer_apic_find();
	if (tracer_apic_calibrate(access, &offer.clock_hz, &timer_hz) != TRACER_REFUSAL_NONE)
		KiStopAll("calibrated");
	offer.capabilities = TRACER_CAN_APIC | (is_sampled_by_nmi() ? TRACER_CAN_SAMPLE_NMI : TRACER_CAN_SAMPLE_PIT);
	for (unsigned i = 0; i < sizeof(priorities); i++)
		request.priorities[i] = priorities[i];
	if (is_one_timer()) {
		offer.capabilities = TRACER_CAN_TIMER_HIGH_RESOLUTION | TRACER_CAN_SAMPLE_PIT;
		request.mode = TRACER_MODE_TIMER;
		request.threshold_ns = THRESHOLD_NS;
	}
	prepare(&request, &offer);
	trouble = start();
	KiCheck(trouble == NULL, trouble == NULL ? "started" : trouble);
	if (trouble != NULL)
		KiExit();
	offer.floor_ns = measure_floor();
	if (is_one_timer()) {
		KiCheck(one_timer_floor_is_observed(), "a threshold below twice the floor is refused");
		return;
	}
	KiCheck(floor_is_observed(&request, &offer), "a threshold below twice the floor is refused");
	request.threshold_ns = THRESHOLD_NS;
	prepare(&request, &offer);
}

static void check_rate(void)
{
	uint32_t counts[KI_MAX_CPUS] = { 0 };
	bool is_right = true;

	for (uint32_t cpu = 0; cpu < ki_boot->cpus; cpu++)
		counts[cpu] = ki_processors[cpu].profile_interrupts;
	KeDelayExecutionThread(COUNTED_NS);
	for (uint32_t cpu = 0; cpu < ki_boot->cpus; cpu++) {
		uint32_t counted = ki_processors[cpu].profile_interrupts - counts[cpu];
		is_right &= counted + 1 >= COUNTED_INTERRUPTS && counted <= COUNTED_INTERRUPTS + 1;
	}
	KiCheck(is_right, "PIT rate restored");
}

/*
 * Looks through the samples of all CPUs that came since it was called last, for those that were taken where SYSCALL enters: the stack
 * pointer is one that must not be followed.
 */
static void look_for_window(void)
{
	static struct tracer_ring_cursor cursors[KI_MAX_CPUS];
	static struct tracer_sample sample;

	for (uint32_t cpu = 0; cpu < ki_boot->cpus; cpu++) {
		const struct tracer_ring *ring = &measured_cpus[cpu].ring;
		uint32_t head = tracer_ring_head(ring);

		while (cursors[cpu].position != head) {
			enum tracer_ring_answer answer = tracer_ring_read(ring, &cursors[cpu], head, &sample);

			if (answer == TRACER_RING_UNFINISHED)
				tracer_ring_step_over(&cursors[cpu]);
			if (answer != TRACER_RING_SAMPLE || sample.ip < (uint64_t)(uintptr_t)ki_window_begin ||
				sample.ip >= (uint64_t)(uintptr_t)ki_window_end)
				continue;
			KiCheckQuietly(sample.sp == BOOT_BAD_STACK && sample.stack_bytes == 0, "a sample of SYSCALL's has no stack");
			samples_of_window++;
		}
	}
}

static void wait(uint64_t ns)
{
	if (is_one_timer()) {
		one_timer_wait(ns);
		return;
	}
	for (; ki_boot->window_us != 0 && ns > WINDOW_STEP_NS; ns -= WINDOW_STEP_NS) {
		KeDelayExecutionThread(WINDOW_STEP_NS);
		look_for_window();
	}
	KeDelayExecutionThread(ns);
}

static void check_counts(void)
{
	uint64_t least = ki_boot->milliseconds / 2;
	bool is_sampled = true, is_measured = true, is_quiet = true, is_ours = true, is_whole = shell_dropped() == 0, is_seen = true;
	bool is_on_own_stack = true, is_prevented = true;

	for (uint32_t cpu = 0; cpu < ki_boot->cpus; cpu++) {
		const struct measured_cpu *here = &measured_cpus[cpu];
		const struct ki_processor *processor = &ki_processors[cpu];
		is_sampled &= tracer_ring_head(&here->ring) > least;
		is_measured &= tracer_count_read(&here->probe.probes) > least;
		is_quiet &= here->apic.strays == 0 && here->apic.errors == 0 && tracer_stub_cpus[cpu].spurious == 0;
		/*
		 * QEMU's 8259 raises its output once more where another line of it changes before it was acknowledged, and LINT0 of CPU 0
		 * takes that for another edge: the real-time clock's line falls between the PIT's and the poll now and then.
		 */
		is_ours &= processor->foreign_nmis == 0 || (cpu == 0 && is_sampled_by_nmi());
		is_whole &= tracer_stub_cpus[cpu].given_up == 0;
		is_seen &= is_periodic() || atomic_load(&here->probe.missed) == 0;
		is_prevented &= processor->unprevented == 0;
		is_on_own_stack &= processor->nmi_stack[KI_NMI_STACK_WORDS - NMI_FRAME_CS] != 0;
	}
	KiCheck(is_sampled, "every CPU was sampled");
	KiCheck(is_measured, "every CPU was measured");
	KiCheck(is_quiet, "no stray interrupts");
	KiCheck(is_ours, "no foreign NMIs");
	KiCheck(is_on_own_stack == is_sampled_by_nmi(), "NMIs came on their own stack, or none came");
	KiCheck(is_prevented, "no C ran with access prevention off");
	KiCheck(is_whole, "no record lost");
	if (ki_boot->window_us != 0 && is_sampled_by_nmi()) {
		KiPrint("samples behind SYSCALL ");
		KiPrintNumber(samples_of_window);
		KiPrint("\n");
		KiCheck(samples_of_window > 0, "NMIs came behind SYSCALL and left the program's stack alone");
	}
	KiCheck(is_seen, "no wake-up missed");
}

static void summarize(void)
{
	for (uint32_t cpu = 0; cpu < ki_boot->cpus; cpu++) {
		const struct measured_cpu *here = &measured_cpus[cpu];
		KiPrint("CPU ");
		KiPrintNumber(cpu);
		KiPrint(": wake-ups ");
		KiPrintNumber(tracer_count_read(&here->probe.probes));
		KiPrint(" over threshold ");
		KiPrintNumber(tracer_count_read(&here->probe.over_threshold));
		KiPrint(" worst ns ");
		KiPrintNumber(tracer_count_read(&here->probe.worst_ns));
		KiPrint(" merged ");
		KiPrintNumber(here->apic.merged);
		KiPrint(" missed ");
		KiPrintNumber(atomic_load(&here->probe.missed));
		KiPrint("\n");
	}
}

static uint64_t all_probes(void)
{
	uint64_t probes = 0;

	for (uint32_t cpu = 0; cpu < ki_boot->cpus; cpu++)
		probes += tracer_count_read(&measured_cpus[cpu].probe.probes);
	return probes;
}

static void measure(void)
{
	uint64_t left = ki_boot->milliseconds;

	machine_state_read(&before);
	begin();
	KiLoadDrivers();
	shell_keep_records();
	for (uint32_t i = 0; i < ki_boot->module_count; i++)
		modules_emit(&ki_boot->modules[i]);
	tracer_run_emit_start(&run, 0);
	emit_clock_sync();
	if (is_one_timer())
		one_timer_count();
	else
		each_cpu(start_probe);
	while (left > 0) {
		uint64_t step = left < 1000 ? left : 1000;
		wait(step * 1000000);
		left -= step;
		emit_clock_sync();
	}
	stop();
	if (is_one_timer())
		one_timer_end();
	emit_clock_sync();
	tracer_run_emit_stop(0, all_probes(), shell_dropped());
	machine_state_read(&after);
	machine_state_compare(&before, &after);
	check_rate();
	check_counts();
	summarize();
	shell_write_log();
	KiExit();
}

void KiPrepareMeasurement(void)
{
	for (uint32_t i = 0; i < ki_boot->module_count; i++) {
		const struct boot_module *module = &ki_boot->modules[i];
		images[i] = (struct tracer_image){ .base = module->base, .bytes = (const uint8_t *)module->copy, .size = module->bytes };
		KiCheck(tracer_image_open(&images[i]), module->name);
	}
	tracer_stub_swap_gs = 1;
	tracer_stub_clear_ac = 1;
	ki_window_rounds = (uint32_t)(1 + ki_boot->window_us * ROUNDS_PER_US);
	each_cpu_prepare();
	for (uint32_t cpu = 0; cpu < ki_boot->cpus; cpu++) {
		measured_cpus[cpu].random_state = ki_boot->seed ^ UINT64_C(0x70726F6265) ^ cpu;
		shell_probe_dpcs[cpu].routine = probe_dpc;
		KiCreateThread(cpu, first_thread, priorities[0]);
		KiCreateThread(cpu, second_thread, priorities[1]);
	}
	KiCreateThread(0, measure, MEASURING_PRIORITY);
}
