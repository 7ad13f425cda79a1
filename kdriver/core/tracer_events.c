#include "tracer_events.h"

#define CHANNEL_TRACE_LOGGING 11u
#define LEVEL_VERBOSE 5u

const uint8_t tracer_provider_id[16] = {
	0x88, 0x30, 0x6A, 0x75, 0x63, 0xFC, 0x73, 0x56, 0xDA, 0xD5, 0x1A, 0x2B, 0xF2, 0x3C, 0x1A, 0xA7
};

const uint8_t tracer_provider_traits[TRACER_PROVIDER_TRAITS_BYTES] = {
	TRACER_PROVIDER_TRAITS_BYTES, 0, 'T', 'r', 'a', 'c', 'e', 'r', '.', 'L', 'a', 't', 'e', 'n', 'c', 'y', 0
};

/*
 * Event metadata: u16 size of all, tag, name, NUL; then each field's name, NUL, in-type. In-type 0x80 = an out-type follows, 0x40 = an
 * array with a count (etl/writing/TraceLoggingField.cs writes the same).
 */
#define U8 "\x04"
#define U16 "\x06"
#define U32 "\x08"
#define U64 "\x0A"
#define U8_ARRAY "\x44"
#define HEX_U32 "\x88\x04"
#define HEX_U64 "\x8A\x04"
#define ADDRESS "\x95\x25"
#define ADDRESS_ARRAY "\xD5\x25"
#define FIELD(name, type) name "\0" type

#define START_TEXT "Start\0" FIELD("mode", U8) FIELD("clock", U8) FIELD("clockHz", U64) FIELD("thresholdNs", U64) \
	FIELD("periodNs", U64) FIELD("floorNs", U64) FIELD("priorities", U8_ARRAY) FIELD("capabilities", HEX_U32)
#define CLOCK_SYNC_TEXT "ClockSync\0" FIELD("clock", U64) FIELD("qpc", U64)
#define WAKEUP_TEXT "Wakeup\0" FIELD("sequence", U64) FIELD("cpu", U16) FIELD("mode", U8) FIELD("expected", U64) FIELD("isr", U64) \
	FIELD("dpc", U64) FIELD("thread", U64) FIELD("priority", U8) FIELD("interruptedIp", ADDRESS) FIELD("interruptedCs", U16) \
	FIELD("tick", U64) FIELD("timerCpu", U16) FIELD("callback", U64) FIELD("queued", U64)
#define EPISODE_BEGIN_TEXT "EpisodeBegin\0" FIELD("episode", U32) FIELD("latencyNs", U64) FIELD("cpu", U16)
#define PIT_SAMPLE_TEXT "PitSample\0" FIELD("episode", U32) FIELD("index", U32) FIELD("cpu", U16) FIELD("ip", ADDRESS) \
	FIELD("cs", U16) FIELD("clock", U64) FIELD("flags", HEX_U64) FIELD("source", U8) FIELD("callers", ADDRESS_ARRAY)
#define EPISODE_END_TEXT "EpisodeEnd\0" FIELD("episode", U32) FIELD("samples", U32) FIELD("overwritten", U64) FIELD("smiCount", U32)
#define TIMER_STATE_TEXT "TimerState\0" FIELD("cpu", U16) FIELD("clock", U64) FIELD("floorNs", U64) FIELD("tickNs", U64) \
	FIELD("ownNs", U64) FIELD("runNs", U64) FIELD("lateTimers", U64) FIELD("discarded", U64) FIELD("unmeasuredCpus", U16)
#define STOP_TEXT "Stop\0" FIELD("probes", U64) FIELD("dropped", U64)

/* The literal's own NUL is cut off: the schema ends with the last type. */
#define METADATA(text) \
	const struct { \
		uint16_t size; \
		uint8_t tag; \
		char text_and_types[sizeof(text) - 1]; \
	}
