/* Handles, references, callbacks, power settings, security. */
#include <stdlib.h>
#include <string.h>

#include "objects.h"
#include "order.h"
#include "kernel_api.h"
#include "user.h"

#define HANDLES 256u
#define POWER_STATE "\\Callback\\PowerState"

struct fake_callback {
	ULONG magic;
	LONG references;
};

struct registration {
	CALLBACK_FUNCTION *function;
	POWER_SETTING_CALLBACK *power_setting;
	PROCESSOR_CALLBACK_FUNCTION *processor_change;
	PVOID context;
	GUID setting;
	unsigned running;
	struct registration *next;
};

#define MAGIC_CALLBACK 0x43414C4Cu

static void *handles[HANDLES];
static struct fake_callback power_state;
static struct registration *registrations;
static const char token_of_user, token_of_administrator;
static bool has_access_list;

void objects_reset(void)
{
	memset(handles, 0, sizeof(handles));
	power_state = (struct fake_callback){ .magic = MAGIC_CALLBACK };
	registrations = NULL;
	has_access_list = false;
}

HANDLE handle_open(void *object)
{
	for (unsigned i = 0; i < HANDLES; i++) {
		if (handles[i] != NULL)
			continue;
		handles[i] = object;
		ObReferenceObject(object);
		return (HANDLE)(uintptr_t)(0x80000000u + 4 * i);
	}
	bug("no handle is free");
}

static void **slot(HANDLE handle)
{
	uintptr_t index = ((uintptr_t)handle - 0x80000000u) / 4;

	if (index >= HANDLES || handles[index] == NULL)
		bug("a handle %p that is not open", handle);
	return &handles[index];
}

NTSTATUS ZwClose(HANDLE handle)
{
	void *object;

	ROUTINE(PASSIVE_LEVEL);
	object = *slot(handle);
	*slot(handle) = NULL;
	object_release(object);
	return STATUS_SUCCESS;
}

NTSTATUS ZwWaitForSingleObject(HANDLE handle, BOOLEAN is_alertable, PLARGE_INTEGER timeout)
{
	ROUTINE(PASSIVE_LEVEL);
	return KeWaitForSingleObject(*slot(handle), Executive, KernelMode, is_alertable, timeout);
}

NTSTATUS ZwSetInformationThread(HANDLE handle, THREADINFOCLASS what, PVOID information, ULONG bytes)
{
	ROUTINE(PASSIVE_LEVEL);
	if (what != ThreadPriority || bytes != sizeof(KPRIORITY))
		bug("ZwSetInformationThread(%d)", what);
	KeSetPriorityThread(*slot(handle), *(KPRIORITY *)information);
	return STATUS_SUCCESS;
}

/* What an object counts its references with; null for those that this fake does not count. */
static LONG *references_of(void *object)
{
	switch (*(ULONG *)object) {
	case MAGIC_THREAD:
		return &((struct fake_fiber *)object)->references;
	case MAGIC_CALLBACK:
		return &((struct fake_callback *)object)->references;
	default:
		return object == driver_object() ? driver_references() : NULL;
	}
}

NTSTATUS ObReferenceObjectByHandle(HANDLE handle, ACCESS_MASK access, POBJECT_TYPE type, KPROCESSOR_MODE mode, PVOID *object,
	PVOID information)
{
	ROUTINE(PASSIVE_LEVEL);
	(void)access;
	(void)type;
	(void)mode;
	(void)information;
	if (fails("ObReferenceObjectByHandle"))
		return STATUS_INSUFFICIENT_RESOURCES;
	*object = *slot(handle);
	ObReferenceObject(*object);
	return STATUS_SUCCESS;
}

void ObReferenceObject(PVOID object)
{
	LONG *references = references_of(object);

	ROUTINE(DISPATCH_LEVEL);
	if (references != NULL)
		++*references;
}

void object_release(void *object)
{
	LONG *references = references_of(object);

	if (references != NULL && --*references < 0)
		bug("a reference is given back that was not taken");
}

