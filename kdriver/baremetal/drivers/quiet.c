/* quiet.sys: works often and shortly, and is never to blame. */
#include "driver.h"

#define PERIOD_NS UINT64_C(3000000)
#define THREAD_PERIOD_NS UINT64_C(4000000)
#define PRIORITY 9u
#define ISR_US 5u
#define DPC_US 60u
#define THREAD_US 900u

static uint64_t ticks_per_us;
static struct ke_dpc dpc;

static void QuietDpc(struct ke_dpc *queued)
{
	(void)queued;
	spin(DPC_US * ticks_per_us);
}

static void QuietIsr(void)
{
	spin(ISR_US * ticks_per_us);
	KeInsertQueueDpc(&dpc);
}

static void QuietThread(void)
{
	for (;;) {
		KeDelayExecutionThread(THREAD_PERIOD_NS);
		spin(THREAD_US * ticks_per_us);
	}
}

static void (*const isrs[])(void) = { QuietIsr };

void DriverEntry(const struct driver_setup *given)
{
	ticks_per_us = given->ticks_per_us;
	dpc.routine = QuietDpc;
	IoConnectInterrupt(isrs, 1, PERIOD_NS);
	PsCreateSystemThread(QuietThread, PRIORITY);
}
