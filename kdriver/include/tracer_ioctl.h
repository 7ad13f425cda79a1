/*
 * The device interface of TracerLatency.sys and TracerLatencyLab.sys: \\.\TracerLatency, buffered IOCTLs, SYSTEM and administrators only.
 *
 * Every structure that goes in or out starts with struct tracer_abi. The driver checks, in this order: the buffer's place, the length of
 * struct tracer_abi, its version, the length of the structure and its abi.size, the length of the output, then each value. It reads no
 * further than the structure and writes no further than it says: abi.size of what it wrote. Nothing is written where the answer is an
 * error. The C# side is contract/driver/DriverInterface.cs, compared with this file by a test.
 */
#ifndef TRACER_IOCTL_H
#define TRACER_IOCTL_H

#include "tracer_records.h"

/* CTL_CODE(FILE_DEVICE_UNKNOWN, function, METHOD_BUFFERED, FILE_READ_ACCESS | FILE_WRITE_ACCESS), without the Windows headers. */
#define TRACER_IOCTL(function) ((0x22u << 16) | (3u << 14) | ((function) << 2))

#define TRACER_IOCTL_STATUS TRACER_IOCTL(0x800u)    /* in: tracer_abi; out: tracer_status */
#define TRACER_IOCTL_START TRACER_IOCTL(0x801u)     /* in: tracer_start_request; out: tracer_status */
#define TRACER_IOCTL_STOP TRACER_IOCTL(0x802u)      /* in: tracer_abi; out: tracer_status */
#define TRACER_IOCTL_READ TRACER_IOCTL(0x803u)      /* in: tracer_abi; out: tracer_read_batch; pends until there is a record */
#define TRACER_IOCTL_HISTOGRAM TRACER_IOCTL(0x804u) /* in: tracer_histogram_request; out: tracer_histogram */

/* How a control code ends: an NTSTATUS. Behind each, what DeviceIoControl then says. */
#define TRACER_ANSWER_DONE 0x00000000u              /* STATUS_SUCCESS */
#define TRACER_ANSWER_PENDING 0x00000103u           /* STATUS_PENDING, 997: a read that waits for a record */
#define TRACER_ANSWER_MISALIGNED 0x80000002u        /* STATUS_DATATYPE_MISALIGNMENT, 998: the I/O manager gives no such buffer */
#define TRACER_ANSWER_LENGTH_MISMATCH 0xC0000004u   /* STATUS_INFO_LENGTH_MISMATCH, 24: input too short, or not its abi.size */
#define TRACER_ANSWER_INVALID_PARAMETER 0xC000000Du /* STATUS_INVALID_PARAMETER, 87: unknown value or flag, reserved field, no such CPU */
#define TRACER_ANSWER_UNKNOWN_CODE 0xC0000010u      /* STATUS_INVALID_DEVICE_REQUEST, 1 */
#define TRACER_ANSWER_BUFFER_TOO_SMALL 0xC0000023u  /* STATUS_BUFFER_TOO_SMALL, 122: the output */
#define TRACER_ANSWER_REVISION_MISMATCH 0xC0000059u /* STATUS_REVISION_MISMATCH, 1306: another version */
#define TRACER_ANSWER_REFUSED 0xC00000D0u           /* STATUS_REQUEST_NOT_ACCEPTED, 71: a start; tracer_status.refusal says why */
#define TRACER_ANSWER_CANCELLED 0xC0000120u         /* STATUS_CANCELLED, 995: a read, by its caller or when the device goes */
#define TRACER_ANSWER_NOT_RUNNING 0xC0000184u       /* STATUS_INVALID_DEVICE_STATE, 22: no run to stop, to read from, or to count */

