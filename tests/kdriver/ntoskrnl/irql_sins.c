/* For irql_calls.py: each function but the first ones does one thing wrong, and is found. Never linked into anything. */
#include "kernel.h"

static KSPIN_LOCK lock;
static KEVENT event;
static KDPC dpc;

struct table {
	void (*function)(void);
};

_IRQL_requires_(PASSIVE_LEVEL) static void good_passive(void)
{
	AT_PASSIVE();
}

_IRQL_requires_(DISPATCH_LEVEL) static void good_dispatch(void)
{
	AT_DISPATCH();
}

_IRQL_requires_(PASSIVE_LEVEL) INIT_ONLY static void good_init(void)
{
	AT_PASSIVE();
}

static const struct table table = { good_passive };

static void in_between(void)
{
	good_passive();
}

/* Found: no annotation (in_between, too). */
static void sin_unannotated(void)
{
}

/* Found: another assertion than the annotation. */
_IRQL_requires_(PASSIVE_LEVEL) static void sin_asserts(void)
{
	AT_DISPATCH();
}

/* Found: passive code called with a lock held, directly, through a field, and through a function without an annotation. */
_IRQL_requires_(PASSIVE_LEVEL) static void sin_direct(void)
{
	KIRQL irql;

	AT_PASSIVE();
	KeAcquireSpinLock(&lock, &irql);
	good_passive();
	KeReleaseSpinLock(&lock, irql);
}

_IRQL_requires_(DISPATCH_LEVEL) static void sin_field(void)
{
	AT_DISPATCH();
	table.function();
}

_IRQL_requires_max_(DISPATCH_LEVEL) static void sin_indirect(void)
{
	AT_MOST_DISPATCH();
	in_between();
}

static void handed_over(void (*function)(void))
{
	function();
}

_IRQL_requires_(DISPATCH_LEVEL) static void sin_parameter(void)
{
	AT_DISPATCH();
	handed_over(good_passive);
}

/* Found: a lock's code called without the lock. */
_IRQL_requires_(PASSIVE_LEVEL) static void sin_too_low(void)
{
	AT_PASSIVE();
	good_dispatch();
}

/* Found: a wait with a lock held; the release on one path only; the return with it. */
_IRQL_requires_max_(APC_LEVEL) static void sin_waits(void)
{
	KIRQL irql;

	AT_MOST_APC();
	KeAcquireSpinLock(&lock, &irql);
	KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, NULL);
	KeReleaseSpinLock(&lock, irql);
}

_IRQL_requires_(PASSIVE_LEVEL) static void sin_one_path(bool is_given)
{
	KIRQL irql;

	AT_PASSIVE();
	KeAcquireSpinLock(&lock, &irql);
	if (is_given)
		KeReleaseSpinLock(&lock, irql);
	good_passive();
}

_IRQL_requires_(PASSIVE_LEVEL) static bool sin_returns(bool is_early)
{
	KIRQL irql;

	AT_PASSIVE();
	KeAcquireSpinLock(&lock, &irql);
	if (is_early)
		return false;
	KeReleaseSpinLock(&lock, irql);
	return true;
}

/* Found: a DPC that is passive code. */
_IRQL_requires_(PASSIVE_LEVEL) static VOID NTAPI sin_dpc(PKDPC which, PVOID context, PVOID first, PVOID second)
{
	AT_PASSIVE();
	UNREFERENCED_PARAMETER(which);
	UNREFERENCED_PARAMETER(context);
	UNREFERENCED_PARAMETER(first);
	UNREFERENCED_PARAMETER(second);
}

/* Found: code that is thrown away, called by code that is kept. */
_IRQL_requires_(PASSIVE_LEVEL) void sin_init(void)
{
	AT_PASSIVE();
	good_init();
	KeInitializeDpc(&dpc, sin_dpc, NULL);
	sin_unannotated();
	sin_asserts();
	sin_direct();
	sin_indirect();
	sin_too_low();
	sin_waits();
	sin_one_path(sin_returns(true));
	(void)sin_field;
	(void)sin_parameter;
}
