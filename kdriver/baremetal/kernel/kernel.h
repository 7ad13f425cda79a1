/*
 * Inside the test kernel: one CPU, IRQL in CR8 as 64-bit Windows has it, a DPC queue behind a self-interrupt, threads by priority.
 */
#ifndef BAREMETAL_KERNEL_H
#define BAREMETAL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../boot_info.h"
#include "../drivers/driver.h"

/* Vectors; the upper four bits are the IRQL. */
#define VECTOR_NMI 0x02u
#define VECTOR_DISPATCH 0x2Fu
#define VECTOR_FIRST_DEVICE 0x61u /* each further device 0x10 higher */
#define VECTOR_LATENCY 0xC1u
#define VECTOR_CLOCK 0xD1u
#define VECTOR_PROFILE 0xE1u      /* the PIT's */
#define VECTOR_ERROR 0xE3u
#define VECTOR_SPURIOUS 0xFFu

#define KERNEL_CODE 0x08u

#define NS_PER_SECOND UINT64_C(1000000000)

/* A gate of the IDT. */
struct ki_gate {
	uint8_t bytes[16];
};
extern struct ki_gate ki_idt[256];

/* A notification that one thread waits for. */
struct ke_event {
	bool is_set;
	struct ki_thread *waiter;
};

/* interrupts.c */
extern volatile uint32_t ki_profile_interrupts; /* the PIT's, as the system counts them */
extern volatile uint32_t ki_foreign_nmis;
extern uint64_t ki_ticks_per_us;                 /* of the time stamp counter */
void KiInitializeInterrupts(void);
void KiInitializeDevices(uint64_t seed);
void KiStartClock(uint64_t tsc_hz);
uint32_t KiApicRead(uint32_t offset);
void KiApicWrite(uint32_t offset, uint32_t value);

/* threads.c */
void KiInitializeThreads(void);
void KiDispatch(void);                 /* at DISPATCH_LEVEL: DPCs, then the thread that should run */
void KiExpireDelays(uint64_t now);     /* in the clock ISR */
void KiCreateThread(void (*routine)(void), uint8_t priority);
void KeSetEvent(struct ke_event *event);
void KeWaitForEvent(struct ke_event *event);
void KiIdle(void);

/* output.c */
void KiPrint(const char *text);
void KiPrintNumber(uint64_t number);
void KiCheck(bool is_met, const char *what);
_Noreturn void KiExit(void);           /* QEMU's exit status tells whether all checks were met */
_Noreturn void KiStopAll(const char *why);

/* measurement.c, start.c */
void KiPrepareMeasurement(void);
extern const struct boot_info *ki_boot;

static inline uint8_t port_read(uint16_t port)
{
	uint8_t value;
	__asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static inline void port_write(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static inline uint64_t interrupts_off(void)
{
	uint64_t flags;
	__asm__ volatile("pushfq; popq %0; cli" : "=r"(flags) : : "memory");
	return flags;
}

static inline void interrupts_restore(uint64_t flags)
{
	__asm__ volatile("pushq %0; popfq" : : "r"(flags) : "memory", "cc");
}

static inline uint64_t irql_read(void)
{
	uint64_t irql;
	__asm__ volatile("movq %%cr8, %0" : "=r"(irql));
	return irql;
}

static inline void irql_write(uint64_t irql)
{
	__asm__ volatile("movq %0, %%cr8" : : "r"(irql) : "memory");
}

static inline bool text_equal(const char *a, const char *b)
{
	while (*a != 0 && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

#endif
