/* Events, mutexes, threads, and waiting for them. */
#include <stdio.h>

#include "machine.h"
#include "objects.h"
#include "order.h"

static void check_event(const KEVENT *event)
{
	if (event->magic != MAGIC_EVENT)
		bug("an event that was not initialised");
}

void KeInitializeEvent(PRKEVENT event, EVENT_TYPE type, BOOLEAN is_signalled)
{
	const char *by;

	ROUTINE(ANY_LEVEL);
	if (is_in_use(event, sizeof(*event), &by))
		bug("an event that %s waits for is initialised", by);
	*event = (KEVENT){ .magic = MAGIC_EVENT, .type = type, .is_signalled = is_signalled };
}

/* With `is_wait_next` it would return with the dispatcher locked; only this fake's callers do not. */
LONG KeSetEvent(PRKEVENT event, KPRIORITY boost, BOOLEAN is_wait_next)
{
	LONG before;

	ROUTINE(DISPATCH_LEVEL);
	check_event(event);
	(void)boost;
	if (is_wait_next)
		bug("KeSetEvent with Wait");
	before = event->is_signalled;
	event->is_signalled = 1;
	COMES_BEFORE(event);
	wake_all(event);
	yield();
	return before;
}

LONG KeResetEvent(PRKEVENT event)
{
	LONG before;

	ROUTINE(DISPATCH_LEVEL);
	check_event(event);
	before = event->is_signalled;
	event->is_signalled = 0;
	return before;
}

void KeClearEvent(PRKEVENT event)
{
	KeResetEvent(event);
}

LONG KeReadStateEvent(PRKEVENT event)
{
	ROUTINE(DISPATCH_LEVEL);
	check_event(event);
	COMES_BEHIND(event);
	return event->is_signalled;
}

void KeInitializeMutex(PRKMUTEX mutex, ULONG level)
{
	ROUTINE(ANY_LEVEL);
	(void)level;
	*mutex = (KMUTEX){ .magic = MAGIC_MUTEX };
}

LONG KeReleaseMutex(PRKMUTEX mutex, BOOLEAN is_wait_next)
{
	ROUTINE(DISPATCH_LEVEL);
	if (mutex->magic != MAGIC_MUTEX || is_wait_next)
		bug("KeReleaseMutex");
	if (mutex->owner != self)
		bug("a mutex is given back by who does not own it");
	if (--mutex->depth == 0) {
		mutex->owner = NULL;
		COMES_BEFORE(mutex);
		wake_all(mutex);
	}
	yield();
	return 1;
}

/* Takes what is waited for, if that can be now. */
static bool take(PVOID object)
{
	ULONG magic = *(ULONG *)object;

	switch (magic) {
	case MAGIC_EVENT: {
		PKEVENT event = object;
		bool is_signalled = event->is_signalled != 0;

		if (is_signalled && event->type == SynchronizationEvent)
			event->is_signalled = 0;
		return is_signalled;
	}
	case MAGIC_MUTEX: {
		PKMUTEX mutex = object;

		if (mutex->depth != 0 && mutex->owner != self)
			return false;
		mutex->depth++;
		mutex->owner = self;
		return true;
	}
	case MAGIC_THREAD:
		return ((struct fake_fiber *)object)->state == FIBER_ENDED;
	default:
		bug("a wait for what is no event, mutex or thread (0x%x)", magic);
	}
}

static uint64_t end_of(const LARGE_INTEGER *timeout)
{
	if (timeout == NULL)
		return NEVER;
	if (timeout->QuadPart > 0)
		bug("a timeout that is an absolute time");
	return now_ns + (uint64_t)-timeout->QuadPart * 100;
}

