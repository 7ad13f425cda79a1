/*
 * Makes a record of every type, and the event that the driver would log of it, for tests/contract/driver/DriverEventTests.cs to decode:
 * "provider GUID" and "event RECORD DESCRIPTOR TRAITS METADATA PAYLOAD", all bytes in hexadecimal. What a record holds is different in
 * every byte, and the callers and priorities are as many as the arguments say.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracer_events.h"

static void print_bytes(const void *bytes, size_t count)
{
	printf(" ");
	for (size_t i = 0; i < count; i++)
		printf("%02x", ((const unsigned char *)bytes)[i]);
}

static void print_parts(const struct tracer_event *event, enum tracer_event_part_type type)
{
	unsigned char bytes[1024];
	size_t count = 0;

	for (uint32_t i = 0; i < event->part_count; i++) {
		if (event->parts[i].type != (uint32_t)type)
			continue;
		memcpy(bytes + count, (const void *)(uintptr_t)event->parts[i].address, event->parts[i].size);
		count += event->parts[i].size;
	}
	print_bytes(bytes, count);
}

static int print_event(const struct tracer_record_header *record)
{
	struct tracer_event event;

	if (!tracer_event_of(record, &event))
		return 1;
	printf("event");
	print_bytes(record, record->size);
	print_bytes(&event.descriptor, sizeof(event.descriptor));
	print_parts(&event, TRACER_EVENT_PART_PROVIDER_METADATA);
	print_parts(&event, TRACER_EVENT_PART_EVENT_METADATA);
	print_parts(&event, TRACER_EVENT_PART_DATA);
	printf("\n");
	return 0;
}

int main(int count, char **arguments)
{
	static const uint16_t sizes[] = { 0, sizeof(struct tracer_start), sizeof(struct tracer_clock_sync), sizeof(struct tracer_wakeup),
		sizeof(struct tracer_episode_begin), 0, sizeof(struct tracer_episode_end), sizeof(struct tracer_stop), 0,
		sizeof(struct tracer_timer_state) };
	uint64_t words[TRACER_MAX_RECORD_BYTES / 8];
	unsigned char *bytes = (unsigned char *)words;
	struct tracer_record_header *header = (void *)words;
	unsigned priorities = count > 1 ? (unsigned)atoi(arguments[1]) : 0;
	unsigned callers = count > 2 ? (unsigned)atoi(arguments[2]) : 0;

	printf("provider");
	print_bytes(tracer_provider_id, sizeof(tracer_provider_id));
	printf("\n");
	for (uint16_t type = TRACER_RECORD_START; type <= TRACER_RECORD_TIMER_STATE; type++) {
		if (type == TRACER_RECORD_MODULE)
			continue;
		for (unsigned i = 0; i < sizeof(words); i++)
			bytes[i] = (unsigned char)(i + 16 * type);
		header->type = type;
		header->size = sizes[type];
		if (type == TRACER_RECORD_PIT_SAMPLE) {
			header->size = TRACER_PIT_SAMPLE_BYTES(callers);
			((struct tracer_pit_sample *)(void *)words)->caller_count = (uint8_t)callers;
		}
		if (type == TRACER_RECORD_START)
			((struct tracer_start *)(void *)words)->priority_count = (uint8_t)priorities;
		if (print_event(header) != 0)
			return 1;
	}
	return 0;
}
