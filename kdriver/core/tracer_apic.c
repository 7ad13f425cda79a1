#include "tracer_apic.h"

#include "tracer_clock.h"
#include "tracer_pit.h"

#define MSR_APIC_BASE 0x1Bu
#define APIC_BASE_ENABLED (1u << 11)
#define APIC_BASE_X2 (1u << 10)
#define MSR_X2_APIC 0x800u
#define MSR_TSC_DEADLINE 0x6E0u

#define CPUID_FEATURES 1u
#define FEATURE_EDX_MSR (1u << 5)
#define FEATURE_EDX_APIC (1u << 9)
#define FEATURE_ECX_TSC_DEADLINE (1u << 24)

#define DIVIDE_BY_16 3u

#define CALIBRATION_ROUNDS 5u
#define CALIBRATION_TICKS 11932u /* of the PIT: 10 ms */

enum tracer_apic_access tracer_apic_find(void)
{
	uint32_t registers[4];
	uint64_t base;

	tracer_hal_cpuid(CPUID_FEATURES, 0, registers);
	if (!(registers[3] & FEATURE_EDX_APIC))
		return TRACER_APIC_NONE;
	if (!(registers[3] & FEATURE_EDX_MSR))
		return TRACER_APIC_MEMORY;
	base = tracer_hal_msr_read(MSR_APIC_BASE);
	if (!(base & APIC_BASE_ENABLED))
		return TRACER_APIC_NONE;
	return (base & APIC_BASE_X2) != 0 ? TRACER_APIC_MSR : TRACER_APIC_MEMORY;
}

bool tracer_apic_has_tsc_deadline(void)
{
	uint32_t registers[4];

	tracer_hal_cpuid(CPUID_FEATURES, 0, registers);
	return (registers[2] & FEATURE_ECX_TSC_DEADLINE) != 0;
}

uint32_t tracer_apic_read(enum tracer_apic_access access, uint32_t offset)
{
	if (access == TRACER_APIC_MSR)
		return (uint32_t)tracer_hal_msr_read(MSR_X2_APIC + (offset >> 4));
	return tracer_hal_apic_read(offset);
}

void tracer_apic_write(enum tracer_apic_access access, uint32_t offset, uint32_t value)
{
	if (access == TRACER_APIC_MSR)
		tracer_hal_msr_write(MSR_X2_APIC + (offset >> 4), value);
	else
		tracer_hal_apic_write(offset, value);
}

/* The timer of an APIC that is on, and that somebody has armed or may arm. */
static bool is_timer_in_use(enum tracer_apic_access access)
{
	uint32_t timer = tracer_apic_read(access, TRACER_APIC_LVT_TIMER);

	return (tracer_apic_read(access, TRACER_APIC_SPURIOUS) & TRACER_APIC_ENABLED) && !(timer & TRACER_LVT_MASKED);
}

struct calibration {
	enum tracer_apic_access access;
	uint32_t left; /* of the count at the end */
};

static void mark_count(void *context, int end)
{
	struct calibration *calibration = context;

	if (end)
		calibration->left = tracer_apic_read(calibration->access, TRACER_APIC_CURRENT_COUNT);
	else
		tracer_apic_write(calibration->access, TRACER_APIC_INITIAL_COUNT, UINT32_MAX);
}

static void insert_sorted(uint64_t *values, unsigned count, uint64_t value)
{
	while (count > 0 && values[count - 1] > value) {
		values[count] = values[count - 1];
		count--;
	}
	values[count] = value;
}

/* The median, if all are near it; else 0. */
static uint64_t agreed(const uint64_t *sorted)
{
	uint64_t median = sorted[CALIBRATION_ROUNDS / 2];

	return sorted[0] != 0 && sorted[CALIBRATION_ROUNDS - 1] - sorted[0] <= median >> 6 ? median : 0;
}

enum tracer_refusal tracer_apic_calibrate(enum tracer_apic_access access, uint64_t *tsc_hz, uint64_t *timer_hz)
{
	uint64_t tsc[CALIBRATION_ROUNDS], timer[CALIBRATION_ROUNDS];
	uint32_t saved_timer, saved_divide;

