#include "events.h"

#include "routines.h"
#include "tracer_events.h"

static REGHANDLE provider;

_IRQL_requires_(PASSIVE_LEVEL) INIT_ONLY NTSTATUS events_init(PDRIVER_OBJECT driver)
{
	AT_PASSIVE();
	UNREFERENCED_PARAMETER(driver);
	if (routines.etw_register == NULL ||
		!NT_SUCCESS(routines.etw_register((const GUID *)(const void *)tracer_provider_id, NULL, NULL, &provider))) {
		provider = 0;
		return STATUS_SUCCESS;
	}
	if (!NT_SUCCESS(routines.etw_set_information(
			provider, EVENT_PROVIDER_SET_TRAITS, tracer_provider_traits, TRACER_PROVIDER_TRAITS_BYTES)))
		events_cleanup();
	return STATUS_SUCCESS;
}

_IRQL_requires_(PASSIVE_LEVEL) void events_cleanup(void)
{
	AT_PASSIVE();
	if (provider != 0)
		routines.etw_unregister(provider);
	provider = 0;
}

_IRQL_requires_max_(HIGH_LEVEL) bool events_are_on(void)
{
	return provider != 0;
}

_IRQL_requires_max_(DISPATCH_LEVEL) bool events_write(const struct tracer_record_header *record)
{
	struct tracer_event event;

	AT_MOST_DISPATCH();
	return provider != 0 && tracer_event_of(record, &event) && routines.etw_event_enabled(provider, &event.descriptor) &&
		NT_SUCCESS(routines.etw_write(provider, &event.descriptor, NULL, event.part_count, event.parts));
}
