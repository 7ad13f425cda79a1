using System.Collections.Frozen;
using Tracer.Etl.Decoding;

namespace Tracer.Etl.Tests.Conformance;

/// <summary>What TraceEvent calls an event.</summary>
internal static class BaselineNames
{
    private const string KernelProvider = "Windows Kernel/";
    private const string CodeMap = "addresses of compiled methods, taken into TraceEvent's table of code";
    private const string Stack = "stacks, joined there with the events they belong to";
    private const string FileNames = "names of files, taken into TraceEvent's table of files";
    private const string Threads = "the rundown of threads, taken into TraceEvent's table of threads";
    private const string Unknown = "not in the baseline; TraceEvent seems to drop it";

    private static readonly Guid RuntimeRundown = new("a669021c-c450-4609-a035-5af59af4df18");
    private static readonly Guid RuntimePrivate = new("763fd754-7086-4dfe-95eb-c01a46faf4ca");

    /// <summary>Kernel events: our group and name, TraceEvent's name. Names that are equal but for the provider are not repeated.</summary>
    private static readonly FrozenDictionary<string, string> Kernel = new Dictionary<string, string>
    {
        ["Header/LogFileHeader"] = "Windows Kernel/EventTrace",
        ["Header/Extension"] = "Windows Kernel/EventTrace/Extension",
        ["Header/EndExtension"] = "Windows Kernel/EventTrace/EndExtension",
        ["Header/RundownComplete"] = "Windows Kernel/EventTrace/RundownComplete",
        ["SystemConfigEx/BuildInfo"] = "Windows Kernel/SysConfig/BuildInfo",
        ["SystemConfigEx/SystemPaths"] = "Windows Kernel/SysConfig/SystemPaths",
        ["SystemConfigEx/UnmappedVolume"] = "Windows Kernel/SysConfig/UnknownVolume",
        ["SystemConfigEx/VolumeMapping"] = "Windows Kernel/SysConfig/VolumeMapping",
        ["SystemConfigEx/Unnamed37"] = "Windows Kernel/SysConfig/Opcode(37)",
        ["SystemConfig/Cpu"] = "Windows Kernel/SystemConfig/CPU",
        ["SystemConfig/Nic"] = "Windows Kernel/SystemConfig/NIC",
        ["SystemConfig/PhysicalDisk"] = "Windows Kernel/SystemConfig/PhyDisk",
        ["SystemConfig/LogicalDisk"] = "Windows Kernel/SystemConfig/LogDisk",
        ["SystemConfig/IdeChannel"] = "Windows Kernel/SystemConfig/IDEChannel",
        ["SystemConfig/Platform"] = "MSNT_SystemTrace/SystemConfig/Platform",
        ["Image/KernelBase"] = "MSNT_SystemTrace/Image/KernelBase",
        ["Image/DCEnd"] = "Windows Kernel/Image/DCStop",
        ["Process/End"] = "Windows Kernel/Process/Stop",
        ["Process/DCEnd"] = "Windows Kernel/Process/DCStop",
        ["Thread/End"] = "Windows Kernel/Thread/Stop",
        ["Thread/DCEnd"] = "Windows Kernel/Thread/DCStop",
        ["Io/Read"] = "Windows Kernel/DiskIO/Read",
        ["Io/Write"] = "Windows Kernel/DiskIO/Write",
        ["Io/Flush"] = "Windows Kernel/DiskIO/FlushBuffers",
        ["Io/ReadInit"] = "Windows Kernel/DiskIO/ReadInit",
        ["Io/WriteInit"] = "Windows Kernel/DiskIO/WriteInit",
        ["Io/FlushInit"] = "Windows Kernel/DiskIO/FlushInit",
        ["PerfInfo/SampledProfile"] = "Windows Kernel/PerfInfo/Sample",
        ["TcpIp/SendIPv6"] = "Windows Kernel/TcpIp/SendIPV6",
        ["TcpIp/ReceiveIPv6"] = "Windows Kernel/TcpIp/RecvIPV6",
        ["UdpIp/SendIPv4"] = "Windows Kernel/UdpIp/Send",
        ["UdpIp/ReceiveIPv4"] = "Windows Kernel/UdpIp/Recv",
        ["UdpIp/SendIPv6"] = "Windows Kernel/UdpIp/SendIPV6",
        ["UdpIp/ReceiveIPv6"] = "Windows Kernel/UdpIp/RecvIPV6",
        ["ImageId/Info"] = "KernelTraceControl/ImageID",
        ["ImageId/None"] = "KernelTraceControl/ImageID/None",
        ["ImageId/DbgIdRsds"] = "KernelTraceControl/ImageID/DbgID_RSDS",
        ["ImageId/DbgIdIlRsds"] = "KernelTraceControl/ImageID/DbgID_ILRSDS",
        ["ImageId/FileVersion"] = "KernelTraceControl/ImageID/FileVersion",
        ["EventMetadata/EventInfo"] = "KernelTraceControl/MetaData/EventInfo",
        ["EventMetadata/EventMapInfo"] = "KernelTraceControl/MetaData/EventMapInfo",
    }.ToFrozenDictionary();

