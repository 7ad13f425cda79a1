#include "stamps.h"

#include "pending.h"
#include "requests.h"
#include "tracer_clock.h"
#include "tracer_hal.h"

#define STAMP_BYTES (STAMPS * sizeof(uint64_t))

/* When the read came, kept in its own buffer: at least 24 bytes, and nobody else's while it waits. */
#define CAME(request) (*(uint64_t *)(request)->AssociatedIrp.SystemBuffer)

static struct {
	struct pending reads; /* its lock guards is_running */
	bool is_running;
} stamps;

_IRQL_requires_(PASSIVE_LEVEL) INIT_ONLY NTSTATUS stamps_init(PDRIVER_OBJECT driver)
{
	AT_PASSIVE();
	UNREFERENCED_PARAMETER(driver);
	pending_init(&stamps.reads);
	return STATUS_SUCCESS;
}

_IRQL_requires_(PASSIVE_LEVEL) static void set_running(bool is_running)
{
	KIRQL irql;

	AT_PASSIVE();
	KeAcquireSpinLock(&stamps.reads.lock, &irql);
	stamps.is_running = is_running;
	KeReleaseSpinLock(&stamps.reads.lock, irql);
}

_IRQL_requires_(PASSIVE_LEVEL) void stamps_begin(void)
{
	AT_PASSIVE();
	set_running(true);
}

_IRQL_requires_(DISPATCH_LEVEL) static bool came_before(PIRP request, const void *armed)
{
	AT_DISPATCH();
	return tracer_is_due(CAME(request), *(const uint64_t *)armed);
}

_IRQL_requires_(PASSIVE_LEVEL) void stamps_end(void)
{
	PIRP request;
	KIRQL irql;

	AT_PASSIVE();
	set_running(false);
	do {
		KeAcquireSpinLock(&stamps.reads.lock, &irql);
		request = pending_take(&stamps.reads, NULL, NULL);
		KeReleaseSpinLock(&stamps.reads.lock, irql);
		if (request != NULL)
			requests_complete(request, STATUS_INVALID_DEVICE_STATE, 0);
	} while (request != NULL);
}

_IRQL_requires_max_(APC_LEVEL) NTSTATUS stamps_read(PIRP request)
{
	NTSTATUS status = STATUS_PENDING;
	KIRQL irql;

	AT_MOST_APC();
	if (request->AssociatedIrp.SystemBuffer == NULL || IoGetCurrentIrpStackLocation(request)->Parameters.Read.Length < STAMP_BYTES)
		return STATUS_BUFFER_TOO_SMALL;
	KeAcquireSpinLock(&stamps.reads.lock, &irql);
	CAME(request) = tracer_hal_clock();
	if (!stamps.is_running)
		status = STATUS_INVALID_DEVICE_STATE;
	else if (!pending_add(&stamps.reads, request))
		status = STATUS_CANCELLED;
	KeReleaseSpinLock(&stamps.reads.lock, irql);
	return status;
}

_IRQL_requires_(PASSIVE_LEVEL) void stamps_answer(const uint64_t answer[STAMPS])
{
	PIRP request;
	KIRQL irql;

	AT_PASSIVE();
	KeAcquireSpinLock(&stamps.reads.lock, &irql);
	request = pending_take(&stamps.reads, came_before, &answer[STAMP_ARMED]);
	KeReleaseSpinLock(&stamps.reads.lock, irql);
	if (request == NULL)
		return;
	RtlCopyMemory(request->AssociatedIrp.SystemBuffer, answer, STAMP_BYTES);
	requests_complete(request, STATUS_SUCCESS, STAMP_BYTES);
}

_IRQL_requires_max_(APC_LEVEL) void stamps_cancel(PFILE_OBJECT file)
{
	AT_MOST_APC();
	pending_cancel(&stamps.reads, file);
}
