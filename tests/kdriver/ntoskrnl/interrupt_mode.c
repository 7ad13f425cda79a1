/*
 * The modes of the image that the fake kernel loads: the release driver's, and one that stands for the laboratory driver's apic mode: an
 * interrupt of its own on each processor, and an image that is held. What is measured by interrupts runs here without their hardware.
 */
#include "modes.h"

#include "clock.h"
#include "dpcs.h"
#include "timer_mode.h"
#include "tracer_clock.h"
#include "tracer_hal.h"

/* The fake kernel's (machine.h). */
void fake_interrupt(unsigned processor, uint64_t in_ns, void (*interrupt)(void *context), void *context);

#define SHORTEST_PERIOD_NS 100000u

static uint16_t cpu_count;

_IRQL_requires_(PASSIVE_LEVEL) static uint32_t capabilities(void)
{
	AT_PASSIVE();
	return TRACER_CAN_APIC;
}

_IRQL_requires_(PASSIVE_LEVEL) static enum tracer_refusal offer_interrupt(struct tracer_offer *offer)
{
	AT_PASSIVE();
	*offer = (struct tracer_offer){
		.clock_hz = clock_qpc_hz(),
		.shortest_period_ns = SHORTEST_PERIOD_NS,
		.capabilities = TRACER_CAN_APIC,
		.clock = TRACER_CLOCK_QPC,
	};
	return TRACER_REFUSAL_NONE;
}

_IRQL_requires_max_(HIGH_LEVEL) static void interrupted(void *context)
{
	struct measured_cpu *cpu = context;
	const struct tracer_interrupt interrupt = { .clock = tracer_hal_clock(), .ip = 0x1234, .cs = 0x10 };

	tracer_probe_isr(&cpu->probe, cpu->expected, &interrupt);
}

_IRQL_requires_(DISPATCH_LEVEL) static void arm(struct measured_cpu *cpu)
{
	uint64_t ns;

	AT_DISPATCH();
	ns = measurement_next_delay_ns(cpu);
	cpu->expected = tracer_hal_clock() + tracer_ns_to_ticks(ns, measurement.run.clock_hz);
	fake_interrupt(cpu->number, ns, interrupted, cpu);
}

_IRQL_requires_(DISPATCH_LEVEL) static VOID NTAPI InterruptDpc(PKDPC dpc, PVOID context, PVOID first, PVOID second)
{
	struct measured_cpu *cpu = context;
	uint64_t clock = tracer_hal_clock();

	AT_DISPATCH();
	UNREFERENCED_PARAMETER(dpc);
	UNREFERENCED_PARAMETER(first);
	UNREFERENCED_PARAMETER(second);
	tracer_probe_dpc(&cpu->probe, clock);
}

_IRQL_requires_(PASSIVE_LEVEL) static enum tracer_refusal begin(struct measurement *run)
{
	AT_PASSIVE();
	cpu_count = run->cpu_count;
	return TRACER_REFUSAL_NONE;
}

/* As the laboratory's: the source off, on each processor's own thread, so that none is on its way; then the DPCs. */
_IRQL_requires_(PASSIVE_LEVEL) static bool end(struct measurement *run)
{
	AT_PASSIVE();
	UNREFERENCED_PARAMETER(run);
	for (uint16_t cpu = 0; cpu < cpu_count; cpu++) {
		KAFFINITY before = KeSetSystemAffinityThreadEx((KAFFINITY)1 << cpu);

		fake_interrupt(cpu, UINT64_MAX, NULL, NULL);
		KeRevertToUserAffinityThreadEx(before);
	}
	KeFlushQueuedDpcs();
	return true;
}

static const struct mode interrupt_mode = {
	.number = TRACER_MODE_APIC,
	.clock = TRACER_CLOCK_QPC,
	.most_cpus = 64,
	.is_one_group = true,
	.is_pinned = true,
	.capabilities = capabilities,
	.offer = offer_interrupt,
	.begin = begin,
	.arm = arm,
	.dpc = InterruptDpc,
	.end = end,
};

const struct mode *const modes[] = { &timer_mode, &interrupt_mode };
const unsigned mode_count = sizeof(modes) / sizeof(modes[0]);
