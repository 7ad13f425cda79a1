#include "records.h"

#include "events.h"
#include "pending.h"
#include "pool.h"
#include "requests.h"
#include "tracer_hal.h"

/* What a reader that comes ten times a second has to catch up with at 1 kHz, two threads and 16 CPUs. */
#define QUEUE_BYTES 0x40000u

static struct {
	struct pending reads; /* its lock guards all of this */
	struct tracer_queue queue;
	const struct tracer_run *run;
	void *memory;
	uint64_t logged;
	bool is_running;
} records;

_IRQL_requires_(PASSIVE_LEVEL) INIT_ONLY NTSTATUS records_init(PDRIVER_OBJECT driver)
{
	AT_PASSIVE();
	UNREFERENCED_PARAMETER(driver);
	pending_init(&records.reads);
	records.memory = pool_allocate(QUEUE_BYTES, TAG_RECORDS);
	if (records.memory == NULL)
		return STATUS_INSUFFICIENT_RESOURCES;
	tracer_queue_init(&records.queue, records.memory, QUEUE_BYTES);
	return STATUS_SUCCESS;
}

_IRQL_requires_(PASSIVE_LEVEL) void records_cleanup(void)
{
	AT_PASSIVE();
	pool_free(records.memory, TAG_RECORDS);
	records.memory = NULL;
}

_IRQL_requires_(PASSIVE_LEVEL) void records_begin(const struct tracer_run *run)
{
	KIRQL irql;

	AT_PASSIVE();
	KeAcquireSpinLock(&records.reads.lock, &irql);
	tracer_queue_init(&records.queue, records.memory, QUEUE_BYTES);
	records.run = run;
	records.logged = 0;
	records.is_running = true;
	KeReleaseSpinLock(&records.reads.lock, irql);
}

/* Answers the oldest read that waits, if there is something to say to it. */
_IRQL_requires_max_(APC_LEVEL) static bool answer_one(void)
{
	struct tracer_call call = { .written = 0 };
	uint32_t answer = TRACER_ANSWER_PENDING;
	PIRP request = NULL;
	KIRQL irql;

	AT_MOST_APC();
	KeAcquireSpinLock(&records.reads.lock, &irql);
	if (records.queue.records != 0 || !records.is_running)
		request = pending_take(&records.reads, NULL, NULL);
	if (request != NULL) {
		requests_describe(request, &call);
		answer = tracer_device_batch(&call, &records.queue, records.is_running);
	}
	KeReleaseSpinLock(&records.reads.lock, irql);
	if (request == NULL)
		return false;
	requests_complete(request, (NTSTATUS)answer, call.written);
	return true;
}

_IRQL_requires_(PASSIVE_LEVEL) void records_end(void)
{
	KIRQL irql;

	AT_PASSIVE();
	KeAcquireSpinLock(&records.reads.lock, &irql);
	records.is_running = false;
	KeReleaseSpinLock(&records.reads.lock, irql);
	while (answer_one())
		;
}

/* Threads only. */
_IRQL_requires_(PASSIVE_LEVEL) void tracer_hal_emit(const struct tracer_record_header *record)
{
	unsigned route;
	bool is_logged;
	KIRQL irql;

	AT_PASSIVE();
	route = tracer_run_route(records.run, record);
	is_logged = (route & TRACER_ROUTE_EVENT) && events_write(record);
	KeAcquireSpinLock(&records.reads.lock, &irql);
	records.logged += is_logged;
	if (route & TRACER_ROUTE_QUEUE)
		tracer_queue_put(&records.queue, record);
	KeReleaseSpinLock(&records.reads.lock, irql);
	while (answer_one())
		;
}

_IRQL_requires_(PASSIVE_LEVEL) uint32_t tracer_shell_read(struct tracer_call *call)
{
	uint32_t answer;
	KIRQL irql;

	AT_PASSIVE();
	KeAcquireSpinLock(&records.reads.lock, &irql);
	answer = tracer_device_batch(call, &records.queue, records.is_running);
	if (answer == TRACER_ANSWER_PENDING && !pending_add(&records.reads, call->request))
		answer = TRACER_ANSWER_CANCELLED;
	KeReleaseSpinLock(&records.reads.lock, irql);
	return answer;
}

_IRQL_requires_max_(DISPATCH_LEVEL) uint64_t records_dropped(void)
{
	uint64_t dropped;
	KIRQL irql;

	AT_MOST_DISPATCH();
	KeAcquireSpinLock(&records.reads.lock, &irql);
	dropped = records.queue.dropped;
	KeReleaseSpinLock(&records.reads.lock, irql);
	return dropped;
}

_IRQL_requires_max_(DISPATCH_LEVEL) uint64_t records_logged(void)
{
	uint64_t logged;
	KIRQL irql;

	AT_MOST_DISPATCH();
	KeAcquireSpinLock(&records.reads.lock, &irql);
	logged = records.logged;
	KeReleaseSpinLock(&records.reads.lock, irql);
	return logged;
}

_IRQL_requires_max_(APC_LEVEL) void records_cancel_reads(PFILE_OBJECT file)
{
	AT_MOST_APC();
	pending_cancel(&records.reads, file);
}
