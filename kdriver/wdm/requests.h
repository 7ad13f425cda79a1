/*
 * Requests from user mode: each holds the device's remove lock from its dispatch routine to its completion, so that unloading waits for
 * the last one.
 */
#ifndef REQUESTS_H
#define REQUESTS_H

#include "kernel.h"

#include "tracer_device.h"

_IRQL_requires_(PASSIVE_LEVEL) NTSTATUS requests_init(PDRIVER_OBJECT driver);

/* No request comes any more; returns when the last has been completed. */
_IRQL_requires_(PASSIVE_LEVEL) void requests_cleanup(void);

/* Ends a request that a dispatch routine of this driver took. Not under a lock. */
_IRQL_requires_max_(DISPATCH_LEVEL) void requests_complete(PIRP request, NTSTATUS status, ULONG_PTR bytes);

/* A control request as the core takes it. */
_IRQL_requires_max_(DISPATCH_LEVEL) void requests_describe(PIRP request, struct tracer_call *call);

#endif
