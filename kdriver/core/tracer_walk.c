#include "tracer_walk.h"

#define REGISTERS 16
#define RSP 4
#define RBP 5

/* Registers of a called function that a sample keeps, by the numbers of unwind records and instructions. */
static const uint8_t kept_numbers[TRACER_KEPT_REGISTERS] = { 5, 3, 6, 7, 12, 13, 14, 15 };

/* Most unwind records of one function, chained ones included; more are a circle. */
#define MOST_CHAINED 8
#define MOST_EPILOG_POPS 16

enum unwind_operation {
	PUSH = 0,
	ALLOCATE_LARGE = 1,
	ALLOCATE_SMALL = 2,
	SET_FRAME = 3,
	SAVE = 4,
	SAVE_FAR = 5,
	EPILOG = 6, /* version 2 only */
	SAVE_XMM = 8,
	SAVE_XMM_FAR = 9,
	PUSH_MACHINE_FRAME = 10
};

#define UNWIND_CHAINED 4u

/* The interrupted code's registers, wound back frame by frame. */
struct frame {
	const struct tracer_sample *sample;
	uint64_t ip;
	uint64_t registers[REGISTERS];
	uint32_t known; /* bit n: register n holds what it held in this frame */
	unsigned word;  /* bytes */
	bool exact;     /* ip was interrupted; else it is a return address, and the call stands before it */
};

struct function {
	uint32_t begin;
	uint32_t end;
	uint32_t unwind;
};

static uint32_t read_16(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}

static uint32_t read_32(const uint8_t *bytes)
{
	return read_16(bytes) | read_16(bytes + 2) << 16;
}

static uint64_t read_64(const uint8_t *bytes)
{
	return read_32(bytes) | (uint64_t)read_32(bytes + 4) << 32;
}

static uint32_t sign_extended(uint8_t byte)
{
	return byte < 0x80 ? byte : 0xFFFFFF00u | byte;
}

/* Bytes of an image, or null where it has not so many there. */
static const uint8_t *bytes_at(const struct tracer_image *image, uint32_t offset, uint32_t count)
{
	return image->bytes != NULL && offset <= image->size && count <= image->size - offset ? image->bytes + offset : NULL;
}

bool tracer_image_open(struct tracer_image *image)
{
	const uint8_t *header = bytes_at(image, 0, 64);
	uint32_t at, offset, bytes;

	image->functions = 0;
	image->function_count = 0;
	if (header == NULL || read_16(header) != 0x5A4D)
		return false;
	at = read_32(header + 60);
	/* Signature, file header, optional header of PE32+ up to the exception directory. */
	header = bytes_at(image, at, 24 + 144);
	if (header == NULL || read_32(header) != 0x4550 || read_16(header + 4) != 0x8664 || read_16(header + 20) < 144 ||
		read_16(header + 24) != 0x20B || read_32(header + 24 + 108) < 4)
		return false;
	offset = read_32(header + 24 + 136);
	bytes = read_32(header + 24 + 140);
	if (bytes < 12 || bytes_at(image, offset, bytes) == NULL)
		return false;
	image->functions = offset;
	/* Entries of 12 bytes; no division: a table of an image has fewer than 2^32 / 12. */
	while (bytes >= 12) {
		image->function_count++;
		bytes -= 12;
	}
	return true;
}

static const struct tracer_image *image_of(const struct tracer_image *images, unsigned count, uint64_t address)
{
	for (unsigned i = 0; i < count; i++) {
		if (address - images[i].base < images[i].size)
			return &images[i];
	}
	return NULL;
}

static bool is_code(const struct tracer_image *images, unsigned count, uint64_t address)
{
	return count == 0 ? address != 0 : image_of(images, count, address) != NULL;
}

/* A word of the kept stack. */
static bool read_stack(const struct frame *frame, uint64_t address, uint64_t *value)
{
	const struct tracer_sample *sample = frame->sample;
	uint64_t offset = address - sample->sp;
	uint32_t bytes = sample->stack_bytes;

	if (bytes > TRACER_SAMPLE_STACK_BYTES)
		bytes = TRACER_SAMPLE_STACK_BYTES;
	if (offset >= bytes || bytes - offset < frame->word)
		return false;
	*value = frame->word == 8 ? read_64(sample->stack + offset) : read_32(sample->stack + offset);
	return true;
}

