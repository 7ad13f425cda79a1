/*
 * wdm/smi.c for arm64: there are no system management interrupts, and what firmware takes of a processor (EL3) has no counter that a driver
 * may read.
 */
#include "smi.h"

#include "tracer_hal.h"

/* 64-bit Windows has one layout of what drivers and the I/O manager share; the headers say so for x64. */
_Static_assert(sizeof(IRP) == 0xD0, "an IRP has another size");
_Static_assert(sizeof(IO_STACK_LOCATION) == 0x48, "a stack location has another size");
_Static_assert(offsetof(DRIVER_OBJECT, MajorFunction) == 0x70, "a driver object has another layout");
_Static_assert(offsetof(DEVICE_OBJECT, Flags) == 0x30, "a device object has another layout");
_Static_assert(sizeof(KDPC) == 0x40 && sizeof(KEVENT) == 0x18 && sizeof(KAFFINITY) == 8, "a kernel object has another size");

bool smi_is_counted(void)
{
	return false;
}

uint32_t tracer_hal_smi_count(void)
{
	return TRACER_SMI_NOT_READ;
}

_IRQL_requires_(PASSIVE_LEVEL) INIT_ONLY NTSTATUS smi_init(PDRIVER_OBJECT driver)
{
	AT_PASSIVE();
	UNREFERENCED_PARAMETER(driver);
	return STATUS_SUCCESS;
}
