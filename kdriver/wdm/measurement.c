#include "measurement.h"

#include "chores.h"
#include "clock.h"
#include "dpcs.h"
#include "entry.h"
#include "events.h"
#include "modes.h"
#include "pool.h"
#include "records.h"
#include "smi.h"
#include "stamps.h"
#include "threads.h"
#include "tracer_clock.h"
#include "tracer_device.h"

struct measurement measurement;

/* One control code at a time, but for reads. */
static KMUTEX control;

/* Guards measurement.cpus and cpu_count against the power callbacks, which come at any time. */
static KSPIN_LOCK cpus_lock;

/* Likewise: the mode's timer may be set; and for how long the run has been paused, in the run's clock. */
static bool is_live;
static uint64_t run_began, pause_began, paused;

static bool is_running;
static PFILE_OBJECT starter; /* with its handle the run ends; null: it stays */
static bool must_stay; /* a mode left something in memory for good */
static enum tracer_refusal last_refusal;
static struct tracer_timer_state last_state;
static uint64_t first_own_ns; /* what the run took before it counted */

_IRQL_requires_(PASSIVE_LEVEL) static void enter(void)
{
	AT_PASSIVE();
	KeWaitForSingleObject(&control, Executive, KernelMode, FALSE, NULL);
}

_IRQL_requires_max_(APC_LEVEL) static void leave(void)
{
	AT_MOST_APC();
	KeReleaseMutex(&control, FALSE);
}

_IRQL_requires_max_(DISPATCH_LEVEL) uint64_t measurement_next_delay_ns(struct measured_cpu *cpu)
{
	uint64_t half = measurement.run.period_ns / 2;

	AT_MOST_DISPATCH();
	/* xorshift64 (Marsaglia 2003). */
	cpu->random ^= cpu->random << 13;
	cpu->random ^= cpu->random >> 7;
	cpu->random ^= cpu->random << 17;
	return measurement.run.period_ns - half / 2 + tracer_scale(half, cpu->random >> 32, UINT64_C(1) << 32);
}

/* The CPUs of a new run in place of the last one's. */
_IRQL_requires_max_(DISPATCH_LEVEL) static void set_cpus(struct measured_cpu *cpus, uint16_t count)
{
	struct measured_cpu *before;
	KIRQL irql;

	AT_MOST_DISPATCH();
	KeAcquireSpinLock(&cpus_lock, &irql);
	before = measurement.cpus;
	measurement.cpus = cpus;
	measurement.cpu_count = count;
	KeReleaseSpinLock(&cpus_lock, irql);
	pool_free(before, TAG_MEASUREMENT);
}

_IRQL_requires_(PASSIVE_LEVEL) static void prepare_cpu(struct measured_cpu *cpu, uint16_t number, const struct mode *mode)
{
	AT_PASSIVE();
	cpu->number = number;
	cpu->random = (uint64_t)KeQueryPerformanceCounter(NULL).QuadPart << 8 | (number + 1u);
	KeInitializeSpinLock(&cpu->lock);
	dpcs_prepare(&cpu->dpc, mode->dpc, cpu, MediumHighImportance, number);
	for (unsigned i = 0; i < TRACER_MAX_PRIORITIES; i++)
		KeInitializeEvent(&cpu->threads[i].wake, SynchronizationEvent, FALSE);
	tracer_probe_init(&cpu->probe, &measurement.run, NULL, number);
}

_IRQL_requires_max_(HIGH_LEVEL) static const struct mode *find_mode(uint8_t number)
{
	for (unsigned i = 0; i < mode_count; i++) {
		if (modes[i]->number == number)
			return modes[i];
	}
	return NULL;
}

_IRQL_requires_(PASSIVE_LEVEL) static uint32_t shared_capabilities(void)
{
	AT_PASSIVE();
	return (events_are_on() ? TRACER_CAN_LOG_EVENTS : 0) | (smi_is_counted() ? TRACER_CAN_COUNT_SMI : 0);
}

