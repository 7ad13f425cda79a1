#ifndef APIC_MODE_H
#define APIC_MODE_H

#include "modes.h"

/* The laboratory's mode: a vector of our own on each CPU's local APIC timer, and the clock's interrupt or NMIs as the sampler. */
extern const struct mode apic_mode;

#endif
