/*
 * Records that the driver core produces: read from the device in batches (tracer_ioctl.h), and written one after the other by the
 * bare-metal kernel for `tracer import`. Each is also an event of the Tracer.Latency provider, field by field
 * (docs/generated/provider-events.md).
 *
 * Little-endian. Every field stands at a multiple of its own size and every size is a multiple of 8, so the layout is the same for
 * 32-bit and 64-bit code and for every compiler; the assertions below hold it there. The C# side is contract/driver/DriverRecords.cs,
 * compared with this file by a test.
 */
#ifndef TRACER_RECORDS_H
#define TRACER_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#define TRACER_ASSERT_SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type " has another size")
#define TRACER_ASSERT_OFFSET(type, field, bytes) _Static_assert(offsetof(type, field) == (bytes), #type "." #field " has another offset")

/*
 * Version of everything in this folder; a change of any layout or meaning counts it up. Version 2 made the wake-up's
 * record longer (64 bytes in version 1) and added the timer's state; a reader of recordings tells the versions by header.size.
 */
#define TRACER_ABI_VERSION 2u

/* Most thread priorities that one run measures, most callers that one sample keeps, bytes of a name with its NUL. */
#define TRACER_MAX_PRIORITIES 8
#define TRACER_MAX_CALLERS 16
#define TRACER_NAME_BYTES 64

/* No record is longer. */
#define TRACER_MAX_RECORD_BYTES 176

enum tracer_record_type {
	TRACER_RECORD_START = 1,
	TRACER_RECORD_CLOCK_SYNC = 2,
	TRACER_RECORD_WAKEUP = 3,
	TRACER_RECORD_EPISODE_BEGIN = 4,
	TRACER_RECORD_PIT_SAMPLE = 5,
	TRACER_RECORD_EPISODE_END = 6,
	TRACER_RECORD_STOP = 7,
	TRACER_RECORD_MODULE = 8, /* recordings only: in a trace the image events say it */
	TRACER_RECORD_TIMER_STATE = 9
};

/* What makes the interrupt that is measured. */
enum tracer_mode {
	TRACER_MODE_APIC = 0,
	TRACER_MODE_TIMER = 1,
	TRACER_MODE_WAKEUP = 2
};

/* What all clock fields of a run count. */
enum tracer_clock {
	TRACER_CLOCK_TSC = 0,
	TRACER_CLOCK_QPC = 1
};

/* Which interrupt took a sample. */
enum tracer_sample_source {
	TRACER_SAMPLE_PIT = 0,
	TRACER_SAMPLE_NMI = 1,
	TRACER_SAMPLE_LATENCY_ISR = 2
};

/* What this build on this machine can do: bits of tracer_start.capabilities and tracer_status.capabilities. */
#define TRACER_CAN_TIMER_HIGH_RESOLUTION 0x00000001u /* EX_TIMER (Windows 8.1): without it there is no timer mode */
#define TRACER_CAN_LOG_EVENTS 0x00000002u            /* EtwWrite and provider traits are there */
#define TRACER_CAN_COUNT_SMI 0x00000004u             /* MSR_SMI_COUNT may be read */
#define TRACER_CAN_APIC 0x00000008u                  /* apic mode: own local-APIC vector */
#define TRACER_CAN_SAMPLE_PIT 0x00000010u            /* the PIT's vector may be hooked */
#define TRACER_CAN_SAMPLE_NMI 0x00000020u            /* the PIT may be routed as NMI */

/* smi_count where the counter was not read. */
#define TRACER_SMI_NOT_READ 0xFFFFFFFFu

struct tracer_record_header {
	uint16_t type; /* enum tracer_record_type; skip by size what you do not know */
	uint16_t size; /* bytes of the whole record, a multiple of 8 */
	uint16_t cpu;  /* logical processor it happened on */
	uint16_t reserved;
};
TRACER_ASSERT_SIZE(struct tracer_record_header, 8);

struct tracer_start {
	struct tracer_record_header header;
	uint64_t clock_hz;
	uint64_t threshold_ns;
	uint64_t period_ns;
	uint64_t floor_ns; /* latency measured at the start of the run; a threshold below twice this is refused; 0 = not known */
	uint32_t capabilities;
	uint8_t mode;           /* enum tracer_mode */
	uint8_t clock;          /* enum tracer_clock */
	uint8_t priority_count; /* of priorities[] */
	uint8_t reserved;
	uint8_t priorities[TRACER_MAX_PRIORITIES]; /* of the measured threads, 1 to 31 */
};
TRACER_ASSERT_SIZE(struct tracer_start, 56);
TRACER_ASSERT_OFFSET(struct tracer_start, capabilities, 40);
TRACER_ASSERT_OFFSET(struct tracer_start, priorities, 48);

/* First, last and each second: ties the run's clock to QPC. */
struct tracer_clock_sync {
	struct tracer_record_header header;
	uint64_t clock;
	uint64_t qpc;
};
TRACER_ASSERT_SIZE(struct tracer_clock_sync, 24);

/*
 * Timer mode: one timer serves all CPUs. Its callback runs on timer_cpu and queues a DPC for each CPU measured. What lies between tick and
 * callback is timer_cpu's; the latency of header.cpu counts from `queued`. Other modes: callback is 0, and the latency counts from
 * `expected`.
 */
