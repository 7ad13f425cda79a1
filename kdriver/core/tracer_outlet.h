/*
 * The queue of records and when a waiting read gets some: not for every record, but when the oldest has waited for
 * TRACER_OUTLET_PATIENCE_NS, or half of the reader's buffer is full, or the run's last record is there.
 *
 * Under the shell's lock, but for the copying:
 *
 *   put                        true: whoever serves reads is to look
 *   offer -> (no lock) tracer_device_batch -> taken        one at a time; whoever has copied looks again for the next read
 */
#ifndef TRACER_OUTLET_H
#define TRACER_OUTLET_H

#include "tracer_queue.h"

#define TRACER_OUTLET_PATIENCE_NS 10000000u

struct tracer_outlet {
	struct tracer_queue queue;
	uint64_t patience; /* in ticks of the clock that it is told the time in */
	uint64_t oldest;   /* when the oldest record came, or a little earlier */
	uint64_t offered;  /* when the part was shown that is being copied */
	uint32_t room;     /* of the read that waits longest; 0: none does */
	uint32_t shown;    /* bytes of that part */
	bool is_running;
	bool is_complete; /* the run's last record has come */
	bool is_copying;
};

/* Before the first run: nothing is in it and no run is on. As tracer_queue_init. */
bool tracer_outlet_init(struct tracer_outlet *outlet, void *bytes, uint32_t capacity);

/* A run begins, in a clock of so many Hz: what was left of the last is gone. Ends: what is in it can still be read. Not while it copies. */
void tracer_outlet_begin(struct tracer_outlet *outlet, uint64_t clock_hz);
void tracer_outlet_end(struct tracer_outlet *outlet);

/* As tracer_queue_put. True where a read waits and may be due now, or its time runs from now on. */
bool tracer_outlet_put(struct tracer_outlet *outlet, const struct tracer_record_header *record, uint64_t clock);

/* Bytes that the read which waits longest has for records; 0 where none waits any more. */
void tracer_outlet_set_room(struct tracer_outlet *outlet, uint32_t room);

/*
 * Whether a read with room for so many bytes of records is to be answered now: DONE, and the part is to be copied (tracer_device_batch),
 * then tracer_outlet_taken; NOT_RUNNING; or PENDING, it waits.
 */
uint32_t tracer_outlet_offer(struct tracer_outlet *outlet, uint32_t room, uint64_t clock, struct tracer_queue_part *part);
void tracer_outlet_taken(struct tracer_outlet *outlet, const struct tracer_queue_part *part);

/* In how many ticks a waiting read is due, at the latest, by what is there now; UINT64_MAX where nothing is, or nobody waits. */
uint64_t tracer_outlet_due_in(const struct tracer_outlet *outlet, uint64_t clock);

#endif
