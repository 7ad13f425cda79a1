/*
 * The kernel's headers as far as kdriver/wdm uses them, for the fake kernel of this folder: names, constants and signatures as the
 * documentation of wdm.h, ntddk.h and ntifs.h gives them; structures hold what the documentation lets a driver touch, and otherwise what
 * the fake keeps for itself.
 *
 * IRQL_ANNOTATIONS: the _IRQL_* annotations stay in the syntax tree, for irql_calls.py.
 */
#ifndef NTIFS_H
#define NTIFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NTAPI
#define NTSYSAPI
#define NTKERNELAPI
#define CONST const
#define VOID void
#define FALSE 0
#define TRUE 1

#ifdef IRQL_ANNOTATIONS
#define _IRQL_requires_(level) __attribute__((annotate("irql", level, level)))
#define _IRQL_requires_max_(level) __attribute__((annotate("irql", PASSIVE_LEVEL, level)))
#else
#define _IRQL_requires_(level)
#define _IRQL_requires_max_(level)
#endif

#define UNREFERENCED_PARAMETER(parameter) ((void)(parameter))
#define CONTAINING_RECORD(address, type, field) ((type *)(void *)((char *)(address) - offsetof(type, field)))

typedef uint8_t UCHAR, BOOLEAN, KIRQL, *PBOOLEAN;
typedef int8_t CHAR, CCHAR, KPROCESSOR_MODE;
typedef const char *PCSTR;
typedef uint16_t USHORT, WCHAR, *PWSTR;
typedef const WCHAR *PCWSTR;
typedef int32_t LONG, NTSTATUS, KPRIORITY, *PLONG;
typedef uint32_t ULONG, LOGICAL, ACCESS_MASK, SECURITY_INFORMATION, DEVICE_TYPE, POOL_TYPE, *PULONG;
typedef int64_t LONGLONG;
typedef uint64_t ULONGLONG, ULONG64, REGHANDLE, *PREGHANDLE, *PULONGLONG;
typedef uintptr_t ULONG_PTR, SIZE_T, KSPIN_LOCK, KAFFINITY, *PKSPIN_LOCK;
typedef void *PVOID, *HANDLE, **PHANDLE, *PACCESS_TOKEN, *PSECURITY_DESCRIPTOR, *PSID;

typedef union {
	struct {
		ULONG LowPart;
		LONG HighPart;
	} u;
	LONGLONG QuadPart;
} LARGE_INTEGER, *PLARGE_INTEGER;

typedef struct {
	ULONG Data1;
	USHORT Data2;
	USHORT Data3;
	UCHAR Data4[8];
} GUID;
typedef const GUID *LPCGUID;

typedef struct list_entry {
	struct list_entry *Flink;
	struct list_entry *Blink;
} LIST_ENTRY, *PLIST_ENTRY;

static inline void InitializeListHead(PLIST_ENTRY head)
{
	head->Flink = head->Blink = head;
}

static inline BOOLEAN RemoveEntryList(PLIST_ENTRY entry)
{
	entry->Blink->Flink = entry->Flink;
	entry->Flink->Blink = entry->Blink;
	return entry->Flink == entry->Blink;
}

static inline void InsertTailList(PLIST_ENTRY head, PLIST_ENTRY entry)
{
	entry->Flink = head;
	entry->Blink = head->Blink;
	head->Blink->Flink = entry;
	head->Blink = entry;
}

static inline BOOLEAN IsListEmpty(const LIST_ENTRY *head)
{
	return head->Flink == head;
}

/* Levels, amd64. */
#define PASSIVE_LEVEL 0
#define APC_LEVEL 1
#define DISPATCH_LEVEL 2
#define CLOCK_LEVEL 13
#define HIGH_LEVEL 15