struct tracer_wakeup {
	struct tracer_record_header header;
	uint64_t sequence; /* counts all wake-ups of the run, recorded or not */
	uint64_t expected; /* clock: when the interrupt, or the timer, was due */
	uint64_t isr;      /* clock: first instruction of the ISR; 0 = not measurable */
	uint64_t dpc;      /* clock: first instruction of the DPC */
	uint64_t thread;   /* clock: first instruction of the thread */
	uint64_t interrupted_ip;
	uint16_t interrupted_cs;
	uint8_t mode;     /* enum tracer_mode */
	uint8_t priority; /* of the thread */
	uint16_t timer_cpu; /* logical processor that ran the timer's callback; 0 where callback is 0 */
	uint16_t reserved;
	uint64_t tick;     /* clock: the tick that should have served the timer, at or after expected; 0 = not known */
	uint64_t callback; /* clock: first instruction of the timer's callback; 0 = there was none */
	uint64_t queued;   /* clock: right before the callback queued this CPU's DPC; 0 = there was none */
};
TRACER_ASSERT_SIZE(struct tracer_wakeup, 88);
TRACER_ASSERT_OFFSET(struct tracer_wakeup, interrupted_ip, 48);
TRACER_ASSERT_OFFSET(struct tracer_wakeup, priority, 59);

struct tracer_episode_begin {
	struct tracer_record_header header;
	uint64_t latency_ns;
	uint32_t episode;
	uint32_t reserved;
};
TRACER_ASSERT_SIZE(struct tracer_episode_begin, 24);

/* header.size tells how many callers follow: callers[] is cut off behind the last that was found. */
struct tracer_pit_sample {
	struct tracer_record_header header;
	uint64_t ip;
	uint64_t clock;
	uint64_t flags; /* RFLAGS of the interrupted code */
	uint32_t episode;
	uint32_t index; /* within the episode, oldest first */
	uint16_t cs;
	uint8_t source;       /* enum tracer_sample_source */
	uint8_t caller_count; /* of callers[] */
	uint32_t reserved;
	uint64_t callers[TRACER_MAX_CALLERS]; /* return addresses, innermost first */
};
TRACER_ASSERT_SIZE(struct tracer_pit_sample, TRACER_MAX_RECORD_BYTES);
TRACER_ASSERT_OFFSET(struct tracer_pit_sample, cs, 40);
TRACER_ASSERT_OFFSET(struct tracer_pit_sample, callers, 48);

/* header.size of a sample with so many callers. */
#define TRACER_PIT_SAMPLE_BYTES(caller_count) (offsetof(struct tracer_pit_sample, callers) + (size_t)8 * (caller_count))

struct tracer_episode_end {
	struct tracer_record_header header;
	uint64_t overwritten; /* samples of the episode that the ring had lost already */
	uint32_t episode;
	uint32_t samples;
	uint32_t smi_count; /* during the episode, or TRACER_SMI_NOT_READ */
	uint32_t reserved;
};
TRACER_ASSERT_SIZE(struct tracer_episode_end, 32);

struct tracer_stop {
	struct tracer_record_header header;
	uint64_t probes;  /* wake-ups measured */
	uint64_t dropped; /* records that nobody read in time */
};
TRACER_ASSERT_SIZE(struct tracer_stop, 24);

/* Timer mode: behind the start, when the clock's ticks have changed, and before the stop. header.cpu ran the last callback. */
struct tracer_timer_state {
	struct tracer_record_header header;
	uint64_t clock;       /* in the run's clock: now */
	uint64_t floor_ns;    /* as in tracer_start */
	uint64_t tick_ns;     /* from one clock tick to the next; 0 = the timer is served when it is due, or the ticks are not known */
	uint64_t own_ns;      /* CPU time of the run's callbacks, DPCs and threads on all CPUs so far */
	uint64_t run_ns;      /* how long the run has been on, without what it was paused for */
	uint64_t late_timers; /* callbacks at or above the threshold behind their tick */
	uint64_t discarded;   /* wake-ups that a change of the power state spoilt: in no count and no histogram */
	uint16_t unmeasured_cpus; /* processors that came after the run began */
	uint16_t reserved[3];
};
TRACER_ASSERT_SIZE(struct tracer_timer_state, 72);

struct tracer_module {
	struct tracer_record_header header;
	uint64_t base;
	uint32_t image_bytes;
	uint32_t timestamp; /* TimeDateStamp and CheckSum of the image header */
	uint32_t checksum;
	uint32_t pdb_age;
	uint8_t pdb_guid[16];             /* as in the image's RSDS record; all zero = none */
	char name[TRACER_NAME_BYTES];     /* UTF-8, ends in NUL */
	char pdb_name[TRACER_NAME_BYTES]; /* UTF-8, ends in NUL */
};
TRACER_ASSERT_SIZE(struct tracer_module, TRACER_MAX_RECORD_BYTES);
TRACER_ASSERT_OFFSET(struct tracer_module, pdb_guid, 32);
TRACER_ASSERT_OFFSET(struct tracer_module, pdb_name, 112);

#endif
