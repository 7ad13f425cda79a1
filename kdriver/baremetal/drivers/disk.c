/* disk.sys: an ISR and a DPC for each transfer; told to, it queues a DPC for each of many transfers at once. */
#include "driver.h"

#define PERIOD_NS UINT64_C(7000000)
#define USUAL_ISR_US 5u
#define USUAL_DPC_US 25u
#define TRANSFERS 40u

DRIVER_FUNCTION(DiskCompleteRead)
DRIVER_FUNCTION(DiskCompleteWrite)
DRIVER_FUNCTION(DiskRetry)
DRIVER_FUNCTION(DiskAcknowledge)

static const struct driver_function functions[DRIVER_FUNCTIONS] = {
	DRIVER_FUNCTION_ENTRY(DiskCompleteRead),
	DRIVER_FUNCTION_ENTRY(DiskCompleteWrite),
	DRIVER_FUNCTION_ENTRY(DiskRetry),
	DRIVER_FUNCTION_ENTRY(DiskAcknowledge),
};

static struct driver_setup setup;
static struct ke_dpc usual, flood[TRANSFERS];
static uint64_t next_misbehaviour;
static uint32_t turn;

static uint64_t ticks_of(uint64_t ns)
{
	return ns * setup.ticks_per_us / 1000;
}

static void DiskDpc(struct ke_dpc *queued)
{
	(void)queued;
	functions[turn++ % DRIVER_FUNCTIONS].call(USUAL_DPC_US * setup.ticks_per_us);
}

static void DiskFloodDpc(struct ke_dpc *queued)
{
	(void)queued;
	functions[setup.guilty].call(ticks_of(setup.injected_ns) / TRANSFERS);
}

static void DiskIsr(void)
{
	functions[turn++ % DRIVER_FUNCTIONS].call(USUAL_ISR_US * setup.ticks_per_us);
	KeInsertQueueDpc(&usual);
	if (setup.misbehaviour == MISBEHAVIOUR_DPC_FLOOD && read_tsc() >= next_misbehaviour) {
		next_misbehaviour = read_tsc() + ticks_of(setup.period_ns);
		for (uint32_t i = 0; i < TRANSFERS; i++)
			KeInsertQueueDpc(&flood[i]);
	}
}

void DriverEntry(const struct driver_setup *given)
{
	setup = *given;
	usual.routine = DiskDpc;
	for (uint32_t i = 0; i < TRANSFERS; i++)
		flood[i].routine = DiskFloodDpc;
	next_misbehaviour = read_tsc() + ticks_of(setup.period_ns);
	if (setup.misbehaviour != MISBEHAVIOUR_NONE)
		DbgGuilty("disk.sys", functions[setup.guilty].name);
	IoConnectInterrupt("disk.sys", DiskIsr, PERIOD_NS);
}
