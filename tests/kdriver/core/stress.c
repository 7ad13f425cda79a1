/*
 * The core with real threads, for the thread sanitizer and without it: a producer that is interrupted by a signal at random moments,
 * the signal's handler interrupted by another (as the PIT hook by an NMI), readers that dump meanwhile; histograms that are read while
 * they count; a probe whose threads come in any order and whose dump is overtaken.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include "checks.h"
#include "tracer_hal.h"
#include "tracer_histogram.h"
#include "tracer_probe.h"

#define CAPACITY 16
#define RECORDS 40000u
#define INTERRUPTS 200u
#define COUNTED 20000u
#define WAKE_UPS 100u
#define READERS 2

static struct tracer_slot slots[CAPACITY];
static struct tracer_ring ring;
static _Atomic uint32_t written, given_up, nested, deepest;
static _Atomic bool over;

/* Every word of a sample follows from its number. */
static void write_one(void)
{
	uint32_t number = atomic_fetch_add(&written, 1);
	struct tracer_sample sample = { .clock = number, .ip = number * UINT64_C(0x9E3779B97F4A7C15), .stack_bytes = 64 };

	for (unsigned i = 0; i < TRACER_KEPT_REGISTERS; i++)
		sample.registers[i] = sample.ip + i;
	memset(sample.stack, (int)(number & 0xFF), 64);
	if (!tracer_ring_write(&ring, &sample))
		atomic_fetch_add(&given_up, 1);
}

static bool is_whole(const struct tracer_sample *sample)
{
	if (sample->ip != sample->clock * UINT64_C(0x9E3779B97F4A7C15) || sample->stack_bytes != 64)
		return false;
	for (unsigned i = 0; i < TRACER_KEPT_REGISTERS; i++) {
		if (sample->registers[i] != sample->ip + i)
			return false;
	}
	for (unsigned i = 0; i < 64; i++) {
		if (sample->stack[i] != (uint8_t)sample->clock)
			return false;
	}
	return true;
}

/* SIGUSR1 is the PIT, SIGUSR2 the NMI: each can interrupt what is below it. */
static void interrupt(int number)
{
	static _Atomic uint32_t level;
	uint32_t depth = atomic_fetch_add(&level, 1) + 1;

	if (depth > atomic_load(&deepest))
		atomic_store(&deepest, depth);
	atomic_fetch_add(&nested, 1);
	for (unsigned i = 0; i < (number == SIGUSR1 ? 2u : CAPACITY / 2); i++)
		write_one();
	if (number == SIGUSR1) {
		raise(SIGUSR2);
		write_one();
	}
	atomic_fetch_sub(&level, 1);
}

/* Interrupts itself now and then, should nobody else get to it. */
static void *produce(void *nothing)
{
	while (atomic_load(&written) < RECORDS) {
		for (unsigned i = 0; i < 100; i++)
			write_one();
		raise(SIGUSR1);
	}
	atomic_store(&over, true);
	return nothing;
}

static void *interrupt_producer(void *producer)
{
	uint64_t state = 5;

	while (!atomic_load(&over)) {
		pthread_kill(*(pthread_t *)producer, SIGUSR1);
		for (uint64_t spin = next_random(&state) & 127; spin > 0; spin--)
			atomic_load(&over);
		pthread_kill(*(pthread_t *)producer, SIGUSR2);
		sched_yield();
	}
	return NULL;
}

struct reader {
	struct tracer_ring_cursor cursor;
	uint64_t delivered, torn, unordered;
	struct tracer_sample sample;
};

static void read_on(struct reader *reader, uint32_t head, bool last)
{
	while (reader->cursor.position != head) {
		enum tracer_ring_answer answer = tracer_ring_read(&ring, &reader->cursor, head, &reader->sample);
		if (answer == TRACER_RING_SAMPLE) {
			reader->delivered++;
			reader->torn += !is_whole(&reader->sample);
		} else if (answer == TRACER_RING_UNFINISHED) {
			if (!last)
				return;
			reader->unordered++;
			tracer_ring_step_over(&reader->cursor);
		}
	}
}