void ObDereferenceObject(PVOID object)
{
	ROUTINE(DISPATCH_LEVEL);
	object_release(object);
}

NTSTATUS ExCreateCallback(PCALLBACK_OBJECT *callback, POBJECT_ATTRIBUTES attributes, BOOLEAN is_created, BOOLEAN are_many)
{
	ROUTINE(PASSIVE_LEVEL);
	(void)are_many;
	if (is_created || !is_name(attributes->ObjectName, POWER_STATE))
		bug("ExCreateCallback of something else than PowerState");
	if (fails("ExCreateCallback"))
		return STATUS_INSUFFICIENT_RESOURCES;
	ObReferenceObject(&power_state);
	*callback = &power_state;
	return STATUS_SUCCESS;
}

static struct registration *add(void)
{
	struct registration *made = calloc(1, sizeof(*made));

	made->next = registrations;
	registrations = made;
	return made;
}

static struct registration *check(struct registration *wanted)
{
	for (struct registration *registration = registrations; registration != NULL; registration = registration->next) {
		if (registration == wanted)
			return wanted;
	}
	bug("a callback is unregistered that is not registered");
}

/* Waits for those of its calls that run. */
static void take_out(struct registration *wanted)
{
	struct registration **link = &registrations;

	check(wanted);
	while (wanted->running != 0)
		wait_for(wanted, NEVER);
	while (*link != wanted)
		link = &(*link)->next;
	*link = wanted->next;
	COMES_BEHIND(wanted);
	free(wanted);
}

PVOID ExRegisterCallback(PCALLBACK_OBJECT callback, PCALLBACK_FUNCTION function, PVOID context)
{
	struct registration *made;

	ROUTINE(APC_LEVEL);
	if (callback->magic != MAGIC_CALLBACK || callback->references == 0)
		bug("ExRegisterCallback for no callback object");
	if (fails("ExRegisterCallback"))
		return NULL;
	made = add();
	made->function = function;
	made->context = context;
	COMES_BEFORE(made);
	yield();
	return made;
}

void ExUnregisterCallback(PVOID registration)
{
	ROUTINE(APC_LEVEL);
	take_out(registration);
}

NTSTATUS PoRegisterPowerSettingCallback(PDEVICE_OBJECT device, LPCGUID setting, PPOWER_SETTING_CALLBACK callback, PVOID context,
	PVOID *handle)
{
	struct registration *made;

	ROUTINE(PASSIVE_LEVEL);
	(void)device;
	if (fails("PoRegisterPowerSettingCallback"))
		return STATUS_INSUFFICIENT_RESOURCES;
	made = add();
	made->power_setting = callback;
	made->context = context;
	made->setting = *setting;
	COMES_BEFORE(made);
	*handle = made;
	/* The documentation: called with the present value at once. */
	user_changes_power_setting(setting, user_power_setting(setting));
	yield();
	return STATUS_SUCCESS;
}

NTSTATUS PoUnregisterPowerSettingCallback(PVOID handle)
{
	ROUTINE(PASSIVE_LEVEL);
	take_out(handle);
	return STATUS_SUCCESS;
}

/* With KE_PROCESSOR_CHANGE_ADD_EXISTING it is called for each processor that is there. */
PVOID KeRegisterProcessorChangeCallback(PPROCESSOR_CALLBACK_FUNCTION function, PVOID context, ULONG flags)
{
	struct registration *made;

	ROUTINE(PASSIVE_LEVEL);
	if (flags != 0)
		bug("KeRegisterProcessorChangeCallback: flags 0x%x are not in this fake", flags);
	if (fails("KeRegisterProcessorChangeCallback"))
		return NULL;
	made = add();
	made->processor_change = function;
	made->context = context;
	COMES_BEFORE(made);
	yield();
	return made;
}

