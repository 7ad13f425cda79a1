/*
 * A run: one probe for each CPU, and for each of its priorities a thread. The mode makes the interrupts (modes.h), the core measures
 * (tracer_probe.h); this is what holds them together, and answers the device's control codes.
 */
#ifndef MEASUREMENT_H
#define MEASUREMENT_H

#include "kernel.h"

#include "tracer_probe.h"
#include "tracer_stubs.h"

struct mode;
struct measured_cpu;

struct measuring_thread {
	KEVENT wake;
	PKTHREAD thread; /* null: was not created */
	struct measured_cpu *cpu;
	unsigned index; /* of its priority in the run's */
};

struct measured_cpu {
	struct tracer_probe probe;
	struct measuring_thread threads[TRACER_MAX_PRIORITIES];
	KDPC dpc;           /* the mode's; MediumHigh: at the head of the queue it would see no queueing */
	KDPC reference_dpc; /* timer mode's */
	KSPIN_LOCK lock;    /* raises to DISPATCH_LEVEL while the mode arms */
	const struct tracer_ring *ring; /* set by the mode, or null */
	uint64_t expected; /* clock: when the interrupt that was armed is due */
	uint64_t armed;    /* clock: when it was armed */
	uint64_t random;   /* state of measurement_random */
	_Atomic uint32_t is_wanted; /* its first thread shall arm it */
	uint16_t number;
};
_Static_assert(sizeof(struct measured_cpu) < 0x20000,
	"a CPU's measurement has become large; docs/internals/driver.md says less than 128 KB");

struct measurement {
	struct tracer_run run;
	const struct mode *mode;   /* of this run, or the last one */
	struct measured_cpu *cpus; /* likewise; null where there was none */
	uint16_t cpu_count;
	_Atomic uint32_t is_stopping;
	_Atomic uint32_t is_paused; /* PAUSED_BY_* */
	_Atomic uint32_t power_changes;
};

extern struct measurement measurement;

_IRQL_requires_(PASSIVE_LEVEL) NTSTATUS measurement_init(PDRIVER_OBJECT driver);

/* Ends the run that is on. */
_IRQL_requires_(PASSIVE_LEVEL) void measurement_cleanup(void);

/* A handle is closed: the run that was started by it ends, unless it is to stay. */
_IRQL_requires_(PASSIVE_LEVEL) void measurement_end_of(PFILE_OBJECT file);

/* Records of a run that is on. */
_IRQL_requires_(PASSIVE_LEVEL) void measurement_emit_clock_sync(void);
_IRQL_requires_(PASSIVE_LEVEL) void measurement_emit_state(void);

/* Why a run is paused. */
#define PAUSED_BY_SLEEP 1u

/* Power: wake-ups on their way are not counted; and none is armed until it goes on, for as long as there is a reason. */
_IRQL_requires_max_(DISPATCH_LEVEL) void measurement_discard(void);

/* The machine slept so many ticks of the run's clock without a word: the same, and they are no part of the run. */
_IRQL_requires_max_(DISPATCH_LEVEL) void measurement_slept(uint64_t ticks);
_IRQL_requires_max_(DISPATCH_LEVEL) void measurement_pause(uint32_t reason);
_IRQL_requires_max_(DISPATCH_LEVEL) void measurement_go_on(uint32_t reason);

/*
 * For a mode's arm: a delay of the run's period, give or take a quarter. A probe that kept time with what it measures would see the same
 * part of it each time.
 */
_IRQL_requires_max_(DISPATCH_LEVEL) uint64_t measurement_next_delay_ns(struct measured_cpu *cpu);

#endif
