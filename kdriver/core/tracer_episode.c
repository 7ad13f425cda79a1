#include "tracer_episode.h"

#include "tracer_clock.h"
#include "tracer_walk.h"

void tracer_episode_init(struct tracer_episode *episode, struct tracer_run *run, const struct tracer_ring *ring, uint16_t cpu)
{
	episode->run = run;
	episode->ring = ring;
	episode->cpu = cpu;
	episode->open = false;
	episode->cooling = false;
	tracer_episode_arm(episode);
}

void tracer_episode_arm(struct tracer_episode *episode)
{
	episode->armed_position = episode->ring != NULL ? tracer_ring_head(episode->ring) : 0;
	episode->smi_before = tracer_hal_smi_count();
}

static void emit_sample(struct tracer_episode *episode)
{
	const struct tracer_sample *sample = &episode->scratch;
	const struct tracer_run *run = episode->run;
	struct tracer_pit_sample record = {
		.header = { .type = TRACER_RECORD_PIT_SAMPLE, .cpu = sample->cpu },
		.ip = sample->ip,
		.clock = sample->clock,
		.flags = sample->flags,
		.episode = episode->number,
		.index = episode->samples,
		.cs = sample->cs,
		.source = sample->source,
	};

	record.caller_count = (uint8_t)tracer_walk(sample, run->images, run->image_count, record.callers, TRACER_MAX_CALLERS);
	record.header.size = (uint16_t)TRACER_PIT_SAMPLE_BYTES(record.caller_count);
	episode->samples++;
	tracer_hal_emit(&record.header);
}

static void finish(struct tracer_episode *episode, uint64_t now)
{
	struct tracer_episode_end record = {
		.header = { .type = TRACER_RECORD_EPISODE_END, .size = sizeof(record), .cpu = episode->cpu },
		.overwritten = episode->ring != NULL ? episode->cursor.lost : 0,
		.episode = episode->number,
		.samples = episode->samples,
		.smi_count = episode->smi_count,
	};

	episode->open = false;
	episode->cooling = episode->run->cool_down_ns != 0;
	episode->cool_until = now + tracer_ns_to_ticks(episode->run->cool_down_ns, episode->run->clock_hz);
	tracer_hal_emit(&record.header);
}

/*
 * The first position to dump: `pre_samples` before the first sample that was taken when the interrupt was due or later. If samples are
 * lost before any that can be read, nobody knows which of them belong to the episode: all since the timer was armed count then.
 */
static uint32_t first_position(struct tracer_episode *episode, uint64_t expected, uint32_t head)
{
	const struct tracer_ring *ring = episode->ring;
	uint32_t armed = episode->armed_position;
	uint32_t most_back = armed - ring->first;
	uint32_t wanted = armed - (episode->run->pre_samples < most_back ? episode->run->pre_samples : most_back);
	struct tracer_ring_cursor cursor = { wanted, 0, 0 };
	bool seen_earlier = false;
	uint32_t back;

	while (cursor.position != head) {
		uint32_t position = cursor.position;
		switch (tracer_ring_read(ring, &cursor, head, &episode->scratch)) {
		case TRACER_RING_SAMPLE:
			if (tracer_is_due(expected, episode->scratch.clock)) {
				if (!seen_earlier && cursor.lost != 0)
					return wanted;
				back = position - wanted;
				return position - (episode->run->pre_samples < back ? episode->run->pre_samples : back);
			}
			seen_earlier = true;
			break;
		case TRACER_RING_UNFINISHED:
			tracer_ring_step_over(&cursor);
			break;
		case TRACER_RING_EMPTY:
		case TRACER_RING_LOST:
		default:
			break;
		}
	}
	back = head - wanted;
	return head - (episode->run->pre_samples < back ? episode->run->pre_samples : back);
}

/* Emits what is there. True when the last post sample went out, or all of the latency if none is wanted. */
static bool drain(struct tracer_episode *episode, bool last)
{
	uint32_t head;

	if (episode->ring == NULL)
		return true;
	head = tracer_ring_head(episode->ring);
	while (episode->cursor.position != head) {
		switch (tracer_ring_read(episode->ring, &episode->cursor, head, &episode->scratch)) {
		case TRACER_RING_SAMPLE:
			if (!tracer_is_due(episode->scratch.clock, episode->until)) {
				if (episode->post_left == 0)
					return true;
				episode->post_left--;
			}
			emit_sample(episode);
			break;
		case TRACER_RING_UNFINISHED:
			if (!last)
				return false;
			tracer_ring_step_over(&episode->cursor);
			break;
		case TRACER_RING_LOST:
			break;
		case TRACER_RING_EMPTY:
		default:
			return episode->post_left == 0;
		}
	}
	return episode->post_left == 0;
}

bool tracer_episode_begin(struct tracer_episode *episode, const struct tracer_wakeup *wakeup, uint64_t latency_ns, uint64_t now)
{
	struct tracer_run *run = episode->run;
	struct tracer_episode_begin record = {
		.header = { .type = TRACER_RECORD_EPISODE_BEGIN, .size = sizeof(record), .cpu = episode->cpu },
		.latency_ns = latency_ns,
	};
	uint32_t smi_now;

	tracer_episode_poll(episode, now);
	if (episode->open)
		return false;
	if (episode->cooling && !tracer_is_due(episode->cool_until, now))
		return false;
	episode->cooling = false;
	episode->open = true;
	episode->number = atomic_fetch_add_explicit(&run->episodes, 1, memory_order_relaxed) + 1;
	episode->samples = 0;
	episode->post_left = run->post_samples;
	episode->until = wakeup->thread;
	episode->closes = now + tracer_ns_to_ticks(run->post_wait_ns, run->clock_hz);
	smi_now = tracer_hal_smi_count();
	episode->smi_count = smi_now == TRACER_SMI_NOT_READ || episode->smi_before == TRACER_SMI_NOT_READ
		? TRACER_SMI_NOT_READ
		: smi_now - episode->smi_before;

	record.episode = episode->number;
	tracer_hal_emit(&record.header);
	if (episode->ring != NULL) {
		episode->cursor.position = first_position(episode, wakeup->expected, tracer_ring_head(episode->ring));
		episode->cursor.lost = 0;
	}
	if (drain(episode, false))
		finish(episode, now);
	return true;
}

void tracer_episode_poll(struct tracer_episode *episode, uint64_t now)
{
	if (!episode->open)
		return;
	if (tracer_is_due(episode->closes, now))
		tracer_episode_close(episode, now);
	else if (drain(episode, false))
		finish(episode, now);
}

void tracer_episode_close(struct tracer_episode *episode, uint64_t now)
{
	if (!episode->open)
		return;
	drain(episode, true);
	finish(episode, now);
}
