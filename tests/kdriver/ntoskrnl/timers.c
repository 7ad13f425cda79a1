/*
 * Timers are served at ticks of the clock, all that are due at once, by the processor that owns the clock; never early, sometimes a tick
 * late. What they call runs among that processor's DPCs, whoever set them.
 */
#include <stdlib.h>

#include "kernel_api.h"
#include "machine.h"
#include "order.h"

#define ONE_IN_LATE 64 /* ticks that find nothing, as if the timer had been set too late for it */

struct ex_timer {
	uint64_t due_ns;
	ex_timer_callback *callback;
	PVOID context;
	bool is_set;
	bool is_disabled; /* ExDeleteTimer was called: nothing sets it any more */
	bool is_running;
	struct ex_timer *next;
};

static struct ex_timer *ex_timers;
static PKTIMER timers;
static ULONG resolution_asked;

void timers_reset(void)
{
	ex_timers = NULL;
	timers = NULL;
	resolution_asked = 0;
}

/* The first tick at or after a time. */
static uint64_t tick_for(uint64_t due_ns)
{
	uint64_t since;

	if (setup.tick_ns == 0)
		return due_ns;
	if (due_ns <= setup.tick_phase_ns)
		return setup.tick_phase_ns;
	since = due_ns - setup.tick_phase_ns + setup.tick_ns - 1;
	return setup.tick_phase_ns + since / setup.tick_ns * setup.tick_ns;
}

uint64_t timers_next(void)
{
	uint64_t next = NEVER;

	if (processors[setup.clock_owner].is_expiring)
		return NEVER; /* that is on its way */
	for (const struct ex_timer *timer = ex_timers; timer != NULL; timer = timer->next) {
		if (timer->is_set && tick_for(timer->due_ns) < next)
			next = tick_for(timer->due_ns);
	}
	for (const KTIMER *timer = timers; timer != NULL; timer = timer->next) {
		if (tick_for(timer->due_ns) < next)
			next = tick_for(timer->due_ns);
	}
	return next < processors[setup.clock_owner].masked_until_ns ? processors[setup.clock_owner].masked_until_ns : next;
}

/* The clock interrupts its owner, unless that has its interrupts off. */
void timers_tick(void)
{
	struct processor *owner = &processors[setup.clock_owner];

	if (timers_next() <= now_ns && owner->masked_until_ns <= now_ns)
		owner->is_expiring = true;
}

static void call(struct ex_timer *timer)
{
	timer->is_set = false;
	timer->is_running = true;
	COMES_BEHIND(timer);
	COMES_BEHIND(&processors[self->processor]);
	timer->callback((PEX_TIMER)timer, timer->context);
	COMES_BEFORE(&processors[self->processor]);
	COMES_BEFORE(timer);
	timer->is_running = false;
	wake_all(timer);
}

/* A timer that its tick misses is due again right behind it. */
static bool is_served(uint64_t *due_ns)
{
	if (tick_for(*due_ns) > now_ns)
		return false;
	if (draw(ONE_IN_LATE) != 0)
		return true;
	*due_ns = now_ns + (setup.tick_ns == 0 ? MS / 10 : 1);
	return false;
}

static void take_out(PKTIMER timer)
{
	for (PKTIMER *link = &timers; *link != NULL; link = &(*link)->next) {
		if (*link == timer) {
			*link = timer->next;
			break;
		}
	}
	timer->is_set = false;
}

void timers_expire(void)
{
	bool again;

	do {
		again = false;
		for (struct ex_timer *timer = ex_timers; timer != NULL && !again; timer = timer->next) {
			if (timer->is_set && is_served(&timer->due_ns)) {
				call(timer);
				again = true; /* the list may be another */
			}
		}
		for (PKTIMER timer = timers; timer != NULL && !again; timer = timer->next) {
			if (!is_served(&timer->due_ns))
				continue;
			take_out(timer);
			if (timer->dpc != NULL)
				KeInsertQueueDpc(timer->dpc, NULL, NULL);
			again = true;
		}
	} while (again);
}

PEX_TIMER ExAllocateTimer(ex_timer_callback *callback, PVOID context, ULONG attributes)
{
	struct ex_timer *timer;

	ROUTINE(DISPATCH_LEVEL);
	if ((attributes & ~(EX_TIMER_HIGH_RESOLUTION | EX_TIMER_NO_WAKE)) != 0)
		bug("ExAllocateTimer does not know attributes 0x%x", attributes);
	if (fails("ExAllocateTimer"))
		return NULL;
	timer = calloc(1, sizeof(*timer));
	timer->callback = callback;
	timer->context = context;
	timer->next = ex_timers;
	ex_timers = timer;
	return (PEX_TIMER)timer;
}

