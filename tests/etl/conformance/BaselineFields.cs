using System.Collections.Frozen;
using Tracer.Etl.Decoding;

namespace Tracer.Etl.Tests.Conformance;

/// <summary>How a field of TraceEvent is found here.</summary>
/// <param name="Ours">Our name of it, where it is a field here too.</param>
/// <param name="Make">What TraceEvent makes of other fields, where it is none.</param>
/// <param name="Reason">How it is made, or why it cannot be compared.</param>
internal sealed record FieldRule(string? Ours, Func<DecodedEvent, TraceFacts, string>? Make, string Reason);

/// <summary>TraceEvent's fields that have other names here, that it makes of others, or that nothing here says anything about.</summary>
internal static class BaselineFields
{
    private const string NotInVersion = "the version of the event has no such field; TraceEvent prints its default";

    private const string ByVolume = "the NT path by the trace's volume mapping";

    private static readonly string[] StartupFlags = ["CONCURRENT_GC"];
    private static readonly string[] DiskPriorities = ["Notset", "Verylow", "Low", "Normal", "High", "Critical"];

    private static readonly FrozenDictionary<string, FieldRule> Rules = All().ToFrozenDictionary(rule => rule.Key, rule => rule.Rule);

    /// <summary>The rule for a field: of this event, of events that end so, or of any; null where names are equal.</summary>
    public static FieldRule? Find(string eventName, string field)
    {
        for (string name = eventName; ;)
        {
            if (Rules.TryGetValue($"{name}:{field}", out FieldRule? rule))
            {
                return rule;
            }

            int slash = name.IndexOf('/', StringComparison.Ordinal);
            if (slash < 0)
            {
                return Rules.GetValueOrDefault($"*:{field}");
            }

            name = name[(slash + 1)..];
        }
    }

    /// <summary>
    /// Whether TraceEvent prints no thread for an event that is about a process: the header's thread, where there is one, is another's.
    /// </summary>
    public static bool HasNoThread(string eventName) =>
        eventName.StartsWith("Windows Kernel/Process/", StringComparison.Ordinal)
        || eventName.StartsWith("Windows Kernel/Image/", StringComparison.Ordinal);

    private static IEnumerable<(string Key, FieldRule Rule)> All() =>
        [.. OfHeader(), .. OfProcessesAndImages(), .. OfThreadsAndSamples(), .. OfInput(), .. OfMachine(), .. OfManifests()];

    private static IEnumerable<(string Key, FieldRule Rule)> OfHeader()
    {
        yield return Made("EventTrace:Version", "four bytes of versions in one number", (e, _) =>
            Number((long)(e.Bits("MajorVersion") | (e.Bits("MinorVersion") << 8) | (e.Bits("SubVersion") << 16)
                | (e.Bits("SubMinorVersion") << 24))));
        yield return Same("EventTrace:MaxFileSize", "MaximumFileSize");
        yield return Same("EventTrace:CPUSpeed", "CpuSpeedInMHz");
        yield return Same("EventTrace:LogFileName", "FileName");
        yield return Same("EventTrace:UtcOffsetMinutes", "Bias");
        for (int mask = 1; mask <= 8; mask++)
        {
            yield return Same($"*:GroupMask{mask}", $"GroupMasks[{mask - 1}]");
        }
    }

