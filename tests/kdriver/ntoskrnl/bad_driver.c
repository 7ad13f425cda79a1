/*
 * A driver that does one thing wrong, as its test asks: what the fake kernel and the sanitizers are for. The device is as
 * TracerLatency.sys makes it; control code n commits sin n.
 */
#include "kernel.h"

#include "sins.h"

_IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registry_path);

static PDEVICE_OBJECT device;
static KSPIN_LOCK lock, other_lock;
static KEVENT event;
static KDPC dpc, other_dpc;
static KTIMER timer;
static int shared;
static PIRP kept;

_IRQL_requires_(PASSIVE_LEVEL) static void only_passive(void)
{
	AT_PASSIVE();
	shared++;
}

INIT_ONLY static __attribute__((noinline)) int thrown_away(void)
{
	return shared + 1;
}

static int (*volatile kept_init)(void);

static void at_dispatch(void (*function)(void))
{
	KIRQL irql;

	KeAcquireSpinLock(&lock, &irql);
	function();
	KeReleaseSpinLock(&lock, irql);
}

static void wait(void)
{
	KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, NULL);
}

static void nothing(void)
{
}

static VOID NTAPI Dpc(PKDPC which, PVOID context, PVOID first, PVOID second)
{
	if (context == &shared)
		shared++;
	if (context == &lock)
		KeAcquireSpinLockAtDpcLevel(&lock);
}

static void queue(PVOID context, CCHAR target)
{
	KeInitializeDpc(&dpc, Dpc, context);
	KeSetImportanceDpc(&dpc, MediumHighImportance);
	KeSetTargetProcessorDpc(&dpc, target);
	KeInsertQueueDpc(&dpc, NULL, NULL);
}

static VOID NTAPI Thread(PVOID context)
{
	if (context != NULL)
		KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, NULL);
	PsTerminateSystemThread(STATUS_SUCCESS);
}

static void make_thread(PVOID context)
{
	OBJECT_ATTRIBUTES attributes;
	HANDLE handle;

	InitializeObjectAttributes(&attributes, NULL, OBJ_KERNEL_HANDLE, NULL, NULL);
	if (NT_SUCCESS(PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, &attributes, NULL, NULL, Thread, context)))
		ZwClose(handle);
}

static VOID NTAPI Cancel(PDEVICE_OBJECT which, PIRP irp)
{
	IoReleaseCancelSpinLock(irp->CancelIrql);
}

/* Two threads' locks in the other order: one waits for the other for good. */
static VOID NTAPI OtherOrder(PVOID context)
{
	KIRQL irql;

	KeAcquireSpinLock(&other_lock, &irql);
	for (volatile int i = 0; i < 2000; i++)
		;
	KeAcquireSpinLockAtDpcLevel(&lock);
	KeReleaseSpinLockFromDpcLevel(&lock);
	KeReleaseSpinLock(&other_lock, irql);
	PsTerminateSystemThread(STATUS_SUCCESS);
}

static void deadlock(void)
{
	OBJECT_ATTRIBUTES attributes;
	HANDLE handle;
	KIRQL irql;

	InitializeObjectAttributes(&attributes, NULL, OBJ_KERNEL_HANDLE, NULL, NULL);
	PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, &attributes, NULL, NULL, OtherOrder, NULL);
	KeAcquireSpinLock(&lock, &irql);
	for (volatile int i = 0; i < 2000; i++)
		;
	KeAcquireSpinLockAtDpcLevel(&other_lock);
	KeReleaseSpinLockFromDpcLevel(&other_lock);
	KeReleaseSpinLock(&lock, irql);
	ZwClose(handle);
}

static void commit(enum sin sin)
{
	LARGE_INTEGER soon = { .QuadPart = -1000 };
	KDPC *freed;
	KIRQL irql;

	switch (sin) {
	case SIN_WRONG_LEVEL: at_dispatch(only_passive); break;
	case SIN_WAIT_AT_DISPATCH: at_dispatch(wait); break;
	case SIN_LEVEL_LEFT: KeRaiseIrql(DISPATCH_LEVEL, &irql); break;
	case SIN_LOCK_TWICE:
		KeAcquireSpinLock(&lock, &irql);
		at_dispatch(nothing);
		break;
	case SIN_DEADLOCK: deadlock(); break;
	case SIN_LOCK_KEPT: queue(&lock, 0); KeFlushQueuedDpcs(); break;
	case SIN_MEMORY_LEFT: ExAllocatePoolWithTag(NonPagedPoolNx, 100, TAG_TIMERS); break;
	case SIN_FREE_QUEUED:
		freed = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*freed), TAG_TIMERS);
		KeInitializeDpc(freed, Dpc, NULL);
		KeAcquireSpinLock(&lock, &irql);
		KeInsertQueueDpc(freed, NULL, NULL);
		ExFreePoolWithTag(freed, TAG_TIMERS);
		KeReleaseSpinLock(&lock, irql);
		break;
	case SIN_USE_FREED:
		freed = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*freed), TAG_TIMERS);
		KeInitializeDpc(freed, Dpc, NULL);
		ExFreePoolWithTag(freed, TAG_TIMERS);
		KeInsertQueueDpc(freed, NULL, NULL);
		break;
	case SIN_THREAD_LEFT: make_thread(&event); break;
	case SIN_TIMER_LEFT:
		KeInitializeDpc(&other_dpc, Dpc, NULL);
		soon.QuadPart = -100000000;
		KeSetTimer(&timer, soon, &other_dpc);
		break;
	case SIN_RACE:
		queue(&shared, 3);
		shared++;
		KeFlushQueuedDpcs();
		break;
	case SIN_INIT_CALLED: shared = kept_init(); break;
	case SIN_UNLOAD_TAKEN_AWAY: device->DriverObject->DriverUnload = NULL; break;
	default: break;
	}
}

