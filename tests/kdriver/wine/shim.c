/*
 * Kernel routines that Debian's Wine 8.0 lacks or only pretends to have, for a build of the driver that tests load there
 * (kdriver/build.sh --shim): without them the driver refuses to start a run. No part of a released file.
 *
 *   ExAllocateTimer, ExSetTimer, ExDeleteTimer, ExQueryTimerResolution   found by the driver's own search: a thread for each timer
 *   KeInsertQueueDpc, KeFlushQueuedDpcs                                  one thread runs the DPCs of all processors, in their order
 *
 * The linker takes the pointers of imports from this object before it asks the import library. What Wine's are worth: levels and processors
 * are not kept, so a DPC is interrupted by everybody.
 */
#include "kernel.h"

#include "pool.h"
#include "routines.h"
#include "system_threads.h"
#include "tracer_clock.h"

#define TAG_SHIM POOL_TAG('T', 'r', 'c', 'W')
#define PRIORITY 31
#define UNITS_PER_SECOND 10000000u

struct system_timer {
	system_timer_callback *callback;
	PVOID context;
	PKTHREAD thread;
	KEVENT changed;
	KSPIN_LOCK lock; /* of what follows */
	LONGLONG due;    /* in units of 100 ns; 0: not set */
	_Atomic uint32_t is_deleted;
};

static KSPIN_LOCK lock; /* of the list */
static LIST_ENTRY dpcs = { &dpcs, &dpcs };
static KEVENT dpc_is_there;
static PKTHREAD dpc_thread;
static _Atomic uint32_t is_flushing;

static LONGLONG now(void)
{
	LARGE_INTEGER hz, count = KeQueryPerformanceCounter(&hz);

	return (LONGLONG)tracer_scale((uint64_t)count.QuadPart, UNITS_PER_SECOND, (uint64_t)hz.QuadPart);
}

static PKDPC take_dpc(void)
{
	PKDPC dpc = NULL;
	KIRQL irql;

	KeAcquireSpinLock(&lock, &irql);
	if (!IsListEmpty(&dpcs)) {
		dpc = CONTAINING_RECORD(RemoveHeadList(&dpcs), KDPC, DpcListEntry);
		dpc->DpcData = NULL;
	}
	KeReleaseSpinLock(&lock, irql);
	return dpc;
}

/* Ends when it is told to and no DPC is left. */
static VOID NTAPI DpcThread(PVOID context)
{
	UNREFERENCED_PARAMETER(context);
	for (;;) {
		PKDPC dpc = take_dpc();

		if (dpc != NULL)
			dpc->DeferredRoutine(dpc, dpc->DeferredContext, dpc->SystemArgument1, dpc->SystemArgument2);
		else if (atomic_load(&is_flushing))
			break;
		else
			KeWaitForSingleObject(&dpc_is_there, Executive, KernelMode, FALSE, NULL);
	}
	PsTerminateSystemThread(STATUS_SUCCESS);
}

static BOOLEAN NTAPI insert_dpc(PKDPC dpc, PVOID first, PVOID second)
{
	BOOLEAN is_new;
	KIRQL irql;

	KeAcquireSpinLock(&lock, &irql);
	is_new = dpc->DpcData == NULL;
	if (is_new) {
		dpc->DpcData = &dpcs;
		dpc->SystemArgument1 = first;
		dpc->SystemArgument2 = second;
		InsertTailList(&dpcs, &dpc->DpcListEntry);
	}
	KeReleaseSpinLock(&lock, irql);
	KeSetEvent(&dpc_is_there, IO_NO_INCREMENT, FALSE);
	return is_new;
}

static VOID NTAPI flush_dpcs(VOID)
{
	atomic_store(&is_flushing, 1);
	if (dpc_thread != NULL)
		KeSetEvent(&dpc_is_there, IO_NO_INCREMENT, FALSE);
	system_thread_join(&dpc_thread);
}

/* True where the timer has expired, and is not set any more. */
static bool take_expiry(struct system_timer *timer, PLARGE_INTEGER wait, bool *is_set)
{
	bool has_expired;
	KIRQL irql;

	KeAcquireSpinLock(&timer->lock, &irql);
	*is_set = timer->due != 0;
	wait->QuadPart = now() - timer->due;
	has_expired = *is_set && wait->QuadPart >= 0;
	if (has_expired)
		timer->due = 0;
	KeReleaseSpinLock(&timer->lock, irql);
	return has_expired;
}

