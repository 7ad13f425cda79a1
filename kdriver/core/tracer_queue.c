#include "tracer_queue.h"

#define STOP_BYTES ((uint32_t)sizeof(struct tracer_stop))

bool tracer_queue_init(struct tracer_queue *queue, void *bytes, uint32_t capacity)
{
	if (capacity < TRACER_QUEUE_LEAST_BYTES || capacity % 8 != 0)
		return false;
	queue->bytes = bytes;
	queue->capacity = capacity;
	queue->first = 0;
	queue->used = 0;
	queue->records = 0;
	queue->dropped = 0;
	return true;
}

static uint32_t behind(const struct tracer_queue *queue, uint32_t offset, uint32_t bytes)
{
	uint32_t to_end = queue->capacity - offset;

	return bytes < to_end ? offset + bytes : bytes - to_end;
}

static bool has_room(const struct tracer_queue *queue, const struct tracer_record_header *record)
{
	uint32_t room = queue->capacity - queue->used;

	if (record->type != TRACER_RECORD_STOP)
		room = room < STOP_BYTES ? 0 : room - STOP_BYTES;
	return record->size <= room;
}

bool tracer_queue_put(struct tracer_queue *queue, const struct tracer_record_header *record)
{
	const uint8_t *from = (const uint8_t *)record;
	uint32_t at = behind(queue, queue->first, queue->used);
	uint32_t size = record->size;

	if (size < sizeof(*record) || size > TRACER_MAX_RECORD_BYTES || size % 8 != 0 || !has_room(queue, record)) {
		queue->dropped++;
		return false;
	}
	for (uint32_t i = 0; i < size; i++) {
		queue->bytes[at] = from[i];
		at = behind(queue, at, 1);
	}
	queue->used += size;
	queue->records++;
	return true;
}

/* Records stand at multiples of 8, and so does the end of the memory: a header never goes round it. */
static uint32_t oldest_size(const struct tracer_queue *queue)
{
	return ((const struct tracer_record_header *)(const void *)(queue->bytes + queue->first))->size;
}

uint32_t tracer_queue_take(struct tracer_queue *queue, void *to, uint32_t room, uint32_t *records)
{
	uint8_t *bytes = to;
	uint32_t taken = 0;

	*records = 0;
	while (queue->records != 0 && oldest_size(queue) <= room - taken) {
		uint32_t size = oldest_size(queue);
		for (uint32_t i = 0; i < size; i++)
			bytes[taken + i] = queue->bytes[behind(queue, queue->first, i)];
		queue->first = behind(queue, queue->first, size);
		queue->used -= size;
		queue->records--;
		taken += size;
		++*records;
	}
	return taken;
}
