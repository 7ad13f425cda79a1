/*
 * Counting system management interrupts: MSR_SMI_COUNT (0x34, Intel SDM volume 4) of Intel processors from Nehalem on, never under a
 * hypervisor. Proof that firmware, not a driver, took the time.
 */
#ifndef SMI_H
#define SMI_H

#include "kernel.h"

_IRQL_requires_(PASSIVE_LEVEL) NTSTATUS smi_init(PDRIVER_OBJECT driver);

/* Whether tracer_hal_smi_count reads the counter. */
_IRQL_requires_max_(HIGH_LEVEL) bool smi_is_counted(void);

#endif
