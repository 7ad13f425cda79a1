/*
 * The stack walk against code of a real compiler: runs a PE image one instruction at a time and asks behind each of them who the callers
 * are; what CALL and RET did tells what is right. Then the same with damaged images and samples, which must do no harm.
 * usage: walk_steps IMAGE
 */
#include "single_step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "checks.h"
#include "tracer_walk.h"

#define MOST_CALLS 64
#define LARGEST_IMAGE (1u << 20)
#define DEPTH 5

static struct tracer_image image;
static uint8_t *loaded;   /* the image as it runs */
static uint32_t entry;

static uint64_t returns[MOST_CALLS], places[MOST_CALLS]; /* where each call returns to, and where on the stack that stands */
static unsigned calls, deepest;
static uint64_t last_ip;
static unsigned steps_inside, wrong, too_short, found_callers;
static struct tracer_sample sample;
static struct tracer_sample kept[4096];
static unsigned kept_count;

static uint32_t read_32(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

/* Lays a PE file out in memory, sections at their addresses. */
static bool load(const char *path)
{
	static uint8_t file[LARGEST_IMAGE];
	FILE *stream = fopen(path, "rb");
	size_t length = stream != NULL ? fread(file, 1, sizeof(file), stream) : 0;
	const uint8_t *header, *section;
	uint8_t *bytes;

	if (stream != NULL)
		fclose(stream);
	if (length < 0x200)
		return false;
	header = file + read_32(file + 60);
	image.size = read_32(header + 24 + 56);
	entry = read_32(header + 24 + 16);
	loaded = mmap(NULL, image.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (loaded == MAP_FAILED)
		return false;
	memcpy(loaded, file, 0x400 < length ? 0x400 : length);
	section = header + 24 + (header[20] | header[21] << 8);
	for (unsigned i = 0; i < (unsigned)(header[6] | header[7] << 8); i++, section += 40) {
		uint32_t bytes_used = read_32(section + 8) < read_32(section + 16) ? read_32(section + 8) : read_32(section + 16);
		memcpy(loaded + read_32(section + 12), file + read_32(section + 20), bytes_used);
	}
	/* The walk gets bytes of its own: a read past them is seen by the sanitizer. */
	bytes = malloc(image.size);
	memcpy(bytes, loaded, image.size);
	image.base = (uintptr_t)loaded;
	image.bytes = bytes;
	return mprotect(loaded, image.size, PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
}

/* A word of the running program's stack: frames of functions that the sanitizer guards. */
__attribute__((no_sanitize("address"))) static uint64_t stack_word(uint64_t address)
{
	return *(const volatile uint64_t *)(uintptr_t)address;
}

static void follow_calls(uint64_t sp)
{
	const uint8_t *code = loaded + (last_ip - image.base);
	unsigned prefix = (code[0] & 0xF0) == 0x40;
	bool is_call = code[0] == 0xE8 || (code[prefix] == 0xFF && (code[prefix + 1] & 0x38) == 0x10);

	if (is_call && calls < MOST_CALLS) {
		returns[calls] = stack_word(sp);
		places[calls] = sp;
		calls++;
	} else if (code[0] == 0xC3 && calls > 0) {
		calls--;
	}
	if (calls > deepest)
		deepest = calls;
}

static void take(const greg_t *registers, uint64_t sp)
{
	memset(&sample, 0, sizeof(sample));
	sample.ip = (uint64_t)registers[REG_RIP];
	sample.sp = sp;
	sample.word_bytes = 8;
	sample.stack_bytes = TRACER_SAMPLE_STACK_BYTES;
	sample.registers[TRACER_KEPT_BP] = (uint64_t)registers[REG_RBP];
	sample.registers[TRACER_KEPT_BX] = (uint64_t)registers[REG_RBX];
	sample.registers[TRACER_KEPT_SI] = (uint64_t)registers[REG_RSI];
	sample.registers[TRACER_KEPT_DI] = (uint64_t)registers[REG_RDI];
	sample.registers[TRACER_KEPT_R12] = (uint64_t)registers[REG_R12];
	sample.registers[TRACER_KEPT_R13] = (uint64_t)registers[REG_R13];
	sample.registers[TRACER_KEPT_R14] = (uint64_t)registers[REG_R14];
	sample.registers[TRACER_KEPT_R15] = (uint64_t)registers[REG_R15];
	for (unsigned i = 0; i < TRACER_SAMPLE_STACK_BYTES / 8; i++) {
		uint64_t word = stack_word(sp + 8 * (uint64_t)i);
		memcpy(sample.stack + 8 * (size_t)i, &word, 8);
	}
}

static void step(greg_t *registers)
{
	uint64_t ip = (uint64_t)registers[REG_RIP], sp = (uint64_t)registers[REG_RSP];
	uint64_t callers[TRACER_MAX_CALLERS];
	unsigned found, i;

	if (last_ip != 0)
		follow_calls(sp);
	last_ip = 0;
	if (ip - image.base >= image.size)
		return;
	last_ip = ip;
	steps_inside++;
	take(registers, sp);
	if (kept_count < sizeof(kept) / sizeof(kept[0]))
		kept[kept_count++] = sample;
	found = tracer_walk(&sample, &image, 1, callers, TRACER_MAX_CALLERS);
	found_callers += found;
	for (i = 0; i < found; i++)
		wrong += i >= calls || callers[i] != returns[calls - 1 - i];
	/* It may end only where the kept stack does. */
	if (found < calls && found < TRACER_MAX_CALLERS && places[calls - 1 - found] + 8 <= sp + TRACER_SAMPLE_STACK_BYTES)
		too_short++;
}

static void finds_every_caller(void)
{
	int (*start)(int) __attribute__((ms_abi));
	volatile int result;

	*(void **)&start = loaded + entry;
	step_on();
	result = start(DEPTH);
	step_off();
	(void)result;
	CHECK(steps_inside > 500);
	CHECK(deepest >= DEPTH + 4);
	CHECK(found_callers > 3 * steps_inside);
	CHECK_EQUAL(0, wrong);
	CHECK_EQUAL(0, too_short);
}

static void survives_damage(void)
{
	uint8_t *bytes = malloc(image.size);
	struct tracer_image damaged = image;
	uint64_t state = 99, callers[TRACER_MAX_CALLERS];
	uint32_t table = image.functions;

	damaged.bytes = bytes;
	CHECK(kept_count > 500);
	for (unsigned round = 0; round < 40000; round++) {
		unsigned flips = 1 + (next_random(&state) & 15);
		if (round % 16 == 0) {
			memcpy(bytes, image.bytes, image.size);
			damaged.functions = table;
			damaged.function_count = image.function_count;
		}
		for (unsigned i = 0; i < flips; i++) {
			/* Headers, function table, or anywhere. */
			uint32_t at = (uint32_t)next_random(&state);
			if ((round & 3) == 0)
				at %= 0x400;
			else if ((round & 3) == 1)
				at = table + at % (image.function_count * 12 + 256);
			else
				at %= image.size;
			if (at < image.size)
				bytes[at] = (uint8_t)next_random(&state);
		}
		if (round % 8 == 0)
			tracer_image_open(&damaged);
		sample = kept[next_random(&state) % kept_count];
		if (round & 4)
			sample.registers[next_random(&state) & 7] += next_random(&state) >> (next_random(&state) & 63);
		if (round & 8)
			sample.ip = image.base + next_random(&state) % image.size;
		sample.stack_bytes = (uint16_t)next_random(&state);
		CHECK(tracer_walk(&sample, &damaged, 1, callers, TRACER_MAX_CALLERS) <= TRACER_MAX_CALLERS);
	}
	free(bytes);
}

int main(int count, char **arguments)
{
	if (count != 2 || !load(arguments[1]) || !tracer_image_open(&image) || !step_install(step)) {
		print("not ok core: walk: the image cannot be loaded\n");
		return 1;
	}
	run_test("walk: finds every caller behind every instruction of " IMAGE_NAME, finds_every_caller);
	run_test("walk: is not harmed by a damaged " IMAGE_NAME, survives_damage);
	free((void *)(uintptr_t)image.bytes);
	return failures();
}
