/*
 * Records that wait for somebody who reads the device: whole records, oldest first, in memory that the shell gives. One that finds no
 * room is dropped and counted, so what is kept is an unbroken beginning and `dropped` tells exactly how much is missing behind it.
 * Room for the run's Stop record is always kept.
 *
 * No locks in here: the shell calls every function under one lock of its own (a spin lock on Windows), together with its list of
 * waiting reads. Nothing is called back and no loop is longer than a record, but for tracer_queue_take: what fits into one read.
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
 * Moves as many whole records as fit into `room` bytes, oldest first; returns the bytes, and how many records they are (`records` may not
 * be null). Nothing behind the bytes returned is written. 0 means that it is empty, or that the oldest does not fit: with a room of
 * TRACER_MAX_RECORD_BYTES or more it is the former. `to` needs no alignment.
 */
uint32_t tracer_queue_take(struct tracer_queue *queue, void *to, uint32_t room, uint32_t *records);

#endif
