/*
 * A machine for unit tests behind the core's HAL: a clock that each access moves on, PIT, 8259, local APIC (memory-mapped and x2APIC,
 * timer in all modes), MSRs of the performance counters, IDTs. A test sets it up, drives the core and looks at the registers. What a
 * real machine punishes (an MSR that is not there, the wrong access to the APIC) is counted in `faults`.
 */
#ifndef FAKE_MACHINE_H
#define FAKE_MACHINE_H

#include "checks.h"
#include "tracer_apic.h"
#include "tracer_gate.h"
#include "tracer_hal.h"
#include "tracer_nmi.h"
#include "tracer_pit.h"

#define FAKE_CPUS 4
#define FAKE_VECTORS 64
#define FAKE_RECORDS 256
#define FAKE_RECORD_BYTES 176

struct fake_pit_channel {
	uint32_t divisor;
	uint64_t started; /* clock */
	uint8_t mode;
	uint8_t latched[2];
	uint8_t latched_left;
	uint8_t status;
	bool status_wanted;
	uint8_t written_low;
	bool low_written;
};

struct fake_machine {
	uint64_t clock;
	uint64_t tsc_hz;
	uint64_t bus_hz;       /* of the APIC timer before its divider */
	uint64_t access_ticks; /* that one access takes */
	uint32_t cpu;          /* that executes: for the APIC's registers there is only one */
	unsigned faults;
	bool interrupts_on;

	struct fake_pit_channel pit[3];
	uint8_t port_61;
	bool has_channel_2;
	uint64_t jitter; /* channel 2 waits so much longer, each time another share of it */

	uint8_t mask_8259, second_mask_8259;
	bool irq_0_pending, irq_0_in_service, poll_wanted;
	unsigned ends_of_8259;

	uint32_t apic[64]; /* by offset / 16 */
	uint64_t apic_base;
	uint64_t count_started;
	unsigned ends_of_interrupt, broadcasts;
	bool x2_apic_only;

	bool has_deadline, has_counter;
	uint64_t deadline, counter, fixed_control, global_status, global_control;

	struct tracer_gate idt[FAKE_CPUS][FAKE_VECTORS];
	unsigned exchanges;
	unsigned meddle_at;    /* the exchange before which somebody else changes that gate; 0 = never */
	bool apart[FAKE_CPUS]; /* CPUs that refuse */

	unsigned dpcs, wakes;
	uint32_t smi_count;
	unsigned record_count;
	uint64_t records[FAKE_RECORDS][FAKE_RECORD_BYTES / 8];
};

extern struct fake_machine fake;

/* A machine at 3 GHz, APIC on and unused, 8259 masked, gates of a kernel. */
void fake_reset(void);

/* Moves the clock. */
void fake_pass(uint64_t ns);

/* Handler of the gates that fake_reset makes. */
uint64_t fake_handler(unsigned vector);

/* Record `index` of those emitted, which must be of this type; an empty one of the type if it is not, and the test fails. */
const void *fake_record(unsigned index, unsigned type);

#endif
