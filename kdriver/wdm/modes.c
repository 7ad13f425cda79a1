/* The modes of TracerLatency.sys. The laboratory driver has its own list. */
#include "modes.h"

#include "timer_mode.h"

const struct mode *const modes[] = { &timer_mode };
const unsigned mode_count = sizeof(modes) / sizeof(modes[0]);
