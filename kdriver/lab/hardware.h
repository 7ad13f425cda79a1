/*
 * The machine behind the core's HAL (tracer_hal.h): ports, MSRs, the local APIC's registers, interrupts on and off. Descriptor tables
 * are gates.h.
 */
#ifndef HARDWARE_H
#define HARDWARE_H

#include "kernel.h"

/* Where IA32_APIC_BASE says the registers are, mapped for us. False where they cannot be. */
_IRQL_requires_(PASSIVE_LEVEL) bool hardware_map_apic(void);
_IRQL_requires_(PASSIVE_LEVEL) void hardware_unmap_apic(void);

/* CR4 of this CPU: Windows sets it the same on all. */
_IRQL_requires_max_(HIGH_LEVEL) uint64_t hardware_control_4(void);

/* x2APIC: the registers are no memory. */
_IRQL_requires_max_(HIGH_LEVEL) bool hardware_is_x2_apic(void);

#endif