/* Due: in units of 100 ns, negative from now on. A timer of high resolution takes no other. */
BOOLEAN ExSetTimer(PEX_TIMER opaque, LONGLONG due, LONGLONG period, PVOID parameters)
{
	struct ex_timer *timer = (struct ex_timer *)opaque;
	bool was_set = timer->is_set;

	ROUTINE(DISPATCH_LEVEL);
	if (due >= 0 || period != 0 || parameters != NULL)
		bug("ExSetTimer with due %lld, period %lld", (long long)due, (long long)period);
	if (timer->is_disabled)
		return FALSE;
	COMES_BEFORE(timer);
	timer->due_ns = now_ns + (uint64_t)-due * 100;
	timer->is_set = true;
	yield();
	return was_set;
}

BOOLEAN ExCancelTimer(PEX_TIMER opaque, PVOID parameters)
{
	struct ex_timer *timer = (struct ex_timer *)opaque;
	bool was_set;

	ROUTINE(DISPATCH_LEVEL);
	(void)parameters;
	was_set = timer->is_set && !timer->is_disabled;
	if (!timer->is_disabled)
		timer->is_set = false;
	return was_set;
}

BOOLEAN ExDeleteTimer(PEX_TIMER opaque, BOOLEAN is_cancelled, BOOLEAN is_waited, PVOID parameters)
{
	struct ex_timer *timer = (struct ex_timer *)opaque, **link = &ex_timers;
	bool was_set;

	ROUTINE(is_waited ? APC_LEVEL : DISPATCH_LEVEL);
	(void)parameters;
	if (!is_cancelled)
		bug("ExDeleteTimer without Cancel: this fake has no timers that outlive it");
	was_set = timer->is_set;
	timer->is_disabled = true;
	timer->is_set = false;
	if (timer->is_running && !is_waited)
		bug("ExDeleteTimer does not wait for the callback that runs");
	while (timer->is_running)
		wait_for(timer, NEVER);
	COMES_BEHIND(timer);
	while (*link != timer)
		link = &(*link)->next;
	*link = timer->next;
	free(timer);
	return was_set;
}

/* "Maximum" is the longest tick, "minimum" the shortest, in units of 100 ns. */
void ExQueryTimerResolution(PULONG maximum, PULONG minimum, PULONG current)
{
	ROUTINE(ANY_LEVEL);
	*maximum = 156250;
	*minimum = 5000;
	*current = (ULONG)(setup.tick_ns / 100);
}

ULONG ExSetTimerResolution(ULONG wanted, BOOLEAN is_set)
{
	ROUTINE(APC_LEVEL);
	if (!is_set && resolution_asked == 0)
		bug("a timer resolution is given back that was not asked for");
	resolution_asked += is_set ? 1u : -1u;
	return wanted;
}

static void check(const KTIMER *timer)
{
	if (timer->magic != MAGIC_TIMER)
		bug("a timer that was not initialised");
}

void KeInitializeTimer(PKTIMER timer)
{
	ROUTINE(ANY_LEVEL);
	*timer = (KTIMER){ .magic = MAGIC_TIMER };
}

BOOLEAN KeSetTimer(PKTIMER timer, LARGE_INTEGER due, PKDPC dpc)
{
	bool was_set;

	ROUTINE(DISPATCH_LEVEL);
	check(timer);
	was_set = timer->is_set;
	if (was_set)
		take_out(timer);
	timer->due_ns = now_ns + (uint64_t)-due.QuadPart * 100;
	timer->dpc = dpc;
	timer->is_set = true;
	timer->next = timers;
	timers = timer;
	if (dpc != NULL)
		COMES_BEFORE(dpc);
	yield();
	return was_set;
}

BOOLEAN KeCancelTimer(PKTIMER timer)
{
	bool was_set;

	ROUTINE(DISPATCH_LEVEL);
	check(timer);
	was_set = timer->is_set;
	if (was_set)
		take_out(timer);
	return was_set;
}

bool timers_in(const void *memory, size_t bytes)
{
	for (const KTIMER *timer = timers; timer != NULL; timer = timer->next) {
		if ((uintptr_t)timer - (uintptr_t)memory < bytes)
			return true;
	}
	return false;
}

void timers_check(void)
{
	if (ex_timers != NULL)
		bug("the driver is gone and an EX_TIMER is left");
	if (timers != NULL)
		bug("the driver is gone and a timer is set");
	if (resolution_asked != 0)
		bug("the driver is gone and its timer resolution is not");
	for (unsigned i = 0; i < active_processors; i++) {
		if (processors[i].interrupt_ns != NEVER || processors[i].interrupts->state != FIBER_IDLE)
			bug("the driver is gone and processor %u will be interrupted", i);
	}
	if (dpcs_queued() != 0)
		bug("the driver is gone and %u of its DPCs are queued", dpcs_queued());
}
