#include "pending.h"

#include "requests.h"

#define LIST_OF(request) ((request)->Tail.Overlay.DriverContext[0])

_IRQL_requires_max_(DISPATCH_LEVEL) void pending_init(struct pending *pending)
{
	AT_MOST_DISPATCH();
	KeInitializeSpinLock(&pending->lock);
	InitializeListHead(&pending->requests);
}

/*
 * The I/O manager has taken the cancel routine out of the request before it calls this one, so pending_take leaves the request to it:
 * then the entry is a list of its own, and removing it once more does nothing.
 */
_IRQL_requires_(DISPATCH_LEVEL) static VOID NTAPI CancelPending(PDEVICE_OBJECT device, PIRP request)
{
	struct pending *pending = LIST_OF(request);
	KIRQL irql;

	AT_DISPATCH();
	UNREFERENCED_PARAMETER(device);
	IoReleaseCancelSpinLock(request->CancelIrql);
	KeAcquireSpinLock(&pending->lock, &irql);
	RemoveEntryList(&request->Tail.Overlay.ListEntry);
	KeReleaseSpinLock(&pending->lock, irql);
	requests_complete(request, STATUS_CANCELLED, 0);
}

_IRQL_requires_(DISPATCH_LEVEL) bool pending_add(struct pending *pending, PIRP request)
{
	AT_DISPATCH();
	LIST_OF(request) = pending;
	/* In the list before it can be cancelled: the cancel routine waits for the lock. */
	InsertTailList(&pending->requests, &request->Tail.Overlay.ListEntry);
	(void)IoSetCancelRoutine(request, CancelPending);
	if (request->Cancel && IoSetCancelRoutine(request, NULL) != NULL) {
		RemoveEntryList(&request->Tail.Overlay.ListEntry);
		return false;
	}
	IoMarkIrpPending(request);
	return true;
}

_IRQL_requires_(DISPATCH_LEVEL) PIRP pending_first(const struct pending *pending)
{
	AT_DISPATCH();
	if (IsListEmpty(&pending->requests))
		return NULL;
	return CONTAINING_RECORD(pending->requests.Flink, IRP, Tail.Overlay.ListEntry);
}

_IRQL_requires_(DISPATCH_LEVEL) bool pending_remove(struct pending *pending, PIRP request)
{
	AT_DISPATCH();
	UNREFERENCED_PARAMETER(pending);
	RemoveEntryList(&request->Tail.Overlay.ListEntry);
	if (IoSetCancelRoutine(request, NULL) != NULL)
		return true;
	InitializeListHead(&request->Tail.Overlay.ListEntry);
	return false;
}

_IRQL_requires_(DISPATCH_LEVEL) PIRP pending_take(struct pending *pending, pending_filter *is_wanted, const void *what)
{
	PLIST_ENTRY entry = pending->requests.Flink;

	AT_DISPATCH();
	while (entry != &pending->requests) {
		PIRP request = CONTAINING_RECORD(entry, IRP, Tail.Overlay.ListEntry);

		entry = entry->Flink;
		if (is_wanted != NULL && !is_wanted(request, what))
			continue;
		if (pending_remove(pending, request))
			return request;
	}
	return NULL;
}

_IRQL_requires_(DISPATCH_LEVEL) static bool is_of_file(PIRP request, const void *file)
{
	AT_DISPATCH();
	return IoGetCurrentIrpStackLocation(request)->FileObject == file;
}

_IRQL_requires_max_(APC_LEVEL) void pending_cancel(struct pending *pending, PFILE_OBJECT file)
{
	PIRP request;
	KIRQL irql;

	AT_MOST_APC();
	do {
		KeAcquireSpinLock(&pending->lock, &irql);
		request = pending_take(pending, is_of_file, file);
		KeReleaseSpinLock(&pending->lock, irql);
		if (request != NULL)
			requests_complete(request, STATUS_CANCELLED, 0);
	} while (request != NULL);
}
