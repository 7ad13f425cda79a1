/*
 * Who runs next. Each processor is taken by its DPCs, else by who is at DISPATCH_LEVEL there, else by the highest of the priorities that
 * can run there; of all who could run one is drawn. When none can, the clock goes on to what comes next.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "machine.h"
#include "order.h"

#define MOST_STEPS UINT64_C(400000000)
#define SPARE_PROCESSORS 2u /* that a test may add */

struct setup setup;
struct processor processors[MOST_PROCESSORS];
unsigned active_processors;
struct fake_fiber *fibers;
uint64_t now_ns;
uint64_t steps;
uint64_t longest_lock_steps;
uint64_t deadline_ns;
struct fake_fiber *intruder;
uint64_t intrude_at;
unsigned failure_count;
const char *failed_call;

static bool is_intruding;
static uint64_t seed;
static uint64_t next_preemption;

void __sanitizer_print_stack_trace(void);

static const char *state_name(enum fiber_state state)
{
	static const char *const names[] = { "ready", "waits", "spins", "computes", "idle", "ended" };

	return names[state];
}

void bug(const char *format, ...)
{
	va_list arguments;

	fflush(stdout);
	printf("# bug: ");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n# in %s on processor %d at level %d, %llu ns, seed %llu%s%s\n", self->name, self->processor, self->irql,
		(unsigned long long)now_ns, (unsigned long long)setup.seed, failed_call != NULL ? ", failed: " : "",
		failed_call != NULL ? failed_call : "");
	for (const struct fake_fiber *fiber = fibers; fiber != NULL; fiber = fiber->next) {
		if (fiber->state != FIBER_IDLE)
			printf("#   %s: %s, processor %d, level %d, priority %d, until %llu ns\n", fiber->name, state_name(fiber->state),
				fiber->processor, fiber->irql, fiber->priority, (unsigned long long)fiber->until_ns);
	}
	fflush(stdout);
	__sanitizer_print_stack_trace();
	_exit(3);
}

uint64_t draw(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 11) % below;
}

bool fails(const char *what)
{
	if (++failure_count != setup.fail_at)
		return false;
	failed_call = what;
	return true;
}

unsigned processor_number(void)
{
	return (unsigned)self->processor;
}

/* A thread that holds its processor: nobody else runs there. */
static bool is_bound(const struct fake_fiber *fiber)
{
	return !fiber->is_dpc && fiber->irql >= DISPATCH_LEVEL && fiber->state != FIBER_ENDED;
}

/* Threads stand in front: the processors' own fibers are made first, and each new one is put before the others. */
static bool is_thread(const struct fake_fiber *fiber)
{
	return fiber != NULL && !fiber->is_dpc;
}

/* Below DISPATCH_LEVEL: wherever there is room. */
static bool can_run(const struct fake_fiber *fiber)
{
	return !is_bound(fiber) && (fiber->state == FIBER_READY || fiber->state == FIBER_BUSY);
}

static bool can_begin_dpcs(const struct processor *processor)
{
	return processor->masked_until_ns <= now_ns && (processor->is_requested || processor->is_expiring);
}

static void take_due(void)
{
	for (struct fake_fiber *fiber = fibers; fiber != NULL; fiber = fiber->next) {
		if (fiber->until_ns > now_ns || (fiber->state != FIBER_WAITING && fiber->state != FIBER_BUSY))
			continue;
		fiber->has_timed_out = fiber->state == FIBER_WAITING;
		fiber->state = FIBER_READY;
		fiber->until_ns = NEVER;
	}
	timers_tick();
}

static void occupy_by_level(void)
{
	for (unsigned i = 0; i < active_processors; i++)
		processors[i].occupant = processors[i].dpcs->state != FIBER_IDLE ? processors[i].dpcs : NULL;
	for (struct fake_fiber *fiber = fibers; is_thread(fiber); fiber = fiber->next) {
		if (is_bound(fiber))
			processors[fiber->processor].occupant = fiber;
	}
	for (unsigned i = 0; i < active_processors; i++) {
		struct processor *processor = &processors[i];

		if (processor->interrupts->state != FIBER_IDLE || interrupt_is_due(processor)) {
			processor->interrupts->state = FIBER_READY;
			processor->occupant = processor->interrupts;
		}
		/* The interrupt that asks for it takes its time, from another processor above all. */
		if (processor->occupant == NULL && can_begin_dpcs(processor) && draw(4) != 0) {
			processor->dpcs->state = FIBER_READY;
			processor->occupant = processor->dpcs;
		}
	}
}

