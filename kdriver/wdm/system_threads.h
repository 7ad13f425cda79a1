/* Threads of the driver's own. */
#ifndef SYSTEM_THREADS_H
#define SYSTEM_THREADS_H

#include "kernel.h"

/*
 * A referenced thread of that priority, or null: then it has not run, or was told to end by `wake`, and has. The routine ends by
 * PsTerminateSystemThread; woken by `wake` with *is_stopping it ends at once.
 */
_IRQL_requires_(PASSIVE_LEVEL) PKTHREAD system_thread_create(
	PKSTART_ROUTINE routine, PVOID context, KPRIORITY priority, PKEVENT wake, _Atomic uint32_t *is_stopping);

/*
 * Waits for a thread that has been told to end, and forgets it; null: nothing. It may be kept from running by whoever has a higher
 * priority, so it gets the highest first.
 */
_IRQL_requires_(PASSIVE_LEVEL) void system_thread_join(PKTHREAD *thread);

#endif