    private static IEnumerable<(string Key, FieldRule Rule)> OfProcessesAndImages()
    {
        yield return Same("*:PageDirectoryBase", "DirectoryTableBase");
        foreach (string name in new[] { "Start", "Stop", "DCStart", "DCStop", "Defunct" })
        {
            yield return Made($"Process/{name}:Flags", "names of the flags", (e, _) => e.Bits("Flags") switch
            {
                0 => "None",
                4 => "Protected",
                ulong other => $"0x{other:x}",
            });
        }

        yield return Same("*:MemoryCount", "PageFaultCount");
        yield return Same("*:PeakVirtualSize", "PeakVirtual");
        yield return Same("*:PeakWorkingSetSize", "PeakWorkingSet");
        yield return Same("*:PeakPagefileUsage", "PeakPagefile");
        yield return Same("*:QuotaPeakPagedPoolUsage", "PeakPagedPool");
        yield return Same("*:QuotaPeakNonPagedPoolUsage", "PeakNonPagedPool");
        yield return Same("*:VirtualSize", "Virtual");
        yield return Same("*:WorkingSetSize", "WorkingSet");
        yield return Same("*:PagefileUsage", "Pagefile");
        yield return Same("*:QuotaPagedPoolUsage", "PagedPool");
        yield return Same("*:QuotaNonPagedPoolUsage", "NonPagedPool");
        yield return Same("*:PrivatePageCount", "Private");
        yield return Made("*:BuildTime", "TimeDateStamp as a date", (e, _) => BaselineValue.DateText(
            DateTime.UnixEpoch.AddSeconds(e.Bits("TimeDateStamp")).ToFileTimeUtc()));
        foreach (string name in new[] { "Load", "Unload", "DCStart", "DCStop" })
        {
            yield return Made($"Image/{name}:FileName", ByVolume, (e, f) => f.DosPath(e.Find("FileName")!.Text));
        }

        yield return Same("KernelBase:ImageBase", "KernelBase");
        yield return Same("*:GuidSig", "PdbGuid");
        yield return Same("UnknownVolume:Value", "VolumePath");
    }

    private static IEnumerable<(string Key, FieldRule Rule)> OfThreadsAndSamples()
    {
        yield return Same("*:StartAddr", "Affinity");
        yield return Same("*:ThreadFlags", "Flags");
        yield return Made("*:ThreadName", NotInVersion, (_, _) => "");
        yield return Made("Thread/Start:ParentThreadID", "the thread of the header", (e, _) => Number((int)e.ThreadId));
        yield return Made("Thread/Start:ParentProcessID", "the process of the header", (e, _) => Number((int)e.ProcessId));
        yield return Made("Thread/Stop:ParentThreadID", "an end has no parent", (_, _) => "-1");
        yield return Made("Thread/Stop:ParentProcessID", "an end has no parent", (_, _) => "-1");
        yield return Made("Sample:ProcessorNumber", "the buffer's processor", (e, _) => Number(e.Cpu));
        yield return Made("Sample:Priority", "bits 3 to 7 of Flags", (e, _) => Number((long)e.Bits("Flags") >> 3));
        yield return Made("Sample:ExecutingDPC", "bit 0 of Flags", (e, _) => Truth(e.Bits("Flags") & 1));
        yield return Made("Sample:ExecutingISR", "bit 1 of Flags", (e, _) => Truth(e.Bits("Flags") & 2));
        yield return Same("*:SampleSource", "Source");
    }

    private static IEnumerable<(string Key, FieldRule Rule)> OfInput()
    {
        foreach (string name in new[] { "Read", "Write", "FlushBuffers" })
        {
            yield return Made($"DiskIO/{name}:IrpFlags", "names of the flags without the priority", (e, _) => IrpFlags(e.Bits("IrpFlags")));
            yield return Made(
                $"DiskIO/{name}:Priority", "bits 17 to 19 of IrpFlags", (e, _) => DiskPriorities[(e.Bits("IrpFlags") >> 17) & 7]);
            yield return Made(
                $"DiskIO/{name}:ElapsedTimeMSec",
                "HighResResponseTime in ms",
                (e, f) => Milliseconds((long)e.Bits("HighResResponseTime"), f));
            yield return Made($"DiskIO/{name}:FileName", "the file's name by its key", (e, f) => f.FileName(e.Bits("FileObject")));
            yield return Skipped(
                $"DiskIO/{name}:DiskServiceTimeMSec", "TraceEvent estimates it from when the same disk ended other transfers");
        }

        yield return Same("*:FileKey", "FileObject");
        yield return Made(
            "HardFault:ElapsedTimeMSec", "from InitialTime to the event", (e, f) => Milliseconds(e.Ticks - (long)e.Bits("InitialTime"), f));
        yield return Made("HardFault:FileName", "the file's name by its key", (e, f) => f.FileName(e.Bits("FileObject")));
        yield return Same("*:startime", "Start");
        yield return Same("*:endtime", "End");
        yield return Same("*:seqnum", "Seq");
        yield return Made(
            "*:context",
            "PID and Size as one number: the layout of version 0 laid over version 2",
            (e, _) => $"0x{e.Bits("PID") | (e.Bits("Size") << 32):x}");
        yield return Skipped("*:dsize", "a field of version 0 only; version 2 has none");
    }

