/*
 * What makes the interrupt that is measured: each mode is a table of operations, and each binary links its own list of them, modes[]:
 * TracerLatency.sys wdm/modes.c, TracerLatencyLab.sys lab/modes.c.
 *
 *   offer -> begin -> go_on, settle; arm, the DPC, arm, the DPC, ... -> end
 *
 * All but the DPC are called at passive level unless they say otherwise, one at a time, but for arm: by each CPU's own thread. A mode has
 * either arm, for each CPU, or go_on, for a timer of all CPUs that sets itself again.
 */
#ifndef MODES_H
#define MODES_H

#include "kernel.h"

#include "measurement.h"
#include "tracer_run.h"

struct mode {
	enum tracer_mode number;
	enum tracer_clock clock;

	/* Logical processors that it can measure; and whether they must be of one group. */
	uint16_t most_cpus;
	bool is_one_group;

	/* While a run is on, the driver's image is held in memory (entry.h): `end` may have to leave something of it there. */
	bool is_pinned;

	/* TRACER_CAN_* that this machine and this mode have; 0 where it cannot run. */
	uint32_t (*capabilities)(void);

	/* Clock rate, floor, shortest period and capabilities; or why the mode cannot run. Changes nothing. */
	enum tracer_refusal (*offer)(struct tracer_offer *offer);

	/*
	 * Takes what the run needs: memory, rings (measured_cpu.ring), interrupts. No interrupt comes before `arm` or `go_on`. `end`
	 * follows in any case, where it refuses too.
	 */
	enum tracer_refusal (*begin)(struct measurement *measurement);

	/* The next interrupt of this CPU, about a period away. On this CPU, at DISPATCH_LEVEL; sets measured_cpu.expected. Or null. */
	void (*arm)(struct measured_cpu *cpu);

	/* Sets the timer of all CPUs, unless it is set: at the start, and behind each pause. At DISPATCH_LEVEL. Or null. */
	void (*go_on)(void);

	/* Behind the first go_on: measures what has to be known before wake-ups count, or says why there can be no run. Or null. */
	enum tracer_refusal (*settle)(struct measurement *measurement);

	/* The first records have been emitted: from here on wake-ups count. Null where settle is. */
	void (*begin_run)(void);

	/* Each second, and behind chores_wake, at passive level: true where the mode's state has changed. Or null. */
	bool (*look_after)(void);

	/* Adds what the mode knows. Or null. */
	void (*describe)(struct tracer_timer_state *state);

	/* measured_cpu.dpc; its context is the measured_cpu. */
	PKDEFERRED_ROUTINE dpc;

	/*
	 * Gives everything back; no thread arms any more. When it returns, no interrupt or DPC is on its way. False where something must
	 * stay in memory (is_pinned): the image is then held for good, and the mode does not begin again.
	 */
	bool (*end)(struct measurement *measurement);
};

extern const struct mode *const modes[];
extern const unsigned mode_count;

#endif
