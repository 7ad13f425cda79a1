/*
 * The 8254 programmable interval timer: channel 0 raises the sampling interrupt (1 kHz in Cota-Robles & Held 2.3), channel 2 measures
 * other clocks. Its divisor cannot be read back, so the old one is measured before it is changed, and put back on stop.
 */
#ifndef TRACER_PIT_H
#define TRACER_PIT_H

#include <stdbool.h>
#include <stdint.h>

#define TRACER_PIT_HZ 1193182u
#define TRACER_PIT_SAMPLE_HZ 1000u

/* How channel 0 was found. Mode 0xFF: not programmed, nothing to restore. */
struct tracer_pit_setting {
	uint32_t divisor; /* 1 to 65536 */
	uint8_t mode;     /* 2 or 3 for a periodic rate; others are not touched */
	uint8_t reserved[3];
};

struct tracer_pit {
	struct tracer_pit_setting before;
	uint32_t divisor; /* that runs now */
	bool running;
	uint8_t reserved[3];
};

/* Divisor of the 8254 whose rate is nearest to `hz` (19 Hz to 1193182 Hz); 0 outside. 1 is given for the highest, which no mode counts. */
uint32_t tracer_pit_divisor(uint32_t hz);

/*
 * Reads mode and count of channel 0 until it has started over, and works out its divisor to within 1; tsc_hz must be known. False
 * where the channel does not count periodically, or not within `patience_ns`: `setting` then is no setting to start with or to restore.
 * Takes up to two periods (110 ms) of polling, so at passive level. Interrupts may be on. Nobody else may latch channel 0 meanwhile.
 */
bool tracer_pit_measure(uint64_t tsc_hz, uint64_t patience_ns, struct tracer_pit_setting *setting);

/*
 * Sets channel 0 to `hz`, having been told how it stood (measured, or known to the shell): `before` is copied and put back by the stop.
 * False, and nothing written, if the rate cannot be had or `pit` runs already. The system's own clock must not be this channel: its time
 * would run at our rate. Passive level; one CPU.
 */
bool tracer_pit_start(struct tracer_pit *pit, const struct tracer_pit_setting *before, uint32_t hz);

/* Sets channel 0 back as it was; where that was no periodic rate, it counts once more and is still. Does nothing if it was not started. */
void tracer_pit_stop(struct tracer_pit *pit);

/*
 * Waits on channel 2 for so many PIT ticks (1 to 65535, that is up to 55 ms) with interrupts off: returns the clock's ticks meanwhile, 0
 * where the channel does not answer or the number is outside. `mark` is called at both ends of the wait (0 begin, 1 end), with interrupts
 * off, so that another clock can be read there; it may not be null. The speaker is off meanwhile. Passive level, one CPU at a time.
 */
uint64_t tracer_pit_wait(uint32_t ticks, void (*mark)(void *context, int end), void *context);

#endif