#define NT_SUCCESS(status) ((NTSTATUS)(status) >= 0)
#define STATUS_SUCCESS ((NTSTATUS)0)
#define STATUS_TIMEOUT ((NTSTATUS)0x102)
#define STATUS_PENDING ((NTSTATUS)0x103)
#define STATUS_NOT_IMPLEMENTED ((NTSTATUS)0xC0000002)
#define STATUS_INVALID_INFO_CLASS ((NTSTATUS)0xC0000003)
#define STATUS_INVALID_PARAMETER ((NTSTATUS)0xC000000D)
#define STATUS_NO_SUCH_DEVICE ((NTSTATUS)0xC000000E)
#define STATUS_INVALID_DEVICE_REQUEST ((NTSTATUS)0xC0000010)
#define STATUS_ACCESS_DENIED ((NTSTATUS)0xC0000022)
#define STATUS_BUFFER_TOO_SMALL ((NTSTATUS)0xC0000023)
#define STATUS_OBJECT_NAME_COLLISION ((NTSTATUS)0xC0000035)
#define STATUS_OBJECT_PATH_NOT_FOUND ((NTSTATUS)0xC000003A)
#define STATUS_DELETE_PENDING ((NTSTATUS)0xC0000056)
#define STATUS_INSUFFICIENT_RESOURCES ((NTSTATUS)0xC000009A)
#define STATUS_DEVICE_NOT_READY ((NTSTATUS)0xC00000A3)
#define STATUS_NOT_SUPPORTED ((NTSTATUS)0xC00000BB)
#define STATUS_CANCELLED ((NTSTATUS)0xC0000120)
#define STATUS_INVALID_DEVICE_STATE ((NTSTATUS)0xC0000184)

/* An assertion of a checked build: kernel.h asks for it where a level is not the one that a function is annotated with. */
#define DbgRaiseAssertionFailure() fake_level_is_wrong(__func__)
_Noreturn void fake_level_is_wrong(const char *function);

/* clang's exception handlers for drivers: here a fault is a signal (faults.c). */
#define EXCEPTION_EXECUTE_HANDLER 1
#define __try if (__builtin_setjmp(fake_try()) == 0)
#define __except(filter) else if (filter)
void **fake_try(void);

/* Memory. */
#define NonPagedPool 0u
#define NonPagedPoolNx 512u
PVOID ExAllocatePoolWithTag(POOL_TYPE type, SIZE_T bytes, ULONG tag);
void ExFreePoolWithTag(PVOID memory, ULONG tag);
#define RtlZeroMemory(to, bytes) __builtin_memset(to, 0, bytes)
#define RtlCopyMemory(to, from, bytes) __builtin_memcpy(to, from, bytes)

/* Strings, version, routines by name. */
typedef struct {
	USHORT Length;
	USHORT MaximumLength;
	PWSTR Buffer;
} UNICODE_STRING, *PUNICODE_STRING;
#define RTL_CONSTANT_STRING(text) { sizeof(text) - sizeof((text)[0]), sizeof(text), (PWSTR)(text) }
void RtlInitUnicodeString(PUNICODE_STRING string, PCWSTR text);

typedef struct {
	ULONG dwOSVersionInfoSize;
	ULONG dwMajorVersion;
	ULONG dwMinorVersion;
	ULONG dwBuildNumber;
	ULONG dwPlatformId;
	WCHAR szCSDVersion[128];
} RTL_OSVERSIONINFOW, *PRTL_OSVERSIONINFOW;
NTSTATUS RtlGetVersion(PRTL_OSVERSIONINFOW version);
PVOID MmGetSystemRoutineAddress(PUNICODE_STRING name);

/* Processors. */
typedef struct {
	USHORT Group;
	UCHAR Number;
	UCHAR Reserved;
} PROCESSOR_NUMBER, *PPROCESSOR_NUMBER;
typedef struct {
	KAFFINITY Mask;
	USHORT Group;
	USHORT Reserved[3];
} GROUP_AFFINITY, *PGROUP_AFFINITY;
#define ALL_PROCESSOR_GROUPS 0xFFFF
#define MAXIMUM_PROCESSORS 64
ULONG KeQueryActiveProcessorCountEx(USHORT group);
ULONG KeQueryMaximumProcessorCountEx(USHORT group);
USHORT KeQueryActiveGroupCount(void);
ULONG KeGetCurrentProcessorNumberEx(PPROCESSOR_NUMBER number);
NTSTATUS KeGetProcessorNumberFromIndex(ULONG index, PPROCESSOR_NUMBER number);
ULONG KeGetProcessorIndexFromNumber(PPROCESSOR_NUMBER number);
KAFFINITY KeSetSystemAffinityThreadEx(KAFFINITY affinity);
void KeRevertToUserAffinityThreadEx(KAFFINITY affinity);
void KeSetSystemGroupAffinityThread(PGROUP_AFFINITY affinity, PGROUP_AFFINITY before);
void KeRevertToUserGroupAffinityThread(PGROUP_AFFINITY before);

