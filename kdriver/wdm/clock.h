/*
 * The clock that a run counts in: the performance counter, or the time stamp counter where a mode of the laboratory driver asks for it.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include "kernel.h"

#include "tracer_records.h"

/* Rate of the performance counter, Hz. Any level. */
_IRQL_requires_max_(HIGH_LEVEL) uint64_t clock_qpc_hz(void);

/* The performance counter. Any level. */
_IRQL_requires_max_(HIGH_LEVEL) uint64_t clock_qpc(void);

/* From now on tracer_hal_clock reads this one. No run may be on. */
_IRQL_requires_(PASSIVE_LEVEL) void clock_use(enum tracer_clock which);

/* The same moment in the run's clock and in the performance counter: of three tries, the one that took least. */
_IRQL_requires_max_(DISPATCH_LEVEL) void clock_read_both(uint64_t *clock, uint64_t *qpc);

#endif
