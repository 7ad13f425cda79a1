/* Threads by priority: the highest that is ready runs. All of it happens at DISPATCH_LEVEL on the only CPU, so there are no locks. */
#include "kernel.h"

#define MAX_THREADS 12u
#define STACK_WORDS 2048u
#define SAVED_REGISTERS 8u /* by KiSwapContext */
#define NOT_DELAYED UINT64_MAX

enum thread_state {
	THREAD_READY,
	THREAD_RUNNING,
	THREAD_WAITING
};

struct ki_thread {
	uint64_t stack_pointer;
	uint64_t wake_at; /* TSC at which a delay is over */
	void (*routine)(void);
	enum thread_state state;
	uint8_t priority;
	_Alignas(16) uint64_t stack[STACK_WORDS];
};

void KiSwapContext(uint64_t *old_stack, uint64_t new_stack);
void KiThreadEntry(void);
void KiRunThread(void (*routine)(void));

static struct ki_thread threads[MAX_THREADS];
static uint32_t thread_count;
static struct ki_thread idle, *current = &idle;
static struct ke_dpc delay_dpc;

static void expire(struct ke_dpc *dpc)
{
	uint64_t now = read_tsc();

	(void)dpc;
	for (uint32_t i = 0; i < thread_count; i++) {
		if (threads[i].state == THREAD_WAITING && threads[i].wake_at <= now) {
			threads[i].wake_at = NOT_DELAYED;
			threads[i].state = THREAD_READY;
		}
	}
}

void KiInitializeThreads(void)
{
	idle.state = THREAD_RUNNING;
	idle.wake_at = NOT_DELAYED;
	delay_dpc.routine = expire;
}

static void prepare(struct ki_thread *thread, void (*routine)(void), uint8_t priority)
{
	uint64_t *stack = &thread->stack[STACK_WORDS - 2];

	thread->priority = priority;
	thread->wake_at = NOT_DELAYED;
	*stack = (uint64_t)(uintptr_t)KiThreadEntry;
	stack -= SAVED_REGISTERS;
	stack[3] = (uint64_t)(uintptr_t)routine; /* r12 */
	thread->stack_pointer = (uint64_t)(uintptr_t)stack;
}

void KiCreateThread(void (*routine)(void), uint8_t priority)
{
	struct ki_thread *thread = &threads[thread_count];

	if (thread_count == MAX_THREADS)
		KiStopAll("too many threads");
	prepare(thread, routine, priority);
	thread->state = THREAD_READY;
	thread_count++;
}

KERNEL_API void PsCreateSystemThread(void (*routine)(void), uint8_t priority)
{
	KiCreateThread(routine, priority);
}

static struct ki_thread *highest_ready(void)
{
	struct ki_thread *highest = NULL;

	for (uint32_t i = 0; i < thread_count; i++) {
		if (threads[i].state == THREAD_READY && (highest == NULL || threads[i].priority > highest->priority))
			highest = &threads[i];
	}
	return highest;
}

static void switch_to(struct ki_thread *next)
{
	struct ki_thread *old = current;

	next->state = THREAD_RUNNING;
	current = next;
	KiSwapContext(&old->stack_pointer, next->stack_pointer);
}

void KiDispatch(void)
{
	struct ki_thread *next = highest_ready();

	if (next == NULL || (next->priority <= current->priority && current->state == THREAD_RUNNING))
		return;
	current->state = THREAD_READY;
	switch_to(next);
}

void KiRunThread(void (*routine)(void))
{
	KeLowerIrql(PASSIVE_LEVEL);
	routine();
	KiStopAll("a thread returned");
}

/* The current thread gives the CPU away; it is at DISPATCH_LEVEL and has said what it waits for. */
static void block(void)
{
	struct ki_thread *next;

	current->state = THREAD_WAITING;
	next = highest_ready();
	switch_to(next != NULL ? next : &idle);
}

KERNEL_API void KeDelayExecutionThread(uint64_t ns)
{
	uint8_t irql = KeRaiseIrql(DISPATCH_LEVEL);

	current->wake_at = read_tsc() + ns * ki_ticks_per_us / 1000;
	block();
	KeLowerIrql(irql);
}

void KiExpireDelays(uint64_t now)
{
	for (uint32_t i = 0; i < thread_count; i++) {
		if (threads[i].state == THREAD_WAITING && threads[i].wake_at <= now) {
			KeInsertQueueDpc(&delay_dpc);
			return;
		}
	}
}

/* In a DPC. */
void KeSetEvent(struct ke_event *event)
{
	if (event->waiter != NULL) {
		event->waiter->state = THREAD_READY;
		event->waiter = NULL;
	} else {
		event->is_set = true;
	}
}

void KeWaitForEvent(struct ke_event *event)
{
	uint8_t irql = KeRaiseIrql(DISPATCH_LEVEL);

	if (event->is_set) {
		event->is_set = false;
	} else {
		event->waiter = current;
		block();
	}
	KeLowerIrql(irql);
}

static void run_idle(void)
{
	for (;;)
		__asm__ volatile("sti; hlt" : : : "memory");
}

/* The processor's own thread, of priority 0, on a stack of its own; the loader's is left behind. */
void KiIdle(void)
{
	uint64_t loader_stack;

	prepare(&idle, run_idle, 0);
	idle.state = THREAD_RUNNING;
	KeRaiseIrql(DISPATCH_LEVEL);
	KiSwapContext(&loader_stack, idle.stack_pointer);
}