/* Why a start was refused; `tracer driver status` explains each. */
enum tracer_refusal {
	TRACER_REFUSAL_NONE = 0,
	TRACER_REFUSAL_RUNNING = 1,        /* a run is on already */
	TRACER_REFUSAL_THRESHOLD = 2,      /* below twice the floor: tracer_status.floor_ns says which */
	TRACER_REFUSAL_PERIOD = 3,         /* shorter than the timer can do, or longer than 10 s */
	TRACER_REFUSAL_PRIORITIES = 4,     /* none, too many, or outside 1 to 31 */
	TRACER_REFUSAL_NOT_LABORATORY = 5, /* this binary has no apic mode */
	TRACER_REFUSAL_PATCH_GUARD = 6,    /* the system checks its IDT */
	TRACER_REFUSAL_HVCI = 7,           /* memory integrity is on */
	TRACER_REFUSAL_HYPERVISOR = 8,     /* the local APIC is not ours */
	TRACER_REFUSAL_X2_APIC = 9,        /* the local APIC has no memory-mapped registers */
	TRACER_REFUSAL_KVA_SHADOW = 10,    /* a hook would fault on an interrupt from user mode */
	TRACER_REFUSAL_GATE = 11,          /* the gate is foreign, or not the same on all CPUs */
	TRACER_REFUSAL_CALIBRATION = 12,   /* the clocks disagree */
	TRACER_REFUSAL_RESOURCES = 13,     /* no memory, thread or timer to be had */
	TRACER_REFUSAL_CPUS = 14,          /* more logical processors than the driver can measure */
	TRACER_REFUSAL_SAMPLER = 15,       /* the clock's interrupt, to sample by, cannot be found or does not tick */
	TRACER_REFUSAL_POWER = 16,         /* the machine is going to sleep, or waking */
	TRACER_REFUSAL_NO_TIMER = 17,      /* no high-resolution timers: Windows 8.1 has them */
	TRACER_REFUSAL_VERIFIER = 18,      /* Driver Verifier would stop the machine where the IDT is mapped */
	TRACER_REFUSAL_PROTECTION = 19     /* the processor forbids what a hook needs (write protection, shadow stacks) */
};

enum tracer_state {
	TRACER_STATE_STOPPED = 0,
	TRACER_STATE_RUNNING = 1
};

/* Which part of a wake-up a histogram counts (Cota-Robles & Held 2.1). */
enum tracer_phase {
	TRACER_PHASE_INTERRUPT = 0, /* due -> ISR */
	TRACER_PHASE_DPC = 1,       /* ISR, or in timer mode queued -> DPC */
	TRACER_PHASE_THREAD = 2,    /* DPC -> thread */
	TRACER_PHASE_TOTAL = 3,     /* due, or in timer mode queued -> thread */
	TRACER_PHASE_REFERENCE = 4, /* queued -> a second DPC, at the head of the queue (timer mode) */
	TRACER_PHASE_TIMER = 5      /* tick -> the timer's callback, counted for the CPU that ran it (timer mode) */
};

#define TRACER_ALL_CPUS 0xFFFFu

/*
 * Log-linear histogram of latencies in ns: values below 16 have a bucket each; above, every power of two is cut into 16 equal buckets,
 * so a bucket's width is at most 1/16 of its values. The last bucket takes everything from 2^36 ns (69 s) on as well.
 */
#define TRACER_HISTOGRAM_SUB_BITS 4
#define TRACER_HISTOGRAM_OCTAVES 32
#define TRACER_HISTOGRAM_BUCKETS ((1 + TRACER_HISTOGRAM_OCTAVES) << TRACER_HISTOGRAM_SUB_BITS)

struct tracer_abi {
	uint32_t version; /* TRACER_ABI_VERSION */
	uint32_t size;    /* bytes of the whole structure */
};
TRACER_ASSERT_SIZE(struct tracer_abi, 8);

/* Bits of tracer_start_request.flags; a request with others is answered TRACER_ANSWER_INVALID_PARAMETER. */
#define TRACER_START_ALL_WAKEUPS 0x0001u /* reads get every Wakeup record, not only those at or above the threshold */
#define TRACER_START_STAY 0x0002u        /* the run goes on when the handle it was started by is closed; else it ends then */
#define TRACER_START_FLAGS (TRACER_START_ALL_WAKEUPS | TRACER_START_STAY)

