/*
 * What the measurement needs of its shell beyond core/tracer_hal.h.
 */
#ifndef BAREMETAL_SHELL_H
#define BAREMETAL_SHELL_H

#include "../../core/tracer_apic.h"
#include "../../core/tracer_clock.h"
#include "../../core/tracer_gate.h"
#include "../../core/tracer_nmi.h"
#include "../../core/tracer_pit.h"
#include "../../core/tracer_probe.h"
#include "kernel.h"

/* Set in the probe's DPC of a CPU; each wakes the thread of one priority. */
extern struct ke_event shell_wakes[KI_MAX_CPUS][TRACER_MAX_PRIORITIES];

/* The probes'. */
extern struct ke_dpc shell_probe_dpcs[KI_MAX_CPUS];

/* Records are dropped, and not counted, before this: a floor is no run. */
void shell_keep_records(void);

/* Records that found no room. */
uint64_t shell_dropped(void);

/* Sends all records to the host. */
void shell_write_log(void);

#endif
