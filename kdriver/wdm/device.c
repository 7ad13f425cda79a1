#include "device.h"

#include "pool.h"
#include "requests.h"
#include "routines.h"

#define AUTHORITIES 2
#define ACL_BYTES (sizeof(ACL) + 2 * (sizeof(ACCESS_ALLOWED_ACE) + sizeof(struct identity)))

/* A SID with up to two sub-authorities. */
struct identity {
	UCHAR revision;
	UCHAR count;
	SID_IDENTIFIER_AUTHORITY authority;
	ULONG sub_authorities[AUTHORITIES];
};

static PDEVICE_OBJECT device;
static const UNICODE_STRING device_name = RTL_CONSTANT_STRING(L"\\Device\\TracerLatency");
static const UNICODE_STRING link_name = RTL_CONSTANT_STRING(L"\\DosDevices\\TracerLatency");

static struct identity local_system = { SID_REVISION, 1, { { 0, 0, 0, 0, 0, 5 } }, { SECURITY_LOCAL_SYSTEM_RID } };
static struct identity administrators = {
	SID_REVISION, 2, { { 0, 0, 0, 0, 0, 5 } }, { SECURITY_BUILTIN_DOMAIN_RID, DOMAIN_ALIAS_RID_ADMINS }
};

_IRQL_requires_(PASSIVE_LEVEL) INIT_ONLY static NTSTATUS fill_acl(PACL acl, PSECURITY_DESCRIPTOR descriptor)
{
	NTSTATUS status;

	AT_PASSIVE();
	status = RtlCreateAcl(acl, ACL_BYTES, ACL_REVISION);
	if (NT_SUCCESS(status))
		status = RtlAddAccessAllowedAce(acl, ACL_REVISION, FILE_ALL_ACCESS, &local_system);
	if (NT_SUCCESS(status))
		status = RtlAddAccessAllowedAce(acl, ACL_REVISION, FILE_ALL_ACCESS, &administrators);
	if (NT_SUCCESS(status))
		status = RtlCreateSecurityDescriptor(descriptor, SECURITY_DESCRIPTOR_REVISION);
	if (NT_SUCCESS(status))
		status = RtlSetDaclSecurityDescriptor(descriptor, TRUE, acl, FALSE);
	return status;
}

/* IoCreateDeviceSecure would do this; it is no kernel routine but a part of the WDK's wdmsec.lib. */
_IRQL_requires_(PASSIVE_LEVEL) INIT_ONLY static NTSTATUS secure(void)
{
	SECURITY_DESCRIPTOR descriptor;
	HANDLE handle;
	NTSTATUS status;
	PACL acl;

	AT_PASSIVE();
	acl = pool_allocate(ACL_BYTES, TAG_SECURITY);
	if (acl == NULL)
		return STATUS_INSUFFICIENT_RESOURCES;
	status = fill_acl(acl, &descriptor);
	if (NT_SUCCESS(status))
		status = ObOpenObjectByPointer(device, OBJ_KERNEL_HANDLE, NULL, WRITE_DAC, NULL, KernelMode, &handle);
	if (NT_SUCCESS(status)) {
		status = ZwSetSecurityObject(handle, DACL_SECURITY_INFORMATION, &descriptor);
		ZwClose(handle);
	}
	pool_free(acl, TAG_SECURITY);
	return status;
}

_IRQL_requires_(PASSIVE_LEVEL) INIT_ONLY NTSTATUS device_init(PDRIVER_OBJECT driver)
{
	NTSTATUS status;

	AT_PASSIVE();
	status = IoCreateDevice(
		driver, 0, (PUNICODE_STRING)&device_name, FILE_DEVICE_UNKNOWN, FILE_DEVICE_SECURE_OPEN, FALSE, &device);
	if (!NT_SUCCESS(status))
		return status;
	device->Flags |= DO_BUFFERED_IO;
	status = secure();
	if (NT_SUCCESS(status))
		status = IoCreateSymbolicLink((PUNICODE_STRING)&link_name, (PUNICODE_STRING)&device_name);
	if (!NT_SUCCESS(status)) {
		IoDeleteDevice(device);
		return status;
	}
	device->Flags &= ~DO_DEVICE_INITIALIZING;
	return STATUS_SUCCESS;
}

_IRQL_requires_(PASSIVE_LEVEL) void device_cleanup(void)
{
	AT_PASSIVE();
	IoDeleteSymbolicLink((PUNICODE_STRING)&link_name);
	requests_cleanup();
	IoDeleteDevice(device);
}

/*
 * Windows always tells who opens. Wine does not (its create requests have no security context), and has no SeTokenIsAdmin: there the
 * access list is all there is.
 */
_IRQL_requires_(PASSIVE_LEVEL) NTSTATUS device_check_opener(PIRP request)
{
	PIO_STACK_LOCATION location;
	PIO_SECURITY_CONTEXT context;
	PSECURITY_SUBJECT_CONTEXT subject;
	PACCESS_TOKEN token;

	AT_PASSIVE();
	location = IoGetCurrentIrpStackLocation(request);
	context = location->Parameters.Create.SecurityContext;
	if (location->FileObject != NULL && location->FileObject->FileName.Length != 0)
		return STATUS_OBJECT_PATH_NOT_FOUND; /* there is nothing in the device */
	if (request->RequestorMode == KernelMode || context == NULL || context->AccessState == NULL || routines.token_is_admin == NULL)
		return STATUS_SUCCESS;
	subject = &context->AccessState->SubjectSecurityContext;
	token = subject->ClientToken != NULL ? subject->ClientToken : subject->PrimaryToken;
	return token != NULL && routines.token_is_admin(token) ? STATUS_SUCCESS : STATUS_ACCESS_DENIED;
}
