#ifndef ENTRY_H
#define ENTRY_H

#include "kernel.h"

/*
 * Held, the driver's code and data stay in memory, also when it has been unloaded: for modes that may have to leave something of theirs
 * in the processors' tables. An unload is not refused: it ends the run, and what is still held then is held for good. Not nested; one
 * caller at a time.
 */
_IRQL_requires_(PASSIVE_LEVEL) void entry_hold_image(bool is_held);

#endif
