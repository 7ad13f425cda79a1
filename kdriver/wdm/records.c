#include "records.h"

#include "chores.h"
#include "clock.h"
#include "events.h"
#include "pending.h"
#include "pool.h"
#include "requests.h"
#include "tracer_clock.h"
#include "tracer_hal.h"
#include "tracer_outlet.h"

/* What a reader that comes ten times a second has to catch up with at 1 kHz, two threads and 16 CPUs. */
#define QUEUE_BYTES 0x60000u

static struct {
	struct pending reads; /* its lock guards all of this */
	struct tracer_outlet outlet;
	const struct tracer_run *run;
	void *memory;
	uint64_t logged;
	uint64_t longest_lock; /* in ticks of the performance counter, as all times here */
} records;

/* How long the lock is held is measured: whoever holds it keeps a processor from everything else. */
struct held_lock {
	KIRQL irql;
	uint64_t since;
};

_IRQL_requires_(DISPATCH_LEVEL) static void note_lock(const struct held_lock *held)
{
	uint64_t ticks = tracer_elapsed(held->since, clock_qpc());

	AT_DISPATCH();
	if (ticks > records.longest_lock)
		records.longest_lock = ticks;
}

_IRQL_requires_(PASSIVE_LEVEL) INIT_ONLY NTSTATUS records_init(PDRIVER_OBJECT driver)
{
	AT_PASSIVE();
	UNREFERENCED_PARAMETER(driver);
	pending_init(&records.reads);
	records.memory = pool_allocate(QUEUE_BYTES, TAG_RECORDS);
	if (records.memory == NULL)
		return STATUS_INSUFFICIENT_RESOURCES;
	tracer_outlet_init(&records.outlet, records.memory, QUEUE_BYTES);
	return STATUS_SUCCESS;
}

_IRQL_requires_(PASSIVE_LEVEL) void records_cleanup(void)
{
	AT_PASSIVE();
	pool_free(records.memory, TAG_RECORDS);
	records.memory = NULL;
}

/* A reader that got the last run's rest may be about to say so. */
_IRQL_requires_(PASSIVE_LEVEL) void records_begin(const struct tracer_run *run)
{
	LARGE_INTEGER step = { .QuadPart = -10000 }; /* 1 ms */
	struct held_lock held;
	bool is_copying;

	AT_PASSIVE();
	for (;;) {
		KeAcquireSpinLock(&records.reads.lock, &held.irql);
		held.since = clock_qpc();
		is_copying = records.outlet.is_copying;
		if (!is_copying) {
			tracer_outlet_begin(&records.outlet, clock_qpc_hz());
			records.run = run;
			records.logged = 0;
			records.longest_lock = 0;
		}
		note_lock(&held);
		KeReleaseSpinLock(&records.reads.lock, held.irql);
		if (!is_copying)
			return;
		KeDelayExecutionThread(KernelMode, FALSE, &step);
	}
}

/* With the lock held: whoever waits longest now. */
_IRQL_requires_(DISPATCH_LEVEL) static void find_room(void)
{
	struct tracer_call call;
	PIRP request = pending_first(&records.reads);

	AT_DISPATCH();
	if (request != NULL)
		requests_describe(request, &call);
	tracer_outlet_set_room(&records.outlet, request != NULL ? tracer_device_room(&call) : 0);
}

/* With the lock held: whether a read is answered now; the part that it is to get, if any. */
_IRQL_requires_(DISPATCH_LEVEL) static uint32_t offer(const struct tracer_call *call, struct tracer_queue_part *part)
{
	AT_DISPATCH();
	return tracer_outlet_offer(&records.outlet, tracer_device_room(call), clock_qpc(), part);
}

/* Without the lock: no writer touches the part, and nobody else copies. */
_IRQL_requires_max_(APC_LEVEL) static void copy_part(struct tracer_call *call, struct tracer_queue_part *part)
{
	struct held_lock held;

	AT_MOST_APC();
	tracer_device_batch(call, &records.outlet.queue, part);
	KeAcquireSpinLock(&records.reads.lock, &held.irql);
	held.since = clock_qpc();
	tracer_outlet_taken(&records.outlet, part);
	note_lock(&held);
	KeReleaseSpinLock(&records.reads.lock, held.irql);
}