/* Longest period: a run ends within one of them after it was told to. */
#define TRACER_LONGEST_PERIOD_NS UINT64_C(10000000000)

struct tracer_start_request {
	struct tracer_abi abi;
	uint64_t threshold_ns;
	uint64_t period_ns;
	uint32_t pre_samples;  /* samples kept from before an episode */
	uint32_t post_samples; /* and from after it */
	uint32_t cool_down_ms; /* no new episode so long after one */
	uint8_t mode;          /* enum tracer_mode */
	uint8_t priority_count;
	uint16_t flags; /* TRACER_START_* */
	uint8_t priorities[TRACER_MAX_PRIORITIES];
};
TRACER_ASSERT_SIZE(struct tracer_start_request, 48);
TRACER_ASSERT_OFFSET(struct tracer_start_request, mode, 36);
TRACER_ASSERT_OFFSET(struct tracer_start_request, priorities, 40);

struct tracer_status {
	struct tracer_abi abi;
	uint32_t state;        /* enum tracer_state */
	uint32_t refusal;      /* enum tracer_refusal: why the last start was refused */
	uint32_t capabilities; /* TRACER_CAN_* */
	uint16_t cpus;
	uint8_t mode;  /* enum tracer_mode */
	uint8_t clock; /* enum tracer_clock */
	uint64_t clock_hz;
	uint64_t threshold_ns;
	uint64_t period_ns;
	uint64_t floor_ns; /* 0 = not measured yet */
	uint64_t probes;
	uint64_t over_threshold;
	uint64_t worst_ns;
	uint64_t dropped;
	uint64_t events_logged; /* through ETW */
	uint64_t tick_ns;       /* this and the next four as in struct tracer_timer_state, by now */
	uint64_t own_ns;
	uint64_t run_ns;
	uint64_t late_timers;
	uint64_t discarded;
	uint64_t longest_lock_ns; /* longest time that a spin lock of the records was held; 0 = not measured */
	uint16_t timer_cpu;       /* that ran the timer's last callback */
	uint16_t unmeasured_cpus; /* processors that came after the run began */
	uint32_t reserved;
};
TRACER_ASSERT_SIZE(struct tracer_status, 152);
TRACER_ASSERT_OFFSET(struct tracer_status, clock, 23);
TRACER_ASSERT_OFFSET(struct tracer_status, events_logged, 88);

/* What the buffer of a read must hold at least: the head and the longest record. */
#define TRACER_READ_LEAST_BYTES (24 + TRACER_MAX_RECORD_BYTES)

/*
 * Records follow, one after the other, each header.size long. A read that finds none waits while a run is on; the run's last record is
 * tracer_stop, and what was not read by then can still be read. After that, reads end with TRACER_ANSWER_NOT_RUNNING. A start empties
 * the queue.
 */
struct tracer_read_batch {
	struct tracer_abi abi; /* abi.size counts this head and the records */
	uint32_t records;
	uint32_t reserved;
	uint64_t dropped; /* records lost since the run began, because nobody read in time */
};
TRACER_ASSERT_SIZE(struct tracer_read_batch, 24);

struct tracer_histogram_request {
	struct tracer_abi abi;
	uint32_t phase; /* enum tracer_phase */
	uint16_t cpu;   /* or TRACER_ALL_CPUS */
	uint8_t priority; /* of the thread; 0 = all. Counts for the phases that end in a thread only. */
	uint8_t reserved;
};
TRACER_ASSERT_SIZE(struct tracer_histogram_request, 16);

struct tracer_histogram {
	struct tracer_abi abi;
	uint64_t total; /* values counted */
	uint64_t max_ns;
	uint64_t buckets[TRACER_HISTOGRAM_BUCKETS];
};
TRACER_ASSERT_SIZE(struct tracer_histogram, 24 + 8 * TRACER_HISTOGRAM_BUCKETS);

#endif
