/*
 * The device \Device\TracerLatency, \\.\TracerLatency for user mode: SYSTEM and administrators only, by its access list and once more
 * when it is opened.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include "kernel.h"

_IRQL_requires_(PASSIVE_LEVEL) NTSTATUS device_init(PDRIVER_OBJECT driver);
_IRQL_requires_(PASSIVE_LEVEL) void device_cleanup(void);

/* STATUS_SUCCESS, or why this create request is refused. */
_IRQL_requires_(PASSIVE_LEVEL) NTSTATUS device_check_opener(PIRP request);

#endif
