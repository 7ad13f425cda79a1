/* A device's interrupt, for an image that measures by one: it comes at its time whatever runs, unless interrupts are off. */
#include "machine.h"
#include "order.h"

#define DEVICE_LEVEL 12

void fake_interrupt(unsigned number, uint64_t in_ns, void (*interrupt)(void *context), void *context)
{
	struct processor *processor = &processors[number];

	ROUTINE(ANY_LEVEL);
	processor->interrupt = interrupt;
	processor->interrupt_context = context;
	processor->interrupt_ns = in_ns == NEVER ? NEVER : now_ns + in_ns;
	COMES_BEFORE(&processor->interrupt);
}

bool interrupt_is_due(const struct processor *processor)
{
	return processor->interrupt_ns <= now_ns && processor->masked_until_ns <= now_ns;
}

/* A processor's fiber for them: whoever ran there stands still meanwhile. */
void interrupts_run(void *context)
{
	struct processor *processor = context;

	for (;;) {
		self->irql = DEVICE_LEVEL;
		processor->interrupt_ns = NEVER;
		COMES_BEHIND(&processor->interrupt);
		processor->interrupt(processor->interrupt_context);
		if (self->irql != DEVICE_LEVEL || self->lock_count != 0)
			bug("an interrupt returns at level %d with %u spin locks", self->irql, self->lock_count);
		self->state = FIBER_IDLE;
		schedule();
	}
}