#define METADATA_BYTES(metadata) (sizeof((metadata).size) + sizeof((metadata).tag) + sizeof((metadata).text_and_types))
#define SCHEMA(text) { 3 + sizeof(text) - 1, 0, text }

static METADATA(START_TEXT) start_metadata = SCHEMA(START_TEXT);
static METADATA(CLOCK_SYNC_TEXT) clock_sync_metadata = SCHEMA(CLOCK_SYNC_TEXT);
static METADATA(WAKEUP_TEXT) wakeup_metadata = SCHEMA(WAKEUP_TEXT);
static METADATA(EPISODE_BEGIN_TEXT) episode_begin_metadata = SCHEMA(EPISODE_BEGIN_TEXT);
static METADATA(PIT_SAMPLE_TEXT) pit_sample_metadata = SCHEMA(PIT_SAMPLE_TEXT);
static METADATA(EPISODE_END_TEXT) episode_end_metadata = SCHEMA(EPISODE_END_TEXT);
static METADATA(TIMER_STATE_TEXT) timer_state_metadata = SCHEMA(TIMER_STATE_TEXT);
static METADATA(STOP_TEXT) stop_metadata = SCHEMA(STOP_TEXT);

static void add(struct tracer_event *event, const void *bytes, size_t size, enum tracer_event_part_type type)
{
	struct tracer_event_part *part = &event->parts[event->part_count++];

	part->address = (uintptr_t)bytes;
	part->size = (uint32_t)size;
	part->type = type;
}

#define ADD_METADATA(event, metadata) add(event, &(metadata), METADATA_BYTES(metadata), TRACER_EVENT_PART_EVENT_METADATA)
#define ADD_FIELD(event, field) add(event, &(field), sizeof(field), TRACER_EVENT_PART_DATA)

static void add_array(struct tracer_event *event, const void *values, unsigned count, size_t each)
{
	event->array_count = (uint16_t)count;
	ADD_FIELD(event, event->array_count);
	add(event, values, count * each, TRACER_EVENT_PART_DATA);
}

static bool add_start(struct tracer_event *event, const struct tracer_start *record)
{
	if (record->header.size != sizeof(*record) || record->priority_count > TRACER_MAX_PRIORITIES)
		return false;
	ADD_METADATA(event, start_metadata);
	ADD_FIELD(event, record->mode);
	ADD_FIELD(event, record->clock);
	ADD_FIELD(event, record->clock_hz);
	ADD_FIELD(event, record->threshold_ns);
	ADD_FIELD(event, record->period_ns);
	ADD_FIELD(event, record->floor_ns);
	add_array(event, record->priorities, record->priority_count, sizeof(record->priorities[0]));
	ADD_FIELD(event, record->capabilities);
	return true;
}

static bool add_clock_sync(struct tracer_event *event, const struct tracer_clock_sync *record)
{
	if (record->header.size != sizeof(*record))
		return false;
	ADD_METADATA(event, clock_sync_metadata);
	ADD_FIELD(event, record->clock);
	ADD_FIELD(event, record->qpc);
	return true;
}

static bool add_wakeup(struct tracer_event *event, const struct tracer_wakeup *record)
{
	if (record->header.size != sizeof(*record))
		return false;
	ADD_METADATA(event, wakeup_metadata);
	ADD_FIELD(event, record->sequence);
	ADD_FIELD(event, record->header.cpu);
	ADD_FIELD(event, record->mode);
	ADD_FIELD(event, record->expected);
	ADD_FIELD(event, record->isr);
	ADD_FIELD(event, record->dpc);
	ADD_FIELD(event, record->thread);
	ADD_FIELD(event, record->priority);
	ADD_FIELD(event, record->interrupted_ip);
	ADD_FIELD(event, record->interrupted_cs);
	ADD_FIELD(event, record->tick);
	ADD_FIELD(event, record->timer_cpu);
	ADD_FIELD(event, record->callback);
	ADD_FIELD(event, record->queued);
	return true;
}