    /// <summary>Events that TraceEvent names by a table of its own, other than the description in the trace does.</summary>
    private static readonly FrozenDictionary<string, string> Manifest = new Dictionary<string, string>
    {
        ["Microsoft-Windows-DotNETRuntime/CLRLoader/AppDomainLoad"] = "Microsoft-Windows-DotNETRuntime/Loader/AppDomainLoad",
        ["Microsoft-Windows-DotNETRuntime/CLRLoader/AppDomainUnload"] = "Microsoft-Windows-DotNETRuntime/Loader/AppDomainUnload",
        ["Microsoft-Windows-DotNETRuntime/CLRLoader/AssemblyLoad"] = "Microsoft-Windows-DotNETRuntime/Loader/AssemblyLoad",
        ["Microsoft-Windows-DotNETRuntime/CLRLoader/AssemblyUnload"] = "Microsoft-Windows-DotNETRuntime/Loader/AssemblyUnload",
        ["Microsoft-Windows-DotNETRuntime/CLRLoader/DomainModuleLoad"] = "Microsoft-Windows-DotNETRuntime/Loader/DomainModuleLoad",
        ["Microsoft-Windows-DotNETRuntime/CLRLoader/ModuleLoad"] = "Microsoft-Windows-DotNETRuntime/Loader/ModuleLoad",
        ["Microsoft-Windows-DotNETRuntime/CLRLoader/ModuleUnload"] = "Microsoft-Windows-DotNETRuntime/Loader/ModuleUnload",
        ["Microsoft-Windows-DotNETRuntime/CLRMethod/MethodUnloadVerbose"] = "Microsoft-Windows-DotNETRuntime/Method/UnloadVerbose",
        ["Microsoft-Windows-DotNETRuntime/GarbageCollection/GCBulkMovedObjectRanges"] =
            "Microsoft-Windows-DotNETRuntime/GC/BulkMovedObjectRanges",
        ["Microsoft-Windows-DotNETRuntime/GarbageCollection/GCBulkSurvivingObjectRanges"] =
            "Microsoft-Windows-DotNETRuntime/GC/BulkSurvivingObjectRanges",
        [Rundown("CLRLoaderRundown/AppDomainDCEnd")] = Rundown("Loader/AppDomainDCStop"),
        [Rundown("CLRLoaderRundown/AssemblyDCEnd")] = Rundown("Loader/AssemblyDCStop"),
        [Rundown("CLRLoaderRundown/DomainModuleDCEnd")] = Rundown("Loader/DomainModuleDCStop"),
        [Rundown("CLRLoaderRundown/ModuleDCEnd")] = Rundown("Loader/ModuleDCStop"),
        [Rundown("CLRMethodRundown/DCEndComplete")] = Rundown("Method/DCStopComplete"),
        [Rundown("CLRMethodRundown/DCEndInit")] = Rundown("Method/DCStopInit"),
        [Rundown("CLRRuntimeInformationRundown/Start")] = Rundown("Runtime/Start"),
    }.ToFrozenDictionary();

    /// <summary>Events whose manifest is not in the trace: only the id is to be compared.</summary>
    private static readonly FrozenDictionary<(Guid Provider, ushort Id), string> WithoutManifest =
        new Dictionary<(Guid, ushort), string>
        {
            [(RuntimeRundown, 10)] = Rundown("GC/SettingsRundown"),
            [(RuntimeRundown, 146)] = Rundown("Method/DCStopComplete"),
            [(RuntimeRundown, 148)] = Rundown("Method/DCStopInit"),
            [(RuntimeRundown, 152)] = Rundown("Loader/DomainModuleDCStop"),
            [(RuntimeRundown, 154)] = Rundown("Loader/ModuleDCStop"),
            [(RuntimeRundown, 156)] = Rundown("Loader/AssemblyDCStop"),
            [(RuntimeRundown, 158)] = Rundown("Loader/AppDomainDCStop"),
            [(RuntimeRundown, 187)] = Rundown("Runtime/Start"),
            [(RuntimeRundown, 280)] = Rundown("TieredCompilationRundown/SettingsDCStart"),
            [(RuntimePrivate, 2)] = Private("GC/Settings"),
            [(RuntimePrivate, 4)] = Private("GC/PerHeapHistory"),
            [(RuntimePrivate, 5)] = Private("GC/GlobalHeapHistory"),
            [(RuntimePrivate, 7)] = Private("GC/MarkStackRoots"),
            [(RuntimePrivate, 8)] = Private("GC/MarkFinalizeQueueRoots"),
            [(RuntimePrivate, 9)] = Private("GC/MarkHandles"),
            [(RuntimePrivate, 10)] = Private("GC/MarkCards"),
            [(RuntimePrivate, 161)] = Private("Binding/NgenPhaseStart"),
            [(RuntimePrivate, 162)] = Private("Binding/NgenPhaseStop"),
            [(RuntimePrivate, 165)] = Private("Binding/LoaderPhaseStart"),
            [(RuntimePrivate, 166)] = Private("Binding/LoaderPhaseStop"),
            [(RuntimePrivate, 171)] = Private("Binding/LoaderAssemblyInitPhaseStart"),
            [(RuntimePrivate, 172)] = Private("Binding/LoaderAssemblyInitPhaseStop"),
            [(RuntimePrivate, 173)] = Private("Binding/LoaderMappingPhaseStart"),
            [(RuntimePrivate, 174)] = Private("Binding/LoaderMappingPhaseStop"),
            [(RuntimePrivate, 175)] = Private("Binding/LoaderDeliverEventPhaseStart"),
            [(RuntimePrivate, 176)] = Private("Binding/LoaderDeliverEventsPhaseStop"),
            [(RuntimePrivate, 188)] = Private("NgenBinder/NgenBind"),
            [(RuntimePrivate, 196)] = Private("Binding/FusionMessage"),
        }.ToFrozenDictionary();

