using static Tracer.Etl.Kernel.KernelField;

namespace Tracer.Etl.Kernel;

/// <summary>Records of the header group, and of images, that are only shown or written.</summary>
/// <remarks>
/// Sources: evntrace.h of the Windows SDK for the log-file header, ntwmi.h (phnt) for the rest of the group, TraceEvent's
/// SymbolTraceEventParser for the identities of images, and the real files of the corpus.
/// </remarks>
public static class HeaderLayouts
{
    /// <summary>Address of the kernel image: the base of one of the modules of process 0 (WMI_LOG_TYPE_IMAGE_KERNEL_BASE).</summary>
    public static KernelLayout KernelBase { get; } = new(Pointer("KernelBase"));

    /// <summary>Address of the page through which the kernel calls the hypervisor (WMI_LOG_TYPE_IMAGE_HYPERCALL_PAGE).</summary>
    public static KernelLayout HypercallPage { get; } = new(Pointer("HypercallPage"));

    /// <summary>
    /// First event of every file: what the session was, and the facts that turn ticks into time (TRACE_LOGFILE_HEADER, then two texts).
    /// Real files have it in both widths of pointers.
    /// </summary>
    /// <remarks>
    /// BufferSize is in bytes, TimerResolution in units of 100 ns, MaximumFileSize in MiB, or KiB where the mode says so
    /// (<see cref="EtlLogFileMode"/>), biases in minutes to add to local time, PerfFreq in ticks per second. LoggerName and LogFileName are
    /// no pointers since Windows 7, but the numbers of the timer sources behind the clock interrupt and the performance counter. EndTime
    /// and BuffersWritten are stale where the file was never closed. ReservedFlags is the clock of all time stamps; 0 before Vista.
    /// </remarks>
    internal static KernelLayout LogFileHeader { get; } = new(
        U32("BufferSize"), U8("MajorVersion"), U8("MinorVersion"), U8("SubVersion"), U8("SubMinorVersion"), U32("ProviderVersion"),
        U32("NumberOfProcessors"), FileTime("EndTime"), U32("TimerResolution"), U32("MaximumFileSize"), Hex32("LogFileMode"),
        U32("BuffersWritten"), U32("StartBuffers"), U32("PointerSize"), U32("EventsLost"), U32("CpuSpeedInMHz"), Pointer("LoggerName"),
        Pointer("LogFileName"), I32("Bias"), Wide("StandardName", 32), SystemTime("StandardDate"), I32("StandardBias"),
        Wide("DaylightName", 32), SystemTime("DaylightDate"), I32("DaylightBias"), Reserved(4), FileTime("BootTime"), I64("PerfFreq"),
        FileTime("StartTime"), Named<TraceClockKind>("ReservedFlags"), U32("BuffersLost"), Wide("SessionName"), Wide("FileName"));

    /// <summary>Names the symbol file of the binary that logs: signature, how often the file was written, and name.</summary>
    internal static KernelLayout PdbId { get; } = new(Guid("PdbGuid"), U32("Age"), Narrow("PdbName"));

    /// <summary>The build laboratory string of the logging system: branch, build number and date.</summary>
    internal static KernelLayout BuildInfo { get; } = new(Narrow("BuildLab"));

    /// <summary>The binary that registered providers of a private session, and their GUIDs.</summary>
    internal static KernelLayout ProviderBinaryPath { get; } = new(List("Guids", Guid("")), Wide("BinaryPath"));

    /// <summary>
    /// A record without a public name: 168 bytes, of which the first four hold the number of processors in the one file that has it.
    /// </summary>
    internal static KernelLayout ProcessorCount { get; } = new(U32("NumberOfProcessors"));

    /// <summary>An image that has no debug directory.</summary>
    internal static KernelLayout ImageIdWithoutDebug { get; } = new(Pointer("ImageBase"), U32("ProcessId"));

    /// <summary>
    /// An image whose debug directory points to a DBG file (modules of MinGW); the layout was inferred from 28 records of real files. The
    /// time stamp is that of the PE header.
    /// </summary>
    internal static KernelLayout ImageIdDbgFile { get; } = new(
        Pointer("ImageBase"), U32("ProcessId"), Hex32("Checksum"), Hex32("TimeDateStamp"), U32("ImageSize"), Wide("FileName"));

    /// <summary>
    /// A debug entry that is logged for most images, with versions 0 and 0 where there is no portable PDB; TraceEvent names it, its meaning
    /// is uncertain.
    /// </summary>
    internal static KernelLayout ImageIdPortablePdb { get; } = new(
        Pointer("ImageBase"), U32("ProcessId"), Hex32("TimeDateStamp"), U16("MajorVersion"), U16("MinorVersion"));

    /// <summary>Identity of a portable PDB that is embedded in its image; the layout was inferred from 4 records of real files.</summary>
    internal static KernelLayout ImageIdEmbeddedPdb { get; } = new(
        Pointer("ImageBase"), U32("ProcessId"), U16("MajorVersion"), U16("MinorVersion"), Guid("PdbGuid"), U32("Age"));

    /// <summary>Why an image could not be read.</summary>
    internal static KernelLayout ImageIdFailure { get; } = new(Wide("Reason"));
}
