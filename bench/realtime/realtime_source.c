/*
 * Stands in for advapi32 below TraceEvent: one real-time session whose events are in memory already. ProcessTrace hands them to the
 * callback, one after the other, and returns. What Windows does before that, from the session's buffer to the EVENT_RECORD, is not here
 * and not measured.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	EVENT_RECORD_BYTES = 112,	/* EVENT_RECORD on x64 */
	LOGFILE_CALLBACK = 424,		/* EVENT_TRACE_LOGFILEW.EventRecordCallback on x64 */
};

typedef void (*event_record_callback)(uint8_t *record);

static event_record_callback callback;
static uint8_t *records;
static size_t record_count;

__attribute__((visibility("default"))) void realtime_source_set(uint8_t *first, size_t count)
{
	records = first;
	record_count = count;
}

__attribute__((visibility("default"))) uint64_t OpenTraceW(uint8_t *logfile)
{
	memcpy(&callback, logfile + LOGFILE_CALLBACK, sizeof(callback));
	return 1;
}

__attribute__((visibility("default"))) uint32_t ProcessTrace(const uint64_t *handles, uint32_t count, void *start, void *end)
{
	(void)handles, (void)count, (void)start, (void)end;
	for (size_t i = 0; i < record_count; i++)
		callback(records + i * EVENT_RECORD_BYTES);
	return 0;
}

__attribute__((visibility("default"))) uint32_t CloseTrace(uint64_t handle)
{
	(void)handle;
	return 0;
}
