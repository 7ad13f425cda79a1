/* Interrupts, DPC requests, the clock and the devices that interrupt. */
#include "kernel.h"

#define APIC_BASE UINT64_C(0xFEE00000)
#define IO_APIC_BASE UINT64_C(0xFEC00000)
#define APIC_EOI 0xB0u
#define APIC_SPURIOUS 0xF0u
#define APIC_COMMAND 0x300u
#define APIC_SOFTWARE_ENABLED 0x100u
#define COMMAND_SELF 0x44000u
#define CLOCK_PIN 8u   /* the real-time clock */
#define PROFILE_PIN 2u /* the PIT */
#define PORT_CMOS 0x70u
#define CMOS_A 0x8Au
#define CMOS_B 0x8Bu
#define CMOS_C 0x8Cu
#define RATE_1024_HZ 0x26u
#define PERIODIC 0x40u
#define PIT_SYSTEM_DIVISOR 11932u /* 100 Hz */
#define MAX_DEVICES 4u

struct device {
	void (*const *isrs)(void);
	uint32_t messages;
	uint32_t next; /* message */
	uint64_t period;
	uint64_t due;
};

struct ki_gate ki_idt[256];
volatile uint32_t ki_profile_interrupts;
volatile uint32_t ki_foreign_nmis;

extern const uint8_t ki_entries[];
void KiInterrupt(uint32_t vector, const uint64_t *frame);

static struct device devices[MAX_DEVICES];
static uint32_t device_count;
static uint64_t random_state;
uint64_t ki_ticks_per_us = 1000;
static struct ke_dpc *first_dpc, *last_dpc;

uint32_t KiApicRead(uint32_t offset)
{
	return *(volatile uint32_t *)(APIC_BASE + offset);
}

void KiApicWrite(uint32_t offset, uint32_t value)
{
	*(volatile uint32_t *)(APIC_BASE + offset) = value;
}

static void io_apic_write(uint32_t number, uint32_t value)
{
	*(volatile uint32_t *)IO_APIC_BASE = number;
	*(volatile uint32_t *)(IO_APIC_BASE + 0x10) = value;
}

static void route(uint32_t pin, uint32_t vector)
{
	io_apic_write(0x11 + 2 * pin, 0);
	io_apic_write(0x10 + 2 * pin, vector);
}

static void request(uint32_t vector)
{
	uint64_t flags = interrupts_off();

	KiApicWrite(APIC_COMMAND, COMMAND_SELF | vector);
	interrupts_restore(flags);
}

static uint8_t cmos_read(uint8_t number)
{
	port_write(PORT_CMOS, number);
	return port_read(PORT_CMOS + 1);
}

static void cmos_write(uint8_t number, uint8_t value)
{
	port_write(PORT_CMOS, number);
	port_write(PORT_CMOS + 1, value);
}

static void set_gate(uint32_t vector)
{
	uint64_t handler = (uint64_t)(uintptr_t)ki_entries + 16 * (uint64_t)vector;
	struct ki_gate *gate = &ki_idt[vector];

	gate->bytes[0] = (uint8_t)handler;
	gate->bytes[1] = (uint8_t)(handler >> 8);
	gate->bytes[2] = KERNEL_CODE;
	gate->bytes[5] = 0x8E;
	for (unsigned i = 0; i < 6; i++)
		gate->bytes[6 + i] = (uint8_t)(handler >> (16 + 8 * i));
}

void KiInitializeInterrupts(void)
{
	struct {
		uint16_t padding[3];
		uint16_t limit;
		uint64_t base;
	} pointer = { { 0 }, sizeof(ki_idt) - 1, (uint64_t)(uintptr_t)ki_idt };

	for (uint32_t vector = 0; vector < 0x20; vector++)
		set_gate(vector);
	set_gate(VECTOR_DISPATCH);
	for (uint32_t i = 0; i < MAX_DEVICES; i++)
		set_gate(VECTOR_FIRST_DEVICE + 0x10 * i);
	set_gate(VECTOR_CLOCK);
	set_gate(VECTOR_PROFILE);
	set_gate(VECTOR_SPURIOUS);
	__asm__ volatile("lidt %0" : : "m"(pointer.limit));

	/* Both 8259s at 0x20 and 0x28, everything masked. */
	static const uint8_t words[][2] = { { 0x20, 0x11 }, { 0xA0, 0x11 }, { 0x21, 0x20 }, { 0xA1, 0x28 }, { 0x21, 4 }, { 0xA1, 2 },
		{ 0x21, 1 }, { 0xA1, 1 }, { 0x21, 0xFF }, { 0xA1, 0xFF } };
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		port_write(words[i][0], words[i][1]);
	KiApicWrite(APIC_SPURIOUS, APIC_SOFTWARE_ENABLED | VECTOR_SPURIOUS);
	KiApicWrite(0x350, 0x10700); /* LINT0: ExtINT, masked: what comes from the PIT comes through the I/O APIC */

	port_write(0x43, 0x34);
	port_write(0x40, (uint8_t)PIT_SYSTEM_DIVISOR);
	port_write(0x40, (uint8_t)(PIT_SYSTEM_DIVISOR >> 8));
	route(PROFILE_PIN, VECTOR_PROFILE);
	irql_write(PASSIVE_LEVEL);
}

