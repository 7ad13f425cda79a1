/*
 * The system's own timers, one each CPU: EX_TIMER with high resolution where there is one (Windows 8.1), else KTIMER at the clock's tick,
 * for which 1 ms is asked as the paper does. Touches no hardware.
 *
 *   KTIMER     two timers due together: one brings the measured DPC, one the reference.
 *   EX_TIMER   its callback has no target CPU, so it queues both DPCs on the CPU measured. Where it runs on another one, that adds an
 *              interrupt between CPUs, in both: what the measured DPC has more than the reference is queueing.
 *
 * The measured DPC is MediumHigh: sent to another CPU at once, but behind what is queued there. The reference is High: the queue's head.
 */
#include "timer_mode.h"

#include "clock.h"
#include "pool.h"
#include "routines.h"
#include "tracer_clock.h"
#include "tracer_hal.h"

#define NS_PER_UNIT 100u     /* of timers' due times */
#define WANTED_TICK 10000u   /* units: 1 ms */

struct cpu_timers {
	KTIMER timer;
	KTIMER reference_timer;
	KDPC reference_dpc;
	struct system_timer *system_timer; /* null: KTIMERs are used */
	struct measured_cpu *cpu;
};

static struct cpu_timers *timers;
static bool is_tick_asked;

/* In the units of due times. */
_IRQL_requires_(PASSIVE_LEVEL) static ULONG shortest_tick(void)
{
	ULONG maximum, minimum, current;

	AT_PASSIVE();
	if (routines.allocate_timer == NULL)
		return WANTED_TICK;
	/* "Maximum" is the longest tick, "minimum" the shortest. */
	routines.query_timer_resolution(&maximum, &minimum, &current);
	return minimum;
}

_IRQL_requires_(PASSIVE_LEVEL) static uint32_t timer_capabilities(void)
{
	AT_PASSIVE();
	return routines.allocate_timer != NULL ? TRACER_CAN_TIMER_HIGH_RESOLUTION : 0;
}

_IRQL_requires_(PASSIVE_LEVEL) static enum tracer_refusal offer_timer(struct tracer_offer *offer)
{
	AT_PASSIVE();
	*offer = (struct tracer_offer){
		.clock_hz = clock_qpc_hz(),
		.shortest_period_ns = (uint64_t)shortest_tick() * NS_PER_UNIT,
		.capabilities = timer_capabilities(),
		.clock = TRACER_CLOCK_QPC,
	};
	return TRACER_REFUSAL_NONE;
}

/* The measured DPC. */
_IRQL_requires_(DISPATCH_LEVEL) static VOID NTAPI TimerDpc(PKDPC dpc, PVOID context, PVOID first, PVOID second)
{
	struct measured_cpu *cpu = context;
	uint64_t clock = tracer_hal_clock();

	AT_DISPATCH();
	UNREFERENCED_PARAMETER(dpc);
	UNREFERENCED_PARAMETER(first);
	UNREFERENCED_PARAMETER(second);
	if (tracer_probe_timer(&cpu->probe, cpu->expected))
		tracer_probe_dpc(&cpu->probe, clock);
}

_IRQL_requires_(DISPATCH_LEVEL) static VOID NTAPI ReferenceDpc(PKDPC dpc, PVOID context, PVOID first, PVOID second)
{
	struct cpu_timers *own = context;
	uint64_t clock = tracer_hal_clock();

	AT_DISPATCH();
	UNREFERENCED_PARAMETER(dpc);
	UNREFERENCED_PARAMETER(first);
	UNREFERENCED_PARAMETER(second);
	tracer_probe_reference(&own->cpu->probe, own->cpu->expected, clock);
}

_IRQL_requires_(DISPATCH_LEVEL) static VOID NTAPI SystemTimerExpired(struct system_timer *timer, PVOID context)
{
	struct cpu_timers *own = context;

	AT_DISPATCH();
	UNREFERENCED_PARAMETER(timer);
	KeInsertQueueDpc(&own->reference_dpc, NULL, NULL);
	KeInsertQueueDpc(&own->cpu->dpc, NULL, NULL);
}

