#include "checks.h"
#include "tracer_ring.h"

#define CAPACITY 8

static struct tracer_slot slots[CAPACITY];
static struct tracer_ring ring;
static struct tracer_sample sample;

static void write_numbered(uint64_t number, uint16_t stack_bytes)
{
	struct tracer_sample written = { .clock = number, .ip = ~number, .stack_bytes = stack_bytes };

	for (unsigned i = 0; i < TRACER_SAMPLE_STACK_BYTES; i++)
		written.stack[i] = (uint8_t)(number + i);
	CHECK(tracer_ring_write(&ring, &written));
}

/* Reads what is there and checks that it is the numbers from..to - 1. */
static void read_numbered(struct tracer_ring_cursor *cursor, uint64_t from, uint64_t to)
{
	for (; from < to; from++) {
		CHECK_EQUAL(TRACER_RING_SAMPLE, tracer_ring_read(&ring, cursor, tracer_ring_head(&ring), &sample));
		CHECK_EQUAL(from, sample.clock);
		CHECK_EQUAL(~from, sample.ip);
	}
	CHECK_EQUAL(TRACER_RING_EMPTY, tracer_ring_read(&ring, cursor, tracer_ring_head(&ring), &sample));
}

static void refuses_odd_capacities(void)
{
	CHECK(!tracer_ring_init(&ring, slots, 0, 0));
	CHECK(!tracer_ring_init(&ring, slots, 1, 0));
	CHECK(!tracer_ring_init(&ring, slots, 6, 0));
	CHECK(!tracer_ring_init(&ring, slots, UINT32_C(1) << 31, 0));
	CHECK(tracer_ring_init(&ring, slots, 2, 0));
}

static void delivers_in_order(void)
{
	struct tracer_ring_cursor cursor = { 0, 0, 0 };

	CHECK(tracer_ring_init(&ring, slots, CAPACITY, 0));
	CHECK_EQUAL(TRACER_RING_EMPTY, tracer_ring_read(&ring, &cursor, 0, &sample));
	for (uint64_t number = 0; number < 100; number += 5) {
		for (uint64_t i = 0; i < 5; i++)
			write_numbered(number + i, 8);
		read_numbered(&cursor, number, number + 5);
	}
	CHECK_EQUAL(0, cursor.lost);
}

static void overwrites_the_oldest_and_counts_it(void)
{
	/* Below the wrap of positions, so that it happens on the way. */
	const uint32_t first = UINT32_MAX - 10;
	struct tracer_ring_cursor cursor = { first, 0, 0 };

	CHECK(tracer_ring_init(&ring, slots, CAPACITY, first));
	for (uint64_t number = 0; number < 37; number++)
		write_numbered(number, TRACER_SAMPLE_STACK_BYTES);
	CHECK_EQUAL(TRACER_RING_LOST, tracer_ring_read(&ring, &cursor, tracer_ring_head(&ring), &sample));
	CHECK_EQUAL(37 - CAPACITY, cursor.lost);
	read_numbered(&cursor, 37 - CAPACITY, 37);
	CHECK_EQUAL(37 - CAPACITY, cursor.lost);
}

static void keeps_only_the_stack_that_is_there(void)
{
	struct tracer_ring_cursor cursor = { 0, 0, 0 };

	CHECK(tracer_ring_init(&ring, slots, 2, 0));
	write_numbered(1, TRACER_SAMPLE_STACK_BYTES);
	write_numbered(2, TRACER_SAMPLE_STACK_BYTES);
	write_numbered(3, 12);
	cursor.position = 2;
	CHECK_EQUAL(TRACER_RING_SAMPLE, tracer_ring_read(&ring, &cursor, 3, &sample));
	CHECK_EQUAL(3 + 11, sample.stack[11]);
	CHECK_EQUAL(0, sample.stack[12]);
	CHECK_EQUAL(0, sample.stack[TRACER_SAMPLE_STACK_BYTES - 1]);
	/* A count that no writer wrote does not lead out of the slot. */
	write_numbered(4, UINT16_MAX);
	CHECK_EQUAL(TRACER_RING_SAMPLE, tracer_ring_read(&ring, &cursor, 4, &sample));
}

