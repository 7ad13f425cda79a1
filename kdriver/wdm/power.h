/*
 * Changes of the machine's power state. A driver without Plug and Play gets no power requests, so it asks to be called: before sleep and
 * after it (\Callback\PowerState), and when the display goes off or on, which is how modern standby begins and ends.
 */
#ifndef POWER_H
#define POWER_H

#include "kernel.h"

_IRQL_requires_(PASSIVE_LEVEL) NTSTATUS power_init(PDRIVER_OBJECT driver);
_IRQL_requires_(PASSIVE_LEVEL) void power_cleanup(void);

#endif
