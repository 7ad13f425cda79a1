/*
 * The thread that does a run's chores, above ordinary threads and below those that measure: it answers reads that are due, each second it
 * ties the run's clock to the performance counter, and whenever the mode asks it looks for the clock's ticks.
 */
#ifndef CHORES_H
#define CHORES_H

#include "kernel.h"

_IRQL_requires_(PASSIVE_LEVEL) NTSTATUS chores_init(PDRIVER_OBJECT driver);

/* False where there is no thread to be had. */
_IRQL_requires_(PASSIVE_LEVEL) bool chores_start(void);

/* From here on records are emitted each second. */
_IRQL_requires_(PASSIVE_LEVEL) void chores_begin(void);

/* Returns when the thread has ended. Nothing where there is none. */
_IRQL_requires_(PASSIVE_LEVEL) void chores_stop(void);

/* There may be something to be done now. Nothing where no run is on. */
_IRQL_requires_max_(DISPATCH_LEVEL) void chores_wake(void);

/* What the thread took of its processors, since the run began; with what interrupted it. */
_IRQL_requires_(PASSIVE_LEVEL) uint64_t chores_own_ns(void);

#endif