    private static IEnumerable<(string Key, FieldRule Rule)> OfMachine()
    {
        yield return Same("*:NICDescription", "Description");
        yield return Same("*:DnsServerAddresses", "DnsServers");
        yield return Made("*:PhysicalAddr", "the address as a number", (e, _) => Number(LittleEndian(e.Find("PhysicalAddr")!.Text)));
        yield return Made(
            "Services:ProcessName", "the name of the process, not the field", (e, f) => f.ProcessName((int)e.Bits("ProcessId")));
        yield return Same("*:WriteCacheEnabled", "WriteCache");
        yield return Skipped("PhyDisk:Spare", "padding");
        yield return Same("*:DeviceTimingMode", "TimingMode");
        yield return Same("*:LocationInformationLen", "LocationLen");
        yield return Same("*:LocationInformation", "Location");
        yield return Same("*:SystemManufacturer", "Manufacturer");
        yield return Same("*:SystemProductName", "Product");
        yield return Same("*:DriveLetterString", "DriveLetter");
        yield return Same("*:NumberOfFreeClusters", "FreeClusters");
        yield return Same("*:TotalNumberOfClusters", "TotalClusters");
    }

    private static IEnumerable<(string Key, FieldRule Rule)> OfManifests()
    {
        yield return Made("ManifestData:PayloadLength", "the length of the payload", (e, _) => $"{e.PayloadBytes}");
        yield return Same("Microsoft-Windows-Kernel-File/Create:IrpPtr", "Irp");
        yield return Same("Microsoft-Windows-Kernel-File/Create:FileAttributes", "CreateAttributes");
        yield return Made("Microsoft-Windows-Kernel-File/Create:CreateOptions", "the lower 24 bits of CreateOptions", (e, _) =>
            (e.Bits("CreateOptions") & 0xFFFFFF) is var options && options == 0x20 ? "FILE_ATTRIBUTE_ARCHIVE" : $"{options}");
        yield return Made("Microsoft-Windows-Kernel-File/Create:CreateDisposition", "the highest byte of CreateOptions", (e, _) =>
            (e.Bits("CreateOptions") >> 24) == 1 ? "OPEN_EXISTING" : $"{e.Bits("CreateOptions") >> 24}");
        yield return Made("Microsoft-Windows-Kernel-File/Create:ShareAccess", "names of the flags", (e, _) =>
            e.Bits("ShareAccess") == 7 ? "ReadWrite, Delete" : $"{e.Bits("ShareAccess")}");
        yield return Made("Microsoft-Windows-Kernel-File/Create:FileName", ByVolume, (e, f) => f.DosPath(e.Find("FileName")!.Text));
        yield return Made("GC/AllocationTick:ObjectSize", NotInVersion, (e, _) => Default(e, "ObjectSize", "0"));
        yield return Made("GC/Start:ClientSequenceNumber", NotInVersion, (e, _) => Default(e, "ClientSequenceNumber", "0"));
        yield return Made("Method/LoadVerbose:ReJITID", NotInVersion, (e, _) => Default(e, "ReJITID", "0"));
        yield return Made("Method/UnloadVerbose:ReJITID", NotInVersion, (e, _) => Default(e, "ReJITID", "0"));
        yield return Made("Method/LoadVerbose:OptimizationTier", NotInVersion, (e, _) => Default(e, "OptimizationTier", "Unknown"));
        yield return Made("Method/UnloadVerbose:OptimizationTier", NotInVersion, (e, _) => Default(e, "OptimizationTier", "Unknown"));
        yield return Made("GC/HeapStats:GenerationSize4", NotInVersion, (e, _) => Default(e, "GenerationSize4", "0"));
        yield return Made("GC/HeapStats:TotalPromotedSize4", NotInVersion, (e, _) => Default(e, "TotalPromotedSize4", "0"));
        yield return Made("GC/HeapStats:TotalHeapSize", "sum of all GenerationSize", (e, _) => Sum(e, "GenerationSize"));
        yield return Made("GC/HeapStats:TotalPromoted", "sum of all TotalPromotedSize", (e, _) => Sum(e, "TotalPromotedSize"));
        yield return Skipped("GC/HeapStats:Depth", "no field of the event: TraceEvent infers it from earlier collections");
        yield return Made("Runtime/Start:StartupFlags", "names of the flags", (e, _) => Flags(e.Bits("StartupFlags"), StartupFlags));
        yield return Made(
            "GC/FinalizeObject:TypeName", "the type's name from BulkType events", (e, f) => f.TypeName(e.ProcessId, e.Bits("TypeID")));
        yield return Same("Type/BulkType:TypeID_0", "Values[0].TypeID");
        yield return Same("Type/BulkType:TypeName_0", "Values[0].Name");
        yield return Made("*:ModuleILFileName", "the end of ModuleILPath", (e, _) => e.Find("ModuleILPath")!.Text.Split('\\')[^1]);
        yield return Skipped("GC/PerHeapHistory:CompactMechanisms", "a name that TraceEvent gives the bits; the trace has the number only");
        yield return Skipped("GC/PerHeapHistory:ExpandMechanisms", "a name that TraceEvent gives the bits; the trace has the number only");
        yield return Made("GC/PerHeapHistory:ConcurrentCompactMechanisms", NotInVersion, (_, _) => "");
        yield return Made("GC/PerHeapHistory:MemoryPressure", NotInVersion, (_, _) => "");
        yield return Made(
            "solar_system/PrimitiveTypesTest:char_type", "the character's number", (e, _) => $"{(int)e.Find("char_type")!.Text[0]}");
    }

