#include "checks.h"
#include "tracer_queue.h"

#define CAPACITY 1000u
#define BEYOND 0xA5

static struct tracer_queue queue;
static uint64_t memory[CAPACITY / 8];
static uint64_t out[2 * CAPACITY / 8];

/* A record of so many bytes whose words behind the header are all `value`. */
static const struct tracer_record_header *record_of(uint16_t type, uint16_t size, uint64_t value)
{
	static uint64_t words[TRACER_MAX_RECORD_BYTES / 8 + 1];
	struct tracer_record_header *header = (struct tracer_record_header *)(void *)words;

	for (unsigned i = 1; i < size / 8u; i++)
		words[i] = value;
	*header = (struct tracer_record_header){ .type = type, .size = size };
	return header;
}

static bool put(uint16_t size, uint64_t value)
{
	return tracer_queue_put(&queue, record_of(TRACER_RECORD_WAKEUP, size, value));
}

static void starts_with_enough_memory(void)
{
	CHECK(!tracer_queue_init(&queue, memory, TRACER_QUEUE_LEAST_BYTES - 8));
	CHECK(!tracer_queue_init(&queue, memory, CAPACITY - 4));
	CHECK(tracer_queue_init(&queue, memory, TRACER_QUEUE_LEAST_BYTES));
	CHECK(put(TRACER_MAX_RECORD_BYTES, 1));
	CHECK(!put(24, 1));
	CHECK_EQUAL(1, queue.dropped);
}

static void keeps_room_for_the_stop_record(void)
{
	CHECK(tracer_queue_init(&queue, memory, CAPACITY));
	while (put(24, 1))
		;
	CHECK_EQUAL(CAPACITY / 24 - 1, queue.records);
	CHECK(tracer_queue_put(&queue, record_of(TRACER_RECORD_STOP, sizeof(struct tracer_stop), 2)));
	CHECK(!tracer_queue_put(&queue, record_of(TRACER_RECORD_STOP, sizeof(struct tracer_stop), 2)));
	CHECK_EQUAL(2, queue.dropped);
}

static void refuses_what_is_no_record(void)
{
	static const uint16_t sizes[] = { 0, 4, 20, TRACER_MAX_RECORD_BYTES + 8, 0xFFF8 };

	CHECK(tracer_queue_init(&queue, memory, CAPACITY));
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct tracer_record_header header = { .type = TRACER_RECORD_WAKEUP, .size = sizes[i] };
		CHECK(!tracer_queue_put(&queue, &header));
	}
	CHECK_EQUAL(5, queue.dropped);
	CHECK_EQUAL(0, queue.records);
}

static void gives_whole_records_only(void)
{
	uint8_t *bytes = (uint8_t *)out;
	uint32_t records;

	CHECK(tracer_queue_init(&queue, memory, CAPACITY));
	CHECK(put(24, 1));
	CHECK(put(64, 2));
	for (unsigned i = 0; i < sizeof(out); i++)
		bytes[i] = BEYOND;
	CHECK_EQUAL(0, tracer_queue_take(&queue, out, 23, &records));
	CHECK_EQUAL(0, records);
	CHECK_EQUAL(24, tracer_queue_take(&queue, out, 87, &records));
	CHECK_EQUAL(1, records);
	CHECK_EQUAL(1, out[1]);
	CHECK_EQUAL(BEYOND, bytes[24]);
	CHECK_EQUAL(64, tracer_queue_take(&queue, out, 64, &records));
	CHECK_EQUAL(2, out[7]);
	CHECK_EQUAL(0, tracer_queue_take(&queue, out, sizeof(out), &records));
	CHECK_EQUAL(0, records);
}

/*
 * What is done under the lock copies one record at most, whatever there is to read: putting changes no more of the memory than the record
 * is long, showing and removing nothing.
 */
