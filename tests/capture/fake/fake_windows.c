/*
 * The tracing functions of advapi32 and what they need of kernel32, under the names that P/Invoke looks for: each calls the function of a
 * table that the tests fill with managed ones. A table entry gives back the Win32 code; where Windows keeps it as last error, it goes into
 * errno, which is what .NET reads as last error on this system.
 */
#include <errno.h>
#include <stdint.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

#define INVALID_PROCESSTRACE_HANDLE UINT64_MAX
#define CURRENT_PROCESS ((void *)-1)

struct fake_windows_calls {
	uint32_t (*start_trace)(uint64_t *session, const uint16_t *name, void *properties);
	uint32_t (*control_trace)(uint64_t session, const uint16_t *name, void *properties, uint32_t control);
	uint32_t (*query_all_traces)(void **properties, uint32_t count, uint32_t *sessions);
	uint32_t (*set_information)(uint64_t session, uint32_t which, const void *data, uint32_t bytes);
	uint32_t (*query_information)(uint64_t session, uint32_t which, void *data, uint32_t bytes, uint32_t *returned);
	uint32_t (*enable_trace)(
		uint64_t session, const void *provider, uint32_t control, uint8_t level, uint64_t any, const void *parameters);
	uint32_t (*open_trace)(void *logfile, uint64_t *trace);
	uint32_t (*process_trace)(const uint64_t *traces, uint32_t count);
	uint32_t (*close_trace)(uint64_t trace);
	uint32_t (*adjust_privileges)(const void *privileges);
};

static struct fake_windows_calls calls;

EXPORT void fake_windows_install(const struct fake_windows_calls *table)
{
	calls = *table;
}

EXPORT uint32_t StartTraceW(uint64_t *session, const uint16_t *name, void *properties)
{
	return calls.start_trace(session, name, properties);
}

EXPORT uint32_t ControlTraceW(uint64_t session, const uint16_t *name, void *properties, uint32_t control)
{
	return calls.control_trace(session, name, properties, control);
}

EXPORT uint32_t QueryAllTracesW(void **properties, uint32_t count, uint32_t *sessions)
{
	return calls.query_all_traces(properties, count, sessions);
}

EXPORT uint32_t TraceSetInformation(uint64_t session, uint32_t which, const void *data, uint32_t bytes)
{
	return calls.set_information(session, which, data, bytes);
}

EXPORT uint32_t TraceQueryInformation(uint64_t session, uint32_t which, void *data, uint32_t bytes, uint32_t *returned)
{
	return calls.query_information(session, which, data, bytes, returned);
}

EXPORT uint32_t EnableTraceEx2(
	uint64_t session,
	const void *provider,
	uint32_t control,
	uint8_t level,
	uint64_t any,
	uint64_t all,
	uint32_t timeout,
	const void *parameters)
{
	(void)all;
	(void)timeout;
	return calls.enable_trace(session, provider, control, level, any, parameters);
}

EXPORT uint64_t OpenTraceW(void *logfile)
{
	uint64_t trace = INVALID_PROCESSTRACE_HANDLE;
	errno = (int)calls.open_trace(logfile, &trace);
	return trace;
}

EXPORT uint32_t ProcessTrace(const uint64_t *traces, uint32_t count, const void *start, const void *end)
{
	(void)start;
	(void)end;
	return calls.process_trace(traces, count);
}

EXPORT uint32_t CloseTrace(uint64_t trace)
{
	return calls.close_trace(trace);
}

EXPORT void *GetCurrentProcess(void)
{
	return CURRENT_PROCESS;
}

EXPORT int32_t OpenProcessToken(void *process, uint32_t access, void **token)
{
	(void)access;
	*token = process;
	return 1;
}

EXPORT int32_t LookupPrivilegeValueW(const uint16_t *system, const uint16_t *name, uint32_t *luid)
{
	(void)system;
	luid[0] = name[2]; /* Which one: the letter behind "Se". */
	luid[1] = 0;
	return 1;
}

EXPORT int32_t AdjustTokenPrivileges(
	void *token, int32_t disable_all, const void *privileges, uint32_t bytes, void *previous, void *returned)
{
	(void)token;
	(void)disable_all;
	(void)bytes;
	(void)previous;
	(void)returned;
	errno = (int)calls.adjust_privileges(privileges);
	return 1;
}

EXPORT int32_t CloseHandle(void *handle)
{
	(void)handle;
	return 1;
}