    private static (string Key, FieldRule Rule) Same(string key, string ours) => (key, new FieldRule(ours, null, ""));

    private static (string Key, FieldRule Rule) Made(string key, string reason, Func<DecodedEvent, TraceFacts, string> make) =>
        (key, new FieldRule(null, make, reason));

    private static (string Key, FieldRule Rule) Skipped(string key, string reason) => (key, new FieldRule(null, null, reason));

    private static string Number(long value) => BaselineValue.NumberText(value);

    private static string Truth(ulong bit) => bit != 0 ? "True" : "False";

    private static string Default(DecodedEvent decoded, string field, string otherwise) => decoded.Find(field) is DecodedField known
        ? known.Kind == FieldKind.Unsigned ? Number((long)known.Bits) : known.Text
        : otherwise;

    private static string Sum(DecodedEvent decoded, string prefix) =>
        Number(decoded.Fields.Where(field => field.Name.StartsWith(prefix, StringComparison.Ordinal)).Sum(field => (long)field.Bits));

    private static string Milliseconds(long ticks, TraceFacts facts) =>
        Math.Round(ticks * 1000m / facts.Clock.TicksPerSecond, 3, MidpointRounding.AwayFromZero)
            .ToString("N3", CultureInfo.InvariantCulture);

    private static string IrpFlags(ulong flags)
    {
        string[] names = [.. new[] { (1u, "Nocache"), (2u, "MountCompletion"), (0x40u, "SynchronousPagingIo") }
            .Where(flag => (flags & flag.Item1) != 0).Select(flag => flag.Item2)];
        return names.Length > 0 ? string.Join(", ", names) : "None";
    }

    private static string Flags(ulong value, string[] names) =>
        value < 1u << names.Length && value != 0 ? string.Join(", ", names.Where((_, bit) => ((value >> bit) & 1) != 0)) : $"{value}";

    private static long LittleEndian(string hexadecimal)
    {
        long value = 0;
        byte[] bytes = Convert.FromHexString(hexadecimal);
        for (int i = bytes.Length - 1; i >= 0; i--)
        {
            value = (value << 8) | bytes[i];
        }

        return value;
    }
}
