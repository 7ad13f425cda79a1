/* nic.sys: four messages with an ISR and a DPC each; told to, one ISR or one DPC is long now and then. */
#include "driver.h"

#define PERIOD_NS UINT64_C(5000000)
#define USUAL_ISR_US 4u
#define USUAL_DPC_US 20u

static struct driver_setup setup;
static struct ke_dpc dpcs[DRIVER_ROUTINES];
static uint64_t next_misbehaviour;

static inline uint64_t isr_ticks(uint32_t message)
{
	if (setup.misbehaviour == MISBEHAVIOUR_LONG_ISR && message == setup.guilty && is_due(&setup, &next_misbehaviour))
		return ticks_of(&setup, setup.injected_ns);
	return USUAL_ISR_US * setup.ticks_per_us;
}

static inline uint64_t dpc_ticks(uint32_t message)
{
	if (setup.misbehaviour == MISBEHAVIOUR_LONG_DPC && message == setup.guilty && is_due(&setup, &next_misbehaviour))
		return ticks_of(&setup, setup.injected_ns);
	return USUAL_DPC_US * setup.ticks_per_us;
}

#define NIC_ISR(name, message)              \
	static void name(void)              \
	{                                   \
		spin(isr_ticks(message));   \
		KeInsertQueueDpc(&dpcs[message]); \
	}
#define NIC_DPC(name, message)                     \
	static void name(struct ke_dpc *dpc)       \
	{                                          \
		(void)dpc;                         \
		spin(dpc_ticks(message));          \
	}

NIC_ISR(NicReceiveIsr, 0)
NIC_ISR(NicTransmitIsr, 1)
NIC_ISR(NicLinkIsr, 2)
NIC_ISR(NicErrorIsr, 3)
NIC_DPC(NicReceiveDpc, 0)
NIC_DPC(NicTransmitDpc, 1)
NIC_DPC(NicLinkDpc, 2)
NIC_DPC(NicErrorDpc, 3)

static void (*const isrs[DRIVER_ROUTINES])(void) = { NicReceiveIsr, NicTransmitIsr, NicLinkIsr, NicErrorIsr };
static const char *const isr_names[DRIVER_ROUTINES] = { "NicReceiveIsr", "NicTransmitIsr", "NicLinkIsr", "NicErrorIsr" };
static void (*const dpc_routines[DRIVER_ROUTINES])(struct ke_dpc *dpc) = { NicReceiveDpc, NicTransmitDpc, NicLinkDpc, NicErrorDpc };
static const char *const dpc_names[DRIVER_ROUTINES] = { "NicReceiveDpc", "NicTransmitDpc", "NicLinkDpc", "NicErrorDpc" };

void DriverEntry(const struct driver_setup *given)
{
	setup = *given;
	for (uint32_t i = 0; i < DRIVER_ROUTINES; i++)
		dpcs[i].routine = dpc_routines[i];
	next_misbehaviour = read_tsc() + ticks_of(&setup, setup.period_ns);
	if (setup.misbehaviour == MISBEHAVIOUR_LONG_ISR)
		DbgGuilty("nic.sys", isr_names[setup.guilty]);
	else if (setup.misbehaviour == MISBEHAVIOUR_LONG_DPC)
		DbgGuilty("nic.sys", dpc_names[setup.guilty]);
	IoConnectInterrupt(isrs, DRIVER_ROUTINES, PERIOD_NS);
}