/* Whether the run may be, and its terms; nothing is changed but *run. */
_IRQL_requires_(PASSIVE_LEVEL) static enum tracer_refusal examine(
	const struct tracer_start_request *request, const struct mode **mode, struct tracer_run *run)
{
	struct tracer_offer offer;
	enum tracer_refusal refusal;
	ULONG cpus;

	AT_PASSIVE();
	cpus = dpcs_processors();
	if (is_running)
		return TRACER_REFUSAL_RUNNING;
	if (atomic_load(&measurement.is_paused))
		return TRACER_REFUSAL_POWER;
	*mode = find_mode(request->mode);
	if (*mode == NULL)
		return TRACER_REFUSAL_NOT_LABORATORY;
	if (cpus > (*mode)->most_cpus || ((*mode)->is_one_group && cpus != KeQueryActiveProcessorCountEx(0)))
		return TRACER_REFUSAL_CPUS;
	refusal = (*mode)->offer(&offer);
	if (refusal != TRACER_REFUSAL_NONE)
		return refusal;
	offer.capabilities |= shared_capabilities();
	return tracer_run_prepare(run, request, &offer);
}

_IRQL_requires_(PASSIVE_LEVEL) static uint64_t sum(size_t count_offset)
{
	uint64_t total = 0;

	AT_PASSIVE();
	for (unsigned i = 0; i < measurement.cpu_count; i++) {
		const void *count = (const uint8_t *)&measurement.cpus[i].probe + count_offset;

		total += tracer_count_read(count);
	}
	return total;
}

#define SUM(count) sum(offsetof(struct tracer_probe, count))

_IRQL_requires_(PASSIVE_LEVEL) void measurement_emit_clock_sync(void)
{
	uint64_t clock, qpc;

	AT_PASSIVE();
	clock_read_both(&clock, &qpc);
	tracer_run_emit_clock_sync((uint16_t)KeGetCurrentProcessorNumberEx(NULL), clock, qpc);
}

_IRQL_requires_(PASSIVE_LEVEL) static void end_mode(void)
{
	AT_PASSIVE();
	if (!measurement.mode->end(&measurement))
		must_stay = true;
	entry_hold_image(must_stay);
}

/* In the run's clock; ends at the pause that is on. */
_IRQL_requires_(PASSIVE_LEVEL) static uint64_t run_ticks(void)
{
	uint64_t ticks = 0;
	KIRQL irql;

	AT_PASSIVE();
	KeAcquireSpinLock(&cpus_lock, &irql);
	if (run_began != 0)
		ticks = tracer_elapsed(run_began, pause_began != 0 ? pause_began : tracer_hal_clock()) - paused;
	KeReleaseSpinLock(&cpus_lock, irql);
	return ticks;
}

/* Of the run that is on. */
_IRQL_requires_(PASSIVE_LEVEL) static void describe_state(struct tracer_timer_state *state)
{
	ULONG cpus;

	AT_PASSIVE();
	cpus = dpcs_processors();
	*state = (struct tracer_timer_state){
		.header = { .type = TRACER_RECORD_TIMER_STATE, .size = sizeof(*state) },
		.clock = tracer_hal_clock(),
		.run_ns = tracer_ticks_to_ns(run_ticks(), measurement.run.clock_hz),
		.own_ns = chores_own_ns(),
		.discarded = SUM(discarded),
		.unmeasured_cpus = (uint16_t)(cpus > measurement.cpu_count ? cpus - measurement.cpu_count : 0),
	};
	for (unsigned i = 0; i < measurement.cpu_count; i++)
		state->own_ns += tracer_ticks_to_ns(tracer_probe_own(&measurement.cpus[i].probe), measurement.run.clock_hz);
	if (measurement.mode->describe != NULL)
		measurement.mode->describe(state);
	state->own_ns -= first_own_ns;
}

_IRQL_requires_(PASSIVE_LEVEL) void measurement_emit_state(void)
{
	struct tracer_timer_state state;

	AT_PASSIVE();
	describe_state(&state);
	tracer_hal_emit(&state.header);
}

/* From here on, or no more, a pause that ends sets the mode's timer. */
_IRQL_requires_(PASSIVE_LEVEL) static void set_live(bool wanted)
{
	KIRQL irql;

	AT_PASSIVE();
	KeAcquireSpinLock(&cpus_lock, &irql);
	is_live = wanted;
	if (wanted && measurement.mode->go_on != NULL)
		measurement.mode->go_on();
	KeReleaseSpinLock(&cpus_lock, irql);
}

