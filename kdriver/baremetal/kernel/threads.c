/*
 * Threads by priority: on each CPU the highest of its own that is ready runs. A CPU's threads are changed on that CPU only, at
 * DISPATCH_LEVEL, so there are no locks; another CPU may add one.
 */
#include "kernel.h"

#define MAX_THREADS 12u  /* of one CPU */
#define ALL_THREADS 28u
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
	uint64_t user_entry, user_stack; /* of a program */
	void (*routine)(void);
	enum thread_state state;
	uint8_t priority;
	/* It ends with a page, as kernel stacks do: a sample copies no further than its page. */
	_Alignas(4096) uint64_t stack[STACK_WORDS];
};

struct scheduler {
	struct ki_thread idle, *threads[MAX_THREADS], *current;
	struct ke_dpc delay_dpc;
	uint32_t count;
};

void KiSwapContext(uint64_t *old_stack, uint64_t new_stack);
void KiStartSystemThread(void);
void PspSystemThreadStartup(void (*routine)(void));
_Noreturn void KiEnterUser(uint64_t entry, uint64_t stack);

static struct scheduler schedulers[KI_MAX_CPUS];
static struct ki_thread all_threads[ALL_THREADS];
static uint32_t used_threads;

static struct scheduler *scheduler(void)
{
	return &schedulers[KiCurrentCpu()];
}

static uint32_t count_of(const struct scheduler *here)
{
	return __atomic_load_n(&here->count, __ATOMIC_ACQUIRE);
}

static void expire(struct ke_dpc *dpc)
{
	struct scheduler *here = scheduler();
	uint64_t now = read_tsc();

	(void)dpc;
	for (uint32_t i = 0; i < count_of(here); i++) {
		struct ki_thread *thread = here->threads[i];
		if (thread->state == THREAD_WAITING && thread->wake_at <= now) {
			thread->wake_at = NOT_DELAYED;
			thread->state = THREAD_READY;
		}
	}
}

void KiInitializeThreads(void)
{
	for (uint32_t cpu = 0; cpu < KI_MAX_CPUS; cpu++) {
		schedulers[cpu].current = &schedulers[cpu].idle;
		schedulers[cpu].delay_dpc.routine = expire;
	}
}

static uint64_t stack_top(struct ki_thread *thread)
{
	return (uint64_t)(uintptr_t)&thread->stack[STACK_WORDS];
}

static void prepare(struct ki_thread *thread, void (*routine)(void), uint8_t priority)
{
	uint64_t *stack = &thread->stack[STACK_WORDS - 2];

	thread->priority = priority;
	thread->wake_at = NOT_DELAYED;
	*stack = (uint64_t)(uintptr_t)KiStartSystemThread;
	stack -= SAVED_REGISTERS;
	stack[3] = (uint64_t)(uintptr_t)routine; /* r12 */
	thread->stack_pointer = (uint64_t)(uintptr_t)stack;
}

static struct ki_thread *next_free(const struct scheduler *there)
{
	uint32_t number = __atomic_fetch_add(&used_threads, 1, __ATOMIC_RELAXED);

	if (there->count == MAX_THREADS || number >= ALL_THREADS)
		KiStopAll("too many threads");
	return &all_threads[number];
}

/* Its CPU sees it whole or not at all. */
static void publish(struct scheduler *there, struct ki_thread *thread)
{
	thread->state = THREAD_READY;
	there->threads[there->count] = thread;
	__atomic_store_n(&there->count, there->count + 1, __ATOMIC_RELEASE);
}

void KiCreateThread(uint32_t cpu, void (*routine)(void), uint8_t priority)
{
	struct ki_thread *thread = next_free(&schedulers[cpu]);

	prepare(thread, routine, priority);
	publish(&schedulers[cpu], thread);
}

static void run_program(void)
{
	const struct ki_thread *thread = scheduler()->current;

	KiEnterUser(thread->user_entry, thread->user_stack);
}

