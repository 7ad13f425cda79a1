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

/* Answers the reads that are due; in how many ticks of the performance counter to come again, UINT64_MAX: when chores_wake says so. */
_IRQL_requires_max_(APC_LEVEL) uint64_t records_serve(void);

/* Since the run began. */
struct records_counts {
	uint64_t dropped; /* records */
	uint64_t logged;  /* events that EtwWrite took */
	uint64_t longest_lock_ns;
};

_IRQL_requires_max_(DISPATCH_LEVEL) void records_count(struct records_counts *counts);

/* The handle is closed. */
_IRQL_requires_max_(APC_LEVEL) void records_cancel_reads(PFILE_OBJECT file);

#endif
