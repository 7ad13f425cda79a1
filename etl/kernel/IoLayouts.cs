using static Tracer.Etl.Kernel.KernelField;

namespace Tracer.Etl.Kernel;

/// <summary>Records of disks, driver calls, files, page faults and the registry that are only shown or written.</summary>
/// <remarks>
/// Sources: the structures of ntwmi.h (phnt) that the rows name, and the classes DiskIo, FileIo, PageFault and Registry of the kernel
/// trace's MOF (Microsoft Learn). <c>Irp</c> is the address of the I/O request packet, <c>UniqMatchId</c> joins the records of one call.
/// </remarks>
public static class IoLayouts
{
    /// <summary>A read from or write to a disk was completed (ETW_DISKIO_READWRITE_V3).</summary>
    /// <remarks>
    /// ResponseTime is filled by old systems only, its unit is not public; HighResResponseTime is the time from issue to completion in
    /// ticks of the performance counter. ByteOffset and TransferSize are in bytes.
    /// </remarks>
    public static KernelLayout DiskTransfer { get; } = new(
        U32("DiskNumber"), Hex32("IrpFlags"), U32("TransferSize"), U32("ResponseTime"), U64("ByteOffset"), Pointer("FileObject"),
        Pointer("Irp").From(2), U64("HighResResponseTime").From(1), U32("IssuingThreadId").From(3));

    /// <summary>A disk request was sent (WMI_DISKIO_READWRITE_INIT).</summary>
    internal static KernelLayout DiskInit { get; } = new(Pointer("Irp"), U32("IssuingThreadId").From(3));

    /// <summary>A flush of a disk was completed (ETW_DISKIO_FLUSH_BUFFERS_V3); times as in <see cref="DiskTransfer"/>.</summary>
    internal static KernelLayout DiskFlush { get; } = new(
        U32("DiskNumber"), Hex32("IrpFlags"), U64("HighResResponseTime"), Pointer("Irp"), U32("IssuingThreadId").From(3));

    /// <summary>A driver's dispatch routine is called (PERFINFO_DRIVER_MAJORFUNCTION, MOF DriverMajorFunctionCall).</summary>
    internal static KernelLayout DriverCall { get; } = new(
        Named<IrpMajorFunction>("MajorFunction"), U32("MinorFunction"), Code("Routine"), Pointer("FileObject"), Pointer("Irp"),
        U32("UniqMatchId"));

    /// <summary>
    /// A driver call, or the completion of a request, returned (PERFINFO_DRIVER_MAJORFUNCTION_RET, PERFINFO_DRIVER_COMPLETE_REQUEST_RET).
    /// </summary>
    internal static KernelLayout DriverReturn { get; } = new(Pointer("Irp"), U32("UniqMatchId"));

    /// <summary>
    /// A completion routine is called, or a driver completes a request (PERFINFO_DRIVER_COMPLETIONROUTINE,
    /// PERFINFO_DRIVER_COMPLETE_REQUEST).
    /// </summary>
    internal static KernelLayout DriverCompletion { get; } = new(Code("Routine"), Pointer("Irp"), U32("UniqMatchId"));

    /// <summary>
    /// A page fault that needed no disk, or whose read another record tells (WMI_PAGE_FAULT, MOF PageFault_TypeGroup1): the address that
    /// was touched, and the instruction that touched it.
    /// </summary>
    internal static KernelLayout PageFault { get; } = new(Pointer("VirtualAddress"), Code("ProgramCounter"));

    /// <summary>Address space was reserved, committed or freed (PERFINFO_VIRTUAL_ALLOC); the size is in bytes.</summary>
    internal static KernelLayout VirtualMemory { get; } = new(Pointer("Base"), Size("Size"), U32("ProcessId"), Hex32("Flags"));

    /// <summary>Name of a file object or file key, as an NT path (PERFINFO_FILEOBJECT_INFORMATION, MOF FileIo_Name).</summary>
    internal static KernelLayout FileName { get; } = new(Pointer("FileObject"), Wide("FileName"));

    /// <summary>A file is opened or created (PERFINFO_FILE_CREATE, MOF FileIo_Create); the path is as it was given.</summary>
    internal static KernelLayout FileCreate { get; } = new(
        Pointer("Irp"), Pointer("Thread").Before(3), Pointer("FileObject"), U32("ThreadId").From(3), Hex32("Options"),
        Hex32("Attributes"), Hex32("Share"), Wide("OpenPath"));

    /// <summary>
    /// A file is read or written (PERFINFO_FILE_READ_WRITE, MOF FileIo_ReadWrite). Offset and IoSize are in bytes; FileKey is the same for
    /// all objects of a file.
    /// </summary>
    internal static KernelLayout FileTransfer { get; } = new(
        U64("Offset"), Pointer("Irp"), Pointer("Thread").Before(3), Pointer("FileObject"), Pointer("FileKey"),
        U32("ThreadId").From(3), U32("IoSize"), Hex32("IoFlags"));

    /// <summary>A file operation ended (PERFINFO_FILE_OPERATION_END, MOF FileIo_OpEnd).</summary>
    internal static KernelLayout FileOperationEnd { get; } = new(Pointer("Irp"), HexSize("ExtraInfo"), Hex32("NtStatus"));

    /// <summary>
    /// A filter driver's callback is called before or after a file operation (PERFINFO_FLT_OPERATION). The filter manager has functions of
    /// its own above the known ones.
    /// </summary>
    internal static KernelLayout Minifilter { get; } = new(
        Code("Routine"), Pointer("FileObject"), Pointer("FileContext"), Pointer("Irp"), Pointer("CallbackData"),
        Named<IrpMajorFunction>("MajorFunction"));

    /// <summary>A filter driver's callback failed (PERFINFO_FLT_OPERATION_STATUS).</summary>
    internal static KernelLayout MinifilterFailure { get; } = new(
        Code("Routine"), Pointer("FileObject"), Pointer("FileContext"), Pointer("Irp"), Pointer("CallbackData"),
        Named<IrpMajorFunction>("MajorFunction"), Hex32("Status"));

    /// <summary>
    /// A registry operation; the rundown records give the names of keys that are open (WMI_REGISTRY, MOF Registry_TypeGroup1). KeyHandle
    /// is the address of the key's control block, Index numbers the subkey or value of an enumeration; the unit of ElapsedTime is not
    /// public.
    /// </summary>
    internal static KernelLayout Registry { get; } = new(
        Ticks("InitialTime").From(2), Hex32("Status"), Reserved(4, 0).Before(2), U32("Index").From(2), Pointer("KeyHandle"),
        I64("ElapsedTime").Before(2), U32("Index").From(1).Before(2), Wide("KeyName"));
}
