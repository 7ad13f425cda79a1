/*
 * Records on their way out: to ETW, and through the core's queue to whoever reads the device.
 */
#ifndef RECORDS_H
#define RECORDS_H

#include "kernel.h"

#include "tracer_run.h"

_IRQL_requires_(PASSIVE_LEVEL) NTSTATUS records_init(PDRIVER_OBJECT driver);
_IRQL_requires_(PASSIVE_LEVEL) void records_cleanup(void);

/* A run begins: the queue is empty, reads wait. */
_IRQL_requires_(PASSIVE_LEVEL) void records_begin(const struct tracer_run *run);

/* Its last record has been emitted: waiting reads end. */
_IRQL_requires_(PASSIVE_LEVEL) void records_end(void);

_IRQL_requires_max_(DISPATCH_LEVEL) uint64_t records_dropped(void);

/* Events that EtwWrite took, since the run began. */
_IRQL_requires_max_(DISPATCH_LEVEL) uint64_t records_logged(void);

/* The handle is closed. */
_IRQL_requires_max_(APC_LEVEL) void records_cancel_reads(PFILE_OBJECT file);

#endif
