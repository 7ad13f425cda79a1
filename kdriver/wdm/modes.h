/*
 * What makes the interrupt that is measured: each mode is a table of operations, and each binary links its own list of them, modes[]:
 * TracerLatency.sys wdm/modes.c, TracerLatencyLab.sys lab/modes.c.
 *
 *   offer -> begin -> arm, the DPC, arm, the DPC, ... -> end
 *
 * All but the DPC are called at passive level unless they say otherwise, one at a time, but for arm: by each CPU's own thread.
 */
#ifndef MODES_H
#define MODES_H

#include "kernel.h"

#include "measurement.h"
#include "tracer_run.h"

struct mode {
	enum tracer_mode number;
	enum tracer_clock clock;

	/* While a run is on, the driver's image is held in memory (entry.h): `end` may have to leave something of it there. */
	bool is_pinned;

	/* TRACER_CAN_* that this machine and this mode have; 0 where it cannot run. */
	uint32_t (*capabilities)(void);

	/* Clock rate, floor, shortest period and capabilities; or why the mode cannot run. Changes nothing. */
	enum tracer_refusal (*offer)(struct tracer_offer *offer);

	/*
	 * Takes what the run needs: memory, rings (measured_cpu.ring), interrupts. No interrupt comes before `arm`. `end` follows in any
	 * case, where it refuses too.
	 */
	enum tracer_refusal (*begin)(struct measurement *measurement);

	/* The next interrupt of this CPU, about a period away. On this CPU, at DISPATCH_LEVEL; sets measured_cpu.expected. */
	void (*arm)(struct measured_cpu *cpu);

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
