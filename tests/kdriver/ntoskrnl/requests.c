/* The I/O manager: the driver's image, its device, requests, cancelling, remove locks. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "order.h"
#include "user.h"

#define PAGE 0x1000u

struct holder {
	PVOID tag;
	struct holder *next;
};

const char *driver_image;

static struct fake_driver driver;
static LONG references_of_driver;
static struct fake_device *device;
static bool has_link;
static bool is_unload_pending;
static bool is_loaded;
static void *image;
static unsigned requests_open;
static KSPIN_LOCK cancel_lock;
static unsigned names_used;

void requests_reset(void)
{
	memset(&driver, 0, sizeof(driver));
	device = NULL;
	has_link = is_unload_pending = is_loaded = false;
	requests_open = names_used = 0;
	references_of_driver = 0;
	cancel_lock = 0;
}

PDRIVER_OBJECT driver_object(void)
{
	return &driver;
}

LONG *driver_references(void)
{
	return &references_of_driver;
}

bool user_is_loaded(void)
{
	return is_loaded;
}

static void *find(const char *name)
{
	void *address = dlsym(image, name);

	if (address == NULL)
		bug("%s has no %s", driver_image, name);
	return address;
}

/* As the system does with the section INIT: whoever calls into it from now on meets UD2 (functions stand at even addresses). */
static void throw_init_away(void)
{
	char *begin = *(char **)find("fake_init_begin"), *end = *(char **)find("fake_init_end");
	char *page = (char *)((uintptr_t)begin & ~(uintptr_t)(PAGE - 1));
	size_t bytes = (size_t)(end - page);

	if (mprotect(page, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		bug("the section INIT cannot be written to");
	for (size_t i = 0; begin + i < end; i++)
		begin[i] = (uintptr_t)(begin + i) % 2 == 0 ? 0x0F : 0x0B;
	mprotect(page, bytes, PROT_READ | PROT_EXEC);
}

static void check_gone(void)
{
	threads_check();
	timers_check();
	objects_check();
	memory_check();
	routines_check();
	requests_check();
	is_loaded = false;
	dlclose(image);
	image = NULL;
}

NTSTATUS user_loads(void)
{
	DRIVER_INITIALIZE *entry;
	NTSTATUS status;

	image = dlopen(driver_image, RTLD_NOW | RTLD_LOCAL);
	if (image == NULL)
		bug("the driver does not load: %s", dlerror());
	memset(&driver, 0, sizeof(driver));
	*(void **)&entry = find("DriverEntry");
	is_loaded = true;
	status = entry(&driver, NULL);
	if (self->irql != PASSIVE_LEVEL || self->lock_count != 0)
		bug("DriverEntry returns at level %d", self->irql);
	if (NT_SUCCESS(status)) {
		/* The I/O manager does so for the devices that DriverEntry made. */
		if (device != NULL)
			device->Flags &= ~DO_DEVICE_INITIALIZING;
		throw_init_away();
	} else {
		check_gone();
	}
	return status;
}

static void unload(void)
{
	DRIVER_UNLOAD *routine = driver.DriverUnload;

	is_unload_pending = false;
	if (routine == NULL)
		bug("the I/O manager calls DriverUnload, which is 0");
	routine(&driver);
	if (self->irql != PASSIVE_LEVEL || self->lock_count != 0)
		bug("DriverUnload returns at level %d", self->irql);
	check_gone();
}

/* IoUnloadDriver: what has no DriverUnload stays; with a handle open, or a reference, it waits for the last of them. */
NTSTATUS user_unloads(void)
{
	ROUTINE(PASSIVE_LEVEL);
	if (driver.DriverUnload == NULL || is_unload_pending)
		return STATUS_INVALID_DEVICE_REQUEST;
	is_unload_pending = true;
	if (device == NULL || device->ReferenceCount == 0)
		unload();
	return STATUS_SUCCESS;
}

NTSTATUS IoCreateDevice(PDRIVER_OBJECT owner, ULONG extension, PUNICODE_STRING name, DEVICE_TYPE type, ULONG characteristics,
	BOOLEAN is_exclusive, PDEVICE_OBJECT *made)
{
	ROUTINE(APC_LEVEL);
	(void)extension;
	(void)name;
	(void)type;
	(void)is_exclusive;
	if (device != NULL)
		bug("a second device");
	if (fails("IoCreateDevice"))
		return STATUS_INSUFFICIENT_RESOURCES;
	device = malloc(sizeof(*device));
	*device = (struct fake_device){ .DriverObject = owner, .Flags = DO_DEVICE_INITIALIZING, .Characteristics = characteristics };
	*made = device;
	return STATUS_SUCCESS;
}

void IoDeleteDevice(PDEVICE_OBJECT which)
{
	ROUTINE(APC_LEVEL);
	if (which != device || device == NULL)
		bug("IoDeleteDevice of no device");
	if (device->ReferenceCount != 0)
		bug("IoDeleteDevice with %d handles open", device->ReferenceCount);
	free(device);
	device = NULL;
}

NTSTATUS IoCreateSymbolicLink(PUNICODE_STRING link, PUNICODE_STRING name)
{
	ROUTINE(PASSIVE_LEVEL);
	(void)link;
	(void)name;
	if (fails("IoCreateSymbolicLink"))
		return STATUS_OBJECT_NAME_COLLISION;
	has_link = true;
	return STATUS_SUCCESS;
}

NTSTATUS IoDeleteSymbolicLink(PUNICODE_STRING link)
{
	ROUTINE(PASSIVE_LEVEL);
	(void)link;
	if (!has_link)
		bug("IoDeleteSymbolicLink of no link");
	has_link = false;
	return STATUS_SUCCESS;
}

void requests_check(void)
{
	if (device != NULL || has_link)
		bug("the driver is gone and its device is not");
	if (requests_open != 0)
		bug("the driver is gone and %u requests wait", requests_open);
	if (references_of_driver != 0)
		bug("the driver is gone and %d references to its object are left", references_of_driver);
}

/* The request ends; nobody has its IRP any more. */
static void end(struct request *request)
{
	PIRP irp = request->irp;

	request->status = irp->IoStatus.Status;
	request->information = irp->IoStatus.Information;
	if (request->status == STATUS_PENDING)
		bug("a request is completed with STATUS_PENDING");
	if (request->information > request->output_bytes)
		bug("a request is completed with %zu bytes, where %u were asked for", (size_t)request->information, request->output_bytes);
	if (NT_SUCCESS(request->status) && request->information != 0)
		memcpy(request->output, request->buffer, request->information);
	request->irp = NULL;
	free(request->buffer);
	free(irp);
	requests_open--;
	COMES_BEFORE(request);
	wake_all(request);
	if (request->holds_file) {
		request->file->references--;
		wake_all(request->file);
	}
}

void IoCompleteRequest(PIRP irp, CCHAR boost)
{
	ROUTINE(DISPATCH_LEVEL);
	(void)boost;
	if (irp->request->irp != irp)
		bug("a request is completed twice");
	if (irp->CancelRoutine != NULL)
		bug("a request is completed that can still be cancelled");
	if (self->lock_count != 0)
		bug("a request is completed with a spin lock held");
	end(irp->request);
	yield();
}

void IoMarkIrpPending(PIRP irp)
{
	ROUTINE(DISPATCH_LEVEL);
	if (irp->request->is_returned)
		bug("a request is marked pending behind its dispatch routine");
	irp->request->is_marked = true;
}

DRIVER_CANCEL *IoSetCancelRoutine(PIRP irp, DRIVER_CANCEL *routine)
{
	DRIVER_CANCEL *before;

	ROUTINE(DISPATCH_LEVEL);
	COMES_BEHIND(&irp->CancelRoutine);
	before = irp->CancelRoutine;
	irp->CancelRoutine = routine;
	COMES_BEFORE(&irp->CancelRoutine);
	yield();
	return before;
}

void IoReleaseCancelSpinLock(KIRQL before)
{
	KeReleaseSpinLock(&cancel_lock, before);
}

/*
 * IoCancelIrp. The I/O manager keeps the IRP while it looks, and the file until it is through (NtCancelIoFileEx has it referenced); the
 * cancel routine, once it is called, has the IRP for itself.
 */
static void cancel(struct request *request)
{
	DRIVER_CANCEL *routine;
	KIRQL before;
	PIRP irp;

	KeAcquireSpinLock(&cancel_lock, &before);
	irp = request->irp;
	if (irp == NULL) {
		KeReleaseSpinLock(&cancel_lock, before);
		return;
	}
	irp->Cancel = TRUE;
	COMES_BEHIND(&irp->CancelRoutine);
	routine = irp->CancelRoutine;
	irp->CancelRoutine = NULL;
	COMES_BEFORE(&irp->CancelRoutine);
	if (routine == NULL) {
		KeReleaseSpinLock(&cancel_lock, before);
		return;
	}
	irp->CancelIrql = before;
	routine(device, irp);
	if (self->irql != before || self->lock_count != 0)
		bug("a cancel routine returns at level %d with %u spin locks", self->irql, self->lock_count);
}

void user_cancels(struct request *request)
{
	PFILE_OBJECT file = request->irp != NULL ? request->file : NULL;

	if (file == NULL)
		return;
	file->references++;
	cancel(request);
	file->references--;
	wake_all(file);
}

static PIRP make(struct request *request, PFILE_OBJECT file, UCHAR function, const void *input, uint32_t input_bytes)
{
	uint32_t bytes = input_bytes > request->output_bytes ? input_bytes : request->output_bytes;
	PIRP irp = malloc(sizeof(*irp));

	memset(irp, 0, sizeof(*irp));
	request->buffer = bytes == 0 ? NULL : malloc(bytes);
	if (bytes != 0)
		memset(request->buffer, 0xCD, bytes);
	if (input_bytes != 0)
		memcpy(request->buffer, input, input_bytes);
	request->irp = irp;
	request->file = file;
	request->is_marked = request->is_returned = false;
	irp->AssociatedIrp.SystemBuffer = request->buffer;
	irp->RequestorMode = UserMode;
	irp->request = request;
	irp->location.MajorFunction = function;
	irp->location.DeviceObject = device;
	irp->location.FileObject = file;
	requests_open++;
	return irp;
}

static NTSTATUS send(struct request *request, PIRP irp)
{
	DRIVER_DISPATCH *dispatch = driver.MajorFunction[irp->location.MajorFunction];
	NTSTATUS status;

	if (dispatch == NULL) { /* the I/O manager's own */
		irp->IoStatus.Status = STATUS_INVALID_DEVICE_REQUEST;
		irp->IoStatus.Information = 0;
		request->is_returned = true;
		end(request);
		return STATUS_INVALID_DEVICE_REQUEST;
	}
	status = dispatch(device, irp);
	if (self->irql != PASSIVE_LEVEL || self->lock_count != 0)
		bug("a dispatch routine returns at level %d with %u spin locks", self->irql, self->lock_count);
	request->is_returned = true;
	if ((status == STATUS_PENDING) != request->is_marked)
		bug("a dispatch routine returns 0x%x and has %smarked its request pending", status, request->is_marked ? "" : "not ");
	if (status != STATUS_PENDING && (request->irp != NULL || request->status != status))
		bug("a dispatch routine returns 0x%x and has completed its request with 0x%x", status, request->status);
	return status;
}

NTSTATUS user_awaits(struct request *request)
{
	while (request->irp != NULL)
		wait_for(request, NEVER);
	COMES_BEHIND(request);
	return request->status;
}

PFILE_OBJECT user_opens_as(bool is_administrator, const char *name_inside, NTSTATUS *status)
{
	ACCESS_STATE access = { .SubjectSecurityContext = { .PrimaryToken = user_token(is_administrator) } };
	IO_SECURITY_CONTEXT security = { .AccessState = &access, .DesiredAccess = FILE_ALL_ACCESS };
	struct request request = { .output_bytes = 0 };
	PFILE_OBJECT file;
	PIRP irp;

	ROUTINE(PASSIVE_LEVEL);
	*status = STATUS_NO_SUCH_DEVICE;
	if (!is_loaded || device == NULL || !has_link || is_unload_pending || (device->Flags & DO_DEVICE_INITIALIZING))
		return NULL;
	if (!device_is_secured() || !(device->Characteristics & FILE_DEVICE_SECURE_OPEN) || !(device->Flags & DO_BUFFERED_IO))
		bug("the device can be opened before it is secured");
	device->ReferenceCount++;
	file = malloc(sizeof(*file));
	*file = (struct fake_file){ .DeviceObject = device, .references = 1 };
	if (name_inside[0] != 0)
		file->FileName.Length = (USHORT)(2 * strlen(name_inside));
	irp = make(&request, file, IRP_MJ_CREATE, NULL, 0);
	irp->location.Parameters.Create.SecurityContext = &security;
	send(&request, irp);
	*status = user_awaits(&request);
	if (NT_SUCCESS(*status))
		return file;
	device->ReferenceCount--;
	free(file);
	if (is_unload_pending && device->ReferenceCount == 0)
		unload();
	return NULL;
}

PFILE_OBJECT user_opens(void)
{
	NTSTATUS status;
	PFILE_OBJECT file = user_opens_as(true, "", &status);

	return file;
}

static void send_to(PFILE_OBJECT file, UCHAR function)
{
	struct request request = { .output_bytes = 0 };

	send(&request, make(&request, file, function, NULL, 0));
	user_awaits(&request);
}

/* The handle's requests keep the file open behind its clean-up. */
void user_closes(PFILE_OBJECT file)
{
	ROUTINE(PASSIVE_LEVEL);
	send_to(file, IRP_MJ_CLEANUP);
	file->references--;
	while (file->references != 0)
		wait_for(file, NEVER);
	send_to(file, IRP_MJ_CLOSE);
	free(file);
	device->ReferenceCount--;
	if (is_unload_pending && device->ReferenceCount == 0)
		unload();
}

static NTSTATUS begin_request(struct request *request, PIRP irp)
{
	NTSTATUS status;

	request->file->references++;
	request->holds_file = true;
	status = send(request, irp);
	if (status != STATUS_PENDING)
		COMES_BEHIND(request);
	return status;
}

NTSTATUS user_begins_control(PFILE_OBJECT file, uint32_t code, const void *input, uint32_t input_bytes, void *output, uint32_t output_bytes,
	struct request *request)
{
	PIRP irp;

	ROUTINE(PASSIVE_LEVEL);
	*request = (struct request){ .output = output, .output_bytes = output_bytes };
	irp = make(request, file, IRP_MJ_DEVICE_CONTROL, input, input_bytes);
	irp->location.Parameters.DeviceIoControl.IoControlCode = code;
	irp->location.Parameters.DeviceIoControl.InputBufferLength = input_bytes;
	irp->location.Parameters.DeviceIoControl.OutputBufferLength = output_bytes;
	return begin_request(request, irp);
}

NTSTATUS user_begins_read(PFILE_OBJECT file, void *output, uint32_t bytes, struct request *request)
{
	PIRP irp;

	ROUTINE(PASSIVE_LEVEL);
	*request = (struct request){ .output = output, .output_bytes = bytes };
	irp = make(request, file, IRP_MJ_READ, NULL, 0);
	irp->location.Parameters.Read.Length = bytes;
	return begin_request(request, irp);
}

NTSTATUS user_controls(PFILE_OBJECT file, uint32_t code, const void *input, uint32_t input_bytes, void *output, uint32_t output_bytes,
	ULONG_PTR *written)
{
	struct request request;

	if (user_begins_control(file, code, input, input_bytes, output, output_bytes, &request) == STATUS_PENDING)
		user_awaits(&request);
	if (written != NULL)
		*written = request.information;
	return request.status;
}

void IoInitializeRemoveLockEx(PIO_REMOVE_LOCK lock, ULONG tag, ULONG minutes, ULONG most, ULONG bytes)
{
	ROUTINE(PASSIVE_LEVEL);
	(void)tag;
	(void)minutes;
	(void)most;
	if (bytes != sizeof(*lock))
		bug("IoInitializeRemoveLockEx with %u bytes", bytes);
	*lock = (IO_REMOVE_LOCK){ .magic = MAGIC_REMOVE_LOCK };
}

static void check(const IO_REMOVE_LOCK *lock)
{
	if (lock->magic != MAGIC_REMOVE_LOCK)
		bug("a remove lock that was not initialised");
}

NTSTATUS IoAcquireRemoveLockEx(PIO_REMOVE_LOCK lock, PVOID tag, PCSTR file, ULONG line, ULONG bytes)
{
	struct holder *holder;

	ROUTINE(DISPATCH_LEVEL);
	(void)file;
	(void)line;
	(void)bytes;
	check(lock);
	COMES_BEHIND(lock);
	if (lock->is_removed)
		return STATUS_DELETE_PENDING;
	holder = malloc(sizeof(*holder));
	*holder = (struct holder){ .tag = tag, .next = lock->tags };
	lock->tags = holder;
	COMES_BEFORE(holder);
	lock->holders++;
	return STATUS_SUCCESS;
}

static void give(PIO_REMOVE_LOCK lock, PVOID tag)
{
	struct holder **link = &lock->tags, *holder;

	check(lock);
	while (*link != NULL && (*link)->tag != tag)
		link = &(*link)->next;
	holder = *link;
	if (holder == NULL)
		bug("a remove lock is given back by who does not hold it");
	*link = holder->next;
	COMES_BEHIND(holder);
	free(holder);
	COMES_BEFORE(lock);
	lock->holders--;
	wake_all(lock);
}

void IoReleaseRemoveLockEx(PIO_REMOVE_LOCK lock, PVOID tag, ULONG bytes)
{
	ROUTINE(DISPATCH_LEVEL);
	(void)bytes;
	give(lock, tag);
	yield();
}

void IoReleaseRemoveLockAndWaitEx(PIO_REMOVE_LOCK lock, PVOID tag, ULONG bytes)
{
	ROUTINE(PASSIVE_LEVEL);
	(void)bytes;
	lock->is_removed = TRUE;
	give(lock, tag);
	while (lock->holders != 0)
		wait_for(lock, NEVER);
	COMES_BEHIND(lock);
}
