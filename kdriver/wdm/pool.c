#include "pool.h"

static POOL_TYPE pool_type = NonPagedPool;

_IRQL_requires_(PASSIVE_LEVEL) INIT_ONLY NTSTATUS pool_init(PDRIVER_OBJECT driver)
{
	RTL_OSVERSIONINFOW version = { .dwOSVersionInfoSize = sizeof(version) };

	AT_PASSIVE();
	UNREFERENCED_PARAMETER(driver);
	if (NT_SUCCESS(RtlGetVersion(&version)) &&
		(version.dwMajorVersion > 6 || (version.dwMajorVersion == 6 && version.dwMinorVersion >= 2)))
		pool_type = NonPagedPoolNx;
	return STATUS_SUCCESS;
}

_IRQL_requires_max_(DISPATCH_LEVEL) void *pool_allocate(SIZE_T bytes, ULONG tag)
{
	void *memory;

	AT_MOST_DISPATCH();
	memory = ExAllocatePoolWithTag(pool_type, bytes, tag);
	if (memory != NULL)
		RtlZeroMemory(memory, bytes);
	return memory;
}

_IRQL_requires_max_(DISPATCH_LEVEL) void pool_free(void *memory, ULONG tag)
{
	AT_MOST_DISPATCH();
	if (memory != NULL)
		ExFreePoolWithTag(memory, tag);
}
