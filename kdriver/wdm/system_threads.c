#include "system_threads.h"

/* A thread that could not be referenced must not outlive the driver: told to end at once, while its handle can still be waited for. */
_IRQL_requires_(PASSIVE_LEVEL) static void end_by_handle(HANDLE handle, PKEVENT wake, _Atomic uint32_t *is_stopping)
{
	KPRIORITY highest = HIGH_PRIORITY;

	AT_PASSIVE();
	atomic_store(is_stopping, 1);
	KeSetEvent(wake, IO_NO_INCREMENT, FALSE);
	ZwSetInformationThread(handle, ThreadPriority, &highest, sizeof(highest));
	ZwWaitForSingleObject(handle, FALSE, NULL);
}

_IRQL_requires_(PASSIVE_LEVEL) PKTHREAD system_thread_create(
	PKSTART_ROUTINE routine, PVOID context, KPRIORITY priority, PKEVENT wake, _Atomic uint32_t *is_stopping)
{
	OBJECT_ATTRIBUTES attributes;
	PVOID thread = NULL;
	HANDLE handle;

	AT_PASSIVE();
	InitializeObjectAttributes(&attributes, NULL, OBJ_KERNEL_HANDLE, NULL, NULL);
	if (!NT_SUCCESS(PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, &attributes, NULL, NULL, routine, context)))
		return NULL;
	if (NT_SUCCESS(ObReferenceObjectByHandle(handle, THREAD_ALL_ACCESS, NULL, KernelMode, &thread, NULL))) {
		KeSetPriorityThread(thread, priority);
	} else {
		end_by_handle(handle, wake, is_stopping);
		thread = NULL;
	}
	ZwClose(handle);
	return thread;
}

_IRQL_requires_(PASSIVE_LEVEL) void system_thread_join(PKTHREAD *thread)
{
	AT_PASSIVE();
	if (*thread == NULL)
		return;
	KeSetPriorityThread(*thread, HIGH_PRIORITY);
	KeWaitForSingleObject(*thread, Executive, KernelMode, FALSE, NULL);
	ObDereferenceObject(*thread);
	*thread = NULL;
}
