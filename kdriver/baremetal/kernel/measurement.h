/*
 * A run of the driver core: what it has of each CPU, and its parts.
 */
#ifndef BAREMETAL_MEASUREMENT_H
#define BAREMETAL_MEASUREMENT_H

#include "shell.h"

#define MEASURING_PRIORITY 12u
#define RING_SLOTS 128u
#define APIC_REGISTERS 6u

/* What is looked at before and after, of each CPU. */
struct cpu_state {
	struct ki_gate gates[256];
	uint32_t apic[APIC_REGISTERS];
};

/* And of the machine. */
struct machine_state {
	struct cpu_state cpus[KI_MAX_CPUS];
	uint8_t pic_mask;
	uint8_t pit_mode;
};

struct measured_cpu {
	struct tracer_probe probe;
	struct tracer_apic apic;
	struct tracer_ring ring;
	struct tracer_slot slots[RING_SLOTS];
	struct tracer_gate latency_gate, latency_before, error_gate, error_before;
	uint64_t random_state;
};

extern struct measured_cpu measured_cpus[KI_MAX_CPUS];

/* each_cpu.c: runs a routine on every CPU, one after the other, in a thread of that CPU; true if it gave true on all. */
void each_cpu_prepare(void);
bool each_cpu(bool (*routine)(uint32_t cpu));

/* machine_state.c */
void machine_state_read(struct machine_state *state);
void machine_state_compare(const struct machine_state *before, const struct machine_state *after);

/* modules.c */
void modules_emit(const struct boot_module *module);

/* floor.c: the latency that half of the wake-ups so far did not exceed, of all CPUs, ns. */
uint64_t floor_of_probes(void);

/*
 * one_timer.c, in this order: the timer runs from one_timer_begin on, with all probes armed; its floor, in ns; whether the core refuses
 * a threshold below twice that; from here on wake-ups count; waiting, while the ticks are looked after; the end.
 */
void one_timer_begin(struct tracer_run *of_run);
uint64_t one_timer_floor(void);
bool one_timer_floor_is_observed(void);
void one_timer_count(void);
void one_timer_wait(uint64_t ns);
void one_timer_stop(void);
void one_timer_end(void);

/* Whether the core refuses a threshold below twice the floor, and takes one of twice the floor. */
bool floor_is_observed(const struct tracer_start_request *request, const struct tracer_offer *offer);

#endif