/* Whether the run may count: its floor. */
_IRQL_requires_(PASSIVE_LEVEL) static enum tracer_refusal settle(void)
{
	AT_PASSIVE();
	if (measurement.mode->settle == NULL)
		return TRACER_REFUSAL_NONE;
	threads_arm_all();
	set_live(true);
	return measurement.mode->settle(&measurement);
}

/* Everything that begin took, in reverse. */
_IRQL_requires_(PASSIVE_LEVEL) static void take_back(void)
{
	AT_PASSIVE();
	set_live(false);
	threads_stop();
	chores_stop();
	end_mode();
}

/* The mode takes what it needs and the threads wait; or nothing is left taken. */
_IRQL_requires_(PASSIVE_LEVEL) static enum tracer_refusal begin(void)
{
	enum tracer_refusal refusal;

	AT_PASSIVE();
	clock_use(measurement.mode->clock);
	entry_hold_image(must_stay || measurement.mode->is_pinned);
	refusal = measurement.mode->begin(&measurement);
	if (refusal != TRACER_REFUSAL_NONE) {
		end_mode();
		return refusal;
	}
	/* Once more, now that there may be rings. */
	for (uint16_t i = 0; i < measurement.cpu_count; i++)
		tracer_probe_init(&measurement.cpus[i].probe, &measurement.run, measurement.cpus[i].ring, i);
	atomic_store(&measurement.is_stopping, 0);
	records_begin(&measurement.run);
	refusal = threads_start() && chores_start() ? settle() : TRACER_REFUSAL_RESOURCES;
	if (refusal != TRACER_REFUSAL_NONE) {
		take_back();
		records_end();
	}
	return refusal;
}

_IRQL_requires_(PASSIVE_LEVEL) static void begin_time(void)
{
	KIRQL irql;

	AT_PASSIVE();
	KeAcquireSpinLock(&cpus_lock, &irql);
	run_began = tracer_hal_clock();
	pause_began = atomic_load(&measurement.is_paused) ? run_began : 0;
	paused = 0;
	KeReleaseSpinLock(&cpus_lock, irql);
}

/* The first records; then the first wake-up that counts. */
_IRQL_requires_(PASSIVE_LEVEL) static void begin_counting(void)
{
	AT_PASSIVE();
	first_own_ns = 0;
	describe_state(&last_state);
	first_own_ns = last_state.own_ns;
	begin_time();
	is_running = true;
	tracer_run_emit_start(&measurement.run, 0);
	measurement_emit_clock_sync();
	if (measurement.mode->describe != NULL)
		measurement_emit_state();
	stamps_begin();
	chores_begin();
	if (measurement.mode->begin_run != NULL) {
		measurement.mode->begin_run();
		return;
	}
	set_live(true);
	threads_arm_all();
}

_IRQL_requires_(PASSIVE_LEVEL) static enum tracer_refusal start(const struct tracer_start_request *request)
{
	struct tracer_run checked;
	const struct mode *mode;
	struct measured_cpu *cpus;
	enum tracer_refusal refusal;
	uint16_t count;

	AT_PASSIVE();
	refusal = examine(request, &mode, &checked);
	if (refusal != TRACER_REFUSAL_NONE)
		return refusal;
	count = (uint16_t)dpcs_processors();
	cpus = pool_allocate(count * sizeof(*cpus), TAG_MEASUREMENT);
	if (cpus == NULL)
		return TRACER_REFUSAL_RESOURCES;
	measurement.run = checked;
	measurement.run.power_changes = &measurement.power_changes;
	measurement.mode = mode;
	for (uint16_t i = 0; i < count; i++)
		prepare_cpu(&cpus[i], i, mode);
	set_cpus(cpus, count);
	refusal = begin();
	if (refusal != TRACER_REFUSAL_NONE) {
		set_cpus(NULL, 0);
		return refusal;
	}
	begin_counting();
	return TRACER_REFUSAL_NONE;
}

