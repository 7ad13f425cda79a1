/*
 * Records as events of the Tracer.Latency provider: TraceLogging by hand, because its macros and EtwWrite are Windows' own. A record
 * becomes an event descriptor and a row of parts, laid out as Windows wants them (EVENT_DESCRIPTOR, EVENT_DATA_DESCRIPTOR), that the
 * shell hands to EtwWrite as they are. Fields are in the order of docs/generated/provider-events.md, which a test compares byte by byte.
 *
 * The types of the parts mean something only after EtwSetInformation(EventProviderSetTraits, tracer_provider_traits); without it the
 * metadata would count as payload, so a shell that cannot call it logs nothing.
 */
#ifndef TRACER_EVENTS_H
#define TRACER_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer_records.h"

/* The provider's GUID, 756a3088-fc63-5673-dad5-1a2bf23c1aa7, as it lies in memory. */
extern const uint8_t tracer_provider_id[16];

/* Provider metadata: u16 size of all, name, NUL. In memory that never pages. */
#define TRACER_PROVIDER_TRAITS_BYTES 17
extern const uint8_t tracer_provider_traits[TRACER_PROVIDER_TRAITS_BYTES];

/* EVENT_DESCRIPTOR. Keyword 0: whoever enables the provider gets every event up to its level. */
struct tracer_event_descriptor {
	uint16_t id;
	uint8_t version;
	uint8_t channel; /* 11: TraceLogging */
	uint8_t level;
	uint8_t opcode;
	uint16_t task;
	uint64_t keyword;
};
TRACER_ASSERT_SIZE(struct tracer_event_descriptor, 16);

/* EVENT_DATA_DESCRIPTOR. */
enum tracer_event_part_type {
	TRACER_EVENT_PART_DATA = 0,
	TRACER_EVENT_PART_EVENT_METADATA = 1,
	TRACER_EVENT_PART_PROVIDER_METADATA = 2
};

struct tracer_event_part {
	uint64_t address;
	uint32_t size;
	uint32_t type; /* enum tracer_event_part_type */
};
TRACER_ASSERT_SIZE(struct tracer_event_part, 16);

/* Provider metadata, event metadata, and a part for each field, two for an array. */
#define TRACER_EVENT_MAX_PARTS 16

/* Points into the record it was made from and into itself: neither may move before it is written. */
struct tracer_event {
	struct tracer_event_descriptor descriptor;
	struct tracer_event_part parts[TRACER_EVENT_MAX_PARTS];
	uint32_t part_count;
	uint16_t array_count; /* of the event's array: the record has it in fewer bits */
	uint16_t reserved;
};

/*
 * Makes the event of a record. False for a record that is no event (a module), or whose size is not that of its type: `event` holds half
 * of one then and may not be logged. The parts point into `record`, into `event` and into constants: both stay where they are, and
 * unchanged, until EtwWrite has returned; a copy of `event` still points into the first one. Any level; allocates nothing.
 */
bool tracer_event_of(const struct tracer_record_header *record, struct tracer_event *event);

#endif