/* A writer that was interrupted after it took its slot: as tracer_ring_write leaves it half way. */
static struct tracer_slot *begin_unfinished(uint32_t *position)
{
	struct tracer_slot *slot;

	*position = atomic_fetch_add(&ring.head, 1);
	slot = &slots[*position & ring.mask];
	atomic_store(&slot->begin, *position);
	return slot;
}

static void waits_for_an_unfinished_record(void)
{
	struct tracer_ring_cursor cursor = { 0, 0, 0 };
	uint32_t position;
	struct tracer_slot *slot;

	CHECK(tracer_ring_init(&ring, slots, CAPACITY, 0));
	write_numbered(0, 0);
	slot = begin_unfinished(&position);
	write_numbered(2, 0);
	CHECK_EQUAL(TRACER_RING_SAMPLE, tracer_ring_read(&ring, &cursor, 3, &sample));
	CHECK_EQUAL(TRACER_RING_UNFINISHED, tracer_ring_read(&ring, &cursor, 3, &sample));
	CHECK_EQUAL(1, cursor.position);
	atomic_store(&slot->end, position);
	CHECK_EQUAL(TRACER_RING_SAMPLE, tracer_ring_read(&ring, &cursor, 3, &sample));
	read_numbered(&cursor, 2, 3);

	begin_unfinished(&position);
	CHECK_EQUAL(TRACER_RING_UNFINISHED, tracer_ring_read(&ring, &cursor, 4, &sample));
	tracer_ring_step_over(&cursor);
	CHECK_EQUAL(4, cursor.position);
	CHECK_EQUAL(1, cursor.lost);
}

/* Whole laps on top of an unfinished writer: its slot stays its own, what fell there is given up, and no reader waits for it. */
static void gives_up_what_an_unfinished_writer_holds(void)
{
	struct tracer_ring_cursor cursor = { 0, 0, 0 };
	const struct tracer_sample other = { .clock = 77 };
	unsigned delivered = 0, given_up = 0;
	uint32_t position;
	struct tracer_slot *slot;

	CHECK(tracer_ring_init(&ring, slots, CAPACITY, 0));
	slot = begin_unfinished(&position);
	for (unsigned i = 0; i < 2 * CAPACITY + 3; i++)
		given_up += !tracer_ring_write(&ring, &other);
	CHECK_EQUAL(2, given_up);
	atomic_store(&slot->end, position);
	while (cursor.position != tracer_ring_head(&ring)) {
		enum tracer_ring_answer answer = tracer_ring_read(&ring, &cursor, tracer_ring_head(&ring), &sample);
		CHECK(answer == TRACER_RING_SAMPLE || answer == TRACER_RING_LOST);
		if (answer == TRACER_RING_UNFINISHED)
			break;
		delivered += answer == TRACER_RING_SAMPLE;
	}
	CHECK_EQUAL(CAPACITY - 1, delivered);
	CHECK_EQUAL(2 * CAPACITY + 4, delivered + cursor.lost);
}

void ring_tests(void)
{
	run_test("ring: refuses a capacity that is no power of two", refuses_odd_capacities);
	run_test("ring: delivers in order", delivers_in_order);
	run_test("ring: overwrites the oldest and counts it, over the wrap of positions", overwrites_the_oldest_and_counts_it);
	run_test("ring: keeps only the stack that is there", keeps_only_the_stack_that_is_there);
	run_test("ring: waits for an unfinished record or steps over it", waits_for_an_unfinished_record);
	run_test("ring: gives up what an unfinished writer holds", gives_up_what_an_unfinished_writer_holds);
}