static void *read_ring(void *context)
{
	struct reader *reader = context;

	while (!atomic_load(&over))
		read_on(reader, tracer_ring_head(&ring), false);
	return NULL;
}

static void ring_is_read_while_it_is_written(void)
{
	static struct reader readers[READERS];
	struct sigaction action = { .sa_handler = interrupt, .sa_flags = SA_RESTART };
	pthread_t producer, pit, reading[READERS];

	CHECK(tracer_ring_init(&ring, slots, CAPACITY, UINT32_MAX - RECORDS / 2));
	sigemptyset(&action.sa_mask);
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
	for (unsigned i = 0; i < READERS; i++) {
		readers[i].cursor.position = ring.first;
		pthread_create(&reading[i], NULL, read_ring, &readers[i]);
	}
	pthread_create(&producer, NULL, produce, NULL);
	pthread_create(&pit, NULL, interrupt_producer, &producer);
	pthread_join(pit, NULL);
	pthread_join(producer, NULL);
	for (unsigned i = 0; i < READERS; i++) {
		pthread_join(reading[i], NULL);
		read_on(&readers[i], tracer_ring_head(&ring), true);
		CHECK(readers[i].delivered > 0);
		CHECK_EQUAL(0, readers[i].torn);
		CHECK_EQUAL(0, readers[i].unordered);
		CHECK_EQUAL(atomic_load(&written), readers[i].delivered + readers[i].cursor.lost);
	}
	CHECK_EQUAL(atomic_load(&written), (uint32_t)(tracer_ring_head(&ring) - ring.first));
	CHECK(atomic_load(&nested) >= INTERRUPTS);
#ifndef __SANITIZE_THREAD__ /* which holds a signal back while the handler of another runs */
	CHECK(atomic_load(&deepest) >= 2);
#endif
}

static struct tracer_count count;
static struct tracer_buckets buckets;
static _Atomic bool counted;

static void *count_up(void *nothing)
{
	/* Over the edge of the low word again and again. */
	for (unsigned i = 0; i < COUNTED; i++) {
		tracer_count_add(&count, 0x70000001);
		tracer_buckets_add(&buckets, i);
	}
	atomic_store(&counted, true);
	return nothing;
}

static void counts_are_read_while_they_grow(void)
{
	static struct tracer_histogram histogram;
	uint64_t last = 0, last_total = 0;
	pthread_t counter;

	tracer_count_set(&count, 0);
	tracer_buckets_clear(&buckets);
	pthread_create(&counter, NULL, count_up, NULL);
	while (!atomic_load(&counted)) {
		uint64_t now = tracer_count_read(&count);
		CHECK(now >= last && now % 0x70000001 == 0);
		last = now;
		memset(&histogram, 0, sizeof(histogram));
		tracer_buckets_sum(&buckets, &histogram);
		CHECK(histogram.total >= last_total && histogram.total <= COUNTED);
		last_total = histogram.total;
	}
	pthread_join(counter, NULL);
	memset(&histogram, 0, sizeof(histogram));
	tracer_buckets_sum(&buckets, &histogram);
	CHECK_EQUAL(COUNTED, histogram.total);
	CHECK_EQUAL((uint64_t)COUNTED * 0x70000001, tracer_count_read(&count));
}

static struct tracer_run run;
static struct tracer_probe probe;
static _Atomic uint64_t now = 1000;
static _Atomic uint32_t woken[4], completed, emitted;
static uint32_t begun, ended, samples, bad_samples; /* only who evaluates emits */
static uint64_t sampled;
static _Atomic bool quiet;

uint64_t tracer_hal_clock(void)
{
	return atomic_fetch_add(&now, 10);
}

uint32_t tracer_hal_smi_count(void)
{
	return TRACER_SMI_NOT_READ;
}

void tracer_hal_queue_dpc(uint16_t cpu)
{
	(void)cpu;
}

void tracer_hal_wake_thread(uint16_t cpu, unsigned index)
{
	(void)cpu;
	atomic_fetch_add(&woken[index], 1);
}

