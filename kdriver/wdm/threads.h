/* The threads that measure: for each CPU and priority one. */
#ifndef THREADS_H
#define THREADS_H

#include "measurement.h"

/* False where one could not be created; threads_stop must follow all the same. Nothing is armed yet. */
_IRQL_requires_(PASSIVE_LEVEL) bool threads_start(void);

/*
 * Each CPU arms its first wake-up, or the next one where a pause had ended the row; where all have one timer, they are there when it
 * expires.
 */
_IRQL_requires_max_(DISPATCH_LEVEL) void threads_arm_all(void);

/* Returns when the last thread has ended; nothing is armed any more, but what was armed may still come. */
_IRQL_requires_(PASSIVE_LEVEL) void threads_stop(void);

#endif