static bool add_episode_begin(struct tracer_event *event, const struct tracer_episode_begin *record)
{
	if (record->header.size != sizeof(*record))
		return false;
	ADD_METADATA(event, episode_begin_metadata);
	ADD_FIELD(event, record->episode);
	ADD_FIELD(event, record->latency_ns);
	ADD_FIELD(event, record->header.cpu);
	return true;
}

/* The record ends behind its last caller: that much is looked at before its count of callers. */
static bool add_pit_sample(struct tracer_event *event, const struct tracer_pit_sample *record)
{
	if (record->header.size < TRACER_PIT_SAMPLE_BYTES(0) || record->caller_count > TRACER_MAX_CALLERS ||
		record->header.size != TRACER_PIT_SAMPLE_BYTES(record->caller_count))
		return false;
	ADD_METADATA(event, pit_sample_metadata);
	ADD_FIELD(event, record->episode);
	ADD_FIELD(event, record->index);
	ADD_FIELD(event, record->header.cpu);
	ADD_FIELD(event, record->ip);
	ADD_FIELD(event, record->cs);
	ADD_FIELD(event, record->clock);
	ADD_FIELD(event, record->flags);
	ADD_FIELD(event, record->source);
	add_array(event, record->callers, record->caller_count, sizeof(record->callers[0]));
	return true;
}

static bool add_episode_end(struct tracer_event *event, const struct tracer_episode_end *record)
{
	if (record->header.size != sizeof(*record))
		return false;
	ADD_METADATA(event, episode_end_metadata);
	ADD_FIELD(event, record->episode);
	ADD_FIELD(event, record->samples);
	ADD_FIELD(event, record->overwritten);
	ADD_FIELD(event, record->smi_count);
	return true;
}

static bool add_timer_state(struct tracer_event *event, const struct tracer_timer_state *record)
{
	if (record->header.size != sizeof(*record))
		return false;
	ADD_METADATA(event, timer_state_metadata);
	ADD_FIELD(event, record->header.cpu);
	ADD_FIELD(event, record->clock);
	ADD_FIELD(event, record->floor_ns);
	ADD_FIELD(event, record->tick_ns);
	ADD_FIELD(event, record->own_ns);
	ADD_FIELD(event, record->run_ns);
	ADD_FIELD(event, record->late_timers);
	ADD_FIELD(event, record->discarded);
	ADD_FIELD(event, record->unmeasured_cpus);
	return true;
}

static bool add_stop(struct tracer_event *event, const struct tracer_stop *record)
{
	if (record->header.size != sizeof(*record))
		return false;
	ADD_METADATA(event, stop_metadata);
	ADD_FIELD(event, record->probes);
	ADD_FIELD(event, record->dropped);
	return true;
}

bool tracer_event_of(const struct tracer_record_header *record, struct tracer_event *event)
{
	const void *whole = record;

	event->descriptor = (struct tracer_event_descriptor){ .channel = CHANNEL_TRACE_LOGGING, .level = LEVEL_VERBOSE };
	event->part_count = 0;
	add(event, tracer_provider_traits, sizeof(tracer_provider_traits), TRACER_EVENT_PART_PROVIDER_METADATA);
	switch (record->type) {
	case TRACER_RECORD_START:
		return add_start(event, whole);
	case TRACER_RECORD_CLOCK_SYNC:
		return add_clock_sync(event, whole);
	case TRACER_RECORD_WAKEUP:
		return add_wakeup(event, whole);
	case TRACER_RECORD_EPISODE_BEGIN:
		return add_episode_begin(event, whole);
	case TRACER_RECORD_PIT_SAMPLE:
		return add_pit_sample(event, whole);
	case TRACER_RECORD_EPISODE_END:
		return add_episode_end(event, whole);
	case TRACER_RECORD_STOP:
		return add_stop(event, whole);
	case TRACER_RECORD_TIMER_STATE:
		return add_timer_state(event, whole);
	default:
		return false;
	}
}
