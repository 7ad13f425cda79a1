#include "sampler.h"

#include "each_cpu.h"
#include "gates.h"
#include "tracer_gate.h"
#include "tracer_hal.h"
#include "tracer_nmi.h"
#include "tracer_pit.h"
#include "tracer_stubs.h"

#define VECTOR_NMI 2u
#define VECTOR_CLOCK_8259 0x30u
#define VECTOR_CLOCK_APIC 0xD1u
#define PORT_8259_MASK 0x21u
#define MASK_PIT 0x01u
#define TICK 10000u             /* of the system's timer: 1 ms in units of 100 ns */
#define TRIED_TICKS 50
#define LEAST_TICKS 20u
#define PATIENCE_NS UINT64_C(120000000)

struct nmi_start {
	uint16_t cpus;
	uint64_t tsc_hz;
	enum tracer_refusal refusal;
};

static struct tracer_hook hook;
static struct tracer_pit pit;
static bool is_tick_asked;

_IRQL_requires_(PASSIVE_LEVEL) static uint32_t samples(uint16_t cpus)
{
	uint32_t count = 0;

	AT_PASSIVE();
	for (uint16_t cpu = 0; cpu < cpus; cpu++)
		count += tracer_ring_head(tracer_stub_cpus[cpu].ring);
	return count;
}

/* Some tens of ticks: a sampler that works has taken a sample in most of them. */
_IRQL_requires_(PASSIVE_LEVEL) static bool is_ticking(uint16_t cpus)
{
	LARGE_INTEGER tick = { .QuadPart = -(LONGLONG)TICK };
	uint32_t before = samples(cpus);

	AT_PASSIVE();
	for (int i = 0; i < TRIED_TICKS; i++)
		KeDelayExecutionThread(KernelMode, FALSE, &tick);
	return samples(cpus) - before >= LEAST_TICKS;
}

/* On CPU 0, which the 8259 interrupts. */
_IRQL_requires_(PASSIVE_LEVEL) static void start_nmi(uint16_t cpu, void *context)
{
	struct nmi_start *start = context;
	struct tracer_pit_setting before;

	AT_PASSIVE();
	UNREFERENCED_PARAMETER(cpu);
	if (!tracer_pit_measure(start->tsc_hz, PATIENCE_NS, &before))
		return;
	start->refusal = tracer_nmi_start_pit(TRACER_APIC_MEMORY, start->cpus);
	if (start->refusal == TRACER_REFUSAL_NONE && !tracer_pit_start(&pit, &before, TRACER_PIT_SAMPLE_HZ)) {
		tracer_nmi_stop_pit();
		start->refusal = TRACER_REFUSAL_SAMPLER;
	}
}

_IRQL_requires_(PASSIVE_LEVEL) static void stop_nmi(uint16_t cpu, void *context)
{
	AT_PASSIVE();
	UNREFERENCED_PARAMETER(cpu);
	UNREFERENCED_PARAMETER(context);
	tracer_pit_stop(&pit);
	tracer_nmi_stop_pit();
}

/* Nothing is left where it is refused. */
_IRQL_requires_(PASSIVE_LEVEL) static enum tracer_refusal try_nmi(uint16_t cpus, uint64_t tsc_hz)
{
	struct nmi_start start = { .cpus = cpus, .tsc_hz = tsc_hz, .refusal = TRACER_REFUSAL_SAMPLER };

	AT_PASSIVE();
	if (tracer_hook_install(&hook, VECTOR_NMI, cpus, gates_selector(), (uint64_t)(uintptr_t)tracer_stub_nmi, &tracer_stub_nmi_chain) !=
		TRACER_HOOK_DONE)
		return TRACER_REFUSAL_GATE;
	on_cpu(0, start_nmi, &start);
	if (start.refusal == TRACER_REFUSAL_NONE && is_ticking(cpus))
		return TRACER_REFUSAL_NONE;
	return sampler_stop() ? TRACER_REFUSAL_SAMPLER : TRACER_REFUSAL_GATE;
}

_IRQL_requires_(PASSIVE_LEVEL) static enum tracer_refusal try_clock(uint16_t cpus)
{
	bool is_8259 = sizeof(uintptr_t) == 4 && !(tracer_hal_port_read(PORT_8259_MASK) & MASK_PIT);

	AT_PASSIVE();
	if (tracer_hook_install(&hook, is_8259 ? VECTOR_CLOCK_8259 : VECTOR_CLOCK_APIC, cpus, gates_selector(),
		(uint64_t)(uintptr_t)tracer_stub_pit, &tracer_stub_pit_chain) != TRACER_HOOK_DONE)
		return TRACER_REFUSAL_GATE;
	ExSetTimerResolution(TICK, TRUE);
	is_tick_asked = true;
	if (is_ticking(cpus))
		return TRACER_REFUSAL_NONE;
	return sampler_stop() ? TRACER_REFUSAL_SAMPLER : TRACER_REFUSAL_GATE;
}

_IRQL_requires_(PASSIVE_LEVEL) enum tracer_refusal sampler_start(uint16_t cpus, uint64_t tsc_hz)
{
	AT_PASSIVE();
	if (sizeof(uintptr_t) == 8 && try_nmi(cpus, tsc_hz) == TRACER_REFUSAL_NONE)
		return TRACER_REFUSAL_NONE;
	/* The hook of NMIs is still in where somebody has hooked over it. */
	return hook.installed ? TRACER_REFUSAL_GATE : try_clock(cpus);
}

_IRQL_requires_(PASSIVE_LEVEL) bool sampler_stop(void)
{
	AT_PASSIVE();
	on_cpu(0, stop_nmi, NULL);
	if (is_tick_asked)
		ExSetTimerResolution(0, FALSE);
	is_tick_asked = false;
	return tracer_hook_remove(&hook) == TRACER_HOOK_DONE;
}
