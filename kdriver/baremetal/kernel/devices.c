/* The clock, and the devices that interrupt: each CPU has its own, so nothing here is shared by two. */
#include "kernel.h"

#define IO_APIC_BASE UINT64_C(0xFEC00000)
#define ALL_CPUS 0xFF000000u /* physical destination: broadcast */
#define CLOCK_PIN 8u         /* the real-time clock */
#define PROFILE_PIN 2u       /* the PIT */
#define PORT_CMOS 0x70u
#define CMOS_A 0x8Au
#define CMOS_B 0x8Bu
#define CMOS_C 0x8Cu
#define RATE_1024_HZ 0x26u
#define PERIODIC 0x40u
#define PIT_SYSTEM_DIVISOR 11932u /* 100 Hz */

struct device {
	void (*const *isrs)(void);
	uint32_t messages;
	uint32_t next; /* message */
	uint64_t period;
	uint64_t due;
	uint64_t random_state;
};

struct devices {
	struct device devices[KI_MAX_DEVICES];
	volatile uint32_t count;
};

static struct devices of_cpu[KI_MAX_CPUS];

static struct ke_dpc timer_dpc;
static void (*timer_callback)(void);
static volatile uint64_t timer_due; /* 0: not set */

static void io_apic_write(uint32_t number, uint32_t value)
{
	*(volatile uint32_t *)IO_APIC_BASE = number;
	*(volatile uint32_t *)(IO_APIC_BASE + 0x10) = value;
}

static void route(uint32_t pin, uint32_t vector)
{
	io_apic_write(0x11 + 2 * pin, ALL_CPUS);
	io_apic_write(0x10 + 2 * pin, vector);
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

/* Delays, devices and time slices hang on the real-time clock, 1024 Hz as on old ACPI machines; the PIT is the profile interrupt. */
void KiStartClock(void)
{
	/* Both 8259s at 0x20 and 0x28, everything masked. */
	static const uint8_t words[][2] = { { 0x20, 0x11 }, { 0xA0, 0x11 }, { 0x21, 0x20 }, { 0xA1, 0x28 }, { 0x21, 4 }, { 0xA1, 2 },
		{ 0x21, 1 }, { 0xA1, 1 }, { 0x21, 0xFF }, { 0xA1, 0xFF } };

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		port_write(words[i][0], words[i][1]);
	port_write(0x43, 0x34);
	port_write(0x40, (uint8_t)PIT_SYSTEM_DIVISOR);
	port_write(0x40, (uint8_t)(PIT_SYSTEM_DIVISOR >> 8));
	route(PROFILE_PIN, VECTOR_PROFILE);
	cmos_write(CMOS_A, RATE_1024_HZ);
	cmos_write(CMOS_B, (uint8_t)(cmos_read(CMOS_B) | PERIODIC));
	route(CLOCK_PIN, VECTOR_CLOCK);
	cmos_read(CMOS_C);
}

KERNEL_API void IoConnectInterrupt(void (*const *isrs)(void), uint32_t messages, uint64_t period_ns)
{
	struct devices *here = &of_cpu[ki_home_cpu];
	struct device *device = &here->devices[here->count];

	if (here->count == KI_MAX_DEVICES)
		KiStopAll("too many devices");
	*device = (struct device){ .isrs = isrs, .messages = messages, .period = period_ns * ki_ticks_per_us / 1000 };
	device->random_state = ki_boot->seed ^ (uint64_t)(uintptr_t)isrs;
	device->due = read_tsc() + device->period;
	__atomic_store_n(&here->count, here->count + 1, __ATOMIC_RELEASE);
}

static void expire_timer(struct ke_dpc *dpc)
{
	(void)dpc;
	timer_callback();
}

void KiConnectTimer(void (*callback)(void))
{
	timer_callback = callback;
	timer_dpc.routine = expire_timer;
}

void KiSetTimer(uint64_t due)
{
	timer_due = due;
}

static void serve_timer(uint64_t now)
{
	if (timer_due == 0 || now < timer_due)
		return;
	timer_due = 0;
	KeInsertQueueDpc(&timer_dpc);
}

void KiTick(void)
{
	uint32_t cpu = KiCurrentCpu();
	struct devices *here = &of_cpu[cpu];
	uint64_t now = read_tsc();

	if (cpu == 0) {
		cmos_read(CMOS_C);
		serve_timer(now);
	}
	KiExpireDelays(now);
	for (uint32_t i = 0; i < here->count; i++) {
		struct device *device = &here->devices[i];
		if (now < device->due)
			continue;
		/* Between three quarters and five quarters of the period. */
		device->due = now + device->period * 3 / 4 + boot_random(&device->random_state) % (device->period / 2);
		KiRequestInterrupt(VECTOR_FIRST_DEVICE + 0x10 * i);
	}
}

void KiServeDevice(uint32_t vector)
{
	uint32_t number = (vector - VECTOR_FIRST_DEVICE) / 0x10;
	struct devices *here = &of_cpu[KiCurrentCpu()];
	struct device *device = &here->devices[number];
	uint32_t message;

	if ((vector & 0xF) != 1 || number >= here->count)
		KiStopAll("an interrupt that nobody expects");
	message = device->next;
	device->next = message + 1 < device->messages ? message + 1 : 0;
	device->isrs[message]();
}
