/*
 * The Tracer.Latency provider of ETW. Where the system has no EtwSetInformation (before Windows 10), events are off: without the traits
 * nobody could read them.
 */
#ifndef EVENTS_H
#define EVENTS_H

#include "kernel.h"

#include "tracer_records.h"

_IRQL_requires_(PASSIVE_LEVEL) NTSTATUS events_init(PDRIVER_OBJECT driver);
_IRQL_requires_(PASSIVE_LEVEL) void events_cleanup(void);

/* Whether events can be written at all. */
_IRQL_requires_max_(HIGH_LEVEL) bool events_are_on(void);

/* True where a session wants the record and ETW took it. */
_IRQL_requires_max_(DISPATCH_LEVEL) bool events_write(const struct tracer_record_header *record);

#endif
