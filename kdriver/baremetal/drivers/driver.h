/*
 * What the test kernel offers to driver modules: a small likeness of the Windows driver interface, with the names that go by it.
 */
#ifndef BAREMETAL_DRIVER_H
#define BAREMETAL_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef BAREMETAL_KERNEL
#define KERNEL_API __declspec(dllexport)
#else
#define KERNEL_API __declspec(dllimport)
#endif

#define PASSIVE_LEVEL 0u
#define DISPATCH_LEVEL 2u

/* What a module is told to do wrong. */
enum misbehaviour {
	MISBEHAVIOUR_NONE = 0,
	MISBEHAVIOUR_LONG_DPC = 1,
	MISBEHAVIOUR_LONG_ISR = 2,
	MISBEHAVIOUR_MASKED = 3,      /* interrupts disabled in a thread */
	MISBEHAVIOUR_DPC_FLOOD = 4,   /* many short DPCs queued at once */
	MISBEHAVIOUR_RAISED_IRQL = 5  /* a thread at DISPATCH_LEVEL */
};

/* Routines of a module (DPCs, ISRs, threads) of which one is the guilty one. */
#define DRIVER_ROUTINES 4u

struct driver_setup {
	uint64_t injected_ns;    /* how long the misbehaviour lasts */
	uint64_t period_ns;      /* from one to the next, at least */
	uint64_t ticks_per_us;   /* of the time stamp counter */
	uint32_t misbehaviour;   /* enum misbehaviour */
	uint32_t guilty;         /* 0 to DRIVER_ROUTINES - 1: who does it */
};

struct ke_dpc {
	struct ke_dpc *next;
	void (*routine)(struct ke_dpc *dpc);
	bool queued;
};

/* False where it is queued already. Any level but NMI. */
KERNEL_API bool KeInsertQueueDpc(struct ke_dpc *dpc);

/* Raises the IRQL (CR8) and returns the old one; lowers it again. */
KERNEL_API uint8_t KeRaiseIrql(uint8_t irql);
KERNEL_API void KeLowerIrql(uint8_t irql);

/* Connects the ISRs of a device that interrupts about every `period_ns`, with each of its `messages` in turn. */
KERNEL_API void IoConnectInterrupt(void (*const *isrs)(void), uint32_t messages, uint64_t period_ns);

/* A thread of this priority (1 to 31). */
KERNEL_API void PsCreateSystemThread(void (*routine)(void), uint8_t priority);
KERNEL_API void KeDelayExecutionThread(uint64_t ns);

/* One line of the report on the serial port: who is guilty, for the tests. */
KERNEL_API void DbgGuilty(const char *module, const char *routine);

/* Every driver has one. */
void DriverEntry(const struct driver_setup *given);

static inline uint64_t read_tsc(void)
{
	return __builtin_ia32_rdtsc();
}

/* Keeps the CPU busy in the routine that it stands in. */
static inline __attribute__((always_inline)) void spin(uint64_t ticks)
{
	uint64_t begin = read_tsc();

	while (read_tsc() - begin < ticks)
		__builtin_ia32_pause();
}

static inline uint64_t ticks_of(const struct driver_setup *setup, uint64_t ns)
{
	return ns * setup->ticks_per_us / 1000;
}

/* True now and then: the time for a misbehaviour has come. */
static inline bool is_due(const struct driver_setup *setup, uint64_t *next)
{
	uint64_t now = read_tsc();

	if (now < *next)
		return false;
	*next = now + ticks_of(setup, setup->period_ns);
	return true;
}

#endif