    /// <summary>
    /// Names of ours that TraceEvent's log files keep no event under, and why; the counts of all others must be equal.
    /// </summary>
    public static IReadOnlyDictionary<string, string> NotPrinted { get; } = new Dictionary<string, string>
    {
        ["Microsoft-Windows-DotNETRuntime/CLRMethod/MethodILToNativeMap"] = CodeMap,
        ["Microsoft-Windows-DotNETRuntime/ClrStack/Walk"] = Stack,
        [Rundown("CLRMethodRundown/MethodDCEndILToNativeMap")] = CodeMap,
        [Rundown("CLRMethodRundown/MethodDCEndVerbose")] = CodeMap,
        ["a669021c-c450-4609-a035-5af59af4df18/EventID(144)"] = CodeMap,
        ["Windows Kernel/File/NameCreate"] = FileNames,
        ["Windows Kernel/File/NameDelete"] = FileNames,
        ["Windows Kernel/File/NameRundown"] = FileNames,
        ["Windows Kernel/Header/PartitionInfo"] = Unknown,
        ["Windows Kernel/Image/HypercallPage"] = Unknown,
        ["Windows Kernel/PerfInfo/Sample (idle)"] = "samples of an idle processor: neither thread nor DPC nor ISR",
        ["Windows Kernel/StackWalk/KeyDelete"] = Stack,
        ["Windows Kernel/StackWalk/KeyKernel"] = Stack,
        ["Windows Kernel/StackWalk/KeyRundown"] = Stack,
        ["Windows Kernel/StackWalk/KeyUser"] = Stack,
        ["Windows Kernel/StackWalk/Stack"] = Stack,
        ["Windows Kernel/SystemConfig/Dpi"] = Unknown,
        ["Windows Kernel/SystemConfig/OpticalDisk"] = Unknown,
        ["Windows Kernel/Thread/DCStart"] = Threads,
        ["Windows Kernel/Thread/DCStop"] = Threads,
    };

    /// <summary>TraceEvent's name of an event, or our own where the table has none.</summary>
    public static string Of(scoped in EtlEvent traceEvent, EventDecoder decoder)
    {
        if (traceEvent.IsEventHeader)
        {
            if (decoder.TryDescribe(in traceEvent, out EventSchema? schema) && schema!.Source != EventSchemaSource.ProviderOnly)
            {
                return Manifest.GetValueOrDefault(schema.FullName, schema.FullName);
            }

            return WithoutManifest.GetValueOrDefault(
                (traceEvent.ProviderId, traceEvent.Id), $"{traceEvent.ProviderId}/EventID({traceEvent.Id})");
        }

        KernelRecordCatalog.Find(in traceEvent, out string group, out string name);
        string known = Kernel.GetValueOrDefault($"{group}/{name}", $"{KernelProvider}{group}/{name}");
        return IsIdleSample(in traceEvent) ? $"{known} (idle)" : known;
    }

    /// <summary>TraceEvent leaves out samples of an idle processor: no thread, and neither a DPC nor an ISR.</summary>
    private static bool IsIdleSample(scoped in EtlEvent traceEvent) =>
        traceEvent.HookId == KernelHook.SampledProfile
        && SampledProfileRecord.TryRead(in traceEvent, out SampledProfileRecord sample)
        && sample.ThreadId == 0
        && (sample.Flags.GetValueOrDefault() & 3) == 0;

    private static string Rundown(string name) => $"Microsoft-Windows-DotNETRuntimeRundown/{name}";

    private static string Private(string name) => $"Microsoft-Windows-DotNETRuntimePrivate/{name}";
}
