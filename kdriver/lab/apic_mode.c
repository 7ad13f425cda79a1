/*
 * `apic` mode (Bernadat 8; Cota-Robles & Held 2.2, 2.3): the local APIC's timer, one-shot, on a vector that the system does not use, on
 * every CPU. Due time and ISR are measured in the time stamp counter, so that what comes before the ISR is in the latency; the sampler
 * tells what ran meanwhile.
 *
 * The ISR runs without the system's knowledge: its level is the vector's, 12 of 15, and it does no more than queue a DPC. Where a system
 * keeps its levels in software only (32-bit, with the 8259), the interrupt can come above its level; it is then put off until the level
 * is lower, and that counts as the interrupt's latency, as it would with a device's interrupt.
 */
#include "apic_mode.h"

#include "each_cpu.h"
#include "facts.h"
#include "gates.h"
#include "hardware.h"
#include "pool.h"
#include "sampler.h"
#include "tracer_apic.h"
#include "tracer_clock.h"
#include "tracer_gate.h"
#include "tracer_hal.h"
#include "tracer_lab.h"
#include "tracer_stubs.h"

#define RING_SLOTS 256u
#define SHORTEST_PERIOD_NS UINT64_C(100000)
#define RETRY_NS UINT64_C(5000)
#define RATE_UNITS 500000 /* 50 ms in units of 100 ns: the time stamp counter against the performance counter */
#define DATA_SELECTOR 0x23u /* KGDT_R3_DATA with its privilege, and KGDT_R0_PCR: 32-bit Windows */
#define FS_SELECTOR 0x30u

/* IRQL of a vector 0xC0 to 0xCF; on 32-bit systems the level below the clock's. */
#define LATENCY_LEVEL (sizeof(uintptr_t) == 8 ? 12 : 27)

struct apic_cpu {
	struct tracer_apic apic;
	struct tracer_ring ring;
	uint64_t due; /* of an interrupt that was put off; 0: none */
	enum tracer_refusal refusal;
	struct tracer_slot slots[RING_SLOTS];
};

/* What every CPU's start needs. */
struct apic_setting {
	uint64_t tsc_hz;
	uint64_t timer_hz;
	enum tracer_refusal refusal;
	struct tracer_apic_vectors vectors;
};

/*
 * Where callers may lie: 32-bit kernels are compiled with frame pointers, and their code is in the upper half. 64-bit ones are not, and
 * unwind records may be paged out or discarded: no callers.
 */
static const struct tracer_image code = { .base = 0x80000000, .size = sizeof(uintptr_t) == 8 ? 0 : 0x7FFFFFFF };

static struct apic_cpu *apic_cpus;
static uint16_t apic_cpu_count;
static struct tracer_hook latency_hook, error_hook;
static uintptr_t handler_before; /* of their vectors: nobody's */

_IRQL_requires_(PASSIVE_LEVEL) static enum tracer_refusal decide(void)
{
	struct tracer_lab_facts facts;

	AT_PASSIVE();
	facts_collect(&facts);
	return tracer_lab_decide(&facts);
}

_IRQL_requires_(PASSIVE_LEVEL) static uint32_t capabilities(void)
{
	AT_PASSIVE();
	if (decide() != TRACER_REFUSAL_NONE)
		return 0;
	return TRACER_CAN_APIC | TRACER_CAN_SAMPLE_PIT | (sizeof(uintptr_t) == 8 ? TRACER_CAN_SAMPLE_NMI : 0);
}

/* The time stamp counter's rate by the performance counter's; no hardware is touched. */
_IRQL_requires_(PASSIVE_LEVEL) static uint64_t measure_tsc(void)
{
	LARGE_INTEGER wait = { .QuadPart = -RATE_UNITS }, hz, before, after;
	uint64_t tsc;

	AT_PASSIVE();
	before = KeQueryPerformanceCounter(&hz);
	tsc = __builtin_ia32_rdtsc();
	KeDelayExecutionThread(KernelMode, FALSE, &wait);
	after = KeQueryPerformanceCounter(NULL);
	tsc = __builtin_ia32_rdtsc() - tsc;
	return tracer_scale(tsc, (uint64_t)hz.QuadPart, (uint64_t)(after.QuadPart - before.QuadPart));
}

_IRQL_requires_(PASSIVE_LEVEL) static enum tracer_refusal offer_apic(struct tracer_offer *offer)
{
	enum tracer_refusal refusal = decide();

	AT_PASSIVE();
	if (refusal != TRACER_REFUSAL_NONE)
		return refusal;
	*offer = (struct tracer_offer){
		.clock_hz = measure_tsc(),
		.shortest_period_ns = SHORTEST_PERIOD_NS,
		.capabilities = capabilities(),
		.clock = TRACER_CLOCK_TSC,
	};
	return TRACER_REFUSAL_NONE;
}