static VOID NTAPI TimerThread(PVOID context)
{
	struct system_timer *timer = context;
	LARGE_INTEGER wait;
	bool is_set;

	while (!atomic_load(&timer->is_deleted)) {
		if (take_expiry(timer, &wait, &is_set))
			timer->callback(timer, timer->context);
		else
			KeWaitForSingleObject(&timer->changed, Executive, KernelMode, FALSE, is_set ? &wait : NULL);
	}
	PsTerminateSystemThread(STATUS_SUCCESS);
}

static BOOLEAN NTAPI delete_timer(struct system_timer *timer, BOOLEAN cancel, BOOLEAN wait, PVOID parameters)
{
	UNREFERENCED_PARAMETER(cancel);
	UNREFERENCED_PARAMETER(wait);
	UNREFERENCED_PARAMETER(parameters);
	atomic_store(&timer->is_deleted, 1);
	KeSetEvent(&timer->changed, IO_NO_INCREMENT, FALSE);
	system_thread_join(&timer->thread);
	pool_free(timer, TAG_SHIM);
	return TRUE;
}

/* The thread of the DPCs comes with the timer, and goes when they are flushed. */
static struct system_timer *NTAPI allocate_timer(system_timer_callback *callback, PVOID context, ULONG attributes)
{
	struct system_timer *timer = pool_allocate(sizeof(*timer), TAG_SHIM);

	UNREFERENCED_PARAMETER(attributes);
	if (timer == NULL)
		return NULL;
	timer->callback = callback;
	timer->context = context;
	KeInitializeSpinLock(&timer->lock);
	KeInitializeEvent(&timer->changed, SynchronizationEvent, FALSE);
	KeInitializeEvent(&dpc_is_there, SynchronizationEvent, FALSE);
	atomic_store(&is_flushing, 0);
	dpc_thread = system_thread_create(DpcThread, NULL, PRIORITY, &dpc_is_there, &is_flushing);
	timer->thread = system_thread_create(TimerThread, timer, PRIORITY, &timer->changed, &timer->is_deleted);
	if (dpc_thread != NULL && timer->thread != NULL)
		return timer;
	delete_timer(timer, TRUE, TRUE, NULL);
	return NULL;
}

static BOOLEAN NTAPI set_timer(struct system_timer *timer, LONGLONG due, LONGLONG period, PVOID parameters)
{
	BOOLEAN was_set;
	KIRQL irql;

	UNREFERENCED_PARAMETER(period);
	UNREFERENCED_PARAMETER(parameters);
	KeAcquireSpinLock(&timer->lock, &irql);
	was_set = timer->due != 0;
	timer->due = now() - due;
	KeReleaseSpinLock(&timer->lock, irql);
	KeSetEvent(&timer->changed, IO_NO_INCREMENT, FALSE);
	return was_set;
}

/* As most PCs have it: 15.625 ms, 0.5 ms, and 1 ms now. */
static VOID NTAPI query_resolution(PULONG maximum, PULONG minimum, PULONG current)
{
	*maximum = 156250;
	*minimum = 5000;
	*current = 10000;
}

/* Of the others that the driver looks for Wine has none. */
static PVOID NTAPI find_routine(PUNICODE_STRING name)
{
	static const struct {
		UNICODE_STRING name;
		PVOID routine;
	} routines_here[] = {
		{ RTL_CONSTANT_STRING(L"ExAllocateTimer"), (PVOID)(ULONG_PTR)allocate_timer },
		{ RTL_CONSTANT_STRING(L"ExSetTimer"), (PVOID)(ULONG_PTR)set_timer },
		{ RTL_CONSTANT_STRING(L"ExDeleteTimer"), (PVOID)(ULONG_PTR)delete_timer },
		{ RTL_CONSTANT_STRING(L"ExQueryTimerResolution"), (PVOID)(ULONG_PTR)query_resolution },
	};

	for (unsigned i = 0; i < sizeof(routines_here) / sizeof(routines_here[0]); i++) {
		if (RtlEqualUnicodeString(name, (PUNICODE_STRING)&routines_here[i].name, FALSE))
			return routines_here[i].routine;
	}
	return NULL;
}

PVOID __imp_KeInsertQueueDpc = (PVOID)(ULONG_PTR)insert_dpc;
PVOID __imp_KeFlushQueuedDpcs = (PVOID)(ULONG_PTR)flush_dpcs;
PVOID __imp_MmGetSystemRoutineAddress = (PVOID)(ULONG_PTR)find_routine;
