/* Where the loader enters the test kernel: drivers by the scenario, then threads. */
#include "kernel.h"

struct scenario {
	const char *name;
	const char *module; /* who misbehaves; null for nobody */
	enum misbehaviour misbehaviour;
	uint64_t injected_ns;
	uint64_t period_ns;
};

static const struct scenario scenarios[] = {
	{ "clean", NULL, MISBEHAVIOUR_NONE, 0, 0 },
	{ "nic-dpc", "nic.sys", MISBEHAVIOUR_LONG_DPC, 5000000, 40000000 },
	{ "nic-isr", "nic.sys", MISBEHAVIOUR_LONG_ISR, 4000000, 40000000 },
	{ "video-masked", "video.sys", MISBEHAVIOUR_MASKED, 3000000, 40000000 },
	{ "disk-flood", "disk.sys", MISBEHAVIOUR_DPC_FLOOD, 5000000, 40000000 },
	{ "raised-irql", "video.sys", MISBEHAVIOUR_RAISED_IRQL, 4000000, 40000000 },
};

const struct boot_info *ki_boot;

void KiSystemStartup(const struct boot_info *boot);

static const struct scenario *find_scenario(const char *name)
{
	for (unsigned i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		if (text_equal(scenarios[i].name, name))
			return &scenarios[i];
	}
	KiStopAll("no such scenario");
}

KERNEL_API void DbgGuilty(const char *module, const char *routine)
{
	KiPrint("guilty ");
	KiPrint(module);
	KiPrint(" ");
	KiPrint(routine);
	KiPrint("\n");
}

/* The rate of the time stamp counter, against channel 2 of the PIT: rounded to what the host gives, a whole number of MHz. */
static uint64_t ticks_per_us(void)
{
	uint64_t begin;

	port_write(0x61, (uint8_t)((port_read(0x61) & ~3u) | 1u));
	port_write(0x43, 0xB0);
	port_write(0x42, (uint8_t)11932);
	port_write(0x42, 11932 >> 8);
	begin = read_tsc();
	while (!(port_read(0x61) & 0x20)) {
	}
	return (read_tsc() - begin + 5000) / 10000;
}

void KiSystemStartup(const struct boot_info *boot)
{
	const struct scenario *scenario;
	uint64_t random;

	ki_boot = boot;
	scenario = find_scenario(boot->scenario);
	random = boot->seed ^ UINT64_C(0x6775696C7479);
	KiInitializeInterrupts();
	KiInitializeThreads();
	KiInitializeDevices(boot->seed);
	KiPrepareMeasurement();
	KiPrint("injected ns ");
	KiPrintNumber(scenario->injected_ns);
	KiPrint("\n");
	for (uint32_t i = 1; i < boot->module_count; i++) {
		const struct boot_module *module = &boot->modules[i];
		struct driver_setup setup = { .ticks_per_us = ticks_per_us() };
		if (scenario->module != NULL && text_equal(module->name, scenario->module)) {
			setup.misbehaviour = scenario->misbehaviour;
			setup.injected_ns = scenario->injected_ns;
			setup.period_ns = scenario->period_ns;
			setup.guilty = (uint32_t)(boot_random(&random) % DRIVER_ROUTINES);
		}
		((void (*)(const struct driver_setup *))(uintptr_t)(module->base + module->entry))(&setup);
	}
	KiStartClock(ticks_per_us() * 1000000);
	KiIdle();
}