static NTSTATUS complete(PIRP irp, NTSTATUS status)
{
	irp->IoStatus.Status = status;
	irp->IoStatus.Information = 0;
	IoCompleteRequest(irp, IO_NO_INCREMENT);
	return status;
}

static NTSTATUS NTAPI Dispatch(PDEVICE_OBJECT which, PIRP irp)
{
	return complete(irp, STATUS_SUCCESS);
}

static NTSTATUS NTAPI Control(PDEVICE_OBJECT which, PIRP irp)
{
	enum sin sin = (enum sin)IoGetCurrentIrpStackLocation(irp)->Parameters.DeviceIoControl.IoControlCode;
	KIRQL irql;

	switch (sin) {
	case SIN_PENDING_NOT_MARKED:
		kept = irp;
		return STATUS_PENDING;
	case SIN_CANCEL_NOT_COMPLETED:
		IoMarkIrpPending(irp);
		IoSetCancelRoutine(irp, Cancel);
		return STATUS_PENDING;
	case SIN_COMPLETED_CANCELLABLE:
		IoSetCancelRoutine(irp, Cancel);
		return complete(irp, STATUS_SUCCESS);
	case SIN_COMPLETED_IN_LOCK:
		KeAcquireSpinLock(&lock, &irql);
		complete(irp, STATUS_SUCCESS);
		KeReleaseSpinLock(&lock, irql);
		return STATUS_SUCCESS;
	case SIN_TOUCHED_BEHIND:
		complete(irp, STATUS_SUCCESS);
		return irp->IoStatus.Status;
	case SIN_TOO_MUCH:
		irp->IoStatus.Information = 1000;
		irp->IoStatus.Status = STATUS_SUCCESS;
		IoCompleteRequest(irp, IO_NO_INCREMENT);
		return STATUS_SUCCESS;
	default:
		commit(sin);
		return complete(irp, STATUS_SUCCESS);
	}
}

static VOID NTAPI DriverUnload(PDRIVER_OBJECT driver)
{
	UNICODE_STRING link = RTL_CONSTANT_STRING(L"\\DosDevices\\Bad");

	IoDeleteSymbolicLink(&link);
	IoDeleteDevice(device);
}

_IRQL_requires_(PASSIVE_LEVEL) INIT_ONLY NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registry_path)
{
	UNICODE_STRING name = RTL_CONSTANT_STRING(L"\\Device\\Bad"), link = RTL_CONSTANT_STRING(L"\\DosDevices\\Bad");
	union {
		ACL acl;
		UCHAR bytes[100];
	} list;
	UCHAR system[12] = { 1, 1, 0, 0, 0, 0, 0, 5, 18 };
	SECURITY_DESCRIPTOR descriptor;
	HANDLE handle;

	AT_PASSIVE();
	KeInitializeEvent(&event, SynchronizationEvent, FALSE);
	KeInitializeSpinLock(&lock);
	KeInitializeSpinLock(&other_lock);
	KeInitializeTimer(&timer);
	kept_init = thrown_away;
	driver->MajorFunction[IRP_MJ_CREATE] = driver->MajorFunction[IRP_MJ_CLEANUP] = driver->MajorFunction[IRP_MJ_CLOSE] = Dispatch;
	driver->MajorFunction[IRP_MJ_DEVICE_CONTROL] = Control;
	driver->DriverUnload = DriverUnload;
	IoCreateDevice(driver, 0, &name, FILE_DEVICE_UNKNOWN, FILE_DEVICE_SECURE_OPEN, FALSE, &device);
	device->Flags |= DO_BUFFERED_IO;
	RtlCreateAcl(&list.acl, sizeof(list), ACL_REVISION);
	RtlAddAccessAllowedAce(&list.acl, ACL_REVISION, FILE_ALL_ACCESS, system);
	RtlAddAccessAllowedAce(&list.acl, ACL_REVISION, FILE_ALL_ACCESS, system);
	RtlCreateSecurityDescriptor(&descriptor, SECURITY_DESCRIPTOR_REVISION);
	RtlSetDaclSecurityDescriptor(&descriptor, TRUE, &list.acl, FALSE);
	ObOpenObjectByPointer(device, OBJ_KERNEL_HANDLE, NULL, WRITE_DAC, NULL, KernelMode, &handle);
	ZwSetSecurityObject(handle, DACL_SECURITY_INFORMATION, &descriptor);
	ZwClose(handle);
	IoCreateSymbolicLink(&link, &name);
	return STATUS_SUCCESS;
}
