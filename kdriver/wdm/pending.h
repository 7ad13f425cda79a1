/*
 * Requests that wait, oldest first, each of which its caller may cancel at any time. Whoever takes a request out of the list completes
 * it; nobody else can have it then.
 */
#ifndef PENDING_H
#define PENDING_H

#include "kernel.h"

struct pending {
	KSPIN_LOCK lock; /* the owner's too, for what belongs together with the list */
	LIST_ENTRY requests;
};

_IRQL_requires_max_(DISPATCH_LEVEL) void pending_init(struct pending *pending);

/*
 * With the lock held. Marks the request pending and keeps it: the dispatch routine must return STATUS_PENDING. False where it is
 * cancelled already: it is the caller's to complete, and not marked.
 */
_IRQL_requires_(DISPATCH_LEVEL) bool pending_add(struct pending *pending, PIRP request);

/* Whether a request is one that is looked for. */
typedef bool pending_filter(PIRP request, const void *what);

/* With the lock held: the oldest that the filter wants (null: any); null where there is none. */
_IRQL_requires_(DISPATCH_LEVEL) PIRP pending_take(struct pending *pending, pending_filter *is_wanted, const void *what);

/* With the lock held: the oldest, which stays; null where there is none. And takes it, if it is to be had: it may be being cancelled. */
_IRQL_requires_(DISPATCH_LEVEL) PIRP pending_first(const struct pending *pending);
_IRQL_requires_(DISPATCH_LEVEL) bool pending_remove(struct pending *pending, PIRP request);

/* The handle is closed: its requests end with STATUS_CANCELLED. Without the lock. */
_IRQL_requires_max_(APC_LEVEL) void pending_cancel(struct pending *pending, PFILE_OBJECT file);

#endif
