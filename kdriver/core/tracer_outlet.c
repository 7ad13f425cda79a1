#include "tracer_outlet.h"

#include "tracer_clock.h"
#include "tracer_ioctl.h"

bool tracer_outlet_init(struct tracer_outlet *outlet, void *bytes, uint32_t capacity)
{
	*outlet = (struct tracer_outlet){ .is_running = false };
	return tracer_queue_init(&outlet->queue, bytes, capacity);
}

void tracer_outlet_begin(struct tracer_outlet *outlet, uint64_t clock_hz)
{
	tracer_queue_init(&outlet->queue, outlet->queue.bytes, outlet->queue.capacity);
	outlet->patience = tracer_ns_to_ticks(TRACER_OUTLET_PATIENCE_NS, clock_hz);
	outlet->is_complete = false;
	outlet->is_running = true;
}

void tracer_outlet_end(struct tracer_outlet *outlet)
{
	outlet->is_running = false;
}

static bool is_half_full(const struct tracer_outlet *outlet, uint32_t room)
{
	return outlet->queue.used >= room / 2;
}

bool tracer_outlet_put(struct tracer_outlet *outlet, const struct tracer_record_header *record, uint64_t clock)
{
	bool was_empty = outlet->queue.records == 0;

	if (!tracer_queue_put(&outlet->queue, record))
		return false;
	if (was_empty)
		outlet->oldest = clock;
	if (record->type == TRACER_RECORD_STOP)
		outlet->is_complete = true;
	return outlet->room != 0 && (was_empty || outlet->is_complete || is_half_full(outlet, outlet->room));
}

void tracer_outlet_set_room(struct tracer_outlet *outlet, uint32_t room)
{
	outlet->room = room;
}

static bool is_due(const struct tracer_outlet *outlet, uint32_t room, uint64_t clock)
{
	return !outlet->is_running || outlet->is_complete || is_half_full(outlet, room) ||
		tracer_elapsed(outlet->oldest, clock) >= outlet->patience;
}

uint32_t tracer_outlet_offer(struct tracer_outlet *outlet, uint32_t room, uint64_t clock, struct tracer_queue_part *part)
{
	if (outlet->is_copying)
		return TRACER_ANSWER_PENDING;
	if (outlet->queue.records == 0)
		return outlet->is_running ? TRACER_ANSWER_PENDING : TRACER_ANSWER_NOT_RUNNING;
	if (!is_due(outlet, room, clock))
		return TRACER_ANSWER_PENDING;
	tracer_queue_show(&outlet->queue, part);
	outlet->is_copying = true;
	outlet->offered = clock;
	outlet->shown = part->bytes;
	return TRACER_ANSWER_DONE;
}

/* What was shown and did not fit is as old as it was; what has come since then is younger than the offer. */
void tracer_outlet_taken(struct tracer_outlet *outlet, const struct tracer_queue_part *part)
{
	tracer_queue_remove(&outlet->queue, part);
	outlet->is_copying = false;
	if (part->bytes == outlet->shown)
		outlet->oldest = outlet->offered;
}

uint64_t tracer_outlet_due_in(const struct tracer_outlet *outlet, uint64_t clock)
{
	uint64_t waited;

	if (outlet->room == 0 || outlet->queue.records == 0)
		return UINT64_MAX;
	if (is_due(outlet, outlet->room, clock))
		return 0;
	waited = tracer_elapsed(outlet->oldest, clock);
	return outlet->patience - waited;
}
