/*
 * Timer mode: one timer of the machine for all CPUs, served by the clock's tick on CPU 0, whose DPC queue its callback waits in; it stamps
 * itself, queues the DPCs of each CPU, on the others by an interrupt between processors, and sets itself again (core/tracer_timer.h).
 */
#include "measurement.h"

#include "../../core/tracer_timer.h"

#define FIRST_NS UINT64_C(200000000) /* before the floor is looked at */
#define STEP_NS UINT64_C(20000000)
#define MOST_STEPS 100u

/* The real-time clock's tick is the machine's; the others are no periods of it. */
static const uint32_t nominal_ns[] = { 15625000, 1000000, 976563, 500000 };
#define NOMINAL (sizeof(nominal_ns) / sizeof(nominal_ns[0]))

static struct tracer_timer timer;
static struct tracer_run *run;
static struct ke_dpc reference_dpcs[KI_MAX_CPUS];
static volatile bool is_stopping;
static uint64_t began;

static void set(void)
{
	uint64_t expected;

	if (is_stopping)
		return;
	expected = read_tsc() + tracer_ns_to_ticks(tracer_timer_delay_ns(&timer), run->clock_hz);
	tracer_timer_set(&timer, expected);
	KiSetTimer(expected);
}

static void reference(struct ke_dpc *dpc)
{
	uint64_t clock = read_tsc();

	(void)dpc;
	tracer_probe_reference(&measured_cpus[KiCurrentCpu()].probe, clock);
}

/* The other CPUs first, and the reference at the queue's head. */
static void queue_all(uint32_t here)
{
	uint32_t cpu = here;

	for (uint32_t i = 0; i < ki_boot->cpus; i++) {
		cpu = cpu + 1 < ki_boot->cpus ? cpu + 1 : 0;
		if (tracer_timer_queue(&timer, &measured_cpus[cpu].probe, read_tsc())) {
			KiInsertQueueDpcOn(cpu, &reference_dpcs[cpu], true);
			KiInsertQueueDpcOn(cpu, &shell_probe_dpcs[cpu], false);
		}
	}
}

static void expired(void)
{
	uint64_t clock = read_tsc();
	uint32_t here = KiCurrentCpu();

	if (tracer_timer_expired(&timer, &measured_cpus[here].probe, (uint16_t)here, clock))
		queue_all(here);
	tracer_timer_own(&timer, read_tsc() - clock);
	set();
}

void one_timer_begin(struct tracer_run *of_run)
{
	run = of_run;
	tracer_timer_init(&timer, run, ki_boot->seed);
	for (uint32_t cpu = 0; cpu < ki_boot->cpus; cpu++)
		reference_dpcs[cpu].routine = reference;
	KiConnectTimer(expired);
	set();
}

uint64_t one_timer_floor(void)
{
	KeDelayExecutionThread(FIRST_NS);
	for (unsigned i = 0; i < MOST_STEPS && !tracer_timer_measure_floor(&timer, nominal_ns, NOMINAL); i++)
		KeDelayExecutionThread(STEP_NS);
	return run->floor_ns;
}

bool one_timer_floor_is_observed(void)
{
	struct tracer_run asked = { .floor_ns = run->floor_ns, .threshold_ns = 2 * run->floor_ns };
	bool is_taken = tracer_run_is_above_floor(&asked);

	asked.threshold_ns--;
	return run->floor_ns != 0 && is_taken && !tracer_run_is_above_floor(&asked);
}

static void emit_state(void)
{
	struct tracer_timer_state state = {
		.header = { .type = TRACER_RECORD_TIMER_STATE, .size = sizeof(state) },
		.clock = read_tsc(),
		.run_ns = tracer_ticks_to_ns(read_tsc() - began, run->clock_hz),
	};

	for (uint32_t cpu = 0; cpu < ki_boot->cpus; cpu++)
		state.own_ns += tracer_ticks_to_ns(tracer_probe_own(&measured_cpus[cpu].probe), run->clock_hz);
	tracer_timer_describe(&timer, &state);
	tracer_hal_emit(&state.header);
}

void one_timer_count(void)
{
	began = read_tsc();
	emit_state();
	tracer_timer_begin_run(&timer);
}

void one_timer_wait(uint64_t ns)
{
	for (; ns > STEP_NS; ns -= STEP_NS) {
		KeDelayExecutionThread(STEP_NS);
		if (tracer_timer_search(&timer, nominal_ns, NOMINAL))
			emit_state();
	}
	KeDelayExecutionThread(ns);
}

void one_timer_stop(void)
{
	is_stopping = true;
}

void one_timer_end(void)
{
	static struct tracer_histogram histogram;
	struct tracer_timer_state state = { .own_ns = 0 };

	emit_state();
	tracer_timer_describe(&timer, &state);
	KiPrint("tick ns ");
	KiPrintNumber(state.tick_ns);
	KiPrint("\n");
	for (uint32_t cpu = 0; cpu < ki_boot->cpus; cpu++) {
		histogram = (struct tracer_histogram){ .total = 0 };
		tracer_probe_histogram(&measured_cpus[cpu].probe, TRACER_PHASE_TIMER, 0, &histogram);
		KiPrint("CPU ");
		KiPrintNumber(cpu);
		KiPrint(": callbacks ");
		KiPrintNumber(histogram.total);
		KiPrint(" worst ns ");
		KiPrintNumber(histogram.max_ns);
		KiPrint("\n");
	}
}
