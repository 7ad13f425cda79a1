#ifndef TIMER_MODE_H
#define TIMER_MODE_H

#include "modes.h"

/* The mode of TracerLatency.sys: the system's timers. */
extern const struct mode timer_mode;

#endif
