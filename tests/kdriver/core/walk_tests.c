#include "checks.h"
#include "tracer_walk.h"

#define STACK UINT64_C(0xFFFFF80000701000)
#define CODE UINT64_C(0xFFFFF80600100000)

static struct tracer_sample sample;
static uint64_t callers[TRACER_MAX_CALLERS];
static const struct tracer_image image = { .base = CODE, .size = 0x10000 };

static void put(unsigned offset, uint64_t value)
{
	for (unsigned i = 0; i < sample.word_bytes; i++)
		sample.stack[offset + i] = (uint8_t)(value >> 8 * i);
}

/* A chain of frames: each frame pointer leads 32 bytes further, each return address is 0x100 higher. */
static void make_chain(unsigned word, unsigned frames)
{
	static const struct tracer_sample nothing;
	uint64_t base = word == 8 ? STACK : (uint32_t)STACK;
	uint64_t code = word == 8 ? CODE : (uint32_t)CODE;

	sample = nothing;
	sample.word_bytes = (uint8_t)word;
	sample.sp = base;
	sample.ip = code;
	sample.stack_bytes = TRACER_SAMPLE_STACK_BYTES;
	sample.registers[TRACER_KEPT_BP] = base + 16;
	for (unsigned i = 0; i < frames; i++) {
		put(16 + 32 * i, base + 16 + 32 * (i + 1));
		put(16 + 32 * i + word, code + 0x100 * (i + 1));
	}
}

static unsigned walk(const struct tracer_image *images, unsigned count)
{
	for (unsigned i = 0; i < TRACER_MAX_CALLERS; i++)
		callers[i] = 0;
	return tracer_walk(&sample, images, count, callers, TRACER_MAX_CALLERS);
}

static void follows_frame_pointers(void)
{
	make_chain(8, 3);
	CHECK_EQUAL(3, walk(NULL, 0));
	CHECK_EQUAL(CODE + 0x100, callers[0]);
	CHECK_EQUAL(CODE + 0x300, callers[2]);
	CHECK_EQUAL(3, walk(&image, 1));
	make_chain(4, 5);
	CHECK_EQUAL(5, walk(NULL, 0));
	CHECK_EQUAL((uint32_t)CODE + 0x500, callers[4]);
	/* More than a sample may tell, and more than the stack holds. */
	make_chain(4, 15);
	CHECK_EQUAL(15, walk(NULL, 0));
	CHECK_EQUAL(2, tracer_walk(&sample, NULL, 0, callers, 2));
}

static void stops_where_it_does_not_fit(void)
{
	make_chain(8, 3);
	sample.word_bytes = 2;
	CHECK_EQUAL(0, walk(NULL, 0));
	make_chain(8, 3);
	sample.stack_bytes = 0;
	CHECK_EQUAL(0, walk(NULL, 0));
	make_chain(8, 3);
	sample.stack_bytes = 16 + 32 + 15;
	CHECK_EQUAL(1, walk(NULL, 0));
	make_chain(8, 3);
	sample.stack_bytes = UINT16_MAX;
	sample.registers[TRACER_KEPT_BP] = STACK + TRACER_SAMPLE_STACK_BYTES;
	CHECK_EQUAL(0, walk(NULL, 0));
	/* Below the stack pointer, odd, far away, in a circle. */
	make_chain(8, 3);
	sample.registers[TRACER_KEPT_BP] = STACK - 8;
	CHECK_EQUAL(0, walk(NULL, 0));
	sample.registers[TRACER_KEPT_BP] = STACK + 17;
	CHECK_EQUAL(0, walk(NULL, 0));
	sample.registers[TRACER_KEPT_BP] = UINT64_MAX - 7;
	CHECK_EQUAL(0, walk(NULL, 0));
	make_chain(8, 3);
	put(16 + 32, STACK + 16);
	CHECK_EQUAL(2, walk(NULL, 0));
	/* A return address that is no code. */
	make_chain(8, 3);
	put(16 + 32 + 8, 0);
	CHECK_EQUAL(1, walk(NULL, 0));
	put(16 + 32 + 8, CODE + 0x10000);
	CHECK_EQUAL(1, walk(&image, 1));
	CHECK_EQUAL(3, walk(NULL, 0));
}

static void refuses_what_is_no_image(void)
{
	static uint8_t bytes[512];
	struct tracer_image broken = { .base = CODE, .bytes = bytes, .size = sizeof(bytes) };

	CHECK(!tracer_image_open(&broken));
	bytes[0] = 'M';
	bytes[1] = 'Z';
	CHECK(!tracer_image_open(&broken));
	bytes[60] = 0xFF;
	bytes[61] = 0xFF;
	CHECK(!tracer_image_open(&broken));
	broken.size = 20;
	CHECK(!tracer_image_open(&broken));
	broken.bytes = NULL;
	CHECK(!tracer_image_open(&broken));
	/* Then there are frame pointers still. */
	make_chain(8, 3);
	broken.size = 0x10000;
	CHECK_EQUAL(3, walk(&broken, 1));
}

void walk_tests(void)
{
	run_test("walk: follows frame pointers", follows_frame_pointers);
	run_test("walk: stops where something does not fit", stops_where_it_does_not_fit);
	run_test("walk: refuses what is no image", refuses_what_is_no_image);
}