typedef enum {
	KeProcessorAddStartNotify = 0,
	KeProcessorAddCompleteNotify,
	KeProcessorAddFailureNotify
} KE_PROCESSOR_CHANGE_NOTIFY_STATE;
typedef struct {
	KE_PROCESSOR_CHANGE_NOTIFY_STATE State;
	ULONG NtNumber;
	NTSTATUS Status;
	PROCESSOR_NUMBER ProcNumber;
} KE_PROCESSOR_CHANGE_NOTIFY_CONTEXT, *PKE_PROCESSOR_CHANGE_NOTIFY_CONTEXT;
typedef void PROCESSOR_CALLBACK_FUNCTION(PVOID context, PKE_PROCESSOR_CHANGE_NOTIFY_CONTEXT change, NTSTATUS *status);
typedef PROCESSOR_CALLBACK_FUNCTION *PPROCESSOR_CALLBACK_FUNCTION;
#define KE_PROCESSOR_CHANGE_ADD_EXISTING 1u
PVOID KeRegisterProcessorChangeCallback(PPROCESSOR_CALLBACK_FUNCTION function, PVOID context, ULONG flags);
void KeDeregisterProcessorChangeCallback(PVOID handle);

/* Levels and locks. */
KIRQL KeGetCurrentIrql(void);
void KeRaiseIrql(KIRQL level, KIRQL *before);
void KeLowerIrql(KIRQL before);
void KeInitializeSpinLock(PKSPIN_LOCK lock);
void KeAcquireSpinLock(PKSPIN_LOCK lock, KIRQL *before);
void KeReleaseSpinLock(PKSPIN_LOCK lock, KIRQL before);
void KeAcquireSpinLockAtDpcLevel(PKSPIN_LOCK lock);
void KeReleaseSpinLockFromDpcLevel(PKSPIN_LOCK lock);

/* Clocks. */
LARGE_INTEGER KeQueryPerformanceCounter(PLARGE_INTEGER hz);
ULONGLONG KeQueryInterruptTime(void);
ULONG KeQueryTimeIncrement(void);
void KeStallExecutionProcessor(ULONG microseconds);
ULONG ExSetTimerResolution(ULONG wanted, BOOLEAN is_set);

/* DPCs and timers. */
struct fake_dpc;
typedef struct fake_dpc KDPC, *PKDPC, *PRKDPC;
typedef void KDEFERRED_ROUTINE(PKDPC dpc, PVOID context, PVOID first, PVOID second);
typedef KDEFERRED_ROUTINE *PKDEFERRED_ROUTINE;
typedef enum {
	LowImportance,
	MediumImportance,
	HighImportance,
	MediumHighImportance
} KDPC_IMPORTANCE;
struct fake_dpc {
	ULONG magic;
	KDPC_IMPORTANCE importance;
	int target; /* -1: the processor that it is inserted on */
	int queued_on; /* -1: not queued */
	PKDEFERRED_ROUTINE routine;
	PVOID context, first, second;
	uint64_t sequence;
	struct fake_dpc *next;
};
void KeInitializeDpc(PKDPC dpc, PKDEFERRED_ROUTINE routine, PVOID context);
void KeSetImportanceDpc(PKDPC dpc, KDPC_IMPORTANCE importance);
void KeSetTargetProcessorDpc(PKDPC dpc, CCHAR number);
NTSTATUS KeSetTargetProcessorDpcEx(PKDPC dpc, PPROCESSOR_NUMBER number);
BOOLEAN KeInsertQueueDpc(PKDPC dpc, PVOID first, PVOID second);
BOOLEAN KeRemoveQueueDpc(PKDPC dpc);
void KeFlushQueuedDpcs(void);

typedef struct fake_timer {
	ULONG magic;
	bool is_set;
	uint64_t due_ns;
	PKDPC dpc;
	struct fake_timer *next;
} KTIMER, *PKTIMER;
void KeInitializeTimer(PKTIMER timer);
BOOLEAN KeSetTimer(PKTIMER timer, LARGE_INTEGER due, PKDPC dpc);
BOOLEAN KeCancelTimer(PKTIMER timer);

