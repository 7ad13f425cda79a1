/*
 * Inside the test kernel: IRQL in CR8 as 64-bit Windows has it, what a CPU has of its own behind GS, a DPC queue behind a self-interrupt,
 * threads by priority. Four CPUs at most, which share nothing: devices, DPCs and threads belong to one of them and stay there. Supervisor
 * mode execution and access prevention are on: the kernel touches no page of a program.
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

/* Selectors; those of user mode are in interrupts.asm. */
#define KERNEL_CODE 0x08u
#define FIRST_TASK 0x28u /* task state of CPU 0, each further 0x10 higher */

#define KI_MAX_CPUS 4u
#define KI_MAX_DEVICES 4u
#define KI_NMI_STACK_WORDS 512u

#define NS_PER_SECOND UINT64_C(1000000000)

/* A gate of the IDT. */
struct ki_gate {
	uint8_t bytes[16];
};

/* The task state segment of 64-bit mode: the stacks of interrupts. */
#pragma pack(push, 4)
struct ki_task_state {
	uint32_t reserved_0;
	uint64_t rsp0; /* from user mode */
	uint64_t rsp1_2[2];
	uint64_t reserved_1;
	uint64_t ist1; /* of NMIs */
	uint64_t ist2_7[6];
	uint64_t reserved_2;
	uint16_t reserved_3;
	uint16_t port_map;
};
#pragma pack(pop)
_Static_assert(sizeof(struct ki_task_state) == 104, "a task state has 104 bytes");

/* What a CPU has of its own. In kernel mode GS begins here; the first three are known to interrupts.asm. */
struct ki_processor {
	uint64_t number;
	uint64_t kernel_stack; /* of the thread that runs: for a system call */
	uint64_t user_stack;   /* kept by a system call for a moment */
	_Alignas(16) struct ki_gate idt[256];
	_Alignas(16) uint64_t nmi_stack[KI_NMI_STACK_WORDS];
	struct ki_task_state task;
	struct ke_dpc *first_dpc, *last_dpc;
	uint32_t dpc_lock; /* of these two: other CPUs queue, too */
	volatile uint32_t profile_interrupts; /* the PIT's, as the system counts them */
	volatile uint32_t foreign_nmis;
	volatile uint32_t unprevented; /* interrupts whose C ran with AC set: access prevention was off */
};
_Static_assert(offsetof(struct ki_processor, kernel_stack) == 8 && offsetof(struct ki_processor, user_stack) == 16,
	"interrupts.asm has other offsets");
extern struct ki_processor ki_processors[KI_MAX_CPUS];

/* A notification that one thread waits for. */
struct ke_event {
	bool is_set;
	struct ki_thread *waiter;
};

/* processors.c */
void KiInitializeProcessor(void);        /* the first CPU's descriptors and local APIC */
void KiStartProcessors(void);
void KiSetInterruptStack(uint64_t top);  /* where interrupts from user mode find a stack on this CPU */

/* interrupts.asm: where a system call enters, and its first part, in which the stack pointer is the program's. */
extern const uint8_t KiSystemCall64[], ki_window_begin[], ki_window_end[];
extern uint32_t ki_window_rounds;

/* interrupts.c */
extern uint64_t ki_ticks_per_us;         /* of the time stamp counter */
uint32_t KiApicRead(uint32_t offset);
void KiApicWrite(uint32_t offset, uint32_t value);
void KiRequestInterrupt(uint32_t vector); /* on this CPU */
bool KiInsertQueueDpcOn(uint32_t cpu, struct ke_dpc *dpc, bool is_first); /* always the same CPU for a DPC */

/* devices.c */
void KiStartClock(void);
void KiTick(void);                       /* clock ISR: delays that are over, devices that have something to say */
void KiServeDevice(uint32_t vector);
void KiConnectTimer(void (*callback)(void)); /* the system's only timer, served by the clock of CPU 0: in a DPC there */
void KiSetTimer(uint64_t due);               /* TSC; once */

/* threads.c */
void KiInitializeThreads(void);
void KiDispatch(void);                 /* at DISPATCH_LEVEL: DPCs, then the thread that should run */
void KiExpireDelays(uint64_t now);     /* in the clock ISR */
void KiCreateThread(uint32_t cpu, void (*routine)(void), uint8_t priority);
void KiCreateProgram(uint32_t cpu, uint64_t entry, uint64_t stack, uint8_t priority); /* a thread in user mode */
void KeSetEvent(struct ke_event *event);
void KeWaitForEvent(struct ke_event *event);
void KiIdle(void);

/* output.c */
void KiPrint(const char *text);
void KiPrintNumber(uint64_t number);
void KiCheck(bool is_met, const char *what);
void KiCheckQuietly(bool is_met, const char *what); /* says nothing where it is */
_Noreturn void KiExit(void);           /* QEMU's exit status tells whether all checks were met */
_Noreturn void KiStopAll(const char *why);

/* measurement.c, start.c */
void KiPrepareMeasurement(void);
void KiLoadDrivers(void);              /* calls their entry points, each for the CPU that it is to work on */
extern const struct boot_info *ki_boot;
extern uint32_t ki_home_cpu;           /* of the driver whose entry point runs */

/* The CPU that this runs on. GS must be the kernel's: not so in an NMI, which may come behind SYSCALL or before an entry's SWAPGS. */
static inline uint32_t KiCurrentCpu(void)
{
	uint32_t number;
	__asm__ volatile("movl %%gs:0, %0" : "=r"(number));
	return number;
}

/* The same by the task register, anywhere. */
static inline uint32_t KiCurrentCpuAnywhere(void)
{
	uint16_t task;
	__asm__ volatile("strw %0" : "=r"(task));
	return (task - FIRST_TASK) / 16;
}

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

#define FLAG_ACCESS UINT64_C(0x40000) /* AC */

/* Notes it where access prevention is off. */
static inline void KiCheckPrevention(void)
{
	if (__builtin_ia32_readeflags_u64() & FLAG_ACCESS)
		ki_processors[KiCurrentCpu()].unprevented++;
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
