/*
 * The ring's writers, interrupted behind every single instruction by any number of nested writes, and read at that moment: the C writer
 * and the PIT stub. Nothing torn is ever read, every position is delivered or lost, and only laps lose anything.
 */
#include "single_step.h"

#include "checks.h"
#include "interrupt_state.h"
#include "tracer_stubs.h"

#define CAPACITY 4
#define KERNEL_CS 0x10
#define STACK_BYTES 8 /* few, so that all steps take a second */

static struct tracer_slot slots[CAPACITY];
static struct tracer_ring ring;
static struct interrupt_state before, nested_before;
static uint8_t stack[4096] __attribute__((aligned(4096))), nested_stack[4096] __attribute__((aligned(4096)));
static struct tracer_sample sample, stepped_sample;

static unsigned steps, interrupt_step, nested_writes, torn, wrong_answers;
static bool interrupted, nested_by_stub;

void tracer_on_latency_interrupt(uint32_t cpu, const struct tracer_interrupt *interrupt)
{
	(void)cpu;
	(void)interrupt;
}

void tracer_on_apic_error(uint32_t cpu)
{
	(void)cpu;
}

uint32_t tracer_nmi_acknowledge(uint32_t cpu);
uint32_t tracer_nmi_acknowledge(uint32_t cpu)
{
	return cpu == 0;
}

/* A sample in which every field tells its tag. */
static struct tracer_sample tagged(uint8_t tag)
{
	struct tracer_sample made = { .ip = tag, .sp = tag, .cs = KERNEL_CS, .stack_bytes = STACK_BYTES };

	for (unsigned i = 0; i < TRACER_KEPT_REGISTERS; i++)
		made.registers[i] = tag;
	for (unsigned i = 0; i < STACK_BYTES; i++)
		made.stack[i] = tag;
	return made;
}

static bool is_whole(const struct tracer_sample *read)
{
	for (unsigned i = 0; i < TRACER_KEPT_REGISTERS; i++) {
		if (read->registers[i] != read->ip)
			return false;
	}
	for (unsigned i = 0; i < STACK_BYTES; i++) {
		if (read->stack[i] != (uint8_t)read->ip)
			return false;
	}
	return read->stack_bytes == STACK_BYTES && read->cs == KERNEL_CS;
}

/* Reads everything; returns how many samples came. */
static unsigned read_all(bool may_be_unfinished)
{
	struct tracer_ring_cursor cursor = { ring.first, 0, 0 };
	uint32_t head = tracer_ring_head(&ring);
	unsigned delivered = 0;

	while (cursor.position != head) {
		switch (tracer_ring_read(&ring, &cursor, head, &sample)) {
		case TRACER_RING_SAMPLE:
			delivered++;
			torn += !is_whole(&sample);
			break;
		case TRACER_RING_UNFINISHED:
			wrong_answers += !may_be_unfinished;
			tracer_ring_step_over(&cursor);
			break;
		case TRACER_RING_LOST:
			break;
		case TRACER_RING_EMPTY:
		default:
			wrong_answers++;
			return delivered;
		}
	}
	wrong_answers += delivered + cursor.lost != (uint32_t)(head - ring.first);
	return delivered;
}

static void write_nested(void)
{
	if (nested_by_stub) {
		struct interrupt_state after = interrupt_after;
		uintptr_t sp = interrupt_kept_sp;
		enter_stub_at(tracer_stub_pit, &nested_before);
		interrupt_kept_sp = sp;
		interrupt_after = after;
	} else {
		struct tracer_sample other = tagged(100);
		tracer_ring_write(&ring, &other);
	}
}

static void nest(greg_t *registers)
{
	if (steps++ != interrupt_step)
		return;
	interrupted = true;
	registers[REG_EFL] &= ~(greg_t)TRAP_FLAG;
	for (unsigned i = 0; i < nested_writes; i++)
		write_nested();
	read_all(true);
}

static void write_by_c(void)
{
	struct tracer_sample own = tagged(7);

	step_on();
	tracer_ring_write(&ring, &own);
	step_off();
}

static void write_by_stub(void)
{
	step_on();
	enter_stub_at(tracer_stub_pit, &before);
	step_off();
}

