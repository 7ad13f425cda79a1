/*
 * One timer of the system for all CPUs: an EX_TIMER with high resolution (Windows 8.1), which sets itself again. Its callback stamps
 * itself, then queues the DPCs of each CPU that is measured (tracer_timer.h says why one timer). Touches no hardware.
 *
 * The measured DPC is MediumHigh: sent to another CPU at once, but behind what is queued there. The reference is High: the queue's head.
 * Both need an interrupt between processors where the CPU is another one: what the measured DPC has more than the reference is queueing.
 */
#include "timer_mode.h"

#include "chores.h"
#include "clock.h"
#include "dpcs.h"
#include "pool.h"
#include "routines.h"
#include "tracer_clock.h"
#include "tracer_hal.h"
#include "tracer_timer.h"

#define NS_PER_UNIT 100u /* of timers' due times */
#define MOST_CPUS 2048u
#define PATIENCE_NS UINT64_C(5000000000) /* for the first second */
#define STEP_UNITS 200000                /* 20 ms */
#define MOST_NOMINAL 12u

/*
 * What the callback takes: inserting a DPC for another processor is taken for 2 us, with its interrupt, which no machine has confirmed yet.
 * At two for each processor and a twentieth of one processor's time the period grows with their number: 2.6 ms for 32, 10 ms for 128.
 */
#define DPCS_PER_CPU 2u
#define INSERT_NS 2000u
#define SHARE_PARTS 20u

/* Sleep that nobody announces is longer: the clocks are read one after the other, and one may be a tick old. */
#define LEAST_SLEEP_NS UINT64_C(50000000)

/* Periods that the clock of a Windows machine may have, the longest first; in ns. */
static const uint32_t usual_ticks[] = { 15625000, 10000000, 7812500, 5000000, 4000000, 2000000, 1000000, 976563, 500000 };

struct one_timer {
	struct tracer_timer timer;
	struct system_timer *system_timer; /* null: none */
	_Atomic uint32_t is_set;           /* or its callback is at work */
	uint64_t set_at, set_unbiased;     /* when, in the run's clock, and in units of time without sleep */
	uint32_t nominal_ns[MOST_NOMINAL];
	unsigned nominal_count;
};

static struct one_timer *only;

_IRQL_requires_(PASSIVE_LEVEL) static uint32_t timer_capabilities(void)
{
	AT_PASSIVE();
	return routines.allocate_timer != NULL ? TRACER_CAN_TIMER_HIGH_RESOLUTION : 0;
}

_IRQL_requires_(PASSIVE_LEVEL) static enum tracer_refusal offer_timer(struct tracer_offer *offer)
{
	ULONG maximum, minimum, current;

	AT_PASSIVE();
	if (routines.allocate_timer == NULL)
		return TRACER_REFUSAL_NO_TIMER;
	/* "Maximum" is the longest tick, "minimum" the shortest. */
	routines.query_timer_resolution(&maximum, &minimum, &current);
	*offer = (struct tracer_offer){
		.clock_hz = clock_qpc_hz(),
		.shortest_period_ns = (uint64_t)minimum * NS_PER_UNIT,
		.affordable_period_ns = (uint64_t)dpcs_processors() * DPCS_PER_CPU * INSERT_NS * SHARE_PARTS,
		.capabilities = timer_capabilities(),
		.clock = TRACER_CLOCK_QPC,
	};
	return TRACER_REFUSAL_NONE;
}

/* Into the list of periods, the longest first, unless it is there. */
_IRQL_requires_max_(HIGH_LEVEL) static void add_nominal(struct one_timer *own, uint32_t ns)
{
	unsigned at = own->nominal_count;

	for (unsigned i = 0; i < own->nominal_count; i++) {
		if (own->nominal_ns[i] == ns)
			return;
	}
	if (ns == 0 || at == MOST_NOMINAL)
		return;
	for (; at > 0 && own->nominal_ns[at - 1] < ns; at--)
		own->nominal_ns[at] = own->nominal_ns[at - 1];
	own->nominal_ns[at] = ns;
	own->nominal_count++;
}

