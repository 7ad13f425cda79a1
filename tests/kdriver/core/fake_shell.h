/*
 * A shell for the tests of the device interface: a run that a start begins and a stop ends, a queue of records, reads that wait. What the
 * Windows shell does under its spin lock is done here by a single thread.
 */
#ifndef FAKE_SHELL_H
#define FAKE_SHELL_H

#include "tracer_device.h"

#define FAKE_SHELL_CPUS 4u
#define FAKE_SHELL_WAITING 4u

struct fake_shell {
	struct tracer_outlet outlet;
	uint64_t clock; /* ns; stands until a test moves it */
	struct tracer_start_request request; /* as it came */
	enum tracer_refusal refusal;         /* of the next start */
	bool has_run;
	unsigned waiting; /* of waits[] */
	struct tracer_call *waits[FAKE_SHELL_WAITING];
};

extern struct fake_shell fake_shell;

void fake_shell_reset(void *memory, uint32_t bytes);

/* Queues a record, and answers the oldest read that waits if it is due; what it was answered, TRACER_ANSWER_PENDING where none was. */
uint32_t fake_shell_emit(const struct tracer_record_header *record, struct tracer_call **answered);

/* The same without a record: time has gone by. */
uint32_t fake_shell_serve(struct tracer_call **answered);

#endif
