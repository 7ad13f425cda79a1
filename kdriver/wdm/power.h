/*
 * Changes of the machine's power state. A driver without Plug and Play gets no power requests, so it asks to be called: before sleep and
 * after it (\Callback\PowerState), and when the display goes off or on.
 *
 * A machine with modern standby (S0 low power idle) has no sleep that \Callback\PowerState tells of: its standby begins when the display
 * goes off, and ends when it goes on (Microsoft's Platform SDK support team: "AoAc" of SYSTEM_POWER_CAPABILITIES, then
 * GUID_CONSOLE_DISPLAY_STATE). There a run is paused in between. On others a display that is off is no standby: the machine works on, so
 * what is on its way at that moment is discarded, and no more.
 */
#ifndef POWER_H
#define POWER_H

#include "kernel.h"

_IRQL_requires_(PASSIVE_LEVEL) NTSTATUS power_init(PDRIVER_OBJECT driver);
_IRQL_requires_(PASSIVE_LEVEL) void power_cleanup(void);

#endif
