#include "tracer_pit.h"

#include "tracer_clock.h"
#include "tracer_hal.h"

#define PORT_CHANNEL_0 0x40u
#define PORT_CHANNEL_2 0x42u
#define PORT_COMMAND 0x43u
#define PORT_GATE 0x61u /* bit 0: gate of channel 2, bit 1: speaker, bit 5: output of channel 2 */

#define COMMAND_LATCH_0 0x00u
#define COMMAND_STATUS_0 0xE2u     /* read back the status of channel 0, not its count */
#define COMMAND_CHANNEL_0 0x30u    /* low byte, then high byte; the mode stands in bits 1 to 3 */
#define COMMAND_CHANNEL_2_ONCE 0xB0u /* mode 0: the output rises when the count is over */

#define STATUS_NULL_COUNT 0x40u
#define STATUS_FORMAT 0x30u
#define FORMAT_BOTH_BYTES 0x30u

#define LONGEST_DIVISOR 65536u
#define MEASURE_ERROR 4u
#define SPEAKER_AND_GATE 3u
#define GATE 1u
#define OUTPUT_2 0x20u

/* Port accesses take about a microsecond: this many are more than a second on any machine, or a PIT tick on the fastest emulator. */
#define MOST_POLLS 4000000u
#define MOST_POLLS_PER_TICK 64u

uint32_t tracer_pit_divisor(uint32_t hz)
{
	uint32_t divisor;

	if (hz == 0 || hz > TRACER_PIT_HZ)
		return 0;
	divisor = (TRACER_PIT_HZ + hz / 2) / hz;
	return divisor > LONGEST_DIVISOR ? 0 : divisor;
}

static uint32_t read_count(void)
{
	uintptr_t interrupts = tracer_hal_interrupts_off();
	uint32_t count;

	tracer_hal_port_write(PORT_COMMAND, COMMAND_LATCH_0);
	count = tracer_hal_port_read(PORT_CHANNEL_0);
	count |= (uint32_t)tracer_hal_port_read(PORT_CHANNEL_0) << 8;
	tracer_hal_interrupts_restore(interrupts);
	return count == 0 ? LONGEST_DIVISOR : count;
}

/*
 * The divisor is what the count starts over from. Between two readings around that moment the count went down from the first to 1, and
 * from the divisor to the second; how many ticks that were in all, the TSC says. Mode 3 goes two steps each tick.
 */
bool tracer_pit_measure(uint64_t tsc_hz, uint64_t patience_ns, struct tracer_pit_setting *setting)
{
	uint64_t begin = tracer_hal_clock();
	uint64_t patience = tracer_ns_to_ticks(patience_ns, tsc_hz);
	uint64_t clock_before, best_gap = UINT64_MAX;
	uint32_t count_before, starts = 0;
	uint32_t step;
	uint8_t status;

	tracer_hal_port_write(PORT_COMMAND, COMMAND_STATUS_0);
	status = tracer_hal_port_read(PORT_CHANNEL_0);
	setting->mode = (status >> 1) & 7;
	if (setting->mode > 5)
		setting->mode &= 3; /* 6 and 7 are other names of 2 and 3 */
	setting->divisor = 0;
	if ((setting->mode != 2 && setting->mode != 3) || (status & STATUS_NULL_COUNT) || (status & STATUS_FORMAT) != FORMAT_BOTH_BYTES)
		return false;
	step = setting->mode == 3 ? 2 : 1;

	count_before = read_count();
	clock_before = tracer_hal_clock();
	for (uint32_t poll = 0; starts < 2 && poll < MOST_POLLS; poll++) {
		uint32_t count = read_count();
		uint64_t clock = tracer_hal_clock();
		uint64_t gap = tracer_elapsed(clock_before, clock);

		if (count > count_before) {
			/* An interrupt between the two readings makes them less sharp: the shorter gap of two starts counts. */
			if (gap < best_gap) {
				uint64_t went = step * tracer_scale_nearest(gap, TRACER_PIT_HZ, tsc_hz);
				best_gap = gap;
				setting->divisor = went > UINT64_C(2) * LONGEST_DIVISOR ? 0 : (uint32_t)went + count - count_before;
			}
			starts++;
		}
		if (tracer_elapsed(begin, clock) > patience)
			break;
		count_before = count;
		clock_before = clock;
	}
	/* What firmware leaves behind is the longest. */
	if (setting->divisor + MEASURE_ERROR >= LONGEST_DIVISOR && setting->divisor <= LONGEST_DIVISOR + MEASURE_ERROR)
		setting->divisor = LONGEST_DIVISOR;
	return setting->divisor > 1 && setting->divisor <= LONGEST_DIVISOR;
}

static void program(uint8_t mode, uint32_t divisor)
{
	uintptr_t interrupts = tracer_hal_interrupts_off();

	tracer_hal_port_write(PORT_COMMAND, (uint8_t)(COMMAND_CHANNEL_0 | (unsigned)mode << 1));
	tracer_hal_port_write(PORT_CHANNEL_0, (uint8_t)divisor);
	tracer_hal_port_write(PORT_CHANNEL_0, (uint8_t)(divisor >> 8));
	tracer_hal_interrupts_restore(interrupts);
}

bool tracer_pit_start(struct tracer_pit *pit, const struct tracer_pit_setting *before, uint32_t hz)
{
	uint32_t divisor = tracer_pit_divisor(hz);

	if (divisor < 2 || pit->running)
		return false;
	pit->before = *before;
	pit->divisor = divisor;
	pit->running = true;
	program(2, divisor);
	return true;
}

void tracer_pit_stop(struct tracer_pit *pit)
{
	if (!pit->running)
		return;
	pit->running = false;
	if (pit->before.mode == 2 || pit->before.mode == 3)
		program(pit->before.mode, pit->before.divisor);
	else
		/* One shot with the longest count: one more interrupt at most. */
		program(0, LONGEST_DIVISOR);
}

uint64_t tracer_pit_wait(uint32_t ticks, void (*mark)(void *context, int end), void *context)
{
	uintptr_t interrupts;
	uint64_t begin, elapsed = 0;
	uint8_t gate_before;
	bool over = false;

	if (ticks == 0 || ticks >= LONGEST_DIVISOR)
		return 0;
	interrupts = tracer_hal_interrupts_off();
	gate_before = tracer_hal_port_read(PORT_GATE);
	tracer_hal_port_write(PORT_GATE, (uint8_t)((gate_before & ~SPEAKER_AND_GATE) | GATE));
	tracer_hal_port_write(PORT_COMMAND, COMMAND_CHANNEL_2_ONCE);
	tracer_hal_port_write(PORT_CHANNEL_2, (uint8_t)ticks);
	tracer_hal_port_write(PORT_CHANNEL_2, (uint8_t)(ticks >> 8));
	begin = tracer_hal_clock();
	mark(context, 0);
	/* The output is low until the count is over; a port that is not there reads as high at once. */
	if (!(tracer_hal_port_read(PORT_GATE) & OUTPUT_2)) {
		for (uint32_t poll = 0; !over && poll < MOST_POLLS_PER_TICK * ticks; poll++)
			over = (tracer_hal_port_read(PORT_GATE) & OUTPUT_2) != 0;
	}
	elapsed = tracer_elapsed(begin, tracer_hal_clock());
	mark(context, 1);
	tracer_hal_port_write(PORT_GATE, gate_before);
	tracer_hal_interrupts_restore(interrupts);
	return over ? elapsed : 0;
}