_IRQL_requires_max_(HIGH_LEVEL) void tracer_on_latency_interrupt(uint32_t cpu, const struct tracer_interrupt *interrupt)
{
	struct apic_cpu *own = &apic_cpus[cpu];
	uint64_t due = tracer_apic_event(&own->apic, interrupt->clock);

	if (own->due == 0)
		own->due = due;
	due = own->due;
	if (due != 0 && KeGetCurrentIrql() >= LATENCY_LEVEL) {
		tracer_apic_arm(&own->apic, RETRY_NS);
	} else if (due != 0) {
		own->due = 0;
		tracer_probe_isr(&measurement.cpus[cpu].probe, due, interrupt);
	}
	tracer_apic_end_of_interrupt(&own->apic);
}

/* Where the system has masked the APIC's error interrupt; else it keeps its own. */
_IRQL_requires_max_(HIGH_LEVEL) void tracer_on_apic_error(uint32_t cpu)
{
	tracer_apic_error(&apic_cpus[cpu].apic);
}

_IRQL_requires_(DISPATCH_LEVEL) static VOID NTAPI ApicDpc(PKDPC dpc, PVOID context, PVOID first, PVOID second)
{
	struct measured_cpu *cpu = context;
	uint64_t clock = tracer_hal_clock();

	AT_DISPATCH();
	UNREFERENCED_PARAMETER(dpc);
	UNREFERENCED_PARAMETER(first);
	UNREFERENCED_PARAMETER(second);
	tracer_probe_dpc(&cpu->probe, clock);
}

_IRQL_requires_(DISPATCH_LEVEL) static void arm(struct measured_cpu *cpu)
{
	AT_DISPATCH();
	cpu->expected = tracer_apic_arm(&apic_cpus[cpu->number].apic, measurement_next_delay_ns(cpu));
}

_IRQL_requires_(PASSIVE_LEVEL) static void start_cpu(uint16_t cpu, void *context)
{
	const struct apic_setting *setting = context;

	AT_PASSIVE();
	apic_cpus[cpu].refusal = tracer_apic_start(&apic_cpus[cpu].apic, TRACER_APIC_MEMORY, TRACER_APIC_ONE_SHOT, &setting->vectors,
		setting->tsc_hz, setting->timer_hz);
}

_IRQL_requires_(PASSIVE_LEVEL) static void stop_cpu(uint16_t cpu, void *context)
{
	AT_PASSIVE();
	UNREFERENCED_PARAMETER(context);
	tracer_apic_stop(&apic_cpus[cpu].apic);
}

/* Against channel 2 of the PIT, on CPU 0: both rates, and the one that was offered must be the same within 1/64. */
_IRQL_requires_(PASSIVE_LEVEL) static void calibrate(uint16_t cpu, void *context)
{
	struct apic_setting *setting = context;
	uint64_t tsc_hz, apart;

	AT_PASSIVE();
	UNREFERENCED_PARAMETER(cpu);
	setting->refusal = tracer_apic_calibrate(TRACER_APIC_MEMORY, &tsc_hz, &setting->timer_hz);
	apart = tsc_hz > setting->tsc_hz ? tsc_hz - setting->tsc_hz : setting->tsc_hz - tsc_hz;
	if (setting->refusal == TRACER_REFUSAL_NONE && apart > setting->tsc_hz >> 6)
		setting->refusal = TRACER_REFUSAL_CALIBRATION;
}

/*
 * Takes everything back that was started, however far it came. False where a gate of ours is not ours any more: stubs and rings then
 * stay in memory for good, and take no more samples.
 */
_IRQL_requires_(PASSIVE_LEVEL) static bool take_back(void)
{
	bool is_out;

	AT_PASSIVE();
	on_each_cpu(apic_cpu_count, stop_cpu, NULL);
	/* An interrupt that was raised before the timer was stopped finds its gate. */
	on_each_cpu(apic_cpu_count, NULL, NULL);
	is_out = tracer_hook_remove(&latency_hook) == TRACER_HOOK_DONE;
	is_out &= tracer_hook_remove(&error_hook) == TRACER_HOOK_DONE;
	is_out &= sampler_stop();
	for (uint16_t cpu = 0; cpu < apic_cpu_count; cpu++)
		tracer_stub_cpus[cpu].ring = NULL;
	on_each_cpu(apic_cpu_count, NULL, NULL);
	KeFlushQueuedDpcs();
	return is_out;
}