/* Things that are waited for. */
typedef enum { NotificationEvent, SynchronizationEvent } EVENT_TYPE;
typedef enum { Executive } KWAIT_REASON;
#define KernelMode 0
#define UserMode 1
#define IO_NO_INCREMENT 0
typedef struct {
	ULONG magic;
	EVENT_TYPE type;
	LONG is_signalled;
} KEVENT, *PKEVENT, *PRKEVENT;
typedef struct {
	ULONG magic;
	LONG depth;
	PVOID owner;
} KMUTEX, *PKMUTEX, *PRKMUTEX;
typedef struct fake_fiber *PKTHREAD, *PETHREAD;
typedef void KSTART_ROUTINE(PVOID context);
typedef KSTART_ROUTINE *PKSTART_ROUTINE;
void KeInitializeEvent(PRKEVENT event, EVENT_TYPE type, BOOLEAN is_signalled);
LONG KeSetEvent(PRKEVENT event, KPRIORITY boost, BOOLEAN is_wait_next);
LONG KeResetEvent(PRKEVENT event);
void KeClearEvent(PRKEVENT event);
LONG KeReadStateEvent(PRKEVENT event);
void KeInitializeMutex(PRKMUTEX mutex, ULONG level);
LONG KeReleaseMutex(PRKMUTEX mutex, BOOLEAN is_wait_next);
NTSTATUS KeWaitForSingleObject(PVOID object, KWAIT_REASON reason, KPROCESSOR_MODE mode, BOOLEAN is_alertable, PLARGE_INTEGER timeout);
NTSTATUS KeDelayExecutionThread(KPROCESSOR_MODE mode, BOOLEAN is_alertable, PLARGE_INTEGER interval);
PKTHREAD KeGetCurrentThread(void);
KPRIORITY KeSetPriorityThread(PKTHREAD thread, KPRIORITY priority);
KPRIORITY KeQueryPriorityThread(PKTHREAD thread);

#define LOW_REALTIME_PRIORITY 16
#define HIGH_PRIORITY 31

/* Objects and handles. */
#define OBJ_CASE_INSENSITIVE 0x40u
#define OBJ_KERNEL_HANDLE 0x200u
#define THREAD_ALL_ACCESS 0x1FFFFFu
#define SYNCHRONIZE 0x100000u
#define WRITE_DAC 0x40000u
#define FILE_ALL_ACCESS 0x1F01FFu
typedef struct {
	ULONG Length;
	HANDLE RootDirectory;
	PUNICODE_STRING ObjectName;
	ULONG Attributes;
	PVOID SecurityDescriptor;
	PVOID SecurityQualityOfService;
} OBJECT_ATTRIBUTES, *POBJECT_ATTRIBUTES;
#define InitializeObjectAttributes(object, name, attributes, root, security) \
	(*(object) = (OBJECT_ATTRIBUTES){ sizeof(OBJECT_ATTRIBUTES), root, name, attributes, security, NULL })
typedef struct fake_object_type *POBJECT_TYPE;
NTSTATUS PsCreateSystemThread(PHANDLE handle, ULONG access, POBJECT_ATTRIBUTES attributes, HANDLE process, PVOID client,
	PKSTART_ROUTINE routine, PVOID context);
NTSTATUS PsTerminateSystemThread(NTSTATUS status);
NTSTATUS ObReferenceObjectByHandle(HANDLE handle, ACCESS_MASK access, POBJECT_TYPE type, KPROCESSOR_MODE mode, PVOID *object,
	PVOID information);
NTSTATUS ObOpenObjectByPointer(PVOID object, ULONG attributes, PVOID state, ACCESS_MASK access, POBJECT_TYPE type, KPROCESSOR_MODE mode,
	PHANDLE handle);
void ObReferenceObject(PVOID object);
void ObDereferenceObject(PVOID object);
NTSTATUS ZwClose(HANDLE handle);
typedef enum { ThreadPriority = 2 } THREADINFOCLASS;
NTSTATUS ZwSetInformationThread(HANDLE handle, THREADINFOCLASS what, PVOID information, ULONG bytes);
NTSTATUS ZwWaitForSingleObject(HANDLE handle, BOOLEAN is_alertable, PLARGE_INTEGER timeout);

/* Callbacks. */
typedef struct fake_callback *PCALLBACK_OBJECT;
typedef void CALLBACK_FUNCTION(PVOID context, PVOID first, PVOID second);
typedef CALLBACK_FUNCTION *PCALLBACK_FUNCTION;
typedef NTSTATUS POWER_SETTING_CALLBACK(LPCGUID setting, PVOID value, ULONG bytes, PVOID context);
typedef POWER_SETTING_CALLBACK *PPOWER_SETTING_CALLBACK;
#define PO_CB_SYSTEM_STATE_LOCK 3
NTSTATUS ExCreateCallback(PCALLBACK_OBJECT *callback, POBJECT_ATTRIBUTES attributes, BOOLEAN is_created, BOOLEAN are_many);
PVOID ExRegisterCallback(PCALLBACK_OBJECT callback, PCALLBACK_FUNCTION function, PVOID context);
void ExUnregisterCallback(PVOID registration);

