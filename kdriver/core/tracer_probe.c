#include "tracer_probe.h"

#include "tracer_clock.h"
#include "tracer_floor.h"

void tracer_probe_init(struct tracer_probe *probe, struct tracer_run *run, const struct tracer_ring *ring, uint16_t cpu)
{
	probe->run = run;
	probe->cpu = cpu;
	probe->last_sequence = 0;
	atomic_store_explicit(&probe->state, TRACER_PROBE_IDLE, memory_order_relaxed);
	atomic_store_explicit(&probe->came, 0, memory_order_relaxed);
	atomic_store_explicit(&probe->measured, 0, memory_order_relaxed);
	atomic_store_explicit(&probe->missed, 0, memory_order_relaxed);
	tracer_count_set(&probe->probes, 0);
	tracer_count_set(&probe->over_threshold, 0);
	tracer_count_set(&probe->discarded, 0);
	tracer_count_set(&probe->worst_ns, 0);
	tracer_count_set(&probe->dpc_own, 0);
	tracer_buckets_clear(&probe->interrupt_phase);
	tracer_buckets_clear(&probe->dpc_phase);
	tracer_buckets_clear(&probe->reference_phase);
	tracer_buckets_clear(&probe->timer_phase);
	for (unsigned i = 0; i < TRACER_MAX_PRIORITIES; i++) {
		tracer_count_set(&probe->thread_own[i], 0);
		tracer_buckets_clear(&probe->thread_phase[i]);
		tracer_buckets_clear(&probe->total_phase[i]);
	}
	tracer_episode_init(&probe->episode, run, ring, cpu);
}

/* One station to the next; false where the wake-up is not at `from`. */
static bool advance(struct tracer_probe *probe, uint32_t from, uint32_t to)
{
	return atomic_compare_exchange_strong_explicit(&probe->state, &from, to, memory_order_acq_rel, memory_order_acquire);
}

bool tracer_probe_arm(struct tracer_probe *probe)
{
	if (atomic_load_explicit(&probe->state, memory_order_acquire) != TRACER_PROBE_IDLE)
		return false;
	tracer_episode_arm(&probe->episode);
	probe->expiry.power_changes = tracer_run_power_changes(probe->run);
	atomic_store_explicit(&probe->came, 0, memory_order_relaxed);
	atomic_store_explicit(&probe->measured, 0, memory_order_relaxed);
	return advance(probe, TRACER_PROBE_IDLE, TRACER_PROBE_ARMED);
}

bool tracer_probe_isr(struct tracer_probe *probe, uint64_t expected, const struct tracer_interrupt *interrupt)
{
	if (expected == 0)
		return false;
	if (!advance(probe, TRACER_PROBE_ARMED, TRACER_PROBE_QUEUED)) {
		atomic_fetch_add_explicit(&probe->missed, 1, memory_order_relaxed);
		return false;
	}
	probe->expiry = (struct tracer_expiry){
		.expected = expected, .power_changes = probe->expiry.power_changes, .is_counted = true
	};
	probe->queued = 0;
	probe->reference = 0;
	probe->isr = interrupt->clock;
	probe->interrupted_ip = interrupt->ip;
	probe->interrupted_cs = interrupt->cs;
	tracer_hal_queue_dpc(probe->cpu);
	return true;
}

/* The caller queues the DPC behind this, which makes all of it visible to the DPC. */
bool tracer_probe_queue(struct tracer_probe *probe, const struct tracer_expiry *expiry, uint64_t clock)
{
	if (!advance(probe, TRACER_PROBE_ARMED, TRACER_PROBE_QUEUED))
		return false;
	probe->expiry = *expiry;
	probe->queued = clock;
	probe->reference = 0;
	probe->isr = 0;
	probe->interrupted_ip = 0;
	probe->interrupted_cs = 0;
	return true;
}

