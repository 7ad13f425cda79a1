/* Levels and spin locks. */
#include "machine.h"
#include "order.h"

void fake_level_is_wrong(const char *function)
{
	bug("%s is called at level %d, which its annotation forbids", function, self->irql);
}

KIRQL KeGetCurrentIrql(void)
{
	return self->irql;
}

/* While it is at DISPATCH_LEVEL, nothing else of that level runs on the processor: that is an order, too. */
static void raise(KIRQL level)
{
	if (self->irql < DISPATCH_LEVEL && level >= DISPATCH_LEVEL)
		COMES_BEHIND(&processors[self->processor]);
	self->irql = level;
}

static void lower(KIRQL level)
{
	if (self->irql >= DISPATCH_LEVEL && level < DISPATCH_LEVEL)
		COMES_BEFORE(&processors[self->processor]);
	self->irql = level;
	yield();
}

void KeRaiseIrql(KIRQL level, KIRQL *before)
{
	ROUTINE(ANY_LEVEL);
	if (level < self->irql)
		bug("the level is raised from %d to %d", self->irql, level);
	*before = self->irql;
	raise(level);
}

void KeLowerIrql(KIRQL before)
{
	if (before > self->irql)
		bug("the level is lowered from %d to %d", self->irql, before);
	if (self->lock_count != 0 && before < DISPATCH_LEVEL)
		bug("the level is lowered with a spin lock held");
	lower(before);
}

void KeInitializeSpinLock(PKSPIN_LOCK lock)
{
	ROUTINE(ANY_LEVEL);
	*lock = 0;
}

static void take(PKSPIN_LOCK lock)
{
	while (*lock != 0) {
		if (*lock == (uintptr_t)self)
			bug("a spin lock is taken twice by the same");
		if ((uintptr_t)lock % sizeof(*lock) != 0)
			bug("a spin lock at %p", (void *)lock);
		self->spins_on = lock;
		self->state = FIBER_SPINNING;
		schedule();
	}
	self->spins_on = NULL;
	*lock = (uintptr_t)self;
	COMES_BEHIND(lock);
	if (self->lock_count == 0)
		self->locked_at = self->steps;
	if (self->lock_count == MOST_LOCKS)
		bug("too many spin locks are held");
	self->locks[self->lock_count++] = lock;
}

static void give(PKSPIN_LOCK lock)
{
	if (*lock != (uintptr_t)self)
		bug("a spin lock is given back by who does not hold it");
	if (self->locks[self->lock_count - 1] != lock)
		bug("spin locks are given back out of order");
	COMES_BEFORE(lock);
	*lock = 0;
	if (--self->lock_count == 0 && self->steps - self->locked_at > longest_lock_steps)
		longest_lock_steps = self->steps - self->locked_at;
	for (struct fake_fiber *fiber = fibers; fiber != NULL; fiber = fiber->next) {
		if (fiber->state == FIBER_SPINNING && fiber->spins_on == lock)
			fiber->state = FIBER_READY;
	}
}

void KeAcquireSpinLock(PKSPIN_LOCK lock, KIRQL *before)
{
	ROUTINE(DISPATCH_LEVEL);
	*before = self->irql;
	raise(DISPATCH_LEVEL);
	take(lock);
	yield();
}

void KeReleaseSpinLock(PKSPIN_LOCK lock, KIRQL before)
{
	if (self->irql != DISPATCH_LEVEL || before > DISPATCH_LEVEL)
		bug("a spin lock is given back at level %d, for level %d", self->irql, before);
	if (self->lock_count > 1 && before < DISPATCH_LEVEL)
		bug("the level is lowered with a spin lock held");
	give(lock);
	lower(before);
}

void KeAcquireSpinLockAtDpcLevel(PKSPIN_LOCK lock)
{
	ROUTINE(DISPATCH_LEVEL);
	if (self->irql != DISPATCH_LEVEL)
		bug("KeAcquireSpinLockAtDpcLevel is called at level %d", self->irql);
	take(lock);
	yield();
}

void KeReleaseSpinLockFromDpcLevel(PKSPIN_LOCK lock)
{
	if (self->irql != DISPATCH_LEVEL)
		bug("KeReleaseSpinLockFromDpcLevel is called at level %d", self->irql);
	give(lock);
	yield();
}