void tracer_hal_emit(const struct tracer_record_header *record)
{
	const struct tracer_pit_sample *sample = (const void *)record;
	const struct tracer_episode_end *end = (const void *)record;

	switch (record->type) {
	case TRACER_RECORD_WAKEUP:
		atomic_fetch_add(&emitted, 1);
		break;
	case TRACER_RECORD_EPISODE_BEGIN:
		begun++;
		samples = 0;
		break;
	case TRACER_RECORD_PIT_SAMPLE:
		bad_samples += sample->index != samples++ || sample->ip != ~sample->clock || sample->episode != begun;
		sampled++;
		break;
	case TRACER_RECORD_EPISODE_END:
		bad_samples += end->samples != samples || end->episode != begun;
		ended++;
		break;
	default:
		break;
	}
	sched_yield();
}

/* The PIT of the probe's CPU: stops for no dump but the last. */
static void *sample_on(void *nothing)
{
	for (uint32_t taken_until_now = 0; !atomic_load(&quiet) || taken_until_now < CAPACITY; taken_until_now++) {
		struct tracer_sample taken = { .clock = atomic_fetch_add(&now, 10) };
		taken.ip = ~taken.clock;
		tracer_ring_write(&ring, &taken);
		if ((taken.clock & 7) == 0)
			sched_yield();
	}
	return nothing;
}

static void *measured_thread(void *index)
{
	uint32_t seen = 0;
	unsigned own = *(const unsigned *)index;

	while (seen < WAKE_UPS) {
		if (atomic_load(&woken[own]) == seen) {
			sched_yield();
			continue;
		}
		seen++;
		if (tracer_probe_thread(&probe, own, tracer_hal_clock()))
			atomic_fetch_add(&completed, 1);
	}
	return NULL;
}

static void wake_ups_complete_once(void)
{
	static unsigned indexes[4] = { 0, 1, 2, 3 };
	static struct tracer_histogram histogram;
	pthread_t threads[4], pit;

	run = (struct tracer_run){
		.clock_hz = 1000000000,
		.threshold_ns = 1,
		.priority_count = 4,
		.priorities = { 31, 28, 24, 16 },
		.pre_samples = 4,
		.post_samples = 2,
		.post_wait_ns = 100000,
	};
	CHECK(tracer_ring_init(&ring, slots, CAPACITY, 0));
	tracer_probe_init(&probe, &run, &ring, 0);
	pthread_create(&pit, NULL, sample_on, NULL);
	for (unsigned i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, measured_thread, &indexes[i]);
	for (uint32_t i = 0; i < WAKE_UPS; i++) {
		struct tracer_interrupt taken;
		if (i == WAKE_UPS - 1) { /* a dump that nothing overtakes: it has samples whoever ran until now */
			atomic_store(&quiet, true);
			pthread_join(pit, NULL);
		}
		taken = (struct tracer_interrupt){ .clock = tracer_hal_clock() };
		CHECK(tracer_probe_arm(&probe));
		CHECK(tracer_probe_isr(&probe, taken.clock, &taken));
		CHECK(tracer_probe_dpc(&probe, tracer_hal_clock()));
		while (atomic_load(&completed) <= i)
			sched_yield();
	}
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	tracer_probe_close(&probe, tracer_hal_clock());
	CHECK_EQUAL(WAKE_UPS, atomic_load(&completed));
	CHECK_EQUAL(4 * WAKE_UPS, atomic_load(&emitted));
	CHECK_EQUAL(4 * WAKE_UPS, tracer_count_read(&probe.probes));
	CHECK(begun > 0 && sampled > 0);
	CHECK_EQUAL(run.episodes, begun);
	CHECK_EQUAL(begun, ended);
	CHECK_EQUAL(0, bad_samples);
	CHECK(tracer_probe_histogram(&probe, TRACER_PHASE_DPC, 0, &histogram));
	CHECK_EQUAL(WAKE_UPS, histogram.total);
}

int main(void)
{
	run_test("stress: the ring is read while interrupts write it", ring_is_read_while_it_is_written);
	run_test("stress: counts are read while they grow", counts_are_read_while_they_grow);
	run_test("stress: a wake-up completes once, and dumps samples that go on coming", wake_ups_complete_once);
	return failures();
}