static bool pop(struct frame *frame, unsigned number)
{
	uint64_t value;

	if (!read_stack(frame, frame->registers[RSP], &value))
		return false;
	frame->registers[RSP] += frame->word;
	if (number != RSP) {
		frame->registers[number] = value;
		frame->known |= 1u << number;
	}
	return true;
}

/* The return address, popped. */
static bool pop_return(struct frame *frame)
{
	if (!read_stack(frame, frame->registers[RSP], &frame->ip))
		return false;
	frame->registers[RSP] += frame->word;
	frame->exact = false;
	return true;
}

static bool function_at(const struct tracer_image *image, uint32_t index, struct function *function)
{
	const uint8_t *entry = bytes_at(image, image->functions + 12 * index, 12);

	if (entry == NULL)
		return false;
	function->begin = read_32(entry);
	function->end = read_32(entry + 4);
	function->unwind = read_32(entry + 8);
	return true;
}

/* The function that an offset lies in; the table is sorted by begin. */
static bool find_function(const struct tracer_image *image, uint32_t offset, struct function *function)
{
	uint32_t low = 0, high = image->function_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (!function_at(image, middle, function))
			return false;
		if (offset < function->begin)
			high = middle;
		else if (offset >= function->end)
			low = middle + 1;
		else
			return true;
	}
	return false;
}

/* A jump out of the function to the first instruction of another: the last step of an epilog (a tail call). */
static bool is_tail_call(const struct tracer_image *image, const struct function *function, uint32_t target)
{
	struct function other;

	if (target >= function->begin && target < function->end)
		return false;
	return !find_function(image, target, &other) || other.begin == target;
}

/* What an epilog does up to its return, and whether the bytes there are one: ADD RSP or LEA RSP, POPs, then RET or a jump out. */
static bool unwind_epilog(struct frame *frame, const struct tracer_image *image, const struct function *function, uint32_t offset)
{
	struct frame trial = *frame;
	const uint8_t *code = bytes_at(image, offset, 8);
	unsigned pops;

	if (code == NULL)
		return false;
	if (code[0] == 0x48 && code[1] == 0x83 && code[2] == 0xC4) {
		trial.registers[RSP] += (uint64_t)(int64_t)(int8_t)code[3];
		offset += 4;
	} else if (code[0] == 0x48 && code[1] == 0x81 && code[2] == 0xC4) {
		trial.registers[RSP] += (uint64_t)(int64_t)(int32_t)read_32(code + 3);
		offset += 7;
	} else if ((code[0] & 0xFE) == 0x48 && code[1] == 0x8D && ((code[2] & 0xF8) == 0x60 || (code[2] & 0xF8) == 0xA0) &&
		(code[2] & 7) != 4) {
		unsigned base = (code[2] & 7u) + (code[0] & 1u) * 8;
		bool is_short = (code[2] & 0xC0) == 0x40;
		int32_t displacement = is_short ? (int8_t)code[3] : (int32_t)read_32(code + 3);
		if (!(trial.known >> base & 1))
			return false;
		trial.registers[RSP] = trial.registers[base] + (uint64_t)(int64_t)displacement;
		offset += is_short ? 4 : 7;
	}
	for (pops = 0; pops < MOST_EPILOG_POPS; pops++) {
		unsigned prefix, number;
		code = bytes_at(image, offset, 2);
		if (code == NULL)
			return false;
		prefix = (code[0] & 0xF8) == 0x40 ? 1 : 0;
		if ((code[prefix] & 0xF8) != 0x58)
			break;
		number = (code[prefix] & 7u) + (prefix && (code[0] & 1) ? 8 : 0);
		if (!pop(&trial, number))
			return false;
		offset += prefix + 1;
	}
	code = bytes_at(image, offset, 6);
	if (code == NULL)
		return false;
	if (code[0] == 0xEB) {
		if (!is_tail_call(image, function, offset + 2 + sign_extended(code[1])))
			return false;
	} else if (code[0] == 0xE9) {
		if (!is_tail_call(image, function, offset + 5 + read_32(code + 1)))
			return false;
	} else if (!(code[0] == 0xC3 || code[0] == 0xC2 || (code[0] == 0xF3 && code[1] == 0xC3) ||
		(code[0] == 0xFF && code[1] == 0x25) || (code[0] == 0x48 && code[1] == 0xFF && (code[2] & 0xF8) == 0xE0) ||
		(code[0] == 0x48 && code[1] == 0xFF && code[2] == 0x25))) {
		return false;
	}
	if (!pop_return(&trial))
		return false;
	*frame = trial;
	return true;
}

