/* The fake kernel itself: a driver that does one thing wrong is caught at it. ntoskrnl with bad_driver.c as its image runs these. */
#include "sins.h"
#include "tests.h"

static enum sin sin;

static void commit(void)
{
	struct request request;
	PFILE_OBJECT file;

	CHECK(NT_SUCCESS(user_loads()));
	file = user_opens();
	if (user_begins_control(file, sin, NULL, 0, NULL, 0, &request) == STATUS_PENDING) {
		user_cancels(&request);
		user_awaits(&request);
	}
	if (sin == SIN_UNLOAD_TAKEN_AWAY)
		return;
	user_closes(file);
	CHECK(NT_SUCCESS(user_unloads()));
}

/* The defect that the laboratory driver had: an unload is under way, and a start takes DriverUnload away. */
static void unload_and_commit(void)
{
	PFILE_OBJECT file;

	CHECK(NT_SUCCESS(user_loads()));
	file = user_opens();
	CHECK(NT_SUCCESS(user_unloads()));
	user_controls(file, sin, NULL, 0, NULL, 0, NULL);
	user_closes(file);
}

static void run_sin(void)
{
	struct setup setup = { .processors = 4, .seed = 3, .tick_ns = MS, .windows = 0xA00, .preempt_every = 3 };

	machine_run(&setup, sin == SIN_UNLOAD_TAKEN_AWAY ? unload_and_commit : commit);
}

static void finds(enum sin wanted, const char *name, const char *said)
{
	sin = wanted;
	run_bad(name, run_sin, said);
}

void bad_tests(void)
{
	sin = SIN_NONE;
	run_test("a driver that does nothing wrong", run_sin);
#ifdef THREAD_SANITIZER
	finds(SIN_RACE, "two processors that write the same", "data race");
#else
	finds(SIN_WRONG_LEVEL, "a function at another level than its annotation's", "only_passive is called at level 2");
	finds(SIN_WAIT_AT_DISPATCH, "a wait at DISPATCH_LEVEL", "KeWaitForSingleObject is called at level 2");
	finds(SIN_LEVEL_LEFT, "a level that is left raised", "returns at level 2");
	finds(SIN_LOCK_TWICE, "a spin lock taken twice", "taken twice");
	finds(SIN_DEADLOCK, "two spin locks in two orders", "nothing runs any more");
	finds(SIN_LOCK_KEPT, "a DPC that keeps a spin lock", "with a spin lock held");
	finds(SIN_MEMORY_LEFT, "memory that is left", "100 bytes of its memory are left");
	finds(SIN_FREE_QUEUED, "a queued DPC whose memory is freed", "a queued DPC still needs");
	finds(SIN_USE_FREED, "a DPC queued whose memory was freed", "heap-use-after-free");
	finds(SIN_THREAD_LEFT, "a thread that is left", "driver thread 1 runs");
	finds(SIN_TIMER_LEFT, "a timer that is left", "a timer is set");
	finds(SIN_INIT_CALLED, "a call into the section INIT", "ILL");
	finds(SIN_UNLOAD_TAKEN_AWAY, "DriverUnload taken away under an unload", "DriverUnload, which is 0");
	finds(SIN_PENDING_NOT_MARKED, "STATUS_PENDING without the mark", "not marked its request pending");
	finds(SIN_CANCEL_NOT_COMPLETED, "a cancelled request that never ends", "nothing runs any more");
	finds(SIN_COMPLETED_CANCELLABLE, "a request completed that can be cancelled", "can still be cancelled");
	finds(SIN_COMPLETED_IN_LOCK, "a request completed with a lock held", "completed with a spin lock held");
	finds(SIN_TOUCHED_BEHIND, "a request touched behind its completion", "heap-use-after-free");
	finds(SIN_TOO_MUCH, "more bytes than were asked for", "where 0 were asked for");
#endif
}
