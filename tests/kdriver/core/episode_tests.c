#include "fake_machine.h"
#include "tracer_episode.h"

#define CAPACITY 32
#define MS 1000000u /* ticks: the clock of these tests counts ns */

static struct tracer_slot slots[CAPACITY];
static struct tracer_ring ring;
static struct tracer_run run;
static struct tracer_episode episode;

static void reset(uint32_t pre, uint32_t post, uint64_t cool_down_ns)
{
	fake_reset();
	run = (struct tracer_run){
		.clock_hz = 1000000000,
		.threshold_ns = MS,
		.pre_samples = pre,
		.post_samples = post,
		.cool_down_ns = cool_down_ns,
		.post_wait_ns = 50 * MS,
	};
	CHECK(tracer_ring_init(&ring, slots, CAPACITY, UINT32_MAX - 40));
	tracer_episode_init(&episode, &run, &ring, 3);
}

/* One sample each millisecond from..to. */
static void sample(uint64_t from, uint64_t to)
{
	for (uint64_t ms = from; ms <= to; ms++) {
		struct tracer_sample taken = { .clock = ms * MS, .ip = 0x1000 + ms, .cs = 0x10, .cpu = 3, .flags = 0x202, .word_bytes = 8 };
		CHECK(tracer_ring_write(&ring, &taken));
	}
}

/* A wake-up that was due at one millisecond and ran at another. */
static bool wake(uint64_t due, uint64_t ran)
{
	struct tracer_wakeup wakeup = { .expected = due * MS, .dpc = ran * MS, .thread = ran * MS };

	return tracer_episode_begin(&episode, &wakeup, (ran - due) * MS, ran * MS);
}

/* An episode in the records from `index` on: begin, samples of these milliseconds, and the end if it is over. Returns the next index. */
static unsigned check_episode(unsigned index, uint32_t number, uint64_t first, uint64_t last, bool over)
{
	const struct tracer_episode_begin *begin = fake_record(index++, TRACER_RECORD_EPISODE_BEGIN);

	CHECK_EQUAL(number, begin->episode);
	CHECK_EQUAL(3, begin->header.cpu);
	for (uint64_t ms = first; ms <= last; ms++) {
		const struct tracer_pit_sample *taken = fake_record(index++, TRACER_RECORD_PIT_SAMPLE);
		CHECK_EQUAL(0x1000 + ms, taken->ip);
		CHECK_EQUAL(ms * MS, taken->clock);
		CHECK_EQUAL(number, taken->episode);
		CHECK_EQUAL(ms - first, taken->index);
		CHECK_EQUAL(0x202, taken->flags);
		CHECK_EQUAL(0x10, taken->cs);
		CHECK_EQUAL(TRACER_PIT_SAMPLE_BYTES(0), taken->header.size);
	}
	if (over) {
		const struct tracer_episode_end *end = fake_record(index++, TRACER_RECORD_EPISODE_END);
		CHECK_EQUAL(number, end->episode);
		CHECK_EQUAL(last + 1 - first, end->samples);
	}
	return index;
}

static void dumps_before_during_and_after(void)
{
	reset(3, 2, 0);
	sample(1, 20);
	tracer_episode_arm(&episode);
	sample(21, 35);
	CHECK(wake(30, 35));
	CHECK_EQUAL(10, check_episode(0, 1, 27, 35, false));
	CHECK_EQUAL(10, fake.record_count);
	sample(36, 36);
	tracer_episode_poll(&episode, 36 * MS);
	CHECK_EQUAL(11, fake.record_count);
	sample(37, 40);
	tracer_episode_poll(&episode, 41 * MS);
	CHECK_EQUAL(13, check_episode(0, 1, 27, 37, true));
	CHECK_EQUAL(13, fake.record_count);
	tracer_episode_poll(&episode, 42 * MS);
	CHECK_EQUAL(13, fake.record_count);
}

static void ends_at_once_when_nothing_is_to_come(void)
{
	reset(0, 0, 0);
	sample(1, 9);
	CHECK(wake(5, 8));
	CHECK_EQUAL(6, check_episode(0, 1, 5, 8, true));
	tracer_episode_arm(&episode);
	/* Masked for the whole latency: not one sample in it. */
	CHECK(wake(20, 25));
	CHECK_EQUAL(8, check_episode(6, 2, 1, 0, true));
	/* Without a ring there is just the latency. */
	tracer_episode_init(&episode, &run, NULL, 3);
	CHECK(wake(40, 45));
	CHECK_EQUAL(10, check_episode(8, 3, 1, 0, true));
}

static void does_not_wait_for_ever(void)
{
	const struct tracer_episode_end *end;

	reset(0, 10, 0);
	sample(1, 9);
	CHECK(wake(5, 9));
	tracer_episode_poll(&episode, 58 * MS);
	CHECK(episode.open);
	tracer_episode_poll(&episode, 59 * MS);
	CHECK(!episode.open);
	CHECK_EQUAL(7, check_episode(0, 1, 5, 9, true));
	CHECK(wake(70, 72));
	tracer_episode_close(&episode, 73 * MS);
	CHECK(!episode.open);
	end = fake_record(8, TRACER_RECORD_EPISODE_END);
	CHECK_EQUAL(0, end->samples);
	tracer_episode_close(&episode, 73 * MS);
	CHECK_EQUAL(9, fake.record_count);
}