_IRQL_requires_(PASSIVE_LEVEL) static void list_nominal(struct one_timer *own)
{
	ULONG maximum, minimum, current;

	AT_PASSIVE();
	routines.query_timer_resolution(&maximum, &minimum, &current);
	for (unsigned i = 0; i < sizeof(usual_ticks) / sizeof(usual_ticks[0]); i++)
		add_nominal(own, usual_ticks[i]);
	add_nominal(own, maximum * NS_PER_UNIT);
	add_nominal(own, minimum * NS_PER_UNIT);
	add_nominal(own, current * NS_PER_UNIT);
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
	tracer_probe_dpc(&cpu->probe, clock);
	tracer_probe_own_dpc(&cpu->probe, tracer_hal_clock() - clock);
}

_IRQL_requires_(DISPATCH_LEVEL) static VOID NTAPI ReferenceDpc(PKDPC dpc, PVOID context, PVOID first, PVOID second)
{
	struct measured_cpu *cpu = context;
	uint64_t clock = tracer_hal_clock();

	AT_DISPATCH();
	UNREFERENCED_PARAMETER(dpc);
	UNREFERENCED_PARAMETER(first);
	UNREFERENCED_PARAMETER(second);
	tracer_probe_reference(&cpu->probe, clock);
	tracer_probe_own_dpc(&cpu->probe, tracer_hal_clock() - clock);
}

/*
 * Sets the timer, unless it is set, or its callback will do it, or no wake-up is wanted: then whoever wants one again calls this. The
 * callback may call it while the timer is deleted: it does nothing then ("Deleting a System-Allocated Timer Object" in the WDK's
 * documentation).
 */
_IRQL_requires_(DISPATCH_LEVEL) static void set_timer(void)
{
	uint64_t units;

	AT_DISPATCH();
	if (atomic_load(&measurement.is_paused) || atomic_load(&measurement.is_stopping) || atomic_exchange(&only->is_set, 1))
		return;
	if (routines.unbiased_time != NULL)
		only->set_unbiased = routines.unbiased_time();
	only->set_at = tracer_hal_clock();
	units = tracer_scale(tracer_timer_delay_ns(&only->timer), 1, NS_PER_UNIT);
	tracer_timer_set(&only->timer,
		tracer_hal_clock() + tracer_scale_nearest(units, measurement.run.clock_hz, TRACER_NS_PER_SECOND / NS_PER_UNIT));
	routines.set_timer(only->system_timer, -(LONGLONG)units, 0, NULL);
}

/* The other CPUs first: on this one the DPCs wait until the callback has returned anyway. */
_IRQL_requires_(DISPATCH_LEVEL) static void queue_dpcs(struct one_timer *own, unsigned here)
{
	unsigned count = measurement.cpu_count, at = here;

	AT_DISPATCH();
	for (unsigned i = 0; i < count; i++) {
		struct measured_cpu *cpu;

		at = at + 1 < count ? at + 1 : 0;
		cpu = &measurement.cpus[at];
		if (tracer_timer_queue(&own->timer, &cpu->probe, tracer_hal_clock())) {
			dpcs_queue(&cpu->reference_dpc);
			dpcs_queue(&cpu->dpc);
		}
	}
}

/* Whether the machine slept since the timer was set, by its clocks: modern standby calls nobody. A sleep that was told is known. */
_IRQL_requires_(DISPATCH_LEVEL) static void notice_sleep(const struct one_timer *own, uint64_t clock)
{
	uint64_t passed, awake;

	AT_DISPATCH();
	if (routines.unbiased_time == NULL || own->timer.expiry.power_changes != tracer_run_power_changes(own->timer.run))
		return;
	passed = tracer_ticks_to_ns(tracer_elapsed(own->set_at, clock), measurement.run.clock_hz);
	awake = (routines.unbiased_time() - own->set_unbiased) * NS_PER_UNIT;
	if (passed >= awake + LEAST_SLEEP_NS)
		measurement_slept(tracer_ns_to_ticks(passed - awake, measurement.run.clock_hz));
}

