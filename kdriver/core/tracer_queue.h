/*
 * Records that wait for somebody who reads the device: whole records, oldest first, in memory that the shell gives. One that finds no
 * room is dropped and counted, so what is kept is an unbroken beginning and `dropped` tells exactly how much is missing behind it.
 * Room for the run's Stop record is always kept.
 *
 * No locks in here: the shell calls functions under one lock of its own (a spin lock on Windows), together with its list of waiting
 * reads. Under it no more than one record is copied: who reads copies outside of it what those who write do not touch.
 */
#ifndef TRACER_QUEUE_H
#define TRACER_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer_records.h"

struct tracer_queue {
	uint8_t *bytes;
	uint32_t capacity; /* of bytes[], a multiple of 8 */
	uint32_t first;    /* offset of the oldest record */
	uint32_t used;     /* bytes; records go on at offset 0 behind the end */
	uint32_t records;
	uint64_t dropped; /* since tracer_queue_init */
};

/* The oldest records of a queue. */
struct tracer_queue_part {
	uint32_t first; /* offset of the oldest */
	uint32_t bytes;
	uint32_t records;
	uint32_t reserved;
	uint64_t dropped; /* by the queue until now */
};

/* Least memory for a queue. */
#define TRACER_QUEUE_LEAST_BYTES ((uint32_t)(TRACER_MAX_RECORD_BYTES + sizeof(struct tracer_stop)))

/*
 * An empty queue in `capacity` bytes: a multiple of 8, at least TRACER_QUEUE_LEAST_BYTES. False if it is not, and the queue may not be
 * used. `bytes` stands at a multiple of 8 (that is not checked), never pages, stays the caller's, and outlives the queue. Records of a
 * queue that is initialised again are gone.
 */
bool tracer_queue_init(struct tracer_queue *queue, void *bytes, uint32_t capacity);

/*
 * Copies a record of record->size bytes: at least a header, at most TRACER_MAX_RECORD_BYTES, a multiple of 8. False, and one more dropped,
 * where there is no room or its size is no record's; trying again would count it twice. Behind a true the shell serves its oldest waiting
 * read.
 */
bool tracer_queue_put(struct tracer_queue *queue, const struct tracer_record_header *record);

/*
 * Reading in three steps, one reader at a time: what is there (under the lock); as many whole records of it as fit into `room` bytes are
 * copied, and the part is those then (without the lock: records that come meanwhile lie elsewhere); they are taken off (under the lock).
 * tracer_queue_copy says how many bytes it wrote; nothing behind them is written. 0 means that the part was empty, or the oldest record
 * does not fit: with a room of TRACER_MAX_RECORD_BYTES or more it is the former. `to` needs no alignment.
 */
void tracer_queue_show(const struct tracer_queue *queue, struct tracer_queue_part *part);
uint32_t tracer_queue_copy(const struct tracer_queue *queue, struct tracer_queue_part *part, void *to, uint32_t room);
void tracer_queue_remove(struct tracer_queue *queue, const struct tracer_queue_part *part);

/* All three, where nobody writes meanwhile; the bytes, and how many records they are (`records` may not be null). */
uint32_t tracer_queue_take(struct tracer_queue *queue, void *to, uint32_t room, uint32_t *records);

#endif
