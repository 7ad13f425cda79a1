#include "checks.h"
#include "tracer_events.h"

/* The bytes themselves are decoded, field by field, by tests/contract/driver/DriverEventTests.cs. */

static void makes_a_descriptor_and_parts(void)
{
	const struct tracer_clock_sync record = { .header = { .type = TRACER_RECORD_CLOCK_SYNC, .size = sizeof(record) }, .clock = 1 };
	struct tracer_event event;

	CHECK(tracer_event_of(&record.header, &event));
	CHECK_EQUAL(11, event.descriptor.channel);
	CHECK_EQUAL(5, event.descriptor.level);
	CHECK_EQUAL(0, event.descriptor.keyword);
	CHECK_EQUAL(4, event.part_count);
	CHECK_EQUAL(TRACER_EVENT_PART_PROVIDER_METADATA, event.parts[0].type);
	CHECK_EQUAL((uintptr_t)tracer_provider_traits, event.parts[0].address);
	CHECK_EQUAL(TRACER_EVENT_PART_EVENT_METADATA, event.parts[1].type);
	CHECK_EQUAL((uintptr_t)&record.clock, event.parts[2].address);
	CHECK_EQUAL(8, event.parts[3].size);
	CHECK_EQUAL(TRACER_EVENT_PART_DATA, event.parts[3].type);
}

/* Every type with every size up to the longest: an event only where the size is the type's, its parts inside the record. */
static void refuses_what_does_not_fit(void)
{
	static uint64_t words[TRACER_MAX_RECORD_BYTES / 8];
	static const uint16_t sizes[] = { 0, sizeof(struct tracer_start), sizeof(struct tracer_clock_sync), sizeof(struct tracer_wakeup),
		sizeof(struct tracer_episode_begin), TRACER_PIT_SAMPLE_BYTES(0), sizeof(struct tracer_episode_end),
		sizeof(struct tracer_stop), 0,
		sizeof(struct tracer_timer_state), 0 };
	struct tracer_record_header *record = (struct tracer_record_header *)(void *)words;
	struct tracer_event event;

	for (uint16_t type = 0; type < sizeof(sizes) / sizeof(sizes[0]); type++) {
		for (uint16_t size = 0; size <= TRACER_MAX_RECORD_BYTES; size++) {
			*record = (struct tracer_record_header){ .type = type, .size = size };
			CHECK_EQUAL(size != 0 && size == sizes[type], tracer_event_of(record, &event));
		}
	}
}

static void refuses_counts_that_are_too_large(void)
{
	struct tracer_start start = { .header = { .type = TRACER_RECORD_START, .size = sizeof(start) }, .priority_count = 9 };
	struct tracer_pit_sample sample = { .header = { .type = TRACER_RECORD_PIT_SAMPLE, .size = sizeof(sample) }, .caller_count = 17 };
	struct tracer_event event;

	CHECK(!tracer_event_of(&start.header, &event));
	start.priority_count = 8;
	CHECK(tracer_event_of(&start.header, &event));
	CHECK_EQUAL(11, event.part_count);
	CHECK(!tracer_event_of(&sample.header, &event));
	sample.caller_count = 15;
	CHECK(!tracer_event_of(&sample.header, &event));
	sample.caller_count = 16;
	CHECK(tracer_event_of(&sample.header, &event));
	CHECK_EQUAL(12, event.part_count);
	CHECK_EQUAL(16, event.array_count);
	CHECK_EQUAL(16 * 8, event.parts[11].size);
}

/* None has more parts than there is room for. */
static void has_room_for_the_longest(void)
{
	struct tracer_wakeup wakeup = { .header = { .type = TRACER_RECORD_WAKEUP, .size = sizeof(wakeup) } };
	struct tracer_event event;

	CHECK(tracer_event_of(&wakeup.header, &event));
	CHECK_EQUAL(TRACER_EVENT_MAX_PARTS, event.part_count);
}

void event_tests(void)
{
	run_test("events: are a descriptor and parts", makes_a_descriptor_and_parts);
	run_test("events: refuse what does not fit", refuses_what_does_not_fit);
	run_test("events: refuse counts that are too large", refuses_counts_that_are_too_large);
	run_test("events: have room for the longest", has_room_for_the_longest);
}
