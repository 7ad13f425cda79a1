/*
 * The time stamps of Cota-Robles & Held (2.2): ReadFile on the device waits for one wake-up and returns what the paper's driver leaves in
 * the request's buffer (IRP->AssociatedIrp.SystemBuffer, "ASB"), each a u64 in the run's clock:
 *
 *   ASB[0]  the timer was armed, after the read came; where one timer serves all CPUs, the probe was free for its next expiry
 *   ASB[1]  first instruction of the DPC
 *   ASB[2]  first instruction of the thread; of several, of the one that came last
 *
 * A read shorter than the three ends with STATUS_BUFFER_TOO_SMALL, one without a run with STATUS_INVALID_DEVICE_STATE. Every CPU's
 * wake-ups answer.
 */
#ifndef STAMPS_H
#define STAMPS_H

#include "kernel.h"

#include "tracer_ioctl.h"

enum stamp {
	STAMP_ARMED = 0,
	STAMP_DPC = 1,
	STAMP_THREAD = 2,
	STAMPS = 3
};

_IRQL_requires_(PASSIVE_LEVEL) NTSTATUS stamps_init(PDRIVER_OBJECT driver);

/* A run begins, and ends: reads that wait then end too. */
_IRQL_requires_(PASSIVE_LEVEL) void stamps_begin(void);
_IRQL_requires_(PASSIVE_LEVEL) void stamps_end(void);

/* STATUS_PENDING where the request waits now; else the caller completes it. */
_IRQL_requires_max_(APC_LEVEL) NTSTATUS stamps_read(PIRP request);

/* A wake-up is over: the oldest read that came before it was armed gets it. */
_IRQL_requires_(PASSIVE_LEVEL) void stamps_answer(const uint64_t answer[STAMPS]);

/* The handle is closed. */
_IRQL_requires_max_(APC_LEVEL) void stamps_cancel(PFILE_OBJECT file);

#endif
