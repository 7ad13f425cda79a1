#include "tracer_run.h"

#define NS_PER_MS 1000000u
#define LEAST_FLOORS 2u
#define LOWEST_PRIORITY 1u
#define HIGHEST_PRIORITY 31u

static bool are_valid(const uint8_t *priorities, unsigned count)
{
	if (count == 0 || count > TRACER_MAX_PRIORITIES)
		return false;
	for (unsigned i = 0; i < count; i++) {
		if (priorities[i] < LOWEST_PRIORITY || priorities[i] > HIGHEST_PRIORITY)
			return false;
	}
	return true;
}

static enum tracer_refusal examine(const struct tracer_start_request *request, const struct tracer_offer *offer)
{
	if (request->mode == TRACER_MODE_WAKEUP || request->mode > TRACER_MODE_WAKEUP ||
		(request->mode == TRACER_MODE_APIC && !(offer->capabilities & TRACER_CAN_APIC)))
		return TRACER_REFUSAL_NOT_LABORATORY;
	if (offer->clock_hz == 0)
		return TRACER_REFUSAL_CALIBRATION;
	if (request->threshold_ns == 0 || request->threshold_ns / LEAST_FLOORS < offer->floor_ns)
		return TRACER_REFUSAL_THRESHOLD;
	if (request->period_ns == 0 || request->period_ns < offer->shortest_period_ns ||
		request->period_ns > TRACER_LONGEST_PERIOD_NS)
		return TRACER_REFUSAL_PERIOD;
	return are_valid(request->priorities, request->priority_count) ? TRACER_REFUSAL_NONE : TRACER_REFUSAL_PRIORITIES;
}

enum tracer_refusal tracer_run_prepare(
	struct tracer_run *run, const struct tracer_start_request *request, const struct tracer_offer *offer)
{
	enum tracer_refusal refusal = examine(request, offer);

	if (refusal != TRACER_REFUSAL_NONE)
		return refusal;
	run->clock_hz = offer->clock_hz;
	run->threshold_ns = request->threshold_ns;
	/* However many processors, no period is longer than one that may be asked for. */
	run->affordable_period_ns =
		offer->affordable_period_ns < TRACER_LONGEST_PERIOD_NS ? offer->affordable_period_ns : TRACER_LONGEST_PERIOD_NS;
	run->period_ns = request->period_ns < run->affordable_period_ns ? run->affordable_period_ns : request->period_ns;
	run->floor_ns = offer->floor_ns;
	run->cool_down_ns = (uint64_t)request->cool_down_ms * NS_PER_MS;
	run->pre_samples = request->pre_samples;
	run->post_samples = request->post_samples;
	/* Twice what samples at 1 kHz take, and the wake-up that looks at them. */
	run->post_wait_ns = 2 * (uint64_t)request->post_samples * NS_PER_MS + run->period_ns;
	run->capabilities = offer->capabilities;
	run->mode = request->mode;
	run->clock = offer->clock;
	run->priority_count = request->priority_count;
	run->record_all = (request->flags & TRACER_START_ALL_WAKEUPS) != 0;
	for (unsigned i = 0; i < TRACER_MAX_PRIORITIES; i++)
		run->priorities[i] = i < request->priority_count ? request->priorities[i] : 0;
	run->images = NULL;
	run->image_count = 0;
	run->power_changes = NULL;
	run->floor = NULL;
	atomic_store_explicit(&run->episodes, 0, memory_order_relaxed);
	atomic_store_explicit(&run->next_sequence, 0, memory_order_relaxed);
	return TRACER_REFUSAL_NONE;
}

bool tracer_run_is_above_floor(const struct tracer_run *run)
{
	return run->threshold_ns / LEAST_FLOORS >= run->floor_ns;
}

uint32_t tracer_run_power_changes(const struct tracer_run *run)
{
	return run->power_changes != NULL ? atomic_load_explicit(run->power_changes, memory_order_acquire) : 0;
}

bool tracer_run_is_late(const struct tracer_run *run, const struct tracer_latencies *latencies)
{
	return latencies->total_ns >= run->threshold_ns || latencies->timer_ns >= run->threshold_ns;
}

unsigned tracer_run_route(const struct tracer_run *run, const struct tracer_record_header *record)
{
	struct tracer_latencies latencies;

	if (record->type == TRACER_RECORD_MODULE)
		return TRACER_ROUTE_QUEUE;
	if (record->type != TRACER_RECORD_WAKEUP || run->record_all)
		return TRACER_ROUTE_QUEUE | TRACER_ROUTE_EVENT;
	tracer_latencies_of((const struct tracer_wakeup *)record, run->clock_hz, &latencies);
	return tracer_run_is_late(run, &latencies) ? TRACER_ROUTE_QUEUE | TRACER_ROUTE_EVENT : 0;
}

void tracer_run_emit_start(const struct tracer_run *run, uint16_t cpu)
{
	struct tracer_start record = {
		.header = { .type = TRACER_RECORD_START, .size = sizeof(record), .cpu = cpu },
		.clock_hz = run->clock_hz,
		.threshold_ns = run->threshold_ns,
		.period_ns = run->period_ns,
		.floor_ns = run->floor_ns,
		.capabilities = run->capabilities,
		.mode = run->mode,
		.clock = run->clock,
		.priority_count = run->priority_count,
	};

	for (unsigned i = 0; i < TRACER_MAX_PRIORITIES; i++)
		record.priorities[i] = run->priorities[i];
	tracer_hal_emit(&record.header);
}

void tracer_run_emit_clock_sync(uint16_t cpu, uint64_t clock, uint64_t qpc)
{
	struct tracer_clock_sync record = {
		.header = { .type = TRACER_RECORD_CLOCK_SYNC, .size = sizeof(record), .cpu = cpu },
		.clock = clock,
		.qpc = qpc,
	};

	tracer_hal_emit(&record.header);
}

void tracer_run_emit_stop(uint16_t cpu, uint64_t probes, uint64_t dropped)
{
	struct tracer_stop record = {
		.header = { .type = TRACER_RECORD_STOP, .size = sizeof(record), .cpu = cpu },
		.probes = probes,
		.dropped = dropped,
	};

	tracer_hal_emit(&record.header);
}