/* Security. */
#define SID_REVISION 1
#define SECURITY_LOCAL_SYSTEM_RID 18u
#define SECURITY_BUILTIN_DOMAIN_RID 32u
#define DOMAIN_ALIAS_RID_ADMINS 544u
#define ACL_REVISION 2
#define SECURITY_DESCRIPTOR_REVISION 1
#define DACL_SECURITY_INFORMATION 4u
typedef struct {
	UCHAR Value[6];
} SID_IDENTIFIER_AUTHORITY;
typedef struct {
	UCHAR AclRevision;
	UCHAR Sbz1;
	USHORT AclSize;
	USHORT AceCount;
	USHORT Sbz2;
} ACL, *PACL;
typedef struct {
	UCHAR AceType;
	UCHAR AceFlags;
	USHORT AceSize;
	ACCESS_MASK Mask;
	ULONG SidStart;
} ACCESS_ALLOWED_ACE;
typedef struct {
	UCHAR Revision;
	UCHAR Sbz1;
	USHORT Control;
	PVOID Owner, Group;
	PACL Sacl, Dacl;
} SECURITY_DESCRIPTOR;
NTSTATUS RtlCreateAcl(PACL acl, ULONG bytes, ULONG revision);
NTSTATUS RtlAddAccessAllowedAce(PACL acl, ULONG revision, ACCESS_MASK access, PSID who);
NTSTATUS RtlCreateSecurityDescriptor(PSECURITY_DESCRIPTOR descriptor, ULONG revision);
NTSTATUS RtlSetDaclSecurityDescriptor(PSECURITY_DESCRIPTOR descriptor, BOOLEAN is_present, PACL acl, BOOLEAN is_default);
NTSTATUS ZwSetSecurityObject(HANDLE handle, SECURITY_INFORMATION what, PSECURITY_DESCRIPTOR descriptor);

typedef struct {
	PACCESS_TOKEN ClientToken;
	int ImpersonationLevel;
	PACCESS_TOKEN PrimaryToken;
	PVOID ProcessAuditId;
} SECURITY_SUBJECT_CONTEXT, *PSECURITY_SUBJECT_CONTEXT;
typedef struct {
	SECURITY_SUBJECT_CONTEXT SubjectSecurityContext;
} ACCESS_STATE, *PACCESS_STATE;
typedef struct {
	PVOID SecurityQos;
	PACCESS_STATE AccessState;
	ACCESS_MASK DesiredAccess;
	ULONG FullCreateOptions;
} IO_SECURITY_CONTEXT, *PIO_SECURITY_CONTEXT;

/* Devices and requests. */
#define IRP_MJ_CREATE 0
#define IRP_MJ_CLOSE 2
#define IRP_MJ_READ 3
#define IRP_MJ_WRITE 4
#define IRP_MJ_DEVICE_CONTROL 14
#define IRP_MJ_CLEANUP 18
#define IRP_MJ_MAXIMUM_FUNCTION 27
#define FILE_DEVICE_UNKNOWN 0x22u
#define FILE_DEVICE_SECURE_OPEN 0x100u
#define DO_BUFFERED_IO 4u
#define DO_DEVICE_INITIALIZING 0x80u

typedef struct fake_driver DRIVER_OBJECT, *PDRIVER_OBJECT;
typedef struct fake_device DEVICE_OBJECT, *PDEVICE_OBJECT;
typedef struct fake_irp IRP, *PIRP;
typedef struct fake_file FILE_OBJECT, *PFILE_OBJECT;
typedef NTSTATUS DRIVER_INITIALIZE(PDRIVER_OBJECT driver, PUNICODE_STRING registry_path);
typedef void DRIVER_UNLOAD(PDRIVER_OBJECT driver);
typedef NTSTATUS DRIVER_DISPATCH(PDEVICE_OBJECT device, PIRP irp);
typedef void DRIVER_CANCEL(PDEVICE_OBJECT device, PIRP irp);

