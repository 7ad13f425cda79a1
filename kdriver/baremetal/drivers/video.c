/* video.sys: four threads that draw; told to, one of them masks interrupts or keeps DISPATCH_LEVEL for milliseconds. */
#include "driver.h"

#define PERIOD_NS UINT64_C(19000000)
#define PRIORITY 8u
#define USUAL_US 40u

static struct driver_setup setup;

static inline uint64_t length(uint32_t thread, uint32_t misbehaviour, uint64_t *next)
{
	if (setup.misbehaviour == misbehaviour && thread == setup.guilty && is_due(&setup, next))
		return ticks_of(&setup, setup.injected_ns);
	return USUAL_US * setup.ticks_per_us;
}

/* The CPU resumes right behind STI, in the thread's routine. */
#define VIDEO_THREAD(name, thread)                                               \
	static void name(void)                                                   \
	{                                                                        \
		uint64_t next = read_tsc() + ticks_of(&setup, setup.period_ns);  \
		for (;;) {                                                       \
			uint64_t ticks;                                          \
			uint8_t before;                                          \
			KeDelayExecutionThread(PERIOD_NS);                       \
			ticks = length(thread, MISBEHAVIOUR_MASKED, &next);      \
			__asm__ volatile("cli" : : : "memory");                  \
			spin(ticks);                                             \
			__asm__ volatile("sti; nop" : : : "memory");             \
			ticks = length(thread, MISBEHAVIOUR_RAISED_IRQL, &next); \
			before = KeRaiseIrql(DISPATCH_LEVEL);                    \
			spin(ticks);                                             \
			KeLowerIrql(before);                                     \
		}                                                                \
	}

VIDEO_THREAD(VideoFlip, 0)
VIDEO_THREAD(VideoMoveCursor, 1)
VIDEO_THREAD(VideoSetPalette, 2)
VIDEO_THREAD(VideoUploadTexture, 3)

static void (*const routines[DRIVER_ROUTINES])(void) = { VideoFlip, VideoMoveCursor, VideoSetPalette, VideoUploadTexture };
static const char *const names[DRIVER_ROUTINES] = { "VideoFlip", "VideoMoveCursor", "VideoSetPalette", "VideoUploadTexture" };

void DriverEntry(const struct driver_setup *given)
{
	setup = *given;
	if (setup.misbehaviour != MISBEHAVIOUR_NONE)
		DbgGuilty("video.sys", names[setup.guilty]);
	for (uint32_t i = 0; i < DRIVER_ROUTINES; i++)
		PsCreateSystemThread(routines[i], PRIORITY);
}