void KiCreateProgram(uint32_t cpu, uint64_t entry, uint64_t stack, uint8_t priority)
{
	struct ki_thread *thread = next_free(&schedulers[cpu]);

	prepare(thread, run_program, priority);
	thread->user_entry = entry;
	/* As a call would have left it: the home of four arguments, and a place for a return address. */
	thread->user_stack = stack - 40;
	publish(&schedulers[cpu], thread);
}

KERNEL_API void PsCreateSystemThread(void (*routine)(void), uint8_t priority)
{
	KiCreateThread(ki_home_cpu, routine, priority);
}

static struct ki_thread *highest_ready(struct scheduler *here)
{
	struct ki_thread *highest = NULL;

	for (uint32_t i = 0; i < count_of(here); i++) {
		struct ki_thread *thread = here->threads[i];
		if (thread->state == THREAD_READY && (highest == NULL || thread->priority > highest->priority))
			highest = thread;
	}
	return highest;
}

static void switch_to(struct scheduler *here, struct ki_thread *next)
{
	struct ki_thread *old = here->current;

	next->state = THREAD_RUNNING;
	here->current = next;
	KiSetInterruptStack(stack_top(next));
	KiSwapContext(&old->stack_pointer, next->stack_pointer);
}

void KiDispatch(void)
{
	struct scheduler *here = scheduler();
	struct ki_thread *next = highest_ready(here);

	if (next == NULL || (next->priority <= here->current->priority && here->current->state == THREAD_RUNNING))
		return;
	here->current->state = THREAD_READY;
	switch_to(here, next);
}

void PspSystemThreadStartup(void (*routine)(void))
{
	KeLowerIrql(PASSIVE_LEVEL);
	routine();
	KiStopAll("a thread returned");
}

/* The current thread gives the CPU away; it is at DISPATCH_LEVEL and has said what it waits for. */
static void block(struct scheduler *here)
{
	struct ki_thread *next;

	here->current->state = THREAD_WAITING;
	next = highest_ready(here);
	switch_to(here, next != NULL ? next : &here->idle);
}

KERNEL_API void KeDelayExecutionThread(uint64_t ns)
{
	uint8_t irql = KeRaiseIrql(DISPATCH_LEVEL);
	struct scheduler *here = scheduler();

	here->current->wake_at = read_tsc() + ns * ki_ticks_per_us / 1000;
	block(here);
	KeLowerIrql(irql);
}

void KiExpireDelays(uint64_t now)
{
	struct scheduler *here = scheduler();

	for (uint32_t i = 0; i < count_of(here); i++) {
		if (here->threads[i]->state == THREAD_WAITING && here->threads[i]->wake_at <= now) {
			KeInsertQueueDpc(&here->delay_dpc);
			return;
		}
	}
}

/* In a DPC, on the CPU of the thread that waits. */
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
	struct scheduler *here = scheduler();

	if (event->is_set) {
		event->is_set = false;
	} else {
		event->waiter = here->current;
		block(here);
	}
	KeLowerIrql(irql);
}

static void run_idle(void)
{
	KeRaiseIrql(DISPATCH_LEVEL);
	KiDispatch();
	KeLowerIrql(PASSIVE_LEVEL);
	/*
	 * A CPU of QEMU that halts leaves it to another thread of QEMU to move the time on, and now and then that one does it before the
	 * last instructions of the CPU are counted: no two such runs are sure to be equal. So a single CPU idles by computing.
	 */
	__asm__ volatile("sti" : : : "memory");
	while (ki_boot->cpus == 1)
		__asm__ volatile("" : : : "memory");
	for (;;)
		__asm__ volatile("hlt" : : : "memory");
}

/* The processor's own thread, of priority 0, on a stack of its own; the loader's is left behind. */
void KiIdle(void)
{
	struct scheduler *here = scheduler();
	uint64_t loader_stack;

	prepare(&here->idle, run_idle, 0);
	here->idle.state = THREAD_RUNNING;
	KeRaiseIrql(DISPATCH_LEVEL);
	KiSwapContext(&loader_stack, here->idle.stack_pointer);
}
