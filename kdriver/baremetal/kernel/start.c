/* Where the loader enters the test kernel; drivers and what they are told to do, by the scenario. */
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

#define PROGRAM_PRIORITY 4u

const struct boot_info *ki_boot;
uint32_t ki_home_cpu;

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

static void load(const struct boot_module *module, const struct scenario *scenario, uint32_t guilty)
{
	struct driver_setup setup = { .ticks_per_us = ki_ticks_per_us };
	uint64_t entry = module->base + module->entry;

	if (module->user_stack != 0) {
		KiCreateProgram(ki_home_cpu, entry, module->user_stack, PROGRAM_PRIORITY);
		return;
	}
	if (scenario->module != NULL && text_equal(module->name, scenario->module)) {
		setup.misbehaviour = scenario->misbehaviour;
		setup.injected_ns = scenario->injected_ns;
		setup.period_ns = scenario->period_ns;
		setup.guilty = guilty;
		KiPrint("guilty CPU ");
		KiPrintNumber(ki_home_cpu);
		KiPrint("\n");
	}
	((void (*)(const struct driver_setup *))(uintptr_t)entry)(&setup);
}

void KiLoadDrivers(void)
{
	const struct scenario *scenario = find_scenario(ki_boot->scenario);
	uint64_t random = ki_boot->seed ^ UINT64_C(0x6775696C7479);
	uint32_t guilty = (uint32_t)(boot_random(&random) % DRIVER_ROUTINES);
	uint32_t first = (uint32_t)(boot_random(&random) % ki_boot->cpus);

	KiPrint("injected ns ");
	KiPrintNumber(scenario->injected_ns);
	KiPrint("\n");
	for (uint32_t i = 1; i < ki_boot->module_count; i++) {
		ki_home_cpu = (first + i) % ki_boot->cpus;
		load(&ki_boot->modules[i], scenario, guilty);
	}
}

void KiSystemStartup(const struct boot_info *boot)
{
	ki_boot = boot;
	KiInitializeProcessor();
	if (boot->cpus == 0 || boot->cpus > KI_MAX_CPUS)
		KiStopAll("too many CPUs");
	find_scenario(boot->scenario);
	ki_ticks_per_us = ticks_per_us();
	KiInitializeThreads();
	KiPrepareMeasurement();
	KiStartProcessors();
	KiStartClock();
	KiIdle();
}