/* The processor for a thread that can run: the one that it has run on, if that is free; -1 where there is none. */
static int find_place(const struct fake_fiber *fiber)
{
	unsigned first = (unsigned)draw(active_processors);

	if (fiber->only_on >= 0)
		return processors[fiber->only_on].occupant == NULL ? fiber->only_on : -1;
	if (fiber->processor >= 0 && processors[fiber->processor].occupant == NULL && draw(8) != 0)
		return fiber->processor;
	for (unsigned i = 0; i < active_processors; i++) {
		unsigned number = (first + i) % active_processors;

		if (processors[number].occupant == NULL)
			return (int)number;
	}
	return -1;
}

static void occupy_by_priority(void)
{
	uint32_t present = 0;

	for (struct fake_fiber *fiber = fibers; is_thread(fiber); fiber = fiber->next)
		present |= can_run(fiber) ? 1u << fiber->priority : 0;
	for (KPRIORITY priority = 31; priority > 0; priority--) {
		if (!(present >> priority & 1))
			continue;
		for (struct fake_fiber *fiber = fibers; is_thread(fiber); fiber = fiber->next) {
			int place;

			if (fiber->priority != priority || !can_run(fiber))
				continue;
			place = find_place(fiber);
			if (place < 0)
				continue;
			fiber->processor = place;
			processors[place].occupant = fiber;
		}
	}
}

/* DPCs that nobody asked to be run at once are run by a processor that has nothing else to do. */
static void occupy_idle(void)
{
	for (unsigned i = 0; i < active_processors; i++) {
		struct processor *processor = &processors[i];

		bool has_work = processor->queue != NULL || processor->is_expiring;

		if (has_work && processor->occupant == NULL && processor->masked_until_ns <= now_ns) {
			processor->dpcs->state = FIBER_READY;
			processor->occupant = processor->dpcs;
		}
	}
}

static struct fake_fiber *draw_one(void)
{
	struct fake_fiber *chosen = NULL;
	unsigned count = 0;

	for (unsigned i = 0; i < active_processors; i++) {
		struct fake_fiber *occupant = processors[i].occupant;

		if (occupant == NULL || occupant->state != FIBER_READY || processors[i].masked_until_ns > now_ns)
			continue;
		if (occupant == intruder && is_intruding)
			return occupant;
		if (draw(++count) == 0)
			chosen = occupant;
	}
	return chosen;
}

static uint64_t next_moment(void)
{
	uint64_t next = timers_next();

	for (const struct fake_fiber *fiber = fibers; fiber != NULL; fiber = fiber->next) {
		if ((fiber->state == FIBER_WAITING || fiber->state == FIBER_BUSY) && fiber->until_ns < next)
			next = fiber->until_ns;
	}
	for (unsigned i = 0; i < active_processors; i++) {
		if (processors[i].interrupt_ns < next)
			next = processors[i].interrupt_ns;
		if (processors[i].masked_until_ns > now_ns && processors[i].masked_until_ns < next)
			next = processors[i].masked_until_ns;
	}
	return next;
}

void schedule(void)
{
	for (;;) {
		struct fake_fiber *next;
		uint64_t moment;

		take_due();
		if (now_ns > deadline_ns)
			bug("it does not end in time");
		occupy_by_level();
		occupy_by_priority();
		occupy_idle();
		next = draw_one();
		if (next != NULL) {
			fiber_switch(next);
			return;
		}
		moment = next_moment();
		if (moment == NEVER)
			bug("nothing runs any more, and nothing will");
		now_ns = moment > now_ns ? moment : now_ns + 1;
	}
}

void yield(void)
{
	if (self != &main_fiber)
		schedule();
}

void busy(uint64_t ns)
{
	self->until_ns = now_ns + ns;
	self->state = FIBER_BUSY;
	schedule();
}

void wait_for(const void *object, uint64_t until_ns)
{
	self->waits_for = object;
	self->until_ns = until_ns;
	self->has_timed_out = false;
	self->state = FIBER_WAITING;
	schedule();
	self->waits_for = NULL;
}

void wake_all(const void *object)
{
	for (struct fake_fiber *fiber = fibers; fiber != NULL; fiber = fiber->next) {
		if (fiber->state == FIBER_WAITING && fiber->waits_for == object) {
			fiber->state = FIBER_READY;
			fiber->until_ns = NEVER;
		}
	}
}