/* Slots of two bytes that an unwind code takes; 0 = unknown. */
static unsigned slots_of(unsigned operation, unsigned info)
{
	switch (operation) {
	case PUSH:
	case ALLOCATE_SMALL:
	case SET_FRAME:
	case EPILOG:
	case PUSH_MACHINE_FRAME:
		return 1;
	case SAVE:
	case SAVE_XMM:
		return 2;
	case SAVE_FAR:
	case SAVE_XMM_FAR:
		return 3;
	case ALLOCATE_LARGE:
		return info == 0 ? 2 : info == 1 ? 3 : 0;
	default:
		return 0;
	}
}

/* What the prolog of one unwind record did, undone. */
struct record {
	const uint8_t *codes;
	unsigned count;
	uint32_t done;         /* bytes of the prolog that were executed */
	unsigned frame_register;
	uint64_t frame_offset;
	unsigned version;
	uint64_t base;         /* lowest address of the fixed frame */
	bool machine_frame;    /* it was entered by an interrupt: ip and sp are known already */
};

static bool undo_one(struct frame *frame, struct record *record, const uint8_t *code)
{
	unsigned operation = code[1] & 15u, info = code[1] >> 4;
	uint64_t value;

	switch (operation) {
	case PUSH:
		/* RSP is never saved, and the volatile ones need not be. */
		return info != RSP && pop(frame, info);
	case ALLOCATE_LARGE:
		frame->registers[RSP] += info == 0 ? read_16(code + 2) * 8 : read_32(code + 2);
		return true;
	case ALLOCATE_SMALL:
		frame->registers[RSP] += info * 8 + 8;
		return true;
	case SET_FRAME:
		if (!(frame->known >> record->frame_register & 1))
			return false;
		frame->registers[RSP] = frame->registers[record->frame_register] - record->frame_offset;
		return true;
	case SAVE:
	case SAVE_FAR:
		if (!read_stack(frame, record->base + (operation == SAVE ? read_16(code + 2) * 8 : read_32(code + 2)), &value))
			return false;
		frame->registers[info] = value;
		frame->known |= 1u << info;
		return true;
	case PUSH_MACHINE_FRAME: {
		uint64_t at = frame->registers[RSP] + (info == 1 ? 8 : 0);
		if (info > 1 || !read_stack(frame, at, &frame->ip) || !read_stack(frame, at + 24, &frame->registers[RSP]))
			return false;
		frame->exact = true;
		record->machine_frame = true;
		return true;
	}
	case SAVE_XMM:
	case SAVE_XMM_FAR:
		return true;
	default:
		/* Version 2 tells here where the epilogs are; the instructions told that. */
		return operation == EPILOG && record->version == 2;
	}
}

static bool undo_codes(struct frame *frame, struct record *record)
{
	for (unsigned i = 0; i < record->count;) {
		const uint8_t *code = record->codes + 2 * (size_t)i;
		unsigned slots = slots_of(code[1] & 15u, code[1] >> 4);

		if (slots == 0 || slots > record->count - i)
			return false;
		i += slots;
		/* Not executed yet. */
		if ((code[1] & 15u) != EPILOG && code[0] > record->done)
			continue;
		if (!undo_one(frame, record, code))
			return false;
	}
	return true;
}

