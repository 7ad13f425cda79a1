#include "fake_shell.h"

#include "tracer_clock.h"

struct fake_shell fake_shell;

void fake_shell_reset(void *memory, uint32_t bytes)
{
	fake_shell = (struct fake_shell){ .refusal = TRACER_REFUSAL_NONE };
	tracer_outlet_init(&fake_shell.outlet, memory, bytes);
}

enum tracer_refusal tracer_shell_start(const struct tracer_start_request *request, const struct tracer_call *call)
{
	(void)call;
	if (fake_shell.outlet.is_running)
		return TRACER_REFUSAL_RUNNING;
	if (fake_shell.refusal != TRACER_REFUSAL_NONE)
		return fake_shell.refusal;
	fake_shell.request = *request;
	fake_shell.has_run = true;
	tracer_outlet_begin(&fake_shell.outlet, TRACER_NS_PER_SECOND);
	return TRACER_REFUSAL_NONE;
}

bool tracer_shell_stop(void)
{
	static const struct tracer_stop stop = { .header = { .type = TRACER_RECORD_STOP, .size = sizeof(stop) }, .probes = 7 };
	struct tracer_call *answered;

	if (!fake_shell.outlet.is_running)
		return false;
	fake_shell_emit(&stop.header, &answered);
	tracer_outlet_end(&fake_shell.outlet);
	fake_shell.waiting = 0;
	tracer_outlet_set_room(&fake_shell.outlet, 0);
	return true;
}

void tracer_shell_status(struct tracer_status *status)
{
	status->state = fake_shell.outlet.is_running ? TRACER_STATE_RUNNING : TRACER_STATE_STOPPED;
	status->cpus = FAKE_SHELL_CPUS;
	status->dropped = fake_shell.outlet.queue.dropped;
}

uint32_t tracer_shell_histogram(const struct tracer_histogram_request *request, struct tracer_histogram *histogram)
{
	if (!fake_shell.has_run)
		return TRACER_ANSWER_NOT_RUNNING;
	if (request->cpu != TRACER_ALL_CPUS && request->cpu >= FAKE_SHELL_CPUS)
		return TRACER_ANSWER_INVALID_PARAMETER;
	histogram->total = 1;
	histogram->buckets[TRACER_HISTOGRAM_BUCKETS - 1] = 1;
	return TRACER_ANSWER_DONE;
}

static void set_room(void)
{
	tracer_outlet_set_room(&fake_shell.outlet, fake_shell.waiting > 0 ? tracer_device_room(fake_shell.waits[0]) : 0);
}

static uint32_t answer_read(struct tracer_call *call)
{
	struct tracer_queue_part part;
	uint32_t answer = tracer_outlet_offer(&fake_shell.outlet, tracer_device_room(call), fake_shell.clock, &part);

	if (answer != TRACER_ANSWER_DONE)
		return answer;
	tracer_device_batch(call, &fake_shell.outlet.queue, &part);
	tracer_outlet_taken(&fake_shell.outlet, &part);
	return answer;
}

uint32_t tracer_shell_read(struct tracer_call *call)
{
	uint32_t answer = answer_read(call);

	if (answer != TRACER_ANSWER_PENDING)
		return answer;
	if (fake_shell.waiting == FAKE_SHELL_WAITING)
		return TRACER_ANSWER_CANCELLED;
	fake_shell.waits[fake_shell.waiting++] = call;
	set_room();
	return answer;
}

uint32_t fake_shell_serve(struct tracer_call **answered)
{
	uint32_t answer = TRACER_ANSWER_PENDING;

	*answered = NULL;
	if (fake_shell.waiting > 0)
		answer = answer_read(fake_shell.waits[0]);
	if (answer == TRACER_ANSWER_PENDING)
		return answer;
	*answered = fake_shell.waits[0];
	fake_shell.waiting--;
	for (unsigned i = 0; i < fake_shell.waiting; i++)
		fake_shell.waits[i] = fake_shell.waits[i + 1];
	set_room();
	return answer;
}

uint32_t fake_shell_emit(const struct tracer_record_header *record, struct tracer_call **answered)
{
	tracer_outlet_put(&fake_shell.outlet, record, fake_shell.clock);
	return fake_shell_serve(answered);
}