NTSTATUS KeWaitForSingleObject(PVOID object, KWAIT_REASON reason, KPROCESSOR_MODE mode, BOOLEAN is_alertable, PLARGE_INTEGER timeout)
{
	uint64_t until;

	/* The documentation: at DISPATCH_LEVEL only with a timeout of zero. */
	ROUTINE(timeout != NULL && timeout->QuadPart == 0 ? DISPATCH_LEVEL : APC_LEVEL);
	(void)reason;
	(void)mode;
	if (is_alertable)
		bug("a wait that user APCs can end");
	until = end_of(timeout);
	while (!take(object)) {
		if (until <= now_ns)
			return STATUS_TIMEOUT;
		wait_for(object, until);
		if (self->has_timed_out && !take(object))
			return STATUS_TIMEOUT;
		if (self->has_timed_out)
			break;
	}
	COMES_BEHIND(object);
	yield();
	return STATUS_SUCCESS;
}

NTSTATUS KeDelayExecutionThread(KPROCESSOR_MODE mode, BOOLEAN is_alertable, PLARGE_INTEGER interval)
{
	ROUTINE(APC_LEVEL);
	(void)mode;
	(void)is_alertable;
	wait_for(self, end_of(interval));
	return STATUS_SUCCESS;
}

PKTHREAD KeGetCurrentThread(void)
{
	ROUTINE(ANY_LEVEL);
	return self;
}

KPRIORITY KeSetPriorityThread(PKTHREAD thread, KPRIORITY priority)
{
	KPRIORITY before;

	ROUTINE(PASSIVE_LEVEL);
	if (thread->magic != MAGIC_THREAD || priority < 1 || priority > 31)
		bug("KeSetPriorityThread(%d)", priority);
	before = thread->priority;
	thread->priority = priority;
	yield();
	return before;
}

KPRIORITY KeQueryPriorityThread(PKTHREAD thread)
{
	ROUTINE(PASSIVE_LEVEL);
	return thread->priority;
}

static void run_thread(void *context)
{
	(void)context;
	COMES_BEHIND(self);
	/* The documentation: a system thread that returns from its routine ends, too. */
	self->start(self->context_of_start);
	if (self->irql != PASSIVE_LEVEL || self->lock_count != 0)
		bug("a thread ends at level %d with %u spin locks", self->irql, self->lock_count);
	object_release(self);
}

NTSTATUS PsCreateSystemThread(PHANDLE handle, ULONG access, POBJECT_ATTRIBUTES attributes, HANDLE process, PVOID client,
	PKSTART_ROUTINE routine, PVOID context)
{
	static unsigned number;
	struct fake_fiber *thread;
	char name[28];

	ROUTINE(PASSIVE_LEVEL);
	(void)access;
	(void)process;
	(void)client;
	if (attributes == NULL || !(attributes->Attributes & OBJ_KERNEL_HANDLE))
		bug("a thread's handle that a program could use");
	if (fails("PsCreateSystemThread"))
		return STATUS_INSUFFICIENT_RESOURCES;
	snprintf(name, sizeof(name), "driver thread %u", ++number);
	thread = fiber_create(name, run_thread, NULL);
	thread->start = routine;
	thread->context_of_start = context;
	thread->is_driver = true;
	COMES_BEFORE(thread);
	*handle = handle_open(thread);
	yield();
	return STATUS_SUCCESS;
}

NTSTATUS PsTerminateSystemThread(NTSTATUS status)
{
	ROUTINE(PASSIVE_LEVEL);
	(void)status;
	if (!self->is_driver)
		bug("PsTerminateSystemThread of a thread that the driver did not make");
	if (self->irql != PASSIVE_LEVEL || self->lock_count != 0)
		bug("a thread ends at level %d with %u spin locks", self->irql, self->lock_count);
	object_release(self);
	fiber_end();
}

void threads_check(void)
{
	for (const struct fake_fiber *fiber = fibers; fiber != NULL; fiber = fiber->next) {
		if (fiber->is_driver && fiber->state != FIBER_ENDED)
			bug("the driver is gone and %s runs", fiber->name);
		if (fiber->is_driver && fiber->references != 0)
			bug("the driver is gone and %s has %d references", fiber->name, fiber->references);
	}
}