/* With `control` held, if there is anybody else. */
_IRQL_requires_(PASSIVE_LEVEL) static void stop(void)
{
	struct records_counts counts;

	AT_PASSIVE();
	set_live(false);
	threads_stop();
	chores_stop();
	describe_state(&last_state);
	end_mode();
	stamps_end();
	for (unsigned i = 0; i < measurement.cpu_count; i++)
		tracer_probe_close(&measurement.cpus[i].probe, tracer_hal_clock());
	if (measurement.mode->describe != NULL)
		tracer_hal_emit(&last_state.header);
	measurement_emit_clock_sync();
	records_count(&counts);
	tracer_run_emit_stop(0, SUM(probes), counts.dropped);
	records_end();
	is_running = false;
}

/* Marks a handle that is closed: the request that starts a run may still be on its way then. */
#define IS_CLOSED(file) ((file)->FsContext)

_IRQL_requires_(PASSIVE_LEVEL) enum tracer_refusal tracer_shell_start(
	const struct tracer_start_request *request, const struct tracer_call *call)
{
	PFILE_OBJECT file = IoGetCurrentIrpStackLocation((PIRP)call->request)->FileObject;
	enum tracer_refusal refusal;

	AT_PASSIVE();
	enter();
	refusal = start(request);
	last_refusal = refusal;
	if (refusal == TRACER_REFUSAL_NONE) {
		starter = request->flags & TRACER_START_STAY ? NULL : file;
		if (starter != NULL && IS_CLOSED(file))
			stop();
	}
	leave();
	return refusal;
}

_IRQL_requires_(PASSIVE_LEVEL) void measurement_end_of(PFILE_OBJECT file)
{
	AT_PASSIVE();
	enter();
	IS_CLOSED(file) = file;
	if (is_running && starter == file)
		stop();
	leave();
}

_IRQL_requires_(PASSIVE_LEVEL) bool tracer_shell_stop(void)
{
	bool was_running;

	AT_PASSIVE();
	enter();
	was_running = is_running;
	if (was_running)
		stop();
	leave();
	return was_running;
}

_IRQL_requires_(PASSIVE_LEVEL) static uint64_t worst(void)
{
	uint64_t worst_ns = 0;

	AT_PASSIVE();
	for (unsigned i = 0; i < measurement.cpu_count; i++) {
		uint64_t ns = tracer_count_read(&measurement.cpus[i].probe.worst_ns);

		worst_ns = ns > worst_ns ? ns : worst_ns;
	}
	return worst_ns;
}

_IRQL_requires_(PASSIVE_LEVEL) static void add_state(struct tracer_status *status)
{
	AT_PASSIVE();
	if (is_running)
		describe_state(&last_state);
	status->tick_ns = last_state.tick_ns;
	status->own_ns = last_state.own_ns;
	status->run_ns = last_state.run_ns;
	status->late_timers = last_state.late_timers;
	status->discarded = last_state.discarded;
	status->timer_cpu = last_state.header.cpu;
	status->unmeasured_cpus = last_state.unmeasured_cpus;
}

_IRQL_requires_(PASSIVE_LEVEL) static void describe(struct tracer_status *status)
{
	const struct tracer_run *run = &measurement.run;
	bool was_run = measurement.cpus != NULL;
	struct records_counts counts;

	AT_PASSIVE();
	status->state = is_running ? TRACER_STATE_RUNNING : TRACER_STATE_STOPPED;
	status->refusal = last_refusal;
	status->capabilities = shared_capabilities();
	for (unsigned i = 0; i < mode_count; i++)
		status->capabilities |= modes[i]->capabilities();
	status->cpus = (uint16_t)dpcs_processors();
	status->mode = was_run ? run->mode : TRACER_MODE_TIMER;
	status->clock = was_run ? run->clock : TRACER_CLOCK_QPC;
	status->clock_hz = was_run ? run->clock_hz : clock_qpc_hz();
	status->threshold_ns = run->threshold_ns;
	status->period_ns = run->period_ns;
	status->floor_ns = run->floor_ns;
	status->probes = SUM(probes);
	status->over_threshold = SUM(over_threshold);
	status->worst_ns = worst();
	records_count(&counts);
	status->dropped = counts.dropped;
	status->events_logged = counts.logged;
	status->longest_lock_ns = counts.longest_lock_ns;
	if (was_run)
		add_state(status);
}

