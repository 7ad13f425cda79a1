#include "requests.h"

#include "device.h"
#include "measurement.h"
#include "records.h"
#include "stamps.h"

static IO_REMOVE_LOCK lock;

_IRQL_requires_max_(DISPATCH_LEVEL) void requests_complete(PIRP request, NTSTATUS status, ULONG_PTR bytes)
{
	AT_MOST_DISPATCH();
	request->IoStatus.Status = status;
	request->IoStatus.Information = bytes;
	IoCompleteRequest(request, IO_NO_INCREMENT);
	IoReleaseRemoveLockEx(&lock, request, sizeof(lock));
}

_IRQL_requires_max_(DISPATCH_LEVEL) void requests_describe(PIRP request, struct tracer_call *call)
{
	PIO_STACK_LOCATION location;

	AT_MOST_DISPATCH();
	location = IoGetCurrentIrpStackLocation(request);
	*call = (struct tracer_call){
		.buffer = request->AssociatedIrp.SystemBuffer,
		.request = request,
		.code = location->Parameters.DeviceIoControl.IoControlCode,
		.input_bytes = location->Parameters.DeviceIoControl.InputBufferLength,
		.output_bytes = location->Parameters.DeviceIoControl.OutputBufferLength,
	};
}

/* False: the driver is on its way out, and the request has been refused. */
_IRQL_requires_max_(APC_LEVEL) static bool take(PIRP request)
{
	NTSTATUS status;

	AT_MOST_APC();
	status = IoAcquireRemoveLockEx(&lock, request, "", 0, sizeof(lock));
	if (NT_SUCCESS(status))
		return true;
	request->IoStatus.Status = status;
	request->IoStatus.Information = 0;
	IoCompleteRequest(request, IO_NO_INCREMENT);
	return false;
}

_IRQL_requires_(PASSIVE_LEVEL) static NTSTATUS NTAPI DispatchCreate(PDEVICE_OBJECT device, PIRP request)
{
	NTSTATUS status;

	AT_PASSIVE();
	UNREFERENCED_PARAMETER(device);
	if (!take(request))
		return STATUS_DELETE_PENDING;
	status = device_check_opener(request);
	requests_complete(request, status, 0);
	return status;
}

/* At passive level, in the thread that closed the last handle ("DispatchCleanup Routines" in the WDK's documentation). */
_IRQL_requires_(PASSIVE_LEVEL) static NTSTATUS NTAPI DispatchCleanup(PDEVICE_OBJECT device, PIRP request)
{
	PFILE_OBJECT file;

	AT_PASSIVE();
	UNREFERENCED_PARAMETER(device);
	if (!take(request))
		return STATUS_DELETE_PENDING;
	file = IoGetCurrentIrpStackLocation(request)->FileObject;
	records_cancel_reads(file);
	stamps_cancel(file);
	measurement_end_of(file);
	requests_complete(request, STATUS_SUCCESS, 0);
	return STATUS_SUCCESS;
}

_IRQL_requires_max_(APC_LEVEL) static NTSTATUS NTAPI DispatchClose(PDEVICE_OBJECT device, PIRP request)
{
	AT_MOST_APC();
	UNREFERENCED_PARAMETER(device);
	if (!take(request))
		return STATUS_DELETE_PENDING;
	requests_complete(request, STATUS_SUCCESS, 0);
	return STATUS_SUCCESS;
}

_IRQL_requires_(PASSIVE_LEVEL) static NTSTATUS NTAPI DispatchControl(PDEVICE_OBJECT device, PIRP request)
{
	struct tracer_call call;
	NTSTATUS status;

	AT_PASSIVE();
	UNREFERENCED_PARAMETER(device);
	if (!take(request))
		return STATUS_DELETE_PENDING;
	requests_describe(request, &call);
	status = (NTSTATUS)tracer_device_call(&call);
	if (status != STATUS_PENDING)
		requests_complete(request, status, call.written);
	return status;
}

_IRQL_requires_max_(APC_LEVEL) static NTSTATUS NTAPI DispatchRead(PDEVICE_OBJECT device, PIRP request)
{
	NTSTATUS status;

	AT_MOST_APC();
	UNREFERENCED_PARAMETER(device);
	if (!take(request))
		return STATUS_DELETE_PENDING;
	status = stamps_read(request);
	if (status != STATUS_PENDING)
		requests_complete(request, status, 0);
	return status;
}

_IRQL_requires_(PASSIVE_LEVEL) INIT_ONLY NTSTATUS requests_init(PDRIVER_OBJECT driver)
{
	AT_PASSIVE();
	IoInitializeRemoveLockEx(&lock, TAG_REMOVE_LOCK, 0, 0, sizeof(lock));
	driver->MajorFunction[IRP_MJ_CREATE] = DispatchCreate;
	driver->MajorFunction[IRP_MJ_CLEANUP] = DispatchCleanup;
	driver->MajorFunction[IRP_MJ_CLOSE] = DispatchClose;
	driver->MajorFunction[IRP_MJ_DEVICE_CONTROL] = DispatchControl;
	driver->MajorFunction[IRP_MJ_READ] = DispatchRead;
	return STATUS_SUCCESS;
}

/* The remove lock counts whoever asks it to wait, too. */
_IRQL_requires_(PASSIVE_LEVEL) void requests_cleanup(void)
{
	AT_PASSIVE();
	if (NT_SUCCESS(IoAcquireRemoveLockEx(&lock, NULL, "", 0, sizeof(lock))))
		IoReleaseRemoveLockAndWaitEx(&lock, NULL, sizeof(lock));
}