	*tsc_hz = 0;
	*timer_hz = 0;
	if (access == TRACER_APIC_NONE || is_timer_in_use(access))
		return TRACER_REFUSAL_HYPERVISOR;
	saved_timer = tracer_apic_read(access, TRACER_APIC_LVT_TIMER);
	saved_divide = tracer_apic_read(access, TRACER_APIC_DIVIDE);
	tracer_apic_write(access, TRACER_APIC_LVT_TIMER, TRACER_LVT_MASKED | (saved_timer & 0xFF));
	tracer_apic_write(access, TRACER_APIC_DIVIDE, DIVIDE_BY_16);
	for (unsigned round = 0; round < CALIBRATION_ROUNDS; round++) {
		tsc[round] = 0;
		timer[round] = 0;
	}
	for (unsigned round = 0; round < CALIBRATION_ROUNDS; round++) {
		struct calibration calibration = { access, 0 };
		uint64_t elapsed = tracer_pit_wait(CALIBRATION_TICKS, mark_count, &calibration);
		uint64_t counted = UINT32_MAX - calibration.left;

		if (elapsed == 0)
			break;
		insert_sorted(tsc, round, tracer_scale_nearest(elapsed, TRACER_PIT_HZ, CALIBRATION_TICKS));
		insert_sorted(timer, round, tracer_scale_nearest(counted, TRACER_PIT_HZ, CALIBRATION_TICKS));
	}
	tracer_apic_write(access, TRACER_APIC_INITIAL_COUNT, 0);
	tracer_apic_write(access, TRACER_APIC_DIVIDE, saved_divide);
	tracer_apic_write(access, TRACER_APIC_LVT_TIMER, saved_timer);
	*tsc_hz = agreed(tsc);
	*timer_hz = agreed(timer);
	return *tsc_hz != 0 && *timer_hz != 0 ? TRACER_REFUSAL_NONE : TRACER_REFUSAL_CALIBRATION;
}

static uint32_t mode_bits(enum tracer_apic_timer_mode mode)
{
	switch (mode) {
	case TRACER_APIC_PERIODIC:
		return TRACER_LVT_PERIODIC;
	case TRACER_APIC_TSC_DEADLINE:
		return TRACER_LVT_TSC_DEADLINE;
	case TRACER_APIC_ONE_SHOT:
	default:
		return 0;
	}
}

enum tracer_refusal tracer_apic_start(struct tracer_apic *apic, enum tracer_apic_access access, enum tracer_apic_timer_mode mode,
	const struct tracer_apic_vectors *vectors, uint64_t tsc_hz, uint64_t timer_hz)
{
	if (apic->running)
		return TRACER_REFUSAL_RUNNING;
	if (access == TRACER_APIC_NONE || is_timer_in_use(access) ||
		(mode == TRACER_APIC_TSC_DEADLINE && !tracer_apic_has_tsc_deadline()))
		return TRACER_REFUSAL_HYPERVISOR;
	if (tsc_hz == 0 || (timer_hz == 0 && mode != TRACER_APIC_TSC_DEADLINE))
		return TRACER_REFUSAL_CALIBRATION;
	apic->access = (uint8_t)access;
	apic->mode = (uint8_t)mode;
	apic->tsc_hz = tsc_hz;
	apic->timer_hz = timer_hz;
	apic->due = 0;
	apic->saved_spurious = tracer_apic_read(access, TRACER_APIC_SPURIOUS);
	apic->saved_timer = tracer_apic_read(access, TRACER_APIC_LVT_TIMER);
	apic->saved_error = tracer_apic_read(access, TRACER_APIC_LVT_ERROR);
	apic->saved_divide = tracer_apic_read(access, TRACER_APIC_DIVIDE);
	apic->saved_initial = tracer_apic_read(access, TRACER_APIC_INITIAL_COUNT);

	/* While it is switched off, its local vectors cannot be unmasked: switch it on first. */
	apic->enabled_by_us = !(apic->saved_spurious & TRACER_APIC_ENABLED);
	if (apic->enabled_by_us)
		tracer_apic_write(access, TRACER_APIC_SPURIOUS,
			(apic->saved_spurious & ~UINT32_C(0xFF)) | TRACER_APIC_ENABLED | vectors->spurious);
	if (apic->saved_error & TRACER_LVT_MASKED)
		tracer_apic_write(access, TRACER_APIC_LVT_ERROR, vectors->error);
	tracer_apic_write(access, TRACER_APIC_DIVIDE, DIVIDE_BY_16);
	tracer_apic_write(access, TRACER_APIC_INITIAL_COUNT, 0);
	tracer_apic_write(access, TRACER_APIC_LVT_TIMER, mode_bits(mode) | vectors->timer);
	/* Read back: the mode is there before a deadline is written, which a memory-mapped write alone does not promise. */
	(void)tracer_apic_read(access, TRACER_APIC_LVT_TIMER);
	apic->running = true;
	return TRACER_REFUSAL_NONE;
}

