/* nic.sys: an ISR and a DPC for each packet; told to, one of ten is long. */
#include "driver.h"

#define PERIOD_NS UINT64_C(5000000)
#define USUAL_ISR_US 4u
#define USUAL_DPC_US 20u

DRIVER_FUNCTION(NicReceive)
DRIVER_FUNCTION(NicTransmitDone)
DRIVER_FUNCTION(NicLinkChange)
DRIVER_FUNCTION(NicResetAdapter)

static const struct driver_function functions[DRIVER_FUNCTIONS] = {
	DRIVER_FUNCTION_ENTRY(NicReceive),
	DRIVER_FUNCTION_ENTRY(NicTransmitDone),
	DRIVER_FUNCTION_ENTRY(NicLinkChange),
	DRIVER_FUNCTION_ENTRY(NicResetAdapter),
};

static struct driver_setup setup;
static struct ke_dpc dpc;
static uint64_t next_misbehaviour;
static bool is_dpc_long;
static uint32_t turn;

static uint64_t ticks_of(uint64_t ns)
{
	return ns * setup.ticks_per_us / 1000;
}

static bool is_due(void)
{
	uint64_t now = read_tsc();

	if (now < next_misbehaviour)
		return false;
	next_misbehaviour = now + ticks_of(setup.period_ns);
	return true;
}

static void NicDpc(struct ke_dpc *queued)
{
	(void)queued;
	if (is_dpc_long)
		functions[setup.guilty].call(ticks_of(setup.injected_ns));
	else
		functions[turn++ % DRIVER_FUNCTIONS].call(USUAL_DPC_US * setup.ticks_per_us);
	is_dpc_long = false;
}

static void NicIsr(void)
{
	if (setup.misbehaviour == MISBEHAVIOUR_LONG_ISR && is_due())
		functions[setup.guilty].call(ticks_of(setup.injected_ns));
	else
		functions[turn++ % DRIVER_FUNCTIONS].call(USUAL_ISR_US * setup.ticks_per_us);
	if (setup.misbehaviour == MISBEHAVIOUR_LONG_DPC)
		is_dpc_long = is_due();
	KeInsertQueueDpc(&dpc);
}

void DriverEntry(const struct driver_setup *given)
{
	setup = *given;
	dpc.routine = NicDpc;
	next_misbehaviour = read_tsc() + ticks_of(setup.period_ns);
	if (setup.misbehaviour != MISBEHAVIOUR_NONE)
		DbgGuilty("nic.sys", functions[setup.guilty].name);
	IoConnectInterrupt("nic.sys", NicIsr, PERIOD_NS);
}