bool tracer_probe_dpc(struct tracer_probe *probe, uint64_t clock)
{
	if (atomic_load_explicit(&probe->state, memory_order_acquire) != TRACER_PROBE_QUEUED)
		return false;
	probe->dpc = clock;
	advance(probe, TRACER_PROBE_QUEUED, TRACER_PROBE_IN_DPC);
	for (unsigned i = 0; i < probe->run->priority_count; i++)
		tracer_hal_wake_thread(probe->cpu, i);
	return true;
}

/* The run's counter has 32 bits: this CPU's last number tells the rest. */
static uint64_t next_sequence(struct tracer_probe *probe)
{
	uint32_t next = atomic_fetch_add_explicit(&probe->run->next_sequence, 1, memory_order_relaxed) + 1;

	probe->last_sequence += (uint32_t)(next - (uint32_t)probe->last_sequence);
	return probe->last_sequence;
}

/* Once for a wake-up, however many threads it has. */
static void count_once(struct tracer_probe *probe, const struct tracer_latencies *latencies)
{
	uint64_t reference = tracer_elapsed(probe->queued, probe->reference);

	if (probe->isr != 0)
		tracer_buckets_add(&probe->interrupt_phase, latencies->interrupt_ns);
	tracer_buckets_add(&probe->dpc_phase, latencies->dpc_ns);
	if (probe->reference != 0)
		tracer_buckets_add(&probe->reference_phase, tracer_ticks_to_ns(reference, probe->run->clock_hz));
}

static void count(struct tracer_probe *probe, unsigned index, const struct tracer_latencies *latencies)
{
	if (index == 0)
		count_once(probe, latencies);
	tracer_buckets_add(&probe->thread_phase[index], latencies->thread_ns);
	tracer_buckets_add(&probe->total_phase[index], latencies->total_ns);
	tracer_count_add(&probe->probes, 1);
	if (latencies->total_ns > tracer_count_read(&probe->worst_ns))
		tracer_count_set(&probe->worst_ns, latencies->total_ns);
}

static void describe(const struct tracer_probe *probe, unsigned index, struct tracer_wakeup *record)
{
	const struct tracer_run *run = probe->run;

	*record = (struct tracer_wakeup){
		.header = { .type = TRACER_RECORD_WAKEUP, .size = sizeof(*record), .cpu = probe->cpu },
		.expected = probe->expiry.expected,
		.isr = probe->isr,
		.dpc = probe->dpc,
		.thread = probe->thread[index],
		.interrupted_ip = probe->interrupted_ip,
		.interrupted_cs = probe->interrupted_cs,
		.mode = run->mode,
		.priority = run->priorities[index],
		.timer_cpu = probe->expiry.cpu,
		.tick = probe->expiry.tick,
		.callback = probe->expiry.callback,
		.queued = probe->queued,
	};
}

/*
 * Counts and records the wake-up of one thread; true where it was late. How late the timer was is the timer's matter, and counted there: it
 * is the same for all CPUs.
 */
static bool evaluate(struct tracer_probe *probe, unsigned index, struct tracer_wakeup *record, struct tracer_latencies *latencies)
{
	const struct tracer_run *run = probe->run;
	bool late;

	describe(probe, index, record);
	tracer_latencies_of(record, run->clock_hz, latencies);
	if (!probe->expiry.is_counted) {
		tracer_floor_add(run->floor, index, latencies->total_ns);
		return false;
	}
	record->sequence = next_sequence(probe);
	count(probe, index, latencies);
	late = latencies->total_ns >= run->threshold_ns;
	if (late)
		tracer_count_add(&probe->over_threshold, 1);
	tracer_hal_emit(&record->header);
	return late;
}

/* All threads have come: records them, and the episode of the one that was latest. */
static void evaluate_all(struct tracer_probe *probe)
{
	struct tracer_wakeup record, worst;
	struct tracer_latencies latencies;
	uint64_t worst_ns = 0;

	for (unsigned i = 0; i < probe->run->priority_count; i++) {
		if (tracer_run_power_changes(probe->run) != probe->expiry.power_changes) {
			tracer_count_add(&probe->discarded, 1);
		} else if (evaluate(probe, i, &record, &latencies) && latencies.total_ns >= worst_ns) {
			worst = record;
			worst_ns = latencies.total_ns;
		}
	}
	if (worst_ns != 0)
		tracer_episode_begin(&probe->episode, &worst, worst_ns, tracer_hal_clock());
	else
		tracer_episode_poll(&probe->episode, tracer_hal_clock());
}

