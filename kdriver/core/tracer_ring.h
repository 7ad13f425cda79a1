/*
 * The circular buffer of samples (Cota-Robles & Held 2.3): one per CPU, overwrites the oldest, never blocks, never waits.
 *
 * Writers are interrupts of one CPU: they nest like a stack (an NMI in the PIT hook in the latency ISR) and each finishes before the
 * one below it goes on. Readers are anywhere and change nothing. Every record has a position, counted from 0 modulo 2^32; it lies in slot
 * (position & mask).
 *
 *   writer: position = head++              one step: an interrupt in between gets the next position
 *           slot.begin: position           one compare-and-swap: the slot is now its own, or the record is given up (below)
 *           the sample, word by word
 *           slot.end = position            begin == end: the slot is whole
 *   reader: slot.end == position, copy, slot.begin == position: what was copied is whole. Otherwise it was overwritten or is unfinished.
 *
 * A record is given up where writers on top of an unfinished one lapped the whole ring: the slot still belongs to the one below. The
 * position is noted in slot.given_up, so that no reader waits for it.
 *
 * Losses are exact: a reader's positions are consecutive, each is delivered or counted as lost. A reader that comes at least once in
 * 2^31 records knows each of them.
 *
 * The assembly in kdriver/asm writes the same structures: the assertions hold the offsets that it uses.
 */
#ifndef TRACER_RING_H
#define TRACER_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracer_records.h"

/* Bytes of the interrupted stack that a sample keeps, for walking it later. */
#define TRACER_SAMPLE_STACK_BYTES 512

/* Registers that a called function keeps, in the order of tracer_sample.registers. 32-bit code has the first four. */
enum tracer_kept_register {
	TRACER_KEPT_BP = 0,
	TRACER_KEPT_BX = 1,
	TRACER_KEPT_SI = 2,
	TRACER_KEPT_DI = 3,
	TRACER_KEPT_R12 = 4,
	TRACER_KEPT_R13 = 5,
	TRACER_KEPT_R14 = 6,
	TRACER_KEPT_R15 = 7,
	TRACER_KEPT_REGISTERS = 8
};

/* What an interrupt found on its CPU. Pointers of 32-bit code are extended with zeros. */
struct tracer_sample {
	uint64_t clock; /* TSC, read first of all */
	uint64_t ip;    /* next instruction of the interrupted code */
	uint64_t sp;    /* its stack pointer before the interrupt */
	uint64_t flags; /* its RFLAGS */
	uint64_t registers[TRACER_KEPT_REGISTERS];
	uint16_t cs;
	uint16_t cpu;
	uint8_t source;     /* enum tracer_sample_source */
	uint8_t word_bytes; /* of the interrupted code's pointers: 8 or 4 */
	uint16_t stack_bytes; /* of stack[]: 0 in user mode and of a 64-bit NMI, and never past the page of the stack pointer */
	uint8_t stack[TRACER_SAMPLE_STACK_BYTES]; /* memory from sp upwards */
};
TRACER_ASSERT_SIZE(struct tracer_sample, 616);
TRACER_ASSERT_OFFSET(struct tracer_sample, ip, 8);
TRACER_ASSERT_OFFSET(struct tracer_sample, sp, 16);
TRACER_ASSERT_OFFSET(struct tracer_sample, flags, 24);
TRACER_ASSERT_OFFSET(struct tracer_sample, registers, 32);
TRACER_ASSERT_OFFSET(struct tracer_sample, cs, 96);
TRACER_ASSERT_OFFSET(struct tracer_sample, cpu, 98);
TRACER_ASSERT_OFFSET(struct tracer_sample, source, 100);
TRACER_ASSERT_OFFSET(struct tracer_sample, word_bytes, 101);
TRACER_ASSERT_OFFSET(struct tracer_sample, stack_bytes, 102);
TRACER_ASSERT_OFFSET(struct tracer_sample, stack, 104);

#define TRACER_SAMPLE_WORDS (sizeof(struct tracer_sample) / 4)

struct tracer_slot {
	_Atomic uint32_t begin;
	_Atomic uint32_t end;
	_Atomic uint32_t given_up;
	uint32_t reserved;
	_Atomic uint32_t words[TRACER_SAMPLE_WORDS]; /* a struct tracer_sample */
	uint32_t padding[2];                         /* a slot begins at a multiple of 16 */
};
TRACER_ASSERT_SIZE(struct tracer_slot, 640);
TRACER_ASSERT_OFFSET(struct tracer_slot, end, 4);
TRACER_ASSERT_OFFSET(struct tracer_slot, given_up, 8);
TRACER_ASSERT_OFFSET(struct tracer_slot, words, 16);

struct tracer_ring {
	_Atomic uint32_t head; /* position of the next record */
	uint32_t mask;         /* slots - 1 */
	uint32_t first;        /* position of the first record of all */
	uint32_t reserved;
	struct tracer_slot *slots;
};
TRACER_ASSERT_OFFSET(struct tracer_ring, mask, 4);
TRACER_ASSERT_OFFSET(struct tracer_ring, slots, 16);

/* A reader's place: the next position, and how many it never got. */
struct tracer_ring_cursor {
	uint32_t position;
	uint32_t reserved;
	uint64_t lost;
};

enum tracer_ring_answer {
	TRACER_RING_EMPTY = 0,      /* nothing there, now */
	TRACER_RING_SAMPLE = 1,     /* *sample is whole; the cursor stands behind it */
	TRACER_RING_UNFINISHED = 2, /* its writer is at work: ask again later, or step over it */
	TRACER_RING_LOST = 3        /* positions that nobody can read any more: counted in the cursor, which stands behind them */
};

/*
 * `capacity` slots: a power of two, 2 to 2^30. `first` numbers the first record (0; tests start just below the wrap). False, and nothing
 * written, if the capacity is none of these. Before any writer: the slots are the caller's, at a multiple of 16, never page (an NMI
 * writes there), and outlive every interrupt that leads to the ring.
 */
bool tracer_ring_init(struct tracer_ring *ring, struct tracer_slot *slots, uint32_t capacity, uint32_t first);

/*
 * Writes one sample; any level, NMI included, but only on the ring's own CPU: two CPUs at once break the order that readers rely on. False
 * where it was given up (see above): its position is used up and readers count it as lost; nothing is to be tried again. The stubs do the
 * same in assembly.
 */
bool tracer_ring_write(struct tracer_ring *ring, const struct tracer_sample *sample);

/* Position that the next record gets: from it on nothing can be read. Modulo 2^32, so two positions are subtracted, never compared. */
uint32_t tracer_ring_head(const struct tracer_ring *ring);

/*
 * Reads the record at the cursor if it is before `end` (usually the head, read once before the first of a row), and moves the cursor on as
 * the answer says. `end` is not before the cursor: the row goes on past it then. `sample` is written in part also where the answer is
 * TRACER_RING_LOST, and is to be looked at only behind TRACER_RING_SAMPLE. TRACER_RING_UNFINISHED does not move: a caller that only asks
 * again at a level which its writer cannot interrupt waits for ever. Any CPU, any number of readers, each with its own cursor.
 */
enum tracer_ring_answer tracer_ring_read(
	const struct tracer_ring *ring, struct tracer_ring_cursor *cursor, uint32_t end, struct tracer_sample *sample);

/* Steps over an unfinished record and counts it as lost. Only behind TRACER_RING_UNFINISHED: it moves whatever stands there. */
void tracer_ring_step_over(struct tracer_ring_cursor *cursor);

#endif
