/* __try and __except of a driver: an instruction that this program may not execute is a signal, which goes on in the handler. */
#include <signal.h>

#include "machine.h"

static void *resume_at[5];

__attribute__((no_sanitize("address"))) static void faulted(int signal_number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal_number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	signal(signal_number, SIG_DFL);
	__builtin_longjmp(resume_at, 1);
}

void **fake_try(void)
{
	ROUTINE(APC_LEVEL);
	signal(SIGSEGV, faulted);
	return resume_at;
}