static bool is_inside(const void *address, const void *memory, size_t bytes)
{
	return (uintptr_t)address - (uintptr_t)memory < bytes;
}

bool is_in_use(const void *memory, size_t bytes, const char **by)
{
	for (const struct fake_fiber *fiber = fibers; fiber != NULL; fiber = fiber->next) {
		*by = fiber->name;
		if ((fiber->state == FIBER_WAITING && is_inside(fiber->waits_for, memory, bytes)) ||
			(fiber->state == FIBER_SPINNING && is_inside(fiber->spins_on, memory, bytes)))
			return true;
		for (unsigned i = 0; i < fiber->lock_count; i++) {
			if (is_inside(fiber->locks[i], memory, bytes))
				return true;
		}
	}
	*by = "a queued DPC";
	if (dpcs_in(memory, bytes))
		return true;
	*by = "a timer that is set";
	return timers_in(memory, bytes);
}

static void step(void)
{
	self->steps++;
	if (++steps > MOST_STEPS)
		bug("it goes round and round");
	if (steps == intrude_at && intruder != NULL && self != intruder) {
		is_intruding = true;
		wake_all(&intruder);
		schedule();
	}
}

void intrusion_awaited(void)
{
	wait_for(&intruder, NEVER);
}

void intrusion_over(void)
{
	is_intruding = false;
}

void enter_routine(const char *name, KIRQL most)
{
	if (self->irql > most)
		bug("%s is called at level %d, where %d is the highest", name, self->irql, most);
	step();
	if (self == &main_fiber)
		return;
	now_ns += 40 + draw(120);
	if (draw(3) == 0)
		schedule();
}

/* Each branch of the driver: who runs may be interrupted there. */
void branch_taken(void)
{
	step();
	if (setup.preempt_every == 0 || self == &main_fiber || steps < next_preemption)
		return;
	next_preemption = steps + 1 + draw(2 * setup.preempt_every);
	now_ns += draw(50);
	schedule();
}

static void make_processors(void)
{
	char name[28];

	active_processors = setup.processors;
	for (unsigned i = 0; i < setup.processors + SPARE_PROCESSORS && i < MOST_PROCESSORS; i++) {
		processors[i] = (struct processor){ .interrupt_ns = NEVER };
		snprintf(name, sizeof(name), "DPCs of %u", i);
		processors[i].dpcs = fiber_create(name, dpcs_run, &processors[i]);
		processors[i].dpcs->is_dpc = true;
		processors[i].dpcs->irql = DISPATCH_LEVEL;
		processors[i].dpcs->state = FIBER_IDLE;
		processors[i].dpcs->processor = (int)i;
		snprintf(name, sizeof(name), "interrupts of %u", i);
		processors[i].interrupts = fiber_create(name, interrupts_run, &processors[i]);
		processors[i].interrupts->is_dpc = true;
		processors[i].interrupts->state = FIBER_IDLE;
		processors[i].interrupts->processor = (int)i;
	}
}

static void run_scenario(void *scenario)
{
	void (*run)(void);

	*(void **)&run = scenario;
	COMES_BEHIND(self);
	run();
	/* Back to where machine_run was called: only here is nothing scheduled. */
	COMES_BEFORE(self);
	self->state = FIBER_ENDED;
	fiber_switch(&main_fiber);
}

void machine_run(const struct setup *wanted, void (*scenario)(void))
{
	struct fake_fiber *user;
	void *routine;

	setup = *wanted;
	seed = setup.seed * UINT64_C(0x9E3779B97F4A7C15) + 0x1234567;
	if (setup.in_first_group == 0)
		setup.in_first_group = setup.processors;
	now_ns = SECOND + draw(SECOND);
	steps = next_preemption = longest_lock_steps = 0;
	deadline_ns = now_ns + UINT64_C(3600) * SECOND;
	intruder = NULL;
	is_intruding = false;
	intrude_at = 0;
	failure_count = 0;
	failed_call = NULL;
	dpcs_reset();
	timers_reset();
	memory_reset();
	objects_reset();
	requests_reset();
	routines_reset();
	make_processors();
	*(void (**)(void))&routine = scenario;
	user = fiber_create("user", run_scenario, routine);
	user->processor = 0;
	fiber_switch(user);
	while (fibers != NULL)
		fiber_free(fibers);
}