_IRQL_requires_(PASSIVE_LEVEL) static void prepare_timers(struct cpu_timers *own, struct measured_cpu *cpu)
{
	AT_PASSIVE();
	own->cpu = cpu;
	KeInitializeDpc(&own->reference_dpc, ReferenceDpc, own);
	KeSetImportanceDpc(&own->reference_dpc, HighImportance);
	KeSetTargetProcessorDpc(&own->reference_dpc, (CCHAR)cpu->number);
	KeInitializeTimer(&own->timer);
	KeInitializeTimer(&own->reference_timer);
}

/* Each timer is gone or its DPC queued; then the queues are let run empty. */
_IRQL_requires_(PASSIVE_LEVEL) static bool end_timers(struct measurement *run)
{
	AT_PASSIVE();
	for (unsigned i = 0; i < run->cpu_count && timers != NULL; i++) {
		if (timers[i].system_timer != NULL)
			routines.delete_timer(timers[i].system_timer, TRUE, TRUE, NULL);
		KeCancelTimer(&timers[i].timer);
		KeCancelTimer(&timers[i].reference_timer);
	}
	if (is_tick_asked)
		ExSetTimerResolution(0, FALSE);
	is_tick_asked = false;
	KeFlushQueuedDpcs();
	pool_free(timers, TAG_TIMERS);
	timers = NULL;
	return true;
}

_IRQL_requires_(PASSIVE_LEVEL) static enum tracer_refusal begin_timers(struct measurement *run)
{
	AT_PASSIVE();
	timers = pool_allocate(run->cpu_count * sizeof(*timers), TAG_TIMERS);
	if (timers == NULL)
		return TRACER_REFUSAL_RESOURCES;
	for (unsigned i = 0; i < run->cpu_count; i++)
		prepare_timers(&timers[i], &run->cpus[i]);
	for (unsigned i = 0; i < run->cpu_count && routines.allocate_timer != NULL; i++) {
		timers[i].system_timer = routines.allocate_timer(SystemTimerExpired, &timers[i], SYSTEM_TIMER_HIGH_RESOLUTION);
		if (timers[i].system_timer == NULL)
			return TRACER_REFUSAL_RESOURCES;
	}
	if (routines.allocate_timer == NULL) {
		ExSetTimerResolution(WANTED_TICK, TRUE);
		is_tick_asked = true;
	}
	return TRACER_REFUSAL_NONE;
}

_IRQL_requires_(DISPATCH_LEVEL) static void arm_timer(struct measured_cpu *cpu)
{
	struct cpu_timers *own = &timers[cpu->number];
	uint64_t units;
	LARGE_INTEGER due;

	AT_DISPATCH();
	/*
	 * Both have expired, so this does nothing on Windows. Wine's KeSetTimer waits for the timer's DPC if it still runs, and holds a
	 * lock then that the DPC needs; its KeCancelTimer waits without.
	 */
	KeCancelTimer(&own->reference_timer);
	KeCancelTimer(&own->timer);
	units = tracer_scale(measurement_next_delay_ns(cpu), 1, NS_PER_UNIT);
	due.QuadPart = -(LONGLONG)units;
	cpu->expected = tracer_hal_clock() + tracer_scale_nearest(units, measurement.run.clock_hz, TRACER_NS_PER_SECOND / NS_PER_UNIT);
	if (own->system_timer != NULL) {
		routines.set_timer(own->system_timer, due.QuadPart, 0, NULL);
		return;
	}
	KeSetTimer(&own->reference_timer, due, &own->reference_dpc);
	KeSetTimer(&own->timer, due, &cpu->dpc);
}

const struct mode timer_mode = {
	.number = TRACER_MODE_TIMER,
	.clock = TRACER_CLOCK_QPC,
	.is_pinned = false,
	.capabilities = timer_capabilities,
	.offer = offer_timer,
	.begin = begin_timers,
	.arm = arm_timer,
	.dpc = TimerDpc,
	.end = end_timers,
};
