/*
 * The device interface of tracer_ioctl.h without Windows: checks what a caller sent, asks the shell, fills in what the caller gets. The
 * shell copies nothing and checks nothing but who may open the device: it hands over the buffer of METHOD_BUFFERED, which holds the input
 * and takes the output, and completes its request with the answer and `written`.
 *
 * A read is the one call that may wait. The shell finds `tracer_shell_read` called, takes its lock, calls tracer_outlet_offer and keeps
 * the request in its list, under the same lock, when the answer is TRACER_ANSWER_PENDING. tracer_outlet.h says when it asks again.
 *
 * Answers are TRACER_ANSWER_*: NTSTATUS values.
 */
#ifndef TRACER_DEVICE_H
#define TRACER_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer_ioctl.h"
#include "tracer_outlet.h"

struct tracer_call {
	void *buffer; /* input, then output; at a multiple of 8; null where both lengths are 0 */
	void *request; /* the shell's own; not looked at */
	uint32_t code;
	uint32_t input_bytes;
	uint32_t output_bytes;
	uint32_t written; /* bytes of output; set by every call */
};

/* One control code, at passive level. TRACER_ANSWER_PENDING only as the shell's own answer to a read: it owns the request then. */
uint32_t tracer_device_call(struct tracer_call *call);

/* Room for records in the buffer of a read that tracer_device_call has checked. */
uint32_t tracer_device_room(const struct tracer_call *call);

/* Without the shell's lock: such a read gets a batch of what tracer_outlet_offer has shown; the part is what was copied then. */
void tracer_device_batch(struct tracer_call *call, const struct tracer_queue *queue, struct tracer_queue_part *part);

/*
 * What the shell gives; called at passive level, without its lock. Structures come zeroed, with `abi` filled in, and have been checked
 * field by field: known mode, phase and flags, reserved fields 0. What depends on the machine is the shell's: the mode it can do,
 * priorities, times (tracer_run_prepare says so), CPU number.
 */

/*
 * Starts a run, or says why not; then nothing is left of it: no timer, thread, hook or record. TRACER_REFUSAL_NONE: the Start record is in
 * the queue, and of what an earlier run left there nothing. With a run on the answer is a refusal, and that run goes on. The shell keeps
 * the refusal for the status. `request` is the caller's buffer: what is needed later is copied. Unless it says TRACER_START_STAY, the shell
 * ends the run when the handle that the call came through is closed.
 */
enum tracer_refusal tracer_shell_start(const struct tracer_start_request *request, const struct tracer_call *call);

/*
 * Ends the run and waits for that: when it returns nothing of it is on its way and the Stop record is in the queue. False where none was
 * on. Not under the shell's lock, nor from a thread, DPC or callback of the run, which it waits for.
 */
bool tracer_shell_stop(void);

/* Fills in what is known now, with a run or without one. It may not fail; it may wait for a start or stop under way. */
void tracer_shell_status(struct tracer_status *status);

/* Of the run that is on, or the last one. DONE, NOT_RUNNING where there was none, INVALID_PARAMETER for a CPU or priority not measured. */
uint32_t tracer_shell_histogram(const struct tracer_histogram_request *request, struct tracer_histogram *histogram);

/* The answer of tracer_outlet_offer; on DONE the batch is in the buffer, on PENDING the shell keeps call->request and answers it later. */
uint32_t tracer_shell_read(struct tracer_call *call);

#endif
