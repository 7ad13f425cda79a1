#ifndef ENTRY_H
#define ENTRY_H

#include "kernel.h"

/*
 * Pinned, the driver cannot be unloaded: the service manager's stop is refused. For modes that may have to leave something of theirs in
 * memory.
 */
_IRQL_requires_(PASSIVE_LEVEL) void entry_pin(bool is_pinned);

#endif
