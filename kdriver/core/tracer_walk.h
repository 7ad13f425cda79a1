/*
 * Callers of the interrupted code, worked out later from what a sample kept: registers and a piece of stack. Nothing is read but the
 * sample and module images, everything is checked against their bounds, and the walk ends at the first thing that does not fit: it
 * gives no caller rather than a guessed one.
 *
 * 64-bit code: where the instruction lies in a module whose bytes are given, by the unwind records of its .pdata (function table in the
 * exception directory of the image); else, and for 32-bit code, by frame pointers: [BP] = the caller's BP, [BP + word] = return address.
 * A frame-pointer step needs BP inside the kept stack, aligned and growing. 32-bit code interrupted in a prologue before it has set its
 * own frame, or compiled without frame pointers, loses its direct caller: the next frame is still right.
 */
#ifndef TRACER_WALK_H
#define TRACER_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer_ring.h"

/* A loaded PE image: where it stands and, if they may be read, its bytes as loaded (sections at their virtual addresses). */
struct tracer_image {
	uint64_t base;
	const uint8_t *bytes; /* or null */
	uint32_t size;        /* of the image in memory, and of bytes[] */
	uint32_t functions;   /* set by tracer_image_open: offset of the function table */
	uint32_t function_count;
	uint32_t reserved;
};

/*
 * Finds the function table of a 64-bit image whose base, bytes and size are set. False where there is none that fits in the bytes: the
 * image may be used all the same, and frame pointers serve in its place. Nothing outside bytes[0, size) is read, which stay readable as
 * long as the image is used: of a driver that can unload, hand over a copy.
 */
bool tracer_image_open(struct tracer_image *image);

/*
 * Writes up to `most` return addresses, innermost first, and returns how many; the interrupted instruction is not among them. 0 is a
 * whole answer: no caller could be proved. An address counts as code only if it is inside one of the images (with no images given: if it
 * is not 0). The sample is untrusted: nothing of it is followed as a pointer. Allocates nothing and takes no lock; its time is bounded by
 * `most` and the images' number, too long for an ISR.
 */
unsigned tracer_walk(
	const struct tracer_sample *sample, const struct tracer_image *images, unsigned image_count, uint64_t *callers, unsigned most);

#endif