/* Interrupts `write` behind its first, second, ... instruction, until it ends before it is interrupted. */
static void interrupt_everywhere(void (*write)(void), unsigned writes)
{
	nested_writes = writes;
	interrupt_step = 0;
	do {
		unsigned delivered, total;
		CHECK(tracer_ring_init(&ring, slots, CAPACITY, UINT32_MAX - 2));
		for (uint8_t i = 0; i < CAPACITY; i++) {
			struct tracer_sample other = tagged(i);
			CHECK(tracer_ring_write(&ring, &other));
		}
		steps = 0;
		interrupted = false;
		write();
		total = tracer_ring_head(&ring) - ring.first;
		CHECK_EQUAL(CAPACITY + 1 + (interrupted ? writes : 0), total);
		delivered = read_all(false);
		/* Fewer than a lap on top of it: nothing is lost but what is overwritten. More: at most the slot in its hands. */
		CHECK(delivered == CAPACITY || (writes >= CAPACITY && delivered == CAPACITY - 1));
		interrupt_step++;
	} while (interrupted);
	CHECK(interrupt_step > 60);
}

static void interrupt_often(void (*write)(void))
{
	static const unsigned counts[] = { 1, CAPACITY, 3 * CAPACITY + 1 };

	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		nested_by_stub = false;
		interrupt_everywhere(write, counts[i]);
		nested_by_stub = true;
		interrupt_everywhere(write, counts[i]);
	}
	CHECK_EQUAL(0, torn);
	CHECK_EQUAL(0, wrong_answers);
}

static void c_writer(void)
{
	interrupt_often(write_by_c);
}

static void stub_writer(void)
{
	interrupt_often(write_by_stub);
}

/* A reader that is overtaken behind any of its instructions: it has read a whole sample, or lost some. */
static void reader(void)
{
	nested_by_stub = false;
	nested_writes = CAPACITY + 1;
	interrupt_step = 0;
	do {
		struct tracer_ring_cursor cursor = { 0, 0, 0 };
		enum tracer_ring_answer answer;
		CHECK(tracer_ring_init(&ring, slots, CAPACITY, 0));
		for (uint8_t i = 0; i < CAPACITY; i++) {
			struct tracer_sample other = tagged(i);
			CHECK(tracer_ring_write(&ring, &other));
		}
		steps = 0;
		interrupted = false;
		step_on();
		answer = tracer_ring_read(&ring, &cursor, CAPACITY, &stepped_sample);
		step_off();
		CHECK(answer == TRACER_RING_SAMPLE || (answer == TRACER_RING_LOST && interrupted));
		if (answer == TRACER_RING_SAMPLE)
			torn += !is_whole(&stepped_sample) || stepped_sample.ip != 0;
		CHECK_EQUAL(cursor.position, cursor.lost + (answer == TRACER_RING_SAMPLE));
		interrupt_step++;
	} while (interrupted);
	CHECK_EQUAL(0, torn);
}

/* Kernel code with the tag in every register and on its stack. */
static void prepare(struct interrupt_state *state, uint8_t *its_stack, uint8_t tag)
{
	for (unsigned i = 0; i < 16; i++)
		state->registers[i] = tag;
	for (unsigned i = 0; i < sizeof(stack); i++)
		its_stack[i] = tag;
	state->registers[SP] = (uintptr_t)(its_stack + sizeof(stack) - STACK_BYTES);
	state->ip = tag;
	state->cs = KERNEL_CS;
	state->flags = 0x202;
}

int main(void)
{
	prepare(&before, stack, 9);
	prepare(&nested_before, nested_stack, 10);
	tracer_stub_cpus[0].ring = &ring;
	tracer_stub_pit_chain = (uintptr_t)interrupt_landing;
	tracer_stub_lowest_stack = 0x1000;
	if (!step_install(nest))
		return 1;
	run_test("ring: the C writer may be interrupted behind every instruction", c_writer);
	run_test("ring: the PIT stub may be interrupted behind every instruction", stub_writer);
	run_test("ring: a reader may be overtaken behind every instruction", reader);
	return failures();
}
