/*
 * Nonpaged memory, zeroed, never executable where the system can do that (Windows 8 and later).
 */
#ifndef POOL_H
#define POOL_H

#include "kernel.h"

_IRQL_requires_(PASSIVE_LEVEL) NTSTATUS pool_init(PDRIVER_OBJECT driver);

/* Null where there is none. */
_IRQL_requires_max_(DISPATCH_LEVEL) void *pool_allocate(SIZE_T bytes, ULONG tag);

/* Null is allowed. */
_IRQL_requires_max_(DISPATCH_LEVEL) void pool_free(void *memory, ULONG tag);

#endif