/* Answers the oldest read that waits, if it is due. */
_IRQL_requires_max_(APC_LEVEL) static bool answer_one(void)
{
	struct tracer_call call = { .written = 0 };
	uint32_t answer = TRACER_ANSWER_PENDING;
	struct tracer_queue_part part;
	PIRP request;
	struct held_lock held;

	AT_MOST_APC();
	KeAcquireSpinLock(&records.reads.lock, &held.irql);
	held.since = clock_qpc();
	request = pending_first(&records.reads);
	if (request != NULL) {
		requests_describe(request, &call);
		answer = offer(&call, &part);
	}
	/* One that is cancelled just now is not to be had: what was offered is the next one's. */
	if (answer != TRACER_ANSWER_PENDING && !pending_remove(&records.reads, request)) {
		records.outlet.is_copying = false;
		request = NULL;
	}
	find_room();
	note_lock(&held);
	KeReleaseSpinLock(&records.reads.lock, held.irql);
	if (answer == TRACER_ANSWER_PENDING)
		return false;
	if (request == NULL)
		return true;
	if (answer == TRACER_ANSWER_DONE)
		copy_part(&call, &part);
	requests_complete(request, (NTSTATUS)answer, call.written);
	return true;
}

_IRQL_requires_max_(APC_LEVEL) uint64_t records_serve(void)
{
	struct held_lock held;
	uint64_t due;

	AT_MOST_APC();
	while (answer_one())
		;
	KeAcquireSpinLock(&records.reads.lock, &held.irql);
	held.since = clock_qpc();
	due = tracer_outlet_due_in(&records.outlet, clock_qpc());
	note_lock(&held);
	KeReleaseSpinLock(&records.reads.lock, held.irql);
	return due;
}

_IRQL_requires_(PASSIVE_LEVEL) void records_end(void)
{
	struct held_lock held;

	AT_PASSIVE();
	KeAcquireSpinLock(&records.reads.lock, &held.irql);
	held.since = clock_qpc();
	tracer_outlet_end(&records.outlet);
	note_lock(&held);
	KeReleaseSpinLock(&records.reads.lock, held.irql);
	records_serve();
}

/* Threads only. Those that measure copy nothing but this: the thread of the run's chores answers reads. */
_IRQL_requires_(PASSIVE_LEVEL) void tracer_hal_emit(const struct tracer_record_header *record)
{
	bool is_logged, is_awaited = false;
	struct held_lock held;
	unsigned route;

	AT_PASSIVE();
	route = tracer_run_route(records.run, record);
	if (route == 0)
		return;
	is_logged = (route & TRACER_ROUTE_EVENT) && events_write(record);
	KeAcquireSpinLock(&records.reads.lock, &held.irql);
	held.since = clock_qpc();
	records.logged += is_logged;
	if (route & TRACER_ROUTE_QUEUE)
		is_awaited = tracer_outlet_put(&records.outlet, record, clock_qpc());
	note_lock(&held);
	KeReleaseSpinLock(&records.reads.lock, held.irql);
	if (is_awaited)
		chores_wake();
}

_IRQL_requires_(PASSIVE_LEVEL) uint32_t tracer_shell_read(struct tracer_call *call)
{
	struct tracer_queue_part part;
	uint32_t answer;
	struct held_lock held;

	AT_PASSIVE();
	KeAcquireSpinLock(&records.reads.lock, &held.irql);
	held.since = clock_qpc();
	answer = offer(call, &part);
	if (answer == TRACER_ANSWER_PENDING && !pending_add(&records.reads, call->request))
		answer = TRACER_ANSWER_CANCELLED;
	find_room();
	note_lock(&held);
	KeReleaseSpinLock(&records.reads.lock, held.irql);
	if (answer == TRACER_ANSWER_DONE)
		copy_part(call, &part);
	/* Who came meanwhile waits for whoever copied; and records that were there already for the time to be up. */
	if (answer == TRACER_ANSWER_DONE)
		records_serve();
	if (answer == TRACER_ANSWER_PENDING || answer == TRACER_ANSWER_DONE)
		chores_wake();
	return answer;
}

_IRQL_requires_max_(DISPATCH_LEVEL) void records_count(struct records_counts *counts)
{
	struct held_lock held;

	AT_MOST_DISPATCH();
	KeAcquireSpinLock(&records.reads.lock, &held.irql);
	held.since = clock_qpc();
	*counts = (struct records_counts){
		.dropped = records.outlet.queue.dropped,
		.logged = records.logged,
		.longest_lock_ns = tracer_ticks_to_ns(records.longest_lock, clock_qpc_hz()),
	};
	note_lock(&held);
	KeReleaseSpinLock(&records.reads.lock, held.irql);
}

_IRQL_requires_max_(APC_LEVEL) void records_cancel_reads(PFILE_OBJECT file)
{
	AT_MOST_APC();
	pending_cancel(&records.reads, file);
}
