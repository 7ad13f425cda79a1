#include "clock.h"

#include "tracer_hal.h"

#define TRIES 3

/* Atomic: a read of stamps may ask for the time before a run and while one begins. */
static _Atomic uint32_t used = TRACER_CLOCK_QPC;

_IRQL_requires_max_(HIGH_LEVEL) uint64_t clock_qpc_hz(void)
{
	LARGE_INTEGER hz;

	KeQueryPerformanceCounter(&hz);
	return (uint64_t)hz.QuadPart;
}

_IRQL_requires_max_(HIGH_LEVEL) uint64_t clock_qpc(void)
{
	return (uint64_t)KeQueryPerformanceCounter(NULL).QuadPart;
}

/* For the laboratory's modes. On arm64, which has none, the system counter. */
_IRQL_requires_max_(HIGH_LEVEL) static uint64_t read_tsc(void)
{
#if defined(__aarch64__)
	uint64_t count;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
	return count;
#else
	return __builtin_ia32_rdtsc();
#endif
}

_IRQL_requires_max_(HIGH_LEVEL) uint64_t tracer_hal_clock(void)
{
	return used == TRACER_CLOCK_TSC ? read_tsc() : clock_qpc();
}

_IRQL_requires_(PASSIVE_LEVEL) void clock_use(enum tracer_clock which)
{
	AT_PASSIVE();
	used = which;
}

_IRQL_requires_max_(DISPATCH_LEVEL) void clock_read_both(uint64_t *clock, uint64_t *qpc)
{
	uint64_t least = UINT64_MAX;

	AT_MOST_DISPATCH();
	if (used == TRACER_CLOCK_QPC) {
		*clock = *qpc = clock_qpc();
		return;
	}
	for (int i = 0; i < TRIES; i++) {
		uint64_t before = read_tsc(), middle = clock_qpc(), after = read_tsc();

		if (after - before < least) {
			least = after - before;
			*clock = before + least / 2;
			*qpc = middle;
		}
	}
}
