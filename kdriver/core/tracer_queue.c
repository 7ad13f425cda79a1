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

static void copy(void *to, const void *from, uint32_t bytes)
{
	/* memcpy_s, which the check asks for, is in no kernel. */
	/* NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling) */
	__builtin_memcpy(to, from, bytes);
}

bool tracer_queue_put(struct tracer_queue *queue, const struct tracer_record_header *record)
{
	const uint8_t *from = (const uint8_t *)record;
	uint32_t at = behind(queue, queue->first, queue->used);
	uint32_t size = record->size, to_end;

	if (size < sizeof(*record) || size > TRACER_MAX_RECORD_BYTES || size % 8 != 0 || !has_room(queue, record)) {
		queue->dropped++;
		return false;
	}
	to_end = queue->capacity - at;
	copy(queue->bytes + at, from, size < to_end ? size : to_end);
	if (size > to_end)
		copy(queue->bytes, from + to_end, size - to_end);
	queue->used += size;
	queue->records++;
	return true;
}

/* Records stand at multiples of 8, and so does the end of the memory: a header never goes round it. */
static uint32_t size_at(const struct tracer_queue *queue, uint32_t offset)
{
	return ((const struct tracer_record_header *)(const void *)(queue->bytes + offset))->size;
}

void tracer_queue_show(const struct tracer_queue *queue, struct tracer_queue_part *part)
{
	*part = (struct tracer_queue_part){
		.first = queue->first, .bytes = queue->used, .records = queue->records, .dropped = queue->dropped
	};
}

uint32_t tracer_queue_copy(const struct tracer_queue *queue, struct tracer_queue_part *part, void *to, uint32_t room)
{
	uint32_t at = part->first, bytes = 0, records = 0, to_end = queue->capacity - part->first;

	while (records < part->records && size_at(queue, at) <= room - bytes) {
		uint32_t size = size_at(queue, at);

		bytes += size;
		at = behind(queue, at, size);
		records++;
	}
	copy(to, queue->bytes + part->first, bytes < to_end ? bytes : to_end);
	if (bytes > to_end)
		copy((uint8_t *)to + to_end, queue->bytes, bytes - to_end);
	part->bytes = bytes;
	part->records = records;
	return bytes;
}

void tracer_queue_remove(struct tracer_queue *queue, const struct tracer_queue_part *part)
{
	queue->first = behind(queue, queue->first, part->bytes);
	queue->used -= part->bytes;
	queue->records -= part->records;
}

uint32_t tracer_queue_take(struct tracer_queue *queue, void *to, uint32_t room, uint32_t *records)
{
	struct tracer_queue_part part;

	tracer_queue_show(queue, &part);
	tracer_queue_copy(queue, &part, to, room);
	tracer_queue_remove(queue, &part);
	*records = part.records;
	return part.bytes;
}
