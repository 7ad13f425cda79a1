/* Interrupts, IRQL and DPC requests. */
#include "kernel.h"

#define APIC_BASE UINT64_C(0xFEE00000)
#define APIC_EOI 0xB0u
#define APIC_COMMAND 0x300u
#define APIC_DESTINATION 0x310u
#define COMMAND_SELF 0x44000u
#define COMMAND_FIXED 0x4000u
#define LONGEST_CALL_NS NS_PER_SECOND

uint64_t ki_ticks_per_us;

void KiInterrupt(uint32_t vector, const uint64_t *frame);
void KiServeCall(uint64_t ns);

uint32_t KiApicRead(uint32_t offset)
{
	return *(volatile uint32_t *)(APIC_BASE + offset);
}

void KiApicWrite(uint32_t offset, uint32_t value)
{
	*(volatile uint32_t *)(APIC_BASE + offset) = value;
}

void KiRequestInterrupt(uint32_t vector)
{
	uint64_t flags = interrupts_off();

	KiApicWrite(APIC_COMMAND, COMMAND_SELF | vector);
	interrupts_restore(flags);
}

/* Interrupts are off. */
static void lock_dpcs(struct ki_processor *processor)
{
	while (__atomic_exchange_n(&processor->dpc_lock, 1, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
}

static void unlock_dpcs(struct ki_processor *processor)
{
	__atomic_store_n(&processor->dpc_lock, 0, __ATOMIC_RELEASE);
}

static bool insert(struct ki_processor *there, struct ke_dpc *dpc, bool is_first)
{
	if (dpc->queued)
		return false;
	dpc->queued = true;
	dpc->next = is_first ? there->first_dpc : NULL;
	if (there->first_dpc == NULL || !is_first) {
		if (there->first_dpc != NULL)
			there->last_dpc->next = dpc;
		there->last_dpc = dpc;
	}
	if (there->first_dpc == NULL || is_first)
		there->first_dpc = dpc;
	return true;
}

bool KiInsertQueueDpcOn(uint32_t cpu, struct ke_dpc *dpc, bool is_first)
{
	uint64_t flags = interrupts_off();
	bool is_new;

	lock_dpcs(&ki_processors[cpu]);
	is_new = insert(&ki_processors[cpu], dpc, is_first);
	unlock_dpcs(&ki_processors[cpu]);
	if (is_new && cpu == KiCurrentCpu()) {
		KiRequestInterrupt(VECTOR_DISPATCH);
	} else if (is_new) {
		KiApicWrite(APIC_DESTINATION, cpu << 24);
		KiApicWrite(APIC_COMMAND, COMMAND_FIXED | VECTOR_DISPATCH);
	}
	interrupts_restore(flags);
	return is_new;
}

KERNEL_API bool KeInsertQueueDpc(struct ke_dpc *dpc)
{
	return KiInsertQueueDpcOn(KiCurrentCpu(), dpc, false);
}

KERNEL_API uint8_t KeRaiseIrql(uint8_t irql)
{
	uint8_t before = (uint8_t)irql_read();

	irql_write(irql);
	return before;
}

KERNEL_API void KeLowerIrql(uint8_t irql)
{
	irql_write(irql);
}

static struct ke_dpc *take_dpc(void)
{
	uint64_t flags = interrupts_off();
	struct ki_processor *here = &ki_processors[KiCurrentCpu()];
	struct ke_dpc *dpc;

	lock_dpcs(here);
	dpc = here->first_dpc;
	if (dpc != NULL) {
		here->first_dpc = dpc->next;
		dpc->queued = false;
	}
	unlock_dpcs(here);
	interrupts_restore(flags);
	return dpc;
}

/* The names of those who call DPCs and interrupt routines are those of Windows: whoever reads a stack knows the level by them. */
void KiRetireDpcList(void);
void KiInterruptDispatch(uint32_t vector);

__attribute__((noinline)) void KiRetireDpcList(void)
{
	for (struct ke_dpc *dpc = take_dpc(); dpc != NULL; dpc = take_dpc())
		dpc->routine(dpc);
}

__attribute__((noinline)) void KiInterruptDispatch(uint32_t vector)
{
	switch (vector) {
	case VECTOR_CLOCK:
		KiTick();
		break;
	case VECTOR_PROFILE:
		ki_processors[KiCurrentCpu()].profile_interrupts++;
		break;
	default:
		KiServeDevice(vector);
		break;
	}
}

/* The only system call: rest for so many ns. Interrupts are on. */
void KiServeCall(uint64_t ns)
{
	KeDelayExecutionThread(ns < LONGEST_CALL_NS ? ns : LONGEST_CALL_NS);
}

static _Noreturn void stop_at_exception(uint32_t vector, const uint64_t *frame)
{
	KiPrint("exception ");
	KiPrintNumber(vector);
	KiPrint(" at ");
	KiPrintNumber(frame[0]);
	KiPrint(" on CPU ");
	KiPrintNumber(KiCurrentCpuAnywhere());
	KiPrint("\n");
	KiStopAll("an exception");
}

/* All interrupts but the probe's come here, interrupts off. */
void KiInterrupt(uint32_t vector, const uint64_t *frame)
{
	uint64_t irql = irql_read();

	if (vector == VECTOR_NMI) {
		ki_processors[KiCurrentCpuAnywhere()].foreign_nmis++;
		return;
	}
	if (vector == VECTOR_SPURIOUS)
		return;
	if (vector < 0x20)
		stop_at_exception(vector, frame);
	KiCheckPrevention();
	irql_write(vector >> 4);
	if (vector == VECTOR_DISPATCH) {
		KiApicWrite(APIC_EOI, 0);
		__asm__ volatile("sti" : : : "memory");
		KiRetireDpcList();
		KiDispatch();
		__asm__ volatile("cli" : : : "memory");
	} else {
		__asm__ volatile("sti" : : : "memory");
		KiInterruptDispatch(vector);
		__asm__ volatile("cli" : : : "memory");
		KiApicWrite(APIC_EOI, 0);
	}
	irql_write(irql);
}