struct fake_driver {
	PVOID DriverStart;
	ULONG DriverSize;
	DRIVER_UNLOAD *DriverUnload;
	DRIVER_DISPATCH *MajorFunction[IRP_MJ_MAXIMUM_FUNCTION + 1];
};
struct fake_device {
	PDRIVER_OBJECT DriverObject;
	ULONG Flags;
	ULONG Characteristics;
	LONG ReferenceCount;
};
struct fake_file {
	PDEVICE_OBJECT DeviceObject;
	UNICODE_STRING FileName;
	PVOID FsContext;
	LONG references; /* the handle and its requests */
};
typedef struct {
	UCHAR MajorFunction;
	UCHAR MinorFunction;
	UCHAR Flags;
	UCHAR Control;
	union {
		struct {
			PIO_SECURITY_CONTEXT SecurityContext;
		} Create;
		struct {
			ULONG Length;
		} Read;
		struct {
			ULONG OutputBufferLength;
			ULONG InputBufferLength;
			ULONG IoControlCode;
		} DeviceIoControl;
	} Parameters;
	PDEVICE_OBJECT DeviceObject;
	PFILE_OBJECT FileObject;
} IO_STACK_LOCATION, *PIO_STACK_LOCATION;
struct fake_irp {
	union {
		PVOID SystemBuffer;
	} AssociatedIrp;
	struct {
		NTSTATUS Status;
		ULONG_PTR Information;
	} IoStatus;
	KPROCESSOR_MODE RequestorMode;
	BOOLEAN Cancel;
	KIRQL CancelIrql;
	DRIVER_CANCEL *CancelRoutine;
	union {
		struct {
			PVOID DriverContext[4];
			LIST_ENTRY ListEntry;
		} Overlay;
	} Tail;
	IO_STACK_LOCATION location;
	struct request *request; /* the fake's */
};
#define IoGetCurrentIrpStackLocation(irp) (&(irp)->location)
void IoMarkIrpPending(PIRP irp);
void IoCompleteRequest(PIRP irp, CCHAR boost);
DRIVER_CANCEL *IoSetCancelRoutine(PIRP irp, DRIVER_CANCEL *routine);
void IoReleaseCancelSpinLock(KIRQL before);
NTSTATUS IoCreateDevice(PDRIVER_OBJECT driver, ULONG extension, PUNICODE_STRING name, DEVICE_TYPE type, ULONG characteristics,
	BOOLEAN is_exclusive, PDEVICE_OBJECT *device);
void IoDeleteDevice(PDEVICE_OBJECT device);
NTSTATUS IoCreateSymbolicLink(PUNICODE_STRING link, PUNICODE_STRING name);
NTSTATUS IoDeleteSymbolicLink(PUNICODE_STRING link);

typedef struct {
	ULONG magic;
	LONG holders;
	BOOLEAN is_removed;
	KEVENT is_free;
	struct holder *tags; /* who holds it, as in checked builds */
} IO_REMOVE_LOCK, *PIO_REMOVE_LOCK;
void IoInitializeRemoveLockEx(PIO_REMOVE_LOCK lock, ULONG tag, ULONG minutes, ULONG most, ULONG bytes);
NTSTATUS IoAcquireRemoveLockEx(PIO_REMOVE_LOCK lock, PVOID tag, PCSTR file, ULONG line, ULONG bytes);
void IoReleaseRemoveLockEx(PIO_REMOVE_LOCK lock, PVOID tag, ULONG bytes);
void IoReleaseRemoveLockAndWaitEx(PIO_REMOVE_LOCK lock, PVOID tag, ULONG bytes);

/* What only the laboratory driver asks for: declared, for irql_calls.py; the fake kernel has no such machine. */
typedef LARGE_INTEGER PHYSICAL_ADDRESS;
typedef enum { MmNonCached, MmCached } MEMORY_CACHING_TYPE;
PVOID MmMapIoSpace(PHYSICAL_ADDRESS address, SIZE_T bytes, MEMORY_CACHING_TYPE caching);
void MmUnmapIoSpace(PVOID address, SIZE_T bytes);
PHYSICAL_ADDRESS MmGetPhysicalAddress(PVOID address);
typedef struct {
	ULONG TitleIndex;
	ULONG Type;
	ULONG DataLength;
	UCHAR Data[1];
} KEY_VALUE_PARTIAL_INFORMATION;
typedef enum { KeyValuePartialInformation = 2 } KEY_VALUE_INFORMATION_CLASS;
#define REG_SZ 1
#define KEY_READ 0x20019u
NTSTATUS ZwOpenKey(PHANDLE key, ACCESS_MASK access, POBJECT_ATTRIBUTES attributes);
NTSTATUS ZwQueryValueKey(HANDLE key, PUNICODE_STRING name, KEY_VALUE_INFORMATION_CLASS what, PVOID answer, ULONG bytes, PULONG needed);

#endif
