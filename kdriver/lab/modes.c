/* The modes of TracerLatencyLab.sys. */
#include "modes.h"

#include "apic_mode.h"
#include "timer_mode.h"

const struct mode *const modes[] = { &timer_mode, &apic_mode };
const unsigned mode_count = sizeof(modes) / sizeof(modes[0]);