/* Whether the frame register of the record was set when `done` bytes of the prolog were executed. */
static bool is_frame_set(const struct record *record)
{
	for (unsigned i = 0; i < record->count;) {
		const uint8_t *code = record->codes + 2 * (size_t)i;
		unsigned slots = slots_of(code[1] & 15u, code[1] >> 4);

		if (slots == 0)
			return false;
		if ((code[1] & 15u) == SET_FRAME)
			return code[0] <= record->done;
		i += slots;
	}
	return true; /* set by the record that this one is chained to */
}

/* One frame of a function that has an entry in the table. */
static bool unwind_function(struct frame *frame, const struct tracer_image *image, struct function function, uint32_t offset)
{
	struct record record = { .done = offset - function.begin };

	if (frame->exact && unwind_epilog(frame, image, &function, offset))
		return true;
	for (unsigned chained = 0; chained < MOST_CHAINED; chained++) {
		const uint8_t *info = bytes_at(image, function.unwind & ~1u, 4);
		uint32_t behind;

		if (info == NULL)
			return false;
		record.version = info[0] & 7;
		record.count = info[2];
		record.frame_register = info[3] & 15;
		record.frame_offset = (uint64_t)(info[3] >> 4) * 16;
		record.codes = bytes_at(image, (function.unwind & ~1u) + 4, 2 * (uint32_t)info[2]);
		if ((record.version != 1 && record.version != 2) || record.codes == NULL)
			return false;
		record.base = frame->registers[RSP];
		if (record.frame_register != 0 && is_frame_set(&record)) {
			if (!(frame->known >> record.frame_register & 1))
				return false;
			record.base = frame->registers[record.frame_register] - record.frame_offset;
		}
		if (!undo_codes(frame, &record))
			return false;
		if (!(info[0] >> 3 & UNWIND_CHAINED))
			return record.machine_frame || pop_return(frame);
		/* The primary record stands behind the codes, and its prolog is over. */
		behind = (function.unwind & ~1u) + 4 + 2 * ((record.count + 1u) & ~1u);
		info = bytes_at(image, behind, 12);
		if (info == NULL)
			return false;
		function.begin = read_32(info);
		function.end = read_32(info + 4);
		function.unwind = read_32(info + 8);
		record.done = UINT32_MAX;
	}
	return false;
}

/* [BP] and the return address above it. */
static bool unwind_frame_pointer(struct frame *frame)
{
	uint64_t at = frame->registers[RBP];

	if (!(frame->known >> RBP & 1) || at < frame->registers[RSP] || (at & (frame->word - 1)) != 0)
		return false;
	frame->registers[RSP] = at;
	/* What the function did with the others, nobody has written down. */
	frame->known = 0;
	return pop(frame, RBP) && pop_return(frame);
}

static bool unwind(struct frame *frame, const struct tracer_image *image)
{
	struct function function;
	uint32_t offset;

	if (image == NULL || image->function_count == 0 || frame->word != 8)
		return unwind_frame_pointer(frame);
	offset = (uint32_t)(frame->ip - image->base);
	if (find_function(image, frame->exact ? offset : offset - 1, &function))
		return unwind_function(frame, image, function, offset);
	/* A function without an entry has changed nothing but the stack's return address. Only the innermost may be one. */
	return frame->exact && pop_return(frame);
}

unsigned tracer_walk(
	const struct tracer_sample *sample, const struct tracer_image *images, unsigned image_count, uint64_t *callers, unsigned most)
{
	struct frame frame = { .sample = sample, .ip = sample->ip, .word = sample->word_bytes, .exact = true };
	unsigned found = 0;

	if (sample->word_bytes != 8 && sample->word_bytes != 4)
		return 0;
	for (unsigned i = 0; i < (frame.word == 8 ? TRACER_KEPT_REGISTERS : TRACER_KEPT_R12); i++) {
		frame.registers[kept_numbers[i]] = sample->registers[i];
		frame.known |= 1u << kept_numbers[i];
	}
	frame.registers[RSP] = sample->sp;
	while (found < most) {
		uint64_t before = frame.registers[RSP];

		if (!unwind(&frame, image_of(images, image_count, frame.ip)) || frame.registers[RSP] <= before ||
			!is_code(images, image_count, frame.ip))
			break;
		callers[found++] = frame.ip;
	}
	return found;
}
