/* video.sys: a thread that draws; told to, it masks interrupts or keeps DISPATCH_LEVEL for milliseconds. */
#include "driver.h"

#define PERIOD_NS UINT64_C(16000000)
#define PRIORITY 8u
#define USUAL_US 40u

MASKING_FUNCTION(VideoFlip)
MASKING_FUNCTION(VideoMoveCursor)
MASKING_FUNCTION(VideoSetPalette)
MASKING_FUNCTION(VideoWaitForRetrace)
DRIVER_FUNCTION(VideoFill)
DRIVER_FUNCTION(VideoCopy)
DRIVER_FUNCTION(VideoUploadTexture)
DRIVER_FUNCTION(VideoFlushCaches)

static const struct driver_function masking[DRIVER_FUNCTIONS] = {
	DRIVER_FUNCTION_ENTRY(VideoFlip),
	DRIVER_FUNCTION_ENTRY(VideoMoveCursor),
	DRIVER_FUNCTION_ENTRY(VideoSetPalette),
	DRIVER_FUNCTION_ENTRY(VideoWaitForRetrace),
};
static const struct driver_function raising[DRIVER_FUNCTIONS] = {
	DRIVER_FUNCTION_ENTRY(VideoFill),
	DRIVER_FUNCTION_ENTRY(VideoCopy),
	DRIVER_FUNCTION_ENTRY(VideoUploadTexture),
	DRIVER_FUNCTION_ENTRY(VideoFlushCaches),
};

static struct driver_setup setup;

static uint64_t ticks_of(uint64_t ns)
{
	return ns * setup.ticks_per_us / 1000;
}

static void misbehave(void)
{
	uint64_t ticks = ticks_of(setup.injected_ns);

	if (setup.misbehaviour == MISBEHAVIOUR_MASKED) {
		masking[setup.guilty].call(ticks);
	} else if (setup.misbehaviour == MISBEHAVIOUR_RAISED_IRQL) {
		uint8_t before = KeRaiseIrql(DISPATCH_LEVEL);
		raising[setup.guilty].call(ticks);
		KeLowerIrql(before);
	}
}

static void VideoThread(void)
{
	uint64_t next = read_tsc() + ticks_of(setup.period_ns);

	for (uint32_t turn = 0;; turn++) {
		KeDelayExecutionThread(PERIOD_NS);
		masking[turn % DRIVER_FUNCTIONS].call(USUAL_US * setup.ticks_per_us);
		raising[turn % DRIVER_FUNCTIONS].call(USUAL_US * setup.ticks_per_us);
		if (setup.misbehaviour != MISBEHAVIOUR_NONE && read_tsc() >= next) {
			next += ticks_of(setup.period_ns);
			misbehave();
		}
	}
}

void DriverEntry(const struct driver_setup *given)
{
	setup = *given;
	if (setup.misbehaviour == MISBEHAVIOUR_MASKED)
		DbgGuilty("video.sys", masking[setup.guilty].name);
	else if (setup.misbehaviour == MISBEHAVIOUR_RAISED_IRQL)
		DbgGuilty("video.sys", raising[setup.guilty].name);
	PsCreateSystemThread(VideoThread, PRIORITY);
}