/* A vector that nobody has, on all CPUs, for this row of stubs; 0 where there is none. It is somebody's in `handlers` then. */
_IRQL_requires_(PASSIVE_LEVEL) static uint8_t take_vector(struct tracer_hook *hook, const uint8_t *stubs, uint64_t handlers[256])
{
	uint8_t vector = tracer_lab_free_vector(handlers);
	uint64_t thunks = (uintptr_t)stubs;

	AT_PASSIVE();
	if (vector == 0 ||
		tracer_hook_install(hook, vector, apic_cpu_count, gates_selector(), thunks, &handler_before) != TRACER_HOOK_DONE)
		return 0;
	handlers[vector] = 0;
	return vector;
}

_IRQL_requires_(PASSIVE_LEVEL) static enum tracer_refusal start_all(const struct measurement *run)
{
	struct apic_setting setting = { .tsc_hz = run->run.clock_hz };
	uint64_t handlers[256];
	enum tracer_refusal refusal;

	AT_PASSIVE();
	gates_find(apic_cpu_count);
	gates_handlers(handlers);
	setting.vectors.timer = take_vector(&latency_hook, tracer_stub_latency, handlers);
	setting.vectors.error = take_vector(&error_hook, tracer_stub_error, handlers);
	if (setting.vectors.timer == 0 || setting.vectors.error == 0)
		return TRACER_REFUSAL_GATE;
	on_cpu(0, calibrate, &setting);
	if (setting.refusal != TRACER_REFUSAL_NONE)
		return setting.refusal;
	refusal = sampler_start(apic_cpu_count, setting.tsc_hz);
	if (refusal != TRACER_REFUSAL_NONE)
		return refusal;
	on_each_cpu(apic_cpu_count, start_cpu, &setting);
	for (uint16_t cpu = 0; cpu < apic_cpu_count; cpu++) {
		if (apic_cpus[cpu].refusal != TRACER_REFUSAL_NONE)
			return apic_cpus[cpu].refusal;
	}
	return TRACER_REFUSAL_NONE;
}

/* What the stubs need to know of this kernel. */
_IRQL_requires_(PASSIVE_LEVEL) static void prepare_stubs(struct measurement *run)
{
	AT_PASSIVE();
	tracer_stub_clear_ac = (hardware_control_4() & TRACER_LAB_CR4_SMAP) != 0;
#if defined(__x86_64__)
	tracer_stub_swap_gs = 1;
#else
	tracer_stub_data_selector = DATA_SELECTOR;
	tracer_stub_fs_selector = FS_SELECTOR;
#endif
	for (uint16_t cpu = 0; cpu < run->cpu_count; cpu++) {
		tracer_ring_init(&apic_cpus[cpu].ring, apic_cpus[cpu].slots, RING_SLOTS, 0);
		tracer_stub_cpus[cpu].ring = &apic_cpus[cpu].ring;
		run->cpus[cpu].ring = &apic_cpus[cpu].ring;
	}
}

_IRQL_requires_(PASSIVE_LEVEL) static enum tracer_refusal begin(struct measurement *run)
{
	AT_PASSIVE();
	if (apic_cpus != NULL)
		return TRACER_REFUSAL_GATE;
	apic_cpus = pool_allocate(run->cpu_count * sizeof(*apic_cpus), TAG_TIMERS);
	if (apic_cpus == NULL)
		return TRACER_REFUSAL_RESOURCES;
	if (!hardware_map_apic()) {
		pool_free(apic_cpus, TAG_TIMERS);
		apic_cpus = NULL;
		return TRACER_REFUSAL_RESOURCES;
	}
	apic_cpu_count = run->cpu_count;
	run->run.images = &code;
	run->run.image_count = 1;
	prepare_stubs(run);
	return start_all(run);
}

/* Open episodes get the samples that are there before the rings go. Called after a refused begin, too. */
_IRQL_requires_(PASSIVE_LEVEL) static bool end(struct measurement *run)
{
	AT_PASSIVE();
	if (apic_cpus == NULL)
		return true;
	if (!take_back())
		return false;
	for (uint16_t cpu = 0; cpu < run->cpu_count; cpu++) {
		if (run->cpus[cpu].probe.run != NULL)
			tracer_probe_close(&run->cpus[cpu].probe, tracer_hal_clock());
	}
	pool_free(apic_cpus, TAG_TIMERS);
	apic_cpus = NULL;
	hardware_unmap_apic();
	return true;
}

const struct mode apic_mode = {
	.number = TRACER_MODE_APIC,
	.clock = TRACER_CLOCK_TSC,
	.most_cpus = TRACER_MAX_CPUS,
	.is_one_group = true,
	.is_pinned = true,
	.capabilities = capabilities,
	.offer = offer_apic,
	.begin = begin,
	.arm = arm,
	.dpc = ApicDpc,
	.end = end,
};