static void cools_down(void)
{
	reset(0, 0, 100 * MS);
	CHECK(wake(5, 9));
	CHECK(!wake(20, 25));
	CHECK(!wake(100, 108));
	CHECK(wake(105, 109));
	CHECK_EQUAL(2, run.episodes);
	/* While one is open there is no other either. */
	run.post_samples = 1;
	run.cool_down_ns = 0;
	CHECK(wake(300, 305));
	CHECK(!wake(310, 315));
	sample(320, 320);
	CHECK(wake(321, 325));
	CHECK_EQUAL(4, run.episodes);
}

static void counts_what_the_ring_lost(void)
{
	const struct tracer_episode_end *end;

	/* 100 samples since the timer was armed, 32 of them left: nobody knows how many of the lost were before the due time. */
	reset(4, 0, 0);
	sample(1, 10);
	tracer_episode_arm(&episode);
	sample(11, 110);
	CHECK(wake(20, 110));
	CHECK_EQUAL(34, check_episode(0, 1, 79, 110, true));
	end = fake_record(33, TRACER_RECORD_EPISODE_END);
	CHECK_EQUAL(72, end->overwritten);

	/* Due while samples are left: exact. 26 to 110 wanted, of which 79 are left... */
	fake.record_count = 0;
	tracer_episode_arm(&episode);
	sample(111, 150);
	CHECK(wake(121, 150));
	CHECK_EQUAL(34, check_episode(0, 2, 119, 150, true));
	end = fake_record(33, TRACER_RECORD_EPISODE_END);
	CHECK_EQUAL(2, end->overwritten);
}

/* Another CPU's dump may come while a writer is at work: it waits for it, or leaves it out at the end. */
static void waits_for_an_unfinished_sample(void)
{
	const struct tracer_episode_end *end;
	struct tracer_slot *slot;
	uint32_t position;

	for (unsigned finished = 0; finished < 2; finished++) {
		reset(1, 0, 0);
		sample(1, 5);
		position = atomic_fetch_add(&ring.head, 1);
		slot = &slots[position & ring.mask];
		atomic_store(&slot->begin, position);
		sample(7, 8);
		CHECK(wake(4, 8));
		CHECK(episode.open);
		CHECK_EQUAL(4, fake.record_count);
		tracer_episode_poll(&episode, 9 * MS);
		CHECK_EQUAL(4, fake.record_count);
		if (finished) {
			slot->words[0] = 6 * MS;
			atomic_store(&slot->end, position);
			tracer_episode_poll(&episode, 9 * MS);
		} else {
			tracer_episode_close(&episode, 9 * MS);
		}
		CHECK(!episode.open);
		end = fake_record(6 + finished, TRACER_RECORD_EPISODE_END);
		CHECK_EQUAL(5 + finished, end->samples);
		CHECK_EQUAL(1 - finished, end->overwritten);
	}
}

static void counts_firmware_interrupts(void)
{
	const struct tracer_episode_end *end;

	reset(0, 0, 0);
	CHECK(wake(5, 9));
	end = fake_record(1, TRACER_RECORD_EPISODE_END);
	CHECK_EQUAL(TRACER_SMI_NOT_READ, end->smi_count);
	fake.smi_count = UINT32_MAX - 2;
	tracer_episode_arm(&episode);
	fake.smi_count = 4;
	CHECK(wake(15, 19));
	end = fake_record(3, TRACER_RECORD_EPISODE_END);
	CHECK_EQUAL(7, end->smi_count);
}

static void tells_the_callers(void)
{
	struct tracer_sample taken = { .clock = 7 * MS, .ip = 0x401000, .sp = 0x9000, .word_bytes = 8, .stack_bytes = 32, .cpu = 3 };
	const struct tracer_pit_sample *record;

	reset(0, 0, 0);
	taken.registers[TRACER_KEPT_BP] = 0x9008;
	taken.stack[17] = 0x20; /* [0x9010] = 0x402000 */
	taken.stack[18] = 0x40;
	CHECK(tracer_ring_write(&ring, &taken));
	CHECK(wake(5, 9));
	record = fake_record(1, TRACER_RECORD_PIT_SAMPLE);
	CHECK_EQUAL(1, record->caller_count);
	CHECK_EQUAL(0x402000, record->callers[0]);
	CHECK_EQUAL(TRACER_PIT_SAMPLE_BYTES(1), record->header.size);
}

void episode_tests(void)
{
	run_test("episode: dumps samples before, during and after a latency", dumps_before_during_and_after);
	run_test("episode: ends at once when nothing is to come", ends_at_once_when_nothing_is_to_come);
	run_test("episode: does not wait for ever", does_not_wait_for_ever);
	run_test("episode: cools down", cools_down);
	run_test("episode: counts what the ring lost", counts_what_the_ring_lost);
	run_test("episode: waits for an unfinished sample, or leaves it out", waits_for_an_unfinished_sample);
	run_test("episode: counts system management interrupts", counts_firmware_interrupts);
	run_test("episode: tells the callers of a sample", tells_the_callers);
}