uint64_t tracer_apic_arm(struct tracer_apic *apic, uint64_t delay_ns)
{
	uint64_t delay = tracer_ns_to_ticks(delay_ns, apic->tsc_hz);
	uintptr_t interrupts;

	if (!apic->running || delay == 0 || delay >> 62 != 0)
		return 0;
	if (apic->mode != TRACER_APIC_TSC_DEADLINE) {
		uint64_t count = tracer_ns_to_ticks(delay_ns, apic->timer_hz);
		if (count == 0 || count > UINT32_MAX)
			return 0;
		apic->initial = (uint32_t)count;
		delay = tracer_scale(count, apic->tsc_hz, apic->timer_hz);
	}
	apic->period = delay;
	/* The clock is read first: an interrupt between the two makes the due time too early, and a latency is never understated. */
	interrupts = tracer_hal_interrupts_off();
	apic->armed = tracer_hal_clock();
	apic->due = apic->armed + delay;
	if (apic->due == 0)
		apic->due = 1;
	if (apic->mode == TRACER_APIC_TSC_DEADLINE)
		tracer_hal_msr_write(MSR_TSC_DEADLINE, apic->due);
	else
		tracer_apic_write((enum tracer_apic_access)apic->access, TRACER_APIC_INITIAL_COUNT, apic->initial);
	tracer_hal_interrupts_restore(interrupts);
	return apic->due;
}

/*
 * The counter started over when the newest event came. Where events merged, the interrupt is that of the first of them, so many whole
 * periods before.
 */
static uint64_t periodic_event(struct tracer_apic *apic, uint64_t now, uint32_t current)
{
	uint64_t newest = now - tracer_scale(apic->initial - current, apic->tsc_hz, apic->timer_hz);
	uint64_t late = tracer_elapsed(apic->due, newest);
	/* Divisions are long, and the DPC waits for them: only where there is something to count. */
	uint64_t merged = late < apic->period / 2 ? 0 : tracer_scale_nearest(late, 1, apic->period);

	apic->merged += (uint32_t)merged;
	apic->due = newest + apic->period;
	return newest - merged * apic->period;
}

/* The timer has fired and not been armed again: the count stands at 0, the deadline reads 0. */
static bool has_fired(const struct tracer_apic *apic, uint32_t current)
{
	if (apic->mode == TRACER_APIC_TSC_DEADLINE)
		return tracer_hal_msr_read(MSR_TSC_DEADLINE) == 0;
	return current == 0;
}

uint64_t tracer_apic_event(struct tracer_apic *apic, uint64_t isr_clock)
{
	uint64_t due = apic->due;
	/* Before the count is read, for the same reason as in tracer_apic_arm. */
	uint64_t now = tracer_hal_clock();
	uint32_t current = 0;

	if (apic->mode != TRACER_APIC_TSC_DEADLINE)
		current = tracer_apic_read((enum tracer_apic_access)apic->access, TRACER_APIC_CURRENT_COUNT);
	if (!apic->running || due == 0) {
		apic->strays++;
		return 0;
	}
	if (apic->mode == TRACER_APIC_PERIODIC) {
		if (current > apic->initial) {
			apic->strays++;
			return 0;
		}
		due = periodic_event(apic, now, current);
	} else {
		if (!has_fired(apic, current)) {
			apic->strays++;
			return 0;
		}
		apic->due = 0;
	}
	/* Two rates measured apart may disagree by some ticks; the event was not after its interrupt. */
	return tracer_is_due(due, isr_clock) ? due : isr_clock;
}

void tracer_apic_end_of_interrupt(const struct tracer_apic *apic)
{
	tracer_apic_write((enum tracer_apic_access)apic->access, TRACER_APIC_EOI, 0);
}

void tracer_apic_error(struct tracer_apic *apic)
{
	enum tracer_apic_access access = (enum tracer_apic_access)apic->access;

	/* A write makes the register show what came since the last one. */
	tracer_apic_write(access, TRACER_APIC_ERROR_STATUS, 0);
	apic->error_bits |= tracer_apic_read(access, TRACER_APIC_ERROR_STATUS);
	apic->errors++;
	tracer_apic_end_of_interrupt(apic);
}

void tracer_apic_stop(struct tracer_apic *apic)
{
	enum tracer_apic_access access = (enum tracer_apic_access)apic->access;

	if (!apic->running)
		return;
	if (apic->mode == TRACER_APIC_TSC_DEADLINE)
		tracer_hal_msr_write(MSR_TSC_DEADLINE, 0);
	apic->running = false;
	apic->due = 0;
	tracer_apic_write(access, TRACER_APIC_LVT_TIMER, TRACER_LVT_MASKED | (apic->saved_timer & 0xFF));
	tracer_apic_write(access, TRACER_APIC_INITIAL_COUNT, 0);
	tracer_apic_write(access, TRACER_APIC_DIVIDE, apic->saved_divide);
	tracer_apic_write(access, TRACER_APIC_LVT_TIMER, apic->saved_timer);
	if (apic->saved_initial != 0)
		tracer_apic_write(access, TRACER_APIC_INITIAL_COUNT, apic->saved_initial);
	tracer_apic_write(access, TRACER_APIC_LVT_ERROR, apic->saved_error);
	if (apic->enabled_by_us)
		tracer_apic_write(access, TRACER_APIC_SPURIOUS, apic->saved_spurious);
}
