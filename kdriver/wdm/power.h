/*
 * Changes of the machine's power state. A driver without Plug and Play gets no power requests, so it asks to be called: before sleep and
 * after it (\Callback\PowerState), and when the display goes off or on.
 *
 * A machine with modern standby (S0 low power idle) has no sleep that \Callback\PowerState tells of, and the display tells nothing of it:
 * a power request keeps the machine awake behind a dark one. What is on its way when it goes off or on is discarded, and no more; sleep is
 * seen by the clocks (timer_mode.c).
 */
#ifndef POWER_H
#define POWER_H

#include "kernel.h"

_IRQL_requires_(PASSIVE_LEVEL) NTSTATUS power_init(PDRIVER_OBJECT driver);
_IRQL_requires_(PASSIVE_LEVEL) void power_cleanup(void);

#endif
