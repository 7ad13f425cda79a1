/*
 * DPC queues: High goes to the head, all others to the tail. Low, and Medium for another processor, ask for no interrupt: they wait until
 * somebody else's DPCs are run there or the processor has nothing to do (documentation: "Organization of DPC Queues").
 */
#include "machine.h"
#include "order.h"

uint64_t dpcs_inserted;

static uint64_t sequence;
static const char flushed; /* what KeFlushQueuedDpcs waits for, and its order */

void dpcs_reset(void)
{
	sequence = 0;
	dpcs_inserted = slept_ns = 0;
}

static void check(const KDPC *dpc)
{
	if (dpc->magic != MAGIC_DPC)
		bug("a DPC that was not initialised");
}

void KeInitializeDpc(PKDPC dpc, PKDEFERRED_ROUTINE routine, PVOID context)
{
	ROUTINE(ANY_LEVEL);
	if (dpcs_in(dpc, sizeof(*dpc)))
		bug("a DPC that is queued is initialised");
	*dpc = (KDPC){
		.magic = MAGIC_DPC,
		.importance = MediumImportance,
		.target = -1,
		.queued_on = -1,
		.routine = routine,
		.context = context,
	};
}

void KeSetImportanceDpc(PKDPC dpc, KDPC_IMPORTANCE importance)
{
	ROUTINE(ANY_LEVEL);
	check(dpc);
	dpc->importance = importance;
}

/* The documentation: of group 0; a number that it does not have changes nothing. */
void KeSetTargetProcessorDpc(PKDPC dpc, CCHAR number)
{
	ROUTINE(ANY_LEVEL);
	check(dpc);
	if (number >= 0 && (unsigned)number < setup.in_first_group)
		dpc->target = number;
}

NTSTATUS KeSetTargetProcessorDpcEx(PKDPC dpc, PPROCESSOR_NUMBER number)
{
	ULONG index;

	ROUTINE(ANY_LEVEL);
	check(dpc);
	index = KeGetProcessorIndexFromNumber(number);
	if (index >= active_processors)
		return STATUS_INVALID_PARAMETER;
	dpc->target = (int)index;
	return STATUS_SUCCESS;
}

BOOLEAN KeInsertQueueDpc(PKDPC dpc, PVOID first, PVOID second)
{
	struct processor *processor;
	PKDPC *link;

	ROUTINE(ANY_LEVEL);
	check(dpc);
	COMES_BEFORE(dpc);
	if (dpc->queued_on >= 0)
		return FALSE;
	/* Who inserts is not moved to another processor meanwhile: it must be at DISPATCH_LEVEL, or name the processor. */
	dpc->queued_on = dpc->target >= 0 ? dpc->target : self->processor;
	dpc->first = first;
	dpc->second = second;
	dpc->sequence = ++sequence;
	dpcs_inserted++;
	processor = &processors[dpc->queued_on];
	for (link = &processor->queue; dpc->importance != HighImportance && *link != NULL;)
		link = &(*link)->next;
	dpc->next = *link;
	*link = dpc;
	if (dpc->importance == HighImportance || dpc->importance == MediumHighImportance ||
		(dpc->importance == MediumImportance && dpc->queued_on == self->processor))
		processor->is_requested = true;
	yield();
	return TRUE;
}

BOOLEAN KeRemoveQueueDpc(PKDPC dpc)
{
	ROUTINE(ANY_LEVEL);
	check(dpc);
	if (dpc->queued_on < 0)
		return FALSE;
	for (PKDPC *link = &processors[dpc->queued_on].queue; *link != NULL; link = &(*link)->next) {
		if (*link == dpc) {
			*link = dpc->next;
			break;
		}
	}
	dpc->queued_on = -1;
	return TRUE;
}

static void check_back(const char *what)
{
	if (self->irql != DISPATCH_LEVEL)
		bug("%s returns at level %d", what, self->irql);
	if (self->lock_count != 0)
		bug("%s returns with a spin lock held", what);
}

static void run_one(struct processor *processor)
{
	PKDPC dpc = processor->queue;
	KDPC copy = *dpc;

	processor->queue = dpc->next;
	dpc->queued_on = -1;
	processor->running = copy.sequence;
	COMES_BEHIND(dpc);
	COMES_BEHIND(processor);
	copy.routine(dpc, copy.context, copy.first, copy.second); /* which may free the DPC */
	check_back("a DPC");
	COMES_BEFORE(processor);
	COMES_BEFORE(&flushed);
	processor->running = 0;
	wake_all(&flushed);
	yield();
}

/* A processor's DPC fiber: runs while there is something, and gives the processor back. */
void dpcs_run(void *context)
{
	struct processor *processor = context;

	for (;;) {
		while (processor->is_expiring || processor->queue != NULL) {
			if (processor->is_expiring) {
				processor->is_expiring = false;
				timers_expire();
				check_back("a timer's callback");
			} else {
				run_one(processor);
			}
		}
		processor->is_requested = false;
		self->state = FIBER_IDLE;
		schedule();
	}
}

static bool is_flushed(uint64_t until)
{
	for (unsigned i = 0; i < active_processors; i++) {
		if (processors[i].running != 0 && processors[i].running <= until)
			return false;
		for (const KDPC *dpc = processors[i].queue; dpc != NULL; dpc = dpc->next) {
			if (dpc->sequence <= until)
				return false;
		}
	}
	return true;
}

void KeFlushQueuedDpcs(void)
{
	uint64_t until;

	ROUTINE(PASSIVE_LEVEL);
	until = sequence;
	for (unsigned i = 0; i < active_processors; i++)
		processors[i].is_requested = true;
	while (!is_flushed(until))
		wait_for(&flushed, NEVER);
	COMES_BEHIND(&flushed);
}

bool dpcs_in(const void *memory, size_t bytes)
{
	for (unsigned i = 0; i < active_processors; i++) {
		for (const KDPC *dpc = processors[i].queue; dpc != NULL; dpc = dpc->next) {
			if ((uintptr_t)dpc - (uintptr_t)memory < bytes)
				return true;
		}
	}
	return false;
}

unsigned dpcs_queued(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < active_processors; i++) {
		for (const KDPC *dpc = processors[i].queue; dpc != NULL; dpc = dpc->next)
			count++;
		count += processors[i].running != 0;
	}
	return count;
}