void KeDeregisterProcessorChangeCallback(PVOID handle)
{
	ROUTINE(PASSIVE_LEVEL);
	take_out(handle);
}

static void check_back(KIRQL level)
{
	if (self->irql != level || self->lock_count != 0)
		bug("a callback returns at level %d with %u spin locks", self->irql, self->lock_count);
}

/* Entered and left by each call: a registration under way cannot go. */
static void enter(struct registration *registration)
{
	registration->running++;
	COMES_BEHIND(registration);
	yield();
}

static void leave(struct registration *registration)
{
	COMES_BEFORE(registration);
	registration->running--;
	wake_all(registration);
	yield();
}

/* \Callback\PowerState: at PASSIVE_LEVEL or DISPATCH_LEVEL, as the system likes. */
void user_changes_power(bool is_back, bool is_dispatch)
{
	KIRQL before = PASSIVE_LEVEL;

	for (struct registration *registration = registrations; registration != NULL; registration = registration->next) {
		if (registration->function == NULL)
			continue;
		enter(registration);
		if (is_dispatch)
			KeRaiseIrql(DISPATCH_LEVEL, &before);
		registration->function(registration->context, (PVOID)PO_CB_SYSTEM_STATE_LOCK, (PVOID)(uintptr_t)is_back);
		check_back(is_dispatch ? DISPATCH_LEVEL : PASSIVE_LEVEL);
		if (is_dispatch)
			KeLowerIrql(before);
		leave(registration);
		break; /* one; the list may be another */
	}
}

void user_changes_power_setting(const GUID *setting, ULONG value)
{
	ULONG copy = value;

	for (struct registration *registration = registrations; registration != NULL; registration = registration->next) {
		if (registration->power_setting == NULL || memcmp(&registration->setting, setting, sizeof(*setting)) != 0)
			continue;
		enter(registration);
		registration->power_setting(setting, &copy, sizeof(copy), registration->context);
		check_back(PASSIVE_LEVEL);
		leave(registration);
		break;
	}
}

static NTSTATUS tell(struct registration *registration, KE_PROCESSOR_CHANGE_NOTIFY_STATE state, unsigned number)
{
	KE_PROCESSOR_CHANGE_NOTIFY_CONTEXT change = { .State = state, .NtNumber = number };
	NTSTATUS status = STATUS_SUCCESS;

	change.ProcNumber.Group = number >= setup.in_first_group;
	change.ProcNumber.Number = (UCHAR)(number >= setup.in_first_group ? number - setup.in_first_group : number);
	enter(registration);
	registration->processor_change(registration->context, &change, &status);
	check_back(PASSIVE_LEVEL);
	leave(registration);
	return status;
}

/* The driver is asked, the processor starts, the driver is told. */
void user_adds_processor(void)
{
	struct registration *registration = registrations;
	unsigned number = active_processors;

	while (registration != NULL && registration->processor_change == NULL)
		registration = registration->next;
	if (registration != NULL && !NT_SUCCESS(tell(registration, KeProcessorAddStartNotify, number)))
		return;
	active_processors++;
	yield();
	for (registration = registrations; registration != NULL; registration = registration->next) {
		if (registration->processor_change != NULL) {
			tell(registration, KeProcessorAddCompleteNotify, number);
			break;
		}
	}
}

NTSTATUS RtlCreateAcl(PACL acl, ULONG bytes, ULONG revision)
{
	ROUTINE(APC_LEVEL);
	if (fails("RtlCreateAcl"))
		return STATUS_INVALID_PARAMETER;
	*acl = (ACL){ .AclRevision = (UCHAR)revision, .AclSize = (USHORT)bytes };
	return STATUS_SUCCESS;
}

static unsigned bytes_of(const UCHAR *sid)
{
	return 8u + 4u * sid[1];
}

