#include "tracer_ring.h"

#define HEAD_WORDS (offsetof(struct tracer_sample, stack) / 4)

/* Positions are numbers modulo 2^32: a is after b where the way from b to a is the shorter one. */
static bool is_after(uint32_t a, uint32_t b)
{
	return a != b && (a - b) >> 31 == 0;
}

bool tracer_ring_init(struct tracer_ring *ring, struct tracer_slot *slots, uint32_t capacity, uint32_t first)
{
	if (capacity < 2 || capacity > 1u << 30 || (capacity & (capacity - 1)) != 0)
		return false;
	ring->mask = capacity - 1;
	ring->first = first;
	ring->reserved = 0;
	ring->slots = slots;
	for (uint32_t i = 0; i < capacity; i++) {
		uint32_t position = first + i;
		struct tracer_slot *slot = &slots[position & ring->mask];
		/* As if the lap before had been written. */
		atomic_store_explicit(&slot->begin, position - capacity, memory_order_relaxed);
		atomic_store_explicit(&slot->end, position - capacity, memory_order_relaxed);
		atomic_store_explicit(&slot->given_up, position - capacity, memory_order_relaxed);
	}
	atomic_store_explicit(&ring->head, first, memory_order_release);
	return true;
}

/* Words of a sample that carry something. */
static uint32_t words_of(uint32_t stack_bytes)
{
	return (uint32_t)HEAD_WORDS + (stack_bytes > TRACER_SAMPLE_STACK_BYTES ? TRACER_SAMPLE_STACK_BYTES : stack_bytes + 3) / 4;
}

/* Nobody will write this position. A note of a later one stays: whoever asks for this one sees that it was lapped. */
static void note_given_up(struct tracer_slot *slot, uint32_t position)
{
	uint32_t noted = atomic_load_explicit(&slot->given_up, memory_order_relaxed);

	/* One try is enough: it fails only if a writer on top of us has noted a later position. */
	if (is_after(position, noted))
		atomic_compare_exchange_strong_explicit(&slot->given_up, &noted, position, memory_order_release, memory_order_relaxed);
}

bool tracer_ring_write(struct tracer_ring *ring, const struct tracer_sample *sample)
{
	uint32_t position = atomic_fetch_add_explicit(&ring->head, 1, memory_order_acq_rel);
	struct tracer_slot *slot = &ring->slots[position & ring->mask];
	uint32_t owner = atomic_load_explicit(&slot->begin, memory_order_relaxed);
	uint32_t count = words_of(sample->stack_bytes);
	const uint32_t *words = (const uint32_t *)(const void *)sample;

	if (is_after(owner, position) || owner != atomic_load_explicit(&slot->end, memory_order_relaxed) ||
		!atomic_compare_exchange_strong_explicit(&slot->begin, &owner, position, memory_order_acq_rel, memory_order_relaxed)) {
		/* A newer owner lapped us; an older one is unfinished below us. */
		if (is_after(position, atomic_load_explicit(&slot->begin, memory_order_relaxed)))
			note_given_up(slot, position);
		return false;
	}
	atomic_thread_fence(memory_order_release);
	for (uint32_t i = 0; i < count; i++)
		atomic_store_explicit(&slot->words[i], words[i], memory_order_relaxed);
	atomic_store_explicit(&slot->end, position, memory_order_release);
	return true;
}

uint32_t tracer_ring_head(const struct tracer_ring *ring)
{
	return atomic_load_explicit(&ring->head, memory_order_acquire);
}

static enum tracer_ring_answer lost(struct tracer_ring_cursor *cursor, uint32_t positions)
{
	cursor->position += positions;
	cursor->lost += positions;
	return TRACER_RING_LOST;
}

static void copy_words(const struct tracer_slot *slot, struct tracer_sample *sample)
{
	uint32_t *words = (uint32_t *)(void *)sample;
	uint32_t i, count;

	for (i = 0; i < HEAD_WORDS; i++)
		words[i] = atomic_load_explicit(&slot->words[i], memory_order_relaxed);
	count = words_of(sample->stack_bytes);
	for (; i < count; i++)
		words[i] = atomic_load_explicit(&slot->words[i], memory_order_relaxed);
	for (; i < TRACER_SAMPLE_WORDS; i++)
		words[i] = 0;
}

enum tracer_ring_answer tracer_ring_read(
	const struct tracer_ring *ring, struct tracer_ring_cursor *cursor, uint32_t end, struct tracer_sample *sample)
{
	uint32_t position = cursor->position;
	uint32_t behind = tracer_ring_head(ring) - position;
	const struct tracer_slot *slot = &ring->slots[position & ring->mask];
	uint32_t finished;

	if (position == end)
		return TRACER_RING_EMPTY;
	if (behind > ring->mask + 1)
		return lost(cursor, behind - (ring->mask + 1));
	finished = atomic_load_explicit(&slot->end, memory_order_acquire);
	if (finished == position) {
		copy_words(slot, sample);
		atomic_thread_fence(memory_order_acquire);
		if (atomic_load_explicit(&slot->begin, memory_order_relaxed) != position)
			return lost(cursor, 1);
		cursor->position++;
		return TRACER_RING_SAMPLE;
	}
	if (is_after(finished, position) || is_after(atomic_load_explicit(&slot->begin, memory_order_relaxed), position) ||
		atomic_load_explicit(&slot->given_up, memory_order_acquire) == position)
		return lost(cursor, 1);
	return TRACER_RING_UNFINISHED;
}

void tracer_ring_step_over(struct tracer_ring_cursor *cursor)
{
	cursor->position++;
	cursor->lost++;
}