static void copies_one_record_at_most_under_the_lock(void)
{
	static uint64_t before[CAPACITY / 8];
	struct tracer_queue_part part;
	unsigned laps = 0;

	CHECK(tracer_queue_init(&queue, memory, CAPACITY));
	for (uint64_t value = 1; laps < 5; value++) {
		uint32_t changed = 0;
		bool is_put;

		for (unsigned i = 0; i < CAPACITY / 8; i++)
			before[i] = memory[i] = BEYOND + value;
		queue.dropped = 0;
		is_put = tracer_queue_put(&queue, record_of(TRACER_RECORD_WAKEUP, 88, value));
		for (unsigned i = 0; i < CAPACITY / 8; i++)
			changed += memory[i] != before[i];
		CHECK(changed <= 88 / 8);
		if (is_put)
			continue;
		laps++;
		for (unsigned i = 0; i < CAPACITY / 8; i++)
			before[i] = memory[i];
		tracer_queue_show(&queue, &part);
		CHECK_EQUAL(queue.used, part.bytes);
		part.bytes = 3 * 88;
		part.records = 3;
		tracer_queue_remove(&queue, &part);
		for (unsigned i = 0; i < CAPACITY / 8; i++)
			CHECK_EQUAL(before[i], memory[i]);
	}
}

static void leaves_a_part_alone_that_is_being_copied(void)
{
	struct tracer_queue_part part;

	CHECK(tracer_queue_init(&queue, memory, CAPACITY));
	for (unsigned lap = 0; lap < 50; lap++) {
		while (put(88, lap))
			;
		tracer_queue_show(&queue, &part);
		part.records = 2; /* so much as the reader has room for */
		CHECK_EQUAL(2 * 88, tracer_queue_copy(&queue, &part, out, sizeof(out)));
		tracer_queue_remove(&queue, &part);
		tracer_queue_show(&queue, &part);
		while (put(88, lap + 1000))
			;
		CHECK(tracer_queue_copy(&queue, &part, out, sizeof(out)) == part.bytes);
		for (uint32_t i = 0; i < part.records; i++)
			CHECK(out[11 * i + 1] != lap + 1000 && out[11 * i + 10] == out[11 * i + 1]);
		tracer_queue_remove(&queue, &part);
	}
}

/* Many laps with records of all sizes against a count of what went in: what comes out is the same, in order, whole. */
static void loses_nothing_that_it_does_not_count(void)
{
	uint64_t random = 4711, next_in = 0, next_out = 0, offered = 0;
	uint32_t records;

	CHECK(tracer_queue_init(&queue, memory, CAPACITY));
	for (unsigned round = 0; round < 20000; round++) {
		uint32_t dice = (uint32_t)next_random(&random);
		if (dice % 3 != 0) {
			uint16_t size = (uint16_t)(16 + 8 * (dice / 3 % ((TRACER_MAX_RECORD_BYTES - 8) / 8)));
			offered++;
			next_in += put(size, next_in);
		} else {
			uint32_t bytes = tracer_queue_take(&queue, out, dice / 3 % (uint32_t)sizeof(out), &records);
			const uint64_t *word = out;
			const uint64_t *end = out + bytes / 8;
			for (; records > 0; records--, next_out++) {
				unsigned words = ((const struct tracer_record_header *)(const void *)word)->size / 8u;
				CHECK_EQUAL(next_out, word[1]);
				CHECK_EQUAL(next_out, word[words - 1]);
				word += words;
			}
			CHECK(word == end);
		}
	}
	CHECK_EQUAL(offered - next_in, queue.dropped);
	CHECK_EQUAL(next_in - next_out, queue.records);
	CHECK(queue.dropped > 100 && next_out > 5000);
}

void queue_tests(void)
{
	run_test("queue: starts with enough memory only", starts_with_enough_memory);
	run_test("queue: keeps room for the Stop record", keeps_room_for_the_stop_record);
	run_test("queue: refuses what is no record", refuses_what_is_no_record);
	run_test("queue: gives whole records only", gives_whole_records_only);
	run_test("queue: copies one record at most under the lock", copies_one_record_at_most_under_the_lock);
	run_test("queue: leaves a part alone that is being copied", leaves_a_part_alone_that_is_being_copied);
	run_test("queue: loses nothing that it does not count", loses_nothing_that_it_does_not_count);
}