/*
 * Each thread leaves its time and goes; the last evaluates. If the first did, the others would be measured late by the time that
 * writing records takes.
 */
bool tracer_probe_thread(struct tracer_probe *probe, unsigned index, uint64_t clock)
{
	uint32_t all = (1u << probe->run->priority_count) - 1;

	if (index >= probe->run->priority_count || atomic_load_explicit(&probe->state, memory_order_acquire) != TRACER_PROBE_IN_DPC ||
		(atomic_fetch_or_explicit(&probe->came, 1u << index, memory_order_acq_rel) >> index & 1))
		return false;
	probe->thread[index] = clock;
	if ((atomic_fetch_or_explicit(&probe->measured, 1u << index, memory_order_acq_rel) | 1u << index) != all)
		return false;
	evaluate_all(probe);
	return advance(probe, TRACER_PROBE_IN_DPC, TRACER_PROBE_IDLE);
}

void tracer_probe_reference(struct tracer_probe *probe, uint64_t clock)
{
	if (atomic_load_explicit(&probe->state, memory_order_acquire) == TRACER_PROBE_QUEUED)
		probe->reference = clock;
}

void tracer_probe_own_dpc(struct tracer_probe *probe, uint64_t ticks)
{
	tracer_count_add(&probe->dpc_own, ticks);
}

void tracer_probe_own_thread(struct tracer_probe *probe, unsigned index, uint64_t ticks)
{
	tracer_count_add(&probe->thread_own[index], ticks);
}

uint64_t tracer_probe_own(const struct tracer_probe *probe)
{
	uint64_t own = tracer_count_read(&probe->dpc_own);

	for (unsigned i = 0; i < TRACER_MAX_PRIORITIES; i++)
		own += tracer_count_read(&probe->thread_own[i]);
	return own;
}

void tracer_probe_close(struct tracer_probe *probe, uint64_t now)
{
	tracer_episode_close(&probe->episode, now);
	atomic_store_explicit(&probe->state, TRACER_PROBE_IDLE, memory_order_release);
}

/* The threads' histograms of one priority, or of all. */
static bool sum_threads(const struct tracer_probe *probe, const struct tracer_buckets *phases, uint8_t priority,
	struct tracer_histogram *histogram)
{
	bool found = false;

	for (unsigned i = 0; i < probe->run->priority_count; i++) {
		if (priority == 0 || probe->run->priorities[i] == priority) {
			tracer_buckets_sum(&phases[i], histogram);
			found = true;
		}
	}
	return found;
}

bool tracer_probe_histogram(
	const struct tracer_probe *probe, enum tracer_phase phase, uint8_t priority, struct tracer_histogram *histogram)
{
	histogram->abi.version = TRACER_ABI_VERSION;
	histogram->abi.size = sizeof(*histogram);
	switch (phase) {
	case TRACER_PHASE_INTERRUPT:
		tracer_buckets_sum(&probe->interrupt_phase, histogram);
		return true;
	case TRACER_PHASE_DPC:
		tracer_buckets_sum(&probe->dpc_phase, histogram);
		return true;
	case TRACER_PHASE_THREAD:
		return sum_threads(probe, probe->thread_phase, priority, histogram);
	case TRACER_PHASE_TOTAL:
		return sum_threads(probe, probe->total_phase, priority, histogram);
	case TRACER_PHASE_REFERENCE:
		tracer_buckets_sum(&probe->reference_phase, histogram);
		return true;
	case TRACER_PHASE_TIMER:
		tracer_buckets_sum(&probe->timer_phase, histogram);
		return true;
	default:
		return false;
	}
}
