/*
 * Episodes (Cota-Robles & Held 2.3): a latency at or above the threshold dumps the samples around it. One object for each CPU, used by one
 * thread at a time. The dump holds `pre_samples` from before the interrupt was due, all until the thread ran, and `post_samples` after
 * it; the last come later, so the episode stays open until they are there or post_wait_ns has passed. While it is open, and for the
 * cool-down after it, further latencies begin no episode (their Wakeup records are written all the same).
 */
#ifndef TRACER_EPISODE_H
#define TRACER_EPISODE_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer_ring.h"
#include "tracer_run.h"

struct tracer_episode {
	struct tracer_run *run;
	const struct tracer_ring *ring; /* of this CPU; may be null: no samples */
	struct tracer_ring_cursor cursor;
	uint64_t until;      /* clock: samples up to here belong to the latency, later ones are post samples */
	uint64_t closes;     /* clock: latest end */
	uint64_t cool_until; /* clock: no new episode before */
	uint32_t number;
	uint32_t samples;    /* emitted */
	uint32_t post_left;
	uint32_t smi_before; /* system management interrupts when the probe was armed */
	uint32_t smi_count;  /* since then, when the thread had run */
	uint32_t armed_position; /* of the ring when the probe was armed */
	uint16_t cpu;
	bool open;
	bool cooling;
	struct tracer_sample scratch;
};

/*
 * Before the run's first wake-up; `run` is prepared, and both it and the ring outlive the episode. A CPU whose ring is null has episodes
 * without samples.
 */
void tracer_episode_init(struct tracer_episode *episode, struct tracer_run *run, const struct tracer_ring *ring, uint16_t cpu);

/*
 * Before the timer is armed, on the episode's CPU and never while tracer_episode_begin or _poll is at work there: remembers where the ring
 * stands, and the count of system management interrupts. Forgotten, the dump reaches back to the wake-up before.
 */
void tracer_episode_arm(struct tracer_episode *episode);

/*
 * A wake-up at or above the threshold, at `now`: begins an episode unless one is open or cooling down. Emits EpisodeBegin, the samples
 * that are there, and EpisodeEnd if nothing is left to wait for. True if it began one; false is no error, the wake-up's own record tells of
 * the latency. Thread level: it emits, which may take long.
 */
bool tracer_episode_begin(struct tracer_episode *episode, const struct tracer_wakeup *wakeup, uint64_t latency_ns, uint64_t now);

/*
 * Now and then (each wake-up does): emits samples that came since, and EpisodeEnd when the episode is complete or its time is up. Does
 * nothing without an open episode. If nobody calls it, the episode stays open and none begins any more. Thread level.
 */
void tracer_episode_poll(struct tracer_episode *episode, uint64_t now);

/*
 * At the end of the run, when nothing writes into the ring any more: closes an open episode with what there is; unfinished samples count as
 * lost. Does nothing without an open episode. Thread level, before the Stop record.
 */
void tracer_episode_close(struct tracer_episode *episode, uint64_t now);

#endif
