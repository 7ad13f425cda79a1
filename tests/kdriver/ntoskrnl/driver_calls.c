/* What the tests of the driver ask of it, and how they run. */
#include "driver_calls.h"

#include <stdlib.h>

const struct setup usual = {
	.processors = 4,
	.seed = 1,
	.tick_ns = MS,
	.tick_phase_ns = 137000,
	.windows = WINDOWS_10,
	.clock_owner = 1,
};

const GUID display_state = { 0x6FE69556, 0x704A, 0x47A0, { 0x8F, 0x24, 0xC2, 0x8D, 0x93, 0x6F, 0xDA, 0x47 } };
bool is_over;

void run_seeds(unsigned seeds, unsigned preempt_every, void (*scenario)(void))
{
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		struct setup setup = usual;

		setup.seed = seed;
		setup.preempt_every = preempt_every;
		setup.clock_owner = (unsigned)seed % setup.processors;
		machine_run(&setup, scenario);
	}
}

unsigned more_seeds(unsigned usual_seeds)
{
	const char *wanted = getenv("SEEDS");

	return wanted != NULL ? (unsigned)atoi(wanted) : usual_seeds;
}

NTSTATUS start_mode(PFILE_OBJECT file, enum tracer_mode mode, uint16_t flags, uint64_t period_ns, uint8_t priority_count)
{
	struct tracer_status status;
	struct tracer_start_request request = {
		.abi = { TRACER_ABI_VERSION, sizeof(request) },
		.threshold_ns = 5 * MS,
		.period_ns = period_ns,
		.mode = (uint8_t)mode,
		.priority_count = priority_count,
		.flags = flags,
		.priorities = { 24, 28 },
	};

	return user_controls(file, TRACER_IOCTL_START, &request, sizeof(request), &status, sizeof(status), NULL);
}

NTSTATUS start_with(PFILE_OBJECT file, uint16_t flags, uint64_t period_ns, uint8_t priority_count)
{
	return start_mode(file, TRACER_MODE_TIMER, flags, period_ns, priority_count);
}

NTSTATUS start(PFILE_OBJECT file, uint16_t flags)
{
	return start_with(file, flags, 5 * MS, 2);
}

NTSTATUS ask(PFILE_OBJECT file, uint32_t code, struct tracer_status *status)
{
	struct tracer_abi request = { TRACER_ABI_VERSION, sizeof(request) };

	return user_controls(file, code, &request, sizeof(request), status, sizeof(*status), NULL);
}

NTSTATUS stop(PFILE_OBJECT file)
{
	struct tracer_status status;

	return ask(file, TRACER_IOCTL_STOP, &status);
}

struct tracer_status status_of(PFILE_OBJECT file)
{
	struct tracer_status status;

	CHECK(ask(file, TRACER_IOCTL_STATUS, &status) == 0);
	return status;
}

struct tracer_histogram histogram_of(PFILE_OBJECT file, enum tracer_phase phase, uint16_t cpu)
{
	struct tracer_histogram_request request = { .abi = { TRACER_ABI_VERSION, sizeof(request) }, .phase = phase, .cpu = cpu };
	struct tracer_histogram histogram;

	CHECK(user_controls(file, TRACER_IOCTL_HISTOGRAM, &request, sizeof(request), &histogram, sizeof(histogram), NULL) == 0);
	return histogram;
}

PFILE_OBJECT load_and_open(void)
{
	PFILE_OBJECT file;

	CHECK(NT_SUCCESS(user_loads()));
	file = user_opens();
	CHECK(file != NULL);
	return file;
}

void close_and_unload(PFILE_OBJECT file)
{
	user_closes(file);
	CHECK(NT_SUCCESS(user_unloads()));
	CHECK(!user_is_loaded());
}

void run_for_addresses(const char *name, void (*test)(void))
{
#ifdef THREAD_SANITIZER
	(void)name;
	(void)test;
#else
	run_test(name, test);
#endif
}
