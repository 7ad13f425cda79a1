/* Threads of programs, and what the machine does by itself. */
#include <string.h>

#include "order.h"
#include "user.h"

struct fake_fiber *user_thread(const char *name, KPRIORITY priority, void (*routine)(void *context), void *context)
{
	struct fake_fiber *thread = fiber_create(name, routine, context);

	thread->priority = priority;
	thread->references++;
	yield();
	return thread;
}

void user_joins(struct fake_fiber *thread)
{
	while (thread->state != FIBER_ENDED)
		wait_for(thread, NEVER);
	COMES_BEHIND(thread);
}

void user_sleeps(uint64_t ns)
{
	wait_for(self, now_ns + ns);
}

void user_masks(unsigned processor, uint64_t ns)
{
	processors[processor].masked_until_ns = now_ns + ns;
}

/* Displays are on, and there is no low-power epoch, until a test says otherwise. */
ULONG user_power_setting(const GUID *setting)
{
	(void)setting;
	return 1;
}
