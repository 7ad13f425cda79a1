/*
 * libFuzzer on the device interface: an input is a series of steps, each a control code with lengths and bytes of the input's choice, a
 * record that the driver emits, or a cancelled read. Buffers are exactly as long as the call says, so that the address sanitizer
 * sees the first byte too many. What must hold whatever comes: documented answers only, nothing written behind `written`, output
 * structures in order, no record lost that is not counted, nothing read behind a record for its event.
 */
#include <stdlib.h>
#include <string.h>

#include "fake_shell.h"
#include "tracer_events.h"
#include "tracer_hal.h"
#include "tracer_run.h"

#define MUST(condition) ((condition) ? (void)0 : abort())
#define QUEUE_BYTES 2048u
#define MOST_BYTES 4800u
#define UNTOUCHED 0x5A

enum step {
	STEP_CALL,
	STEP_KNOWN_CALL,
	STEP_EMIT,
	STEP_CANCEL,
	STEP_REFUSE,
	STEP_PASS,
	STEPS
};

struct input {
	const uint8_t *bytes;
	size_t left;
};

static uint64_t queue_memory[QUEUE_BYTES / 8];
static uint64_t emitted, delivered;
static bool has_run;
static struct tracer_run run;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* tracer_run.c emits through it; nothing here makes it. */
void tracer_hal_emit(const struct tracer_record_header *record)
{
	(void)record;
}

/* The next bytes of the input, zeros behind its end. */
static void take(struct input *input, void *to, size_t count)
{
	size_t there = count < input->left ? count : input->left;

	memset(to, 0, count);
	if (there == 0)
		return;
	memcpy(to, input->bytes, there);
	input->bytes += there;
	input->left -= there;
}

static uint16_t take_16(struct input *input)
{
	uint16_t value;

	take(input, &value, sizeof(value));
	return value;
}

static bool is_documented(uint32_t answer)
{
	static const uint32_t answers[] = { TRACER_ANSWER_DONE, TRACER_ANSWER_PENDING, TRACER_ANSWER_LENGTH_MISMATCH,
		TRACER_ANSWER_INVALID_PARAMETER, TRACER_ANSWER_UNKNOWN_CODE, TRACER_ANSWER_BUFFER_TOO_SMALL,
		TRACER_ANSWER_REVISION_MISMATCH, TRACER_ANSWER_REFUSED, TRACER_ANSWER_NOT_RUNNING, TRACER_ANSWER_CANCELLED };

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		if (answers[i] == answer)
			return true;
	}
	return false;
}

/* A batch is its head and whole records, none more or less. */
static void examine_batch(const struct tracer_call *call)
{
	const uint8_t *bytes = call->buffer;
	struct tracer_read_batch batch;
	size_t at = sizeof(batch);

	memcpy(&batch, bytes, sizeof(batch));
	MUST(batch.records > 0 && batch.reserved == 0 && batch.dropped == fake_shell.outlet.queue.dropped);
	for (uint32_t i = 0; i < batch.records; i++) {
		struct tracer_record_header header;
		MUST(call->written - at >= sizeof(header));
		memcpy(&header, bytes + at, sizeof(header));
		MUST(header.size >= sizeof(header) && header.size <= call->written - at);
		at += header.size;
	}
	MUST(at == call->written);
	delivered += batch.records;
}

/* After the answer: what came back is in order and the rest as it was. */
static void examine(const struct tracer_call *call, uint32_t answer)
{
	const uint8_t *bytes = call->buffer;
	struct tracer_abi abi;
	uint32_t behind = call->input_bytes;

	MUST(is_documented(answer));
	MUST(call->written <= call->output_bytes);
	MUST((answer == TRACER_ANSWER_DONE) == (call->written != 0));
	if (answer != TRACER_ANSWER_DONE)
		return;
	memcpy(&abi, bytes, sizeof(abi));
	MUST(abi.version == TRACER_ABI_VERSION && abi.size == call->written);
	for (uint32_t i = call->written > behind ? call->written : behind; i < call->output_bytes; i++)
		MUST(bytes[i] == UNTOUCHED);
	if (call->code == TRACER_IOCTL_READ)
		examine_batch(call);
}

static void forget(struct tracer_call *call)
{
	free(call->buffer);
	free(call);
}

/* Whether a run like that may be had, and what it makes of its records, with the machine's offer from the input, too. */
static void prepare(struct input *input)
{
	struct tracer_offer offer;

	take(input, &offer, sizeof(offer));
	has_run = tracer_run_prepare(&run, &fake_shell.request, &offer) == TRACER_REFUSAL_NONE;
	if (has_run)
		MUST(run.priority_count <= TRACER_MAX_PRIORITIES && run.period_ns <= TRACER_LONGEST_PERIOD_NS);
}

/* Reads that no record reached end when the run does. */
static void end_waiting(const struct tracer_call *waiting[], unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		bool is_kept = false;
		for (unsigned k = 0; k < fake_shell.waiting; k++)
			is_kept |= fake_shell.waits[k] == waiting[i];
		if (!is_kept) {
			if (waiting[i]->written != 0)
				examine(waiting[i], TRACER_ANSWER_DONE);
			forget((struct tracer_call *)waiting[i]);
		}
	}
}

