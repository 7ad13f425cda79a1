/* Writes the first inputs of device_fuzzer.c into a folder: a run from start to end, each control code as it should be. */
#include <stdio.h>
#include <string.h>

#include "tracer_ioctl.h"

#define CALL 1u /* STEP_KNOWN_CALL + STEPS * index of the code in device_fuzzer.c */
#define STEPS 6u
#define PASS 5u
#define EMIT 2u

static unsigned char bytes[4096];
static size_t count;

static void add(const void *from, size_t size)
{
	memcpy(bytes + count, from, size);
	count += size;
}

static void add_16(unsigned value)
{
	uint16_t word = (uint16_t)value;

	add(&word, sizeof(word));
}

static void add_call(unsigned code, const void *input, size_t size, unsigned output_bytes)
{
	add_16(CALL + STEPS * code);
	add_16((unsigned)size);
	add_16(output_bytes);
	add(input, size);
}

static void add_record(uint16_t type, uint16_t size)
{
	static const unsigned char empty[TRACER_MAX_RECORD_BYTES];

	add_16(EMIT);
	add_16(type);
	add_16(size);
	add(empty, size);
}

static int write_out(const char *folder, const char *name)
{
	char path[4096];
	FILE *file;
	int done;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "wb");
	if (file == NULL)
		return 1;
	done = fwrite(bytes, 1, count, file) == count;
	count = 0;
	return fclose(file) != 0 || !done;
}

int main(int arguments, char **argument)
{
	static const struct tracer_abi abi = { TRACER_ABI_VERSION, sizeof(abi) };
	static const struct tracer_start_request request = { .abi = { TRACER_ABI_VERSION, sizeof(request) }, .threshold_ns = 1000000,
		.period_ns = 10000000, .mode = TRACER_MODE_TIMER, .priority_count = 2, .priorities = { 28, 24 } };
	static const struct tracer_histogram_request histogram = { .abi = { TRACER_ABI_VERSION, sizeof(histogram) },
		.phase = TRACER_PHASE_TOTAL, .cpu = TRACER_ALL_CPUS };
	static const uint64_t offer[4] = { 10000000, 1000, 1000, 0 };
	int failed;

	if (arguments < 2)
		return 1;
	add_call(0, &abi, sizeof(abi), sizeof(struct tracer_status));
	failed = write_out(argument[1], "status");
	add_call(1, &request, sizeof(request), sizeof(struct tracer_status));
	add(offer, sizeof(offer));
	add_call(3, &abi, sizeof(abi), TRACER_READ_LEAST_BYTES);
	add_record(TRACER_RECORD_START, sizeof(struct tracer_start));
	add_record(TRACER_RECORD_WAKEUP, sizeof(struct tracer_wakeup));
	add_record(TRACER_RECORD_TIMER_STATE, sizeof(struct tracer_timer_state));
	add_record(TRACER_RECORD_PIT_SAMPLE, TRACER_PIT_SAMPLE_BYTES(0));
	add_call(3, &abi, sizeof(abi), 1024);
	add_16(PASS);
	add_16(UINT16_MAX);
	add_call(3, &abi, sizeof(abi), 1024);
	add_call(4, &histogram, sizeof(histogram), sizeof(struct tracer_histogram));
	add_call(2, &abi, sizeof(abi), sizeof(struct tracer_status));
	failed |= write_out(argument[1], "run");
	return failed;
}
