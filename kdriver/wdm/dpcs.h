/*
 * DPCs of the processors measured, and which processor is which: the system numbers them in groups, the driver through.
 */
#ifndef DPCS_H
#define DPCS_H

#include "kernel.h"

/* Of all groups. */
_IRQL_requires_max_(DISPATCH_LEVEL) ULONG dpcs_processors(void);

/* A DPC of that processor; `context` goes to the routine. */
_IRQL_requires_(PASSIVE_LEVEL) void dpcs_prepare(
	PKDPC dpc, PKDEFERRED_ROUTINE routine, PVOID context, KDPC_IMPORTANCE importance, uint16_t processor);

/* Any level. */
_IRQL_requires_max_(HIGH_LEVEL) void dpcs_queue(PKDPC dpc);

/* Those that were queued have run when it returns. */
_IRQL_requires_(PASSIVE_LEVEL) void dpcs_flush(void);

/* From here on the thread that calls runs on that processor only. */
_IRQL_requires_(PASSIVE_LEVEL) void dpcs_bind_thread(uint16_t processor);

#endif