void KiInitializeDevices(uint64_t seed)
{
	random_state = seed ^ UINT64_C(0x64657669636573);
}

/* Devices, delays and time slices hang on the real-time clock at 1024 Hz, as on old ACPI machines. */
void KiStartClock(uint64_t tsc_hz)
{
	ki_ticks_per_us = tsc_hz / 1000000;
	for (uint32_t i = 0; i < device_count; i++) {
		devices[i].period = devices[i].period * ki_ticks_per_us / 1000;
		devices[i].due = read_tsc() + devices[i].period;
	}
	cmos_write(CMOS_A, RATE_1024_HZ);
	cmos_write(CMOS_B, (uint8_t)(cmos_read(CMOS_B) | PERIODIC));
	route(CLOCK_PIN, VECTOR_CLOCK);
	cmos_read(CMOS_C);
}

KERNEL_API void IoConnectInterrupt(void (*const *isrs)(void), uint32_t messages, uint64_t period_ns)
{
	if (device_count == MAX_DEVICES)
		KiStopAll("too many devices");
	devices[device_count++] = (struct device){ .isrs = isrs, .messages = messages, .period = period_ns };
}

KERNEL_API bool KeInsertQueueDpc(struct ke_dpc *dpc)
{
	uint64_t flags = interrupts_off();
	bool is_new = !dpc->queued;

	if (is_new) {
		dpc->queued = true;
		dpc->next = NULL;
		if (first_dpc == NULL)
			first_dpc = dpc;
		else
			last_dpc->next = dpc;
		last_dpc = dpc;
		request(VECTOR_DISPATCH);
	}
	interrupts_restore(flags);
	return is_new;
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
	struct ke_dpc *dpc = first_dpc;

	if (dpc != NULL) {
		first_dpc = dpc->next;
		dpc->queued = false;
	}
	interrupts_restore(flags);
	return dpc;
}

static void run_dpcs(void)
{
	for (struct ke_dpc *dpc = take_dpc(); dpc != NULL; dpc = take_dpc())
		dpc->routine(dpc);
}

/* The clock interrupt: delays that are over, devices that have something to say. */
static void tick(void)
{
	uint64_t now = read_tsc();

	cmos_read(CMOS_C);
	KiExpireDelays(now);
	for (uint32_t i = 0; i < device_count; i++) {
		if (now < devices[i].due)
			continue;
		/* Between three quarters and five quarters of the period. */
		devices[i].due = now + devices[i].period * 3 / 4 + boot_random(&random_state) % (devices[i].period / 2);
		request(VECTOR_FIRST_DEVICE + 0x10 * i);
	}
}

static void serve_device(struct device *device)
{
	uint32_t message = device->next;

	device->next = message + 1 < device->messages ? message + 1 : 0;
	device->isrs[message]();
}

static void serve(uint32_t vector)
{
	uint32_t device = (vector - VECTOR_FIRST_DEVICE) / 0x10;

	switch (vector) {
	case VECTOR_CLOCK:
		tick();
		break;
	case VECTOR_PROFILE:
		ki_profile_interrupts++;
		break;
	default:
		if ((vector & 0xF) != 1 || device >= device_count)
			KiStopAll("an interrupt that nobody expects");
		serve_device(&devices[device]);
		break;
	}
}

/* All interrupts but the probe's come here, interrupts off. */
void KiInterrupt(uint32_t vector, const uint64_t *frame)
{
	uint64_t irql = irql_read();

	if (vector == VECTOR_NMI) {
		ki_foreign_nmis++;
		return;
	}
	if (vector == VECTOR_SPURIOUS)
		return;
	if (vector < 0x20) {
		KiPrint("exception ");
		KiPrintNumber(vector);
		KiPrint(" at ");
		KiPrintNumber(frame[0]);
		KiStopAll("");
	}
	irql_write(vector >> 4);
	if (vector == VECTOR_DISPATCH) {
		KiApicWrite(APIC_EOI, 0);
		__asm__ volatile("sti" : : : "memory");
		run_dpcs();
		KiDispatch();
		__asm__ volatile("cli" : : : "memory");
	} else {
		__asm__ volatile("sti" : : : "memory");
		serve(vector);
		__asm__ volatile("cli" : : : "memory");
		KiApicWrite(APIC_EOI, 0);
	}
	irql_write(irql);
}