_IRQL_requires_(DISPATCH_LEVEL) static VOID NTAPI TimerExpired(struct system_timer *timer, PVOID context)
{
	uint64_t clock = tracer_hal_clock();
	struct one_timer *own = context;
	ULONG here = KeGetCurrentProcessorNumberEx(NULL);
	struct tracer_probe *probe = here < measurement.cpu_count ? &measurement.cpus[here].probe : NULL;

	AT_DISPATCH();
	UNREFERENCED_PARAMETER(timer);
	notice_sleep(own, clock);
	if (tracer_timer_expired(&own->timer, probe, (uint16_t)here, clock))
		queue_dpcs(own, here);
	if (tracer_timer_wants_search(&own->timer))
		chores_wake();
	tracer_timer_own(&own->timer, tracer_hal_clock() - clock);
	/* Behind this the next callback may come, on another CPU. */
	atomic_store(&own->is_set, 0);
	set_timer();
}

/* The timer is gone, and what its last callback queued has run. */
_IRQL_requires_(PASSIVE_LEVEL) static bool end_timer(struct measurement *run)
{
	AT_PASSIVE();
	UNREFERENCED_PARAMETER(run);
	if (only != NULL && only->system_timer != NULL)
		routines.delete_timer(only->system_timer, TRUE, TRUE, NULL);
	dpcs_flush();
	measurement.run.floor = NULL;
	pool_free(only, TAG_TIMERS);
	only = NULL;
	return true;
}

_IRQL_requires_(PASSIVE_LEVEL) static enum tracer_refusal begin_timer(struct measurement *run)
{
	AT_PASSIVE();
	only = pool_allocate(sizeof(*only), TAG_TIMERS);
	if (only == NULL)
		return TRACER_REFUSAL_RESOURCES;
	for (uint16_t i = 0; i < run->cpu_count; i++)
		dpcs_prepare(&run->cpus[i].reference_dpc, ReferenceDpc, &run->cpus[i], HighImportance, i);
	list_nominal(only);
	tracer_timer_init(&only->timer, &run->run, (uint64_t)KeQueryPerformanceCounter(NULL).QuadPart);
	only->system_timer = routines.allocate_timer(TimerExpired, only, SYSTEM_TIMER_HIGH_RESOLUTION);
	return only->system_timer != NULL ? TRACER_REFUSAL_NONE : TRACER_REFUSAL_RESOURCES;
}

/* A second of wake-ups that are not counted: floor and ticks. Longer where the machine serves too few. */
_IRQL_requires_(PASSIVE_LEVEL) static enum tracer_refusal settle_timer(struct measurement *run)
{
	uint64_t begin = tracer_hal_clock(), ns = 0;
	LARGE_INTEGER step = { .QuadPart = -STEP_UNITS };

	AT_PASSIVE();
	while (ns < TRACER_TIMER_FIRST_NS || !tracer_timer_measure_floor(&only->timer, only->nominal_ns, only->nominal_count)) {
		if (atomic_load(&run->is_paused))
			return TRACER_REFUSAL_POWER;
		if (ns >= PATIENCE_NS)
			return TRACER_REFUSAL_CALIBRATION;
		KeDelayExecutionThread(KernelMode, FALSE, &step);
		ns = tracer_ticks_to_ns(tracer_elapsed(begin, tracer_hal_clock()), run->run.clock_hz);
	}
	return tracer_run_is_above_floor(&run->run) ? TRACER_REFUSAL_NONE : TRACER_REFUSAL_THRESHOLD;
}

_IRQL_requires_(PASSIVE_LEVEL) static void count_timer(void)
{
	AT_PASSIVE();
	tracer_timer_begin_run(&only->timer);
}

/* Not in the first second, which looks for itself. */
_IRQL_requires_(PASSIVE_LEVEL) static bool look_after_timer(void)
{
	AT_PASSIVE();
	return tracer_timer_is_counted(&only->timer) && tracer_timer_search(&only->timer, only->nominal_ns, only->nominal_count);
}

_IRQL_requires_(PASSIVE_LEVEL) static void describe_timer(struct tracer_timer_state *state)
{
	AT_PASSIVE();
	tracer_timer_describe(&only->timer, state);
}

const struct mode timer_mode = {
	.number = TRACER_MODE_TIMER,
	.clock = TRACER_CLOCK_QPC,
	.most_cpus = MOST_CPUS,
	.is_pinned = false,
	.capabilities = timer_capabilities,
	.offer = offer_timer,
	.begin = begin_timer,
	.go_on = set_timer,
	.settle = settle_timer,
	.begin_run = count_timer,
	.look_after = look_after_timer,
	.describe = describe_timer,
	.dpc = TimerDpc,
	.end = end_timer,
};
