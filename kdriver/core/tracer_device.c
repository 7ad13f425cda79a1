#include "tracer_device.h"

#define ALIGNMENT 8u
#define HIGHEST_PRIORITY 31u

static void copy(void *to, const void *from, size_t bytes)
{
	uint8_t *destination = to;
	const uint8_t *source = from;

	while (bytes-- > 0)
		*destination++ = *source++;
}

static void clear(void *to, size_t bytes)
{
	uint8_t *destination = to;

	while (bytes-- > 0)
		*destination++ = 0;
}

/* Copies the input out of the buffer, which the output will take, after what can be checked of any structure. */
static uint32_t take_input(const struct tracer_call *call, void *input, uint32_t bytes)
{
	struct tracer_abi abi;

	if (call->input_bytes < sizeof(abi))
		return TRACER_ANSWER_LENGTH_MISMATCH;
	copy(&abi, call->buffer, sizeof(abi));
	if (abi.version != TRACER_ABI_VERSION)
		return TRACER_ANSWER_REVISION_MISMATCH;
	if (call->input_bytes < bytes || abi.size != bytes)
		return TRACER_ANSWER_LENGTH_MISMATCH;
	copy(input, call->buffer, bytes);
	return TRACER_ANSWER_DONE;
}

static uint32_t check(const struct tracer_call *call, void *input, uint32_t input_bytes, uint32_t output_bytes)
{
	uint32_t answer = take_input(call, input, input_bytes);

	if (answer != TRACER_ANSWER_DONE)
		return answer;
	return call->output_bytes < output_bytes ? TRACER_ANSWER_BUFFER_TOO_SMALL : TRACER_ANSWER_DONE;
}

/* Makes an output structure in the buffer: zeroed, but for its head. */
static void *begin_output(const struct tracer_call *call, uint32_t bytes)
{
	struct tracer_abi *abi = call->buffer;

	clear(call->buffer, bytes);
	abi->version = TRACER_ABI_VERSION;
	abi->size = bytes;
	return call->buffer;
}

static void write_status(struct tracer_call *call)
{
	tracer_shell_status(begin_output(call, sizeof(struct tracer_status)));
	call->written = sizeof(struct tracer_status);
}

static uint32_t answer_status(struct tracer_call *call)
{
	struct tracer_abi request;
	uint32_t answer = check(call, &request, sizeof(request), sizeof(struct tracer_status));

	if (answer == TRACER_ANSWER_DONE)
		write_status(call);
	return answer;
}

static uint32_t start(struct tracer_call *call)
{
	struct tracer_start_request request;
	uint32_t answer = check(call, &request, sizeof(request), sizeof(struct tracer_status));

	if (answer != TRACER_ANSWER_DONE)
		return answer;
	if (request.mode > TRACER_MODE_WAKEUP || (request.flags & ~TRACER_START_FLAGS) != 0)
		return TRACER_ANSWER_INVALID_PARAMETER;
	if (tracer_shell_start(&request, call) != TRACER_REFUSAL_NONE)
		return TRACER_ANSWER_REFUSED;
	write_status(call);
	return TRACER_ANSWER_DONE;
}

static uint32_t stop(struct tracer_call *call)
{
	struct tracer_abi request;
	uint32_t answer = check(call, &request, sizeof(request), sizeof(struct tracer_status));

	if (answer != TRACER_ANSWER_DONE)
		return answer;
	if (!tracer_shell_stop())
		return TRACER_ANSWER_NOT_RUNNING;
	write_status(call);
	return TRACER_ANSWER_DONE;
}

static uint32_t read(struct tracer_call *call)
{
	struct tracer_abi request;
	uint32_t answer = check(call, &request, sizeof(request), TRACER_READ_LEAST_BYTES);

	return answer == TRACER_ANSWER_DONE ? tracer_shell_read(call) : answer;
}

static uint32_t answer_histogram(struct tracer_call *call)
{
	struct tracer_histogram_request request;
	uint32_t answer = check(call, &request, sizeof(request), sizeof(struct tracer_histogram));

	if (answer != TRACER_ANSWER_DONE)
		return answer;
	if (request.phase > TRACER_PHASE_TIMER || request.priority > HIGHEST_PRIORITY || request.reserved != 0)
		return TRACER_ANSWER_INVALID_PARAMETER;
	answer = tracer_shell_histogram(&request, begin_output(call, sizeof(struct tracer_histogram)));
	if (answer == TRACER_ANSWER_DONE)
		call->written = sizeof(struct tracer_histogram);
	return answer;
}

uint32_t tracer_device_call(struct tracer_call *call)
{
	call->written = 0;
	if ((uintptr_t)call->buffer % ALIGNMENT != 0)
		return TRACER_ANSWER_MISALIGNED;
	switch (call->code) {
	case TRACER_IOCTL_STATUS:
		return answer_status(call);
	case TRACER_IOCTL_START:
		return start(call);
	case TRACER_IOCTL_STOP:
		return stop(call);
	case TRACER_IOCTL_READ:
		return read(call);
	case TRACER_IOCTL_HISTOGRAM:
		return answer_histogram(call);
	default:
		return TRACER_ANSWER_UNKNOWN_CODE;
	}
}

uint32_t tracer_device_room(const struct tracer_call *call)
{
	return call->output_bytes - (uint32_t)sizeof(struct tracer_read_batch);
}

void tracer_device_batch(struct tracer_call *call, const struct tracer_queue *queue, struct tracer_queue_part *part)
{
	struct tracer_read_batch *batch = begin_output(call, sizeof(*batch));

	batch->abi.size += tracer_queue_copy(queue, part, batch + 1, tracer_device_room(call));
	batch->records = part->records;
	batch->dropped = part->dropped;
	call->written = batch->abi.size;
}
