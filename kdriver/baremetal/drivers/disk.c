/* disk.sys: an ISR, and a DPC of one of four kinds for each transfer; told to, it queues DPCs for many transfers of a kind at once. */
#include "driver.h"

#define PERIOD_NS UINT64_C(7000000)
#define USUAL_ISR_US 5u
#define USUAL_DPC_US 25u
#define TRANSFERS 40u

static struct driver_setup setup;
static struct ke_dpc usual[DRIVER_ROUTINES], flood[TRANSFERS];
static uint64_t next_misbehaviour;
static uint32_t turn;

static inline uint64_t dpc_ticks(const struct ke_dpc *dpc)
{
	bool is_flood = dpc >= flood && dpc < flood + TRANSFERS;

	return is_flood ? ticks_of(&setup, setup.injected_ns) / TRANSFERS : USUAL_DPC_US * setup.ticks_per_us;
}

#define DISK_DPC(name)                       \
	static void name(struct ke_dpc *dpc) \
	{                                    \
		spin(dpc_ticks(dpc));        \
	}

DISK_DPC(DiskReadDpc)
DISK_DPC(DiskWriteDpc)
DISK_DPC(DiskRetryDpc)
DISK_DPC(DiskFlushDpc)

static void (*const routines[DRIVER_ROUTINES])(struct ke_dpc *dpc) = { DiskReadDpc, DiskWriteDpc, DiskRetryDpc, DiskFlushDpc };
static const char *const names[DRIVER_ROUTINES] = { "DiskReadDpc", "DiskWriteDpc", "DiskRetryDpc", "DiskFlushDpc" };

static void DiskIsr(void)
{
	spin(USUAL_ISR_US * setup.ticks_per_us);
	KeInsertQueueDpc(&usual[turn++ % DRIVER_ROUTINES]);
	if (setup.misbehaviour == MISBEHAVIOUR_DPC_FLOOD && is_due(&setup, &next_misbehaviour)) {
		for (uint32_t i = 0; i < TRANSFERS; i++)
			KeInsertQueueDpc(&flood[i]);
	}
}

static void (*const isrs[])(void) = { DiskIsr };

void DriverEntry(const struct driver_setup *given)
{
	setup = *given;
	for (uint32_t i = 0; i < DRIVER_ROUTINES; i++)
		usual[i].routine = routines[i];
	for (uint32_t i = 0; i < TRANSFERS; i++)
		flood[i].routine = routines[setup.guilty];
	next_misbehaviour = read_tsc() + ticks_of(&setup, setup.period_ns);
	if (setup.misbehaviour != MISBEHAVIOUR_NONE)
		DbgGuilty("disk.sys", names[setup.guilty]);
	IoConnectInterrupt(isrs, 1, PERIOD_NS);
}
