/*
 * A system clock that serves one timer, meaner than the world's: integers only, the same each time. Times are in ticks of 100 ns; what is
 * exact in 2^-16 of them. tests/capture/probe/ClockModelTests.cs has the same clocks for the probe in user mode
 * (docs/generated/probe-clocks.md).
 */
#ifndef MEAN_CLOCK_H
#define MEAN_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define MEAN_CLOCK_HZ 10000000u
#define MEAN_CLOCK_RATES 6

struct mean_rate {
	uint64_t since;  /* ticks from the start; the first since 0 */
	uint64_t period; /* in 2^-16; 0: an interrupt of its own serves the timer when it is due */
};

struct mean_clock {
	const char *name;
	struct mean_rate rates[MEAN_CLOCK_RATES]; /* the unused ones 0 behind the first */
	unsigned median;          /* from the tick to the callback */
	unsigned missed_percent;  /* so many timers are served by the next tick, if not again */
	unsigned idle_percent;    /* so often the CPU has to leave a deep idle state first */
	unsigned idle;            /* which takes about that */
	uint64_t pause_every;     /* a hypervisor takes the processor away, */
	uint64_t pause;           /* for so long */
	int drift_ppm;            /* of the ticks, from the start to the end of a minute */
};

struct mean_service {
	uint64_t tick;   /* that served it */
	uint64_t served; /* first instruction of the callback */
	bool is_paused;  /* a pause is in it */
};

/* A timer that is due then, of a machine that was started at `start`; `late` more than the clock's own ways. */
void mean_clock_serve(
	const struct mean_clock *clock, uint64_t start, uint64_t due, uint64_t late, uint64_t *random, struct mean_service *service);

#endif
