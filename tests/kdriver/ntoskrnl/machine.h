/*
 * The machine under the fake kernel: processors, levels, fibers that run on them, one clock. Nothing here runs in parallel: one fiber runs
 * until it yields, at every kernel routine and between any two branches of the driver, and the next one is drawn by a seeded generator. So
 * a run is the same each time, and as mean as the seed.
 *
 *   fiber       a thread (the driver's or a user's), or a processor's DPCs: who is interrupted stands still until they are through
 *   processor   runs one fiber; the others' time goes on with the clock
 *   clock       virtual: a routine costs some 100 ns, and when nobody can run it jumps to whatever comes next
 *
 * The thread sanitizer sees each fiber as a thread of its own, and no order between two but what the kernel's own rules give (order.h).
 */
#ifndef MACHINE_H
#define MACHINE_H

#include "include/ntifs.h"

#define MOST_PROCESSORS 258
#define MOST_LOCKS 8
#define NEVER UINT64_MAX
#define MS UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)
#define QPC_HZ UINT64_C(10000000)

enum fiber_state {
	FIBER_READY,
	FIBER_WAITING,  /* for an object, or until a time */
	FIBER_SPINNING, /* for a lock, at DISPATCH_LEVEL */
	FIBER_BUSY,     /* computes until a time */
	FIBER_IDLE,     /* a processor's DPCs: none */
	FIBER_ENDED
};

/* Each kind of object begins with its own. */
#define MAGIC_EVENT 0x45564E54u
#define MAGIC_MUTEX 0x4D555458u
#define MAGIC_THREAD 0x54485244u
#define MAGIC_DPC 0x44504320u
#define MAGIC_TIMER 0x544D5220u
#define MAGIC_REMOVE_LOCK 0x524D4C4Bu

struct fake_fiber {
	ULONG magic;
	char name[28];
	enum fiber_state state;
	KIRQL irql;
	bool is_dpc;
	bool is_driver; /* a thread that the driver made */
	int processor;  /* where it runs or ran last */
	int only_on;    /* affinity; -1: anywhere */
	KPRIORITY priority;
	const void *waits_for;
	uint64_t until_ns; /* of its wait, or of being busy */
	bool has_timed_out;
	PKSPIN_LOCK spins_on;
	PKSPIN_LOCK locks[MOST_LOCKS]; /* that it holds, oldest first */
	unsigned lock_count;
	uint64_t steps;     /* its own */
	uint64_t locked_at; /* its steps, when it took the first of them */
	LONG references;
	void (*routine)(void *context);
	KSTART_ROUTINE *start; /* of a thread that the driver made */
	PVOID context_of_start;
	void *context;
	void *stack, *stack_pointer, *fake_stack, *sanitizer;
	struct fake_fiber *next;
};

struct processor {
	PKDPC queue;
	bool is_requested;  /* the queue shall be run as soon as the level allows */
	bool is_expiring;   /* the clock found timers that are due */
	uint64_t running;   /* sequence of the DPC that runs; 0: none */
	uint64_t masked_until_ns; /* its interrupts are off */
	struct fake_fiber *dpcs;
	struct fake_fiber *interrupts; /* above all else */
	void (*interrupt)(void *context);
	void *interrupt_context;
	uint64_t interrupt_ns; /* when it comes; NEVER: none */
	struct fake_fiber *occupant; /* who could run now */
};

struct setup {
	unsigned processors;
	unsigned in_first_group; /* of them; 0: all */
	uint64_t seed;
	uint64_t tick_ns;       /* of the clock that serves timers; 0: no grid */
	uint64_t tick_phase_ns;
	unsigned windows;       /* major << 8 | minor, of RtlGetVersion */
	const char *absent;     /* a routine that MmGetSystemRoutineAddress shall not find, whatever the version */
	unsigned fail_at;       /* the call that fails, of those that may; 0: none */
	unsigned preempt_every; /* branches of the driver between two chances to be interrupted, on average; 0: only at routines */
	unsigned clock_owner;   /* the processor that serves timers */
};

extern struct setup setup;
extern struct processor processors[MOST_PROCESSORS];
extern unsigned active_processors;
extern uint64_t dpcs_inserted; /* by the driver, so far */
extern uint64_t slept_ns;      /* of now_ns: the machine slept, and told nobody */
extern struct fake_fiber *self; /* who runs */
extern struct fake_fiber *fibers;
extern uint64_t now_ns;
extern uint64_t steps; /* branches of the driver, and routines */
extern uint64_t longest_lock_steps;
extern uint64_t deadline_ns; /* a test that is not through by then has failed */

/* A fiber that is run as soon as `steps` is `intrude_at`, before anybody else: between any two branches that a test wants. */
extern struct fake_fiber *intruder;
extern uint64_t intrude_at;
void intrusion_awaited(void);
void intrusion_over(void);

/* Runs the scenario as a thread of a user, to its end; then everything of the driver has to be gone. */
void machine_run(const struct setup *wanted, void (*scenario)(void));

/* What the driver did is forbidden: says so with the fiber's state and ends the process. */
_Noreturn void bug(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* 0 to below - 1. */
uint64_t draw(uint64_t below);

/* Whether the call that asks shall fail. What fails is named for the report. */
bool fails(const char *what);
extern unsigned failure_count;
extern const char *failed_call;

/* fibers.c */
struct fake_fiber *fiber_create(const char *name, void (*routine)(void *context), void *context);
void fiber_switch(struct fake_fiber *to);
void fiber_free(struct fake_fiber *fiber);
_Noreturn void fiber_end(void);
extern struct fake_fiber main_fiber;

/* scheduler.c: whoever calls gives the processor away until its state is FIBER_READY and it is drawn. */
void schedule(void);
void yield(void);
void busy(uint64_t ns);
void wait_for(const void *object, uint64_t until_ns);
void wake_all(const void *object);
bool is_in_use(const void *memory, size_t bytes, const char **by);
unsigned processor_number(void);

/* A routine is called: it costs time, others may come between, and its level must be so. */
void enter_routine(const char *name, KIRQL most);
#define ROUTINE(most) enter_routine(__func__, most)
#define ANY_LEVEL HIGH_LEVEL

/* interrupts.c: a device that interrupts one processor at a time, once. For the images of tests: no routine of Windows. */
void fake_interrupt(unsigned processor, uint64_t in_ns, void (*interrupt)(void *context), void *context);
void interrupts_run(void *processor);
bool interrupt_is_due(const struct processor *processor);

/* branches.c: what of the image has run in any test; the rest is written to a file, an address in the image a line. */
void branches_share(void);
void branches_write(const char *path);
void branch_taken(void);

/* dpcs.c */
void dpcs_run(void *processor);
void dpcs_reset(void);
bool dpcs_in(const void *memory, size_t bytes);
unsigned dpcs_queued(void);

/* timers.c */
uint64_t timers_next(void);
void timers_tick(void);
void timers_expire(void);
void timers_reset(void);
bool timers_in(const void *memory, size_t bytes);

/* What is left, of each kind; "" where nothing is. For the check behind an unload. */
void memory_reset(void);
void objects_reset(void);
void requests_reset(void);
void memory_check(void);
void timers_check(void);
void objects_check(void);
void requests_check(void);
void threads_check(void);
void routines_check(void);
void routines_reset(void);

#endif