static void send(struct input *input, uint32_t code)
{
	const struct tracer_call *waiting[FAKE_SHELL_WAITING];
	unsigned waited = fake_shell.waiting;
	struct tracer_call *call = calloc(1, sizeof(*call));
	uint32_t bytes, answer;
	bool is_running = fake_shell.outlet.is_running;

	call->code = code;
	call->input_bytes = take_16(input) % MOST_BYTES;
	call->output_bytes = take_16(input) % MOST_BYTES;
	bytes = call->input_bytes > call->output_bytes ? call->input_bytes : call->output_bytes;
	call->buffer = bytes == 0 ? NULL : malloc(bytes);
	if (bytes != 0) {
		memset(call->buffer, UNTOUCHED, bytes);
		take(input, call->buffer, call->input_bytes);
	}
	memcpy(waiting, fake_shell.waits, sizeof(waiting));
	answer = tracer_device_call(call);
	if (answer == TRACER_ANSWER_PENDING) {
		MUST(call->code == TRACER_IOCTL_READ && is_running);
		return;
	}
	if (call->code == TRACER_IOCTL_START && answer == TRACER_ANSWER_DONE) {
		emitted = 0;
		delivered = 0;
		prepare(input);
	}
	emitted += call->code == TRACER_IOCTL_STOP && answer == TRACER_ANSWER_DONE;
	examine(call, answer);
	end_waiting(waiting, waited);
	forget(call);
}

/* The event's parts lie in the record: an exact copy of it tells the sanitizer so. */
static void log_event(const struct tracer_record_header *record)
{
	struct tracer_event event;
	volatile uint8_t sum = 0;

	if (!tracer_event_of(record, &event))
		return;
	MUST(event.part_count <= TRACER_EVENT_MAX_PARTS);
	for (uint32_t i = 0; i < event.part_count; i++) {
		const uint8_t *part = (const uint8_t *)(uintptr_t)event.parts[i].address;
		for (uint32_t k = 0; k < event.parts[i].size; k++)
			sum = (uint8_t)(sum + part[k]);
	}
}

static void emit(struct input *input)
{
	struct tracer_record_header header = { .type = take_16(input), .size = take_16(input) % (TRACER_MAX_RECORD_BYTES + 16) };
	struct tracer_record_header *record;
	struct tracer_call *answered;
	uint32_t answer;

	if (header.size < sizeof(header))
		header.size = sizeof(header);
	record = malloc(header.size);
	take(input, record, header.size);
	record->type = header.type % (TRACER_RECORD_TIMER_STATE + 2);
	record->size = header.size;
	log_event(record);
	if (has_run && (record->type != TRACER_RECORD_WAKEUP || record->size >= sizeof(struct tracer_wakeup)))
		MUST(tracer_run_route(&run, record) != 0 || record->type == TRACER_RECORD_WAKEUP);
	emitted++;
	answer = fake_shell_emit(record, &answered);
	if (answered != NULL) {
		examine(answered, answer);
		forget(answered);
	}
	free(record);
}

/* Time goes by: reads are due. */
static void pass(struct input *input)
{
	struct tracer_call *answered;
	uint32_t answer;

	fake_shell.clock += (uint64_t)take_16(input) << 10;
	do {
		answer = fake_shell_serve(&answered);
		if (answered != NULL) {
			examine(answered, answer);
			forget(answered);
		}
	} while (answered != NULL);
}

/* The room that is known is that of a read that does not wait any more, as on Windows. */
static void cancel(void)
{
	if (fake_shell.waiting > 0)
		forget(fake_shell.waits[--fake_shell.waiting]);
}

static void step(struct input *input)
{
	static const uint32_t codes[] = { TRACER_IOCTL_STATUS, TRACER_IOCTL_START, TRACER_IOCTL_STOP, TRACER_IOCTL_READ,
		TRACER_IOCTL_HISTOGRAM };
	uint16_t choice = take_16(input);
	uint32_t code;

	switch ((enum step)(choice % STEPS)) {
	case STEP_CALL:
		take(input, &code, sizeof(code));
		send(input, code);
		break;
	case STEP_KNOWN_CALL:
		send(input, codes[choice / STEPS % (sizeof(codes) / sizeof(codes[0]))]);
		break;
	case STEP_EMIT:
		emit(input);
		break;
	case STEP_CANCEL:
		cancel();
		break;
	case STEP_PASS:
		pass(input);
		break;
	case STEP_REFUSE:
	case STEPS:
	default:
		fake_shell.refusal = fake_shell.refusal == TRACER_REFUSAL_NONE ? TRACER_REFUSAL_RESOURCES : TRACER_REFUSAL_NONE;
		break;
	}
	MUST(emitted == delivered + fake_shell.outlet.queue.records + fake_shell.outlet.queue.dropped);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct input input = { bytes, count };

	fake_shell_reset(queue_memory, sizeof(queue_memory));
	emitted = 0;
	delivered = 0;
	has_run = false;
	while (input.left > 0)
		step(&input);
	while (fake_shell.waiting > 0)
		cancel();
	return 0;
}