NTSTATUS RtlAddAccessAllowedAce(PACL acl, ULONG revision, ACCESS_MASK access, PSID who)
{
	unsigned used = sizeof(*acl), bytes = 8 + bytes_of(who);
	UCHAR *ace = (UCHAR *)acl + used;

	ROUTINE(APC_LEVEL);
	(void)revision;
	for (unsigned i = 0; i < acl->AceCount; i++) {
		used += ((ACCESS_ALLOWED_ACE *)(void *)ace)->AceSize;
		ace = (UCHAR *)acl + used;
	}
	if (used + bytes > acl->AclSize || fails("RtlAddAccessAllowedAce"))
		return STATUS_INVALID_PARAMETER;
	((ACCESS_ALLOWED_ACE *)(void *)ace)->AceSize = (USHORT)bytes;
	((ACCESS_ALLOWED_ACE *)(void *)ace)->Mask = access;
	memcpy(ace + 8, who, bytes - 8);
	acl->AceCount++;
	return STATUS_SUCCESS;
}

NTSTATUS RtlCreateSecurityDescriptor(PSECURITY_DESCRIPTOR descriptor, ULONG revision)
{
	ROUTINE(APC_LEVEL);
	*(SECURITY_DESCRIPTOR *)descriptor = (SECURITY_DESCRIPTOR){ .Revision = (UCHAR)revision };
	return STATUS_SUCCESS;
}

NTSTATUS RtlSetDaclSecurityDescriptor(PSECURITY_DESCRIPTOR descriptor, BOOLEAN is_present, PACL acl, BOOLEAN is_default)
{
	ROUTINE(APC_LEVEL);
	(void)is_default;
	((SECURITY_DESCRIPTOR *)descriptor)->Dacl = is_present ? acl : NULL;
	return STATUS_SUCCESS;
}

NTSTATUS ObOpenObjectByPointer(PVOID object, ULONG attributes, PVOID state, ACCESS_MASK access, POBJECT_TYPE type, KPROCESSOR_MODE mode,
	PHANDLE handle)
{
	ROUTINE(PASSIVE_LEVEL);
	(void)state;
	(void)access;
	(void)type;
	(void)mode;
	if (!(attributes & OBJ_KERNEL_HANDLE))
		bug("a handle of the device that a program could use");
	if (fails("ObOpenObjectByPointer"))
		return STATUS_INSUFFICIENT_RESOURCES;
	*handle = handle_open(object);
	return STATUS_SUCCESS;
}

NTSTATUS ZwSetSecurityObject(HANDLE handle, SECURITY_INFORMATION what, PSECURITY_DESCRIPTOR descriptor)
{
	ROUTINE(PASSIVE_LEVEL);
	slot(handle);
	if (what != DACL_SECURITY_INFORMATION || ((SECURITY_DESCRIPTOR *)descriptor)->Dacl == NULL ||
		((SECURITY_DESCRIPTOR *)descriptor)->Dacl->AceCount != 2)
		bug("an access list that is not SYSTEM and administrators");
	if (fails("ZwSetSecurityObject"))
		return STATUS_ACCESS_DENIED;
	has_access_list = true;
	return STATUS_SUCCESS;
}

bool device_is_secured(void)
{
	return has_access_list;
}

PACCESS_TOKEN user_token(bool is_administrator)
{
	return (PACCESS_TOKEN)(uintptr_t)(is_administrator ? &token_of_administrator : &token_of_user);
}

BOOLEAN SeTokenIsAdmin(PACCESS_TOKEN token)
{
	ROUTINE(PASSIVE_LEVEL);
	if (token != &token_of_user && token != &token_of_administrator)
		bug("SeTokenIsAdmin of no token");
	return token == &token_of_administrator;
}

void objects_check(void)
{
	for (unsigned i = 0; i < HANDLES; i++) {
		if (handles[i] != NULL)
			bug("the driver is gone and a handle is open");
	}
	if (registrations != NULL)
		bug("the driver is gone and a callback is registered");
	if (power_state.references != 0)
		bug("the driver is gone and PowerState has %d references of it", power_state.references);
}