_IRQL_requires_(PASSIVE_LEVEL) void tracer_shell_status(struct tracer_status *status)
{
	AT_PASSIVE();
	enter();
	describe(status);
	leave();
}

_IRQL_requires_(PASSIVE_LEVEL) static uint32_t count(const struct tracer_histogram_request *request, struct tracer_histogram *histogram)
{
	AT_PASSIVE();
	if (measurement.cpus == NULL)
		return TRACER_ANSWER_NOT_RUNNING;
	if (request->cpu != TRACER_ALL_CPUS && request->cpu >= measurement.cpu_count)
		return TRACER_ANSWER_INVALID_PARAMETER;
	for (unsigned i = 0; i < measurement.cpu_count; i++) {
		if ((request->cpu == TRACER_ALL_CPUS || request->cpu == i) &&
			!tracer_probe_histogram(&measurement.cpus[i].probe, request->phase, request->priority, histogram))
			return TRACER_ANSWER_INVALID_PARAMETER;
	}
	return TRACER_ANSWER_DONE;
}

_IRQL_requires_(PASSIVE_LEVEL) uint32_t tracer_shell_histogram(
	const struct tracer_histogram_request *request, struct tracer_histogram *histogram)
{
	uint32_t answer;

	AT_PASSIVE();
	enter();
	answer = count(request, histogram);
	leave();
	return answer;
}

_IRQL_requires_max_(DISPATCH_LEVEL) void measurement_discard(void)
{
	AT_MOST_DISPATCH();
	atomic_fetch_add(&measurement.power_changes, 1);
}

_IRQL_requires_max_(DISPATCH_LEVEL) void measurement_slept(uint64_t ticks)
{
	KIRQL irql;

	AT_MOST_DISPATCH();
	KeAcquireSpinLock(&cpus_lock, &irql);
	if (run_began != 0 && pause_began == 0)
		paused += ticks;
	measurement_discard();
	KeReleaseSpinLock(&cpus_lock, irql);
}

_IRQL_requires_max_(DISPATCH_LEVEL) void measurement_pause(uint32_t reason)
{
	KIRQL irql;

	AT_MOST_DISPATCH();
	KeAcquireSpinLock(&cpus_lock, &irql);
	if (!atomic_fetch_or(&measurement.is_paused, reason))
		pause_began = tracer_hal_clock();
	measurement_discard();
	KeReleaseSpinLock(&cpus_lock, irql);
}

/*
 * With the lock held, when the last reason has gone. Threads are told to arm; those whose last wake-up is still on its way need not, and
 * notice.
 */
_IRQL_requires_(DISPATCH_LEVEL) static void end_pause(void)
{
	AT_DISPATCH();
	paused += tracer_elapsed(pause_began, tracer_hal_clock());
	pause_began = 0;
	if (is_live && measurement.mode->go_on != NULL)
		measurement.mode->go_on();
	else if (is_live)
		threads_arm_all();
}

_IRQL_requires_max_(DISPATCH_LEVEL) void measurement_go_on(uint32_t reason)
{
	KIRQL irql;

	AT_MOST_DISPATCH();
	KeAcquireSpinLock(&cpus_lock, &irql);
	measurement_discard();
	if (atomic_fetch_and(&measurement.is_paused, ~reason) == reason)
		end_pause();
	KeReleaseSpinLock(&cpus_lock, irql);
}

_IRQL_requires_(PASSIVE_LEVEL) INIT_ONLY NTSTATUS measurement_init(PDRIVER_OBJECT driver)
{
	AT_PASSIVE();
	UNREFERENCED_PARAMETER(driver);
	KeInitializeMutex(&control, 0);
	KeInitializeSpinLock(&cpus_lock);
	return STATUS_SUCCESS;
}

_IRQL_requires_(PASSIVE_LEVEL) void measurement_cleanup(void)
{
	AT_PASSIVE();
	tracer_shell_stop();
	set_cpus(NULL, 0);
}
