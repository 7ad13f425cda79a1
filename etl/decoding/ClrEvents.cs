using System.Collections.Frozen;
using System.Collections.Immutable;

namespace Tracer.Etl.Decoding;

/// <summary>
/// Events of the .NET runtime's provider that matter to latency, by id and version: garbage collections, the suspensions around them,
/// contention, the thread pool, compilation. The runtime writes no manifest into a trace, so this is the only source for them in a trace
/// that was not merged. Names are those that TraceEvent gives; layouts are those of Microsoft's documentation of CLR ETW events and of
/// the descriptions in merged traces.
/// </summary>
public static class ClrEvents
{
    private const string Name = "Microsoft-Windows-DotNETRuntime";
    private const string Instance = "ClrInstanceID:u16";
    private const string Start1 = "Count:u32 Depth:u32 Reason:u32=GCReason Type:u32=GCType " + Instance;
    private const string Segment = "Address:x64 Size:x64 Type:u32=GCSegmentType";
    private const string Tick1 = "AllocationAmount:u32 AllocationKind:u32=GCAllocationKind " + Instance;
    private const string Tick2 = Tick1 + " AllocationAmount64:u64 TypeID:ptr TypeName:str HeapIndex:u32";
    private const string Tick3 = Tick2 + " Address:ptr";
    private const string Roots = "HeapNum:u32 " + Instance;
    private const string Workers = "ActiveWorkerThreadCount:u32 RetiredWorkerThreadCount:u32 " + Instance;
    private const string Contention1 = "ContentionFlags:u8=ContentionFlags " + Instance;

    private const string HeapStats0 =
        "GenerationSize0:u64 TotalPromotedSize0:u64 GenerationSize1:u64 TotalPromotedSize1:u64 GenerationSize2:u64 TotalPromotedSize2:u64"
        + " GenerationSize3:u64 TotalPromotedSize3:u64 FinalizationPromotedSize:u64 FinalizationPromotedCount:u64 PinnedObjectCount:u32"
        + " SinkBlockCount:u32 GCHandleCount:u32";

    private const string GlobalHistory1 =
        "FinalYoungestDesired:u64 NumHeaps:i32 CondemnedGeneration:u32 Gen0ReductionCount:u32 Reason:u32=GCReason"
        + " GlobalMechanisms:u32=GCGlobalMechanisms " + Instance;

    private const string GlobalHistory2 = GlobalHistory1 + " PauseMode:u32=GCPauseMode MemoryPressure:u32";
    private const string GlobalHistory3 = GlobalHistory2 + " CondemnReasons0:u32 CondemnReasons1:u32";

    private const string HeapHistory3 =
        Instance + " FreeListAllocated:size FreeListRejected:size EndOfSegAllocated:size CondemnedAllocated:size PinnedAllocated:size"
        + " PinnedAllocatedAdvance:size RunningFreeListEfficiency:u32 CondemnReasons0:u32 CondemnReasons1:u32 CompactMechanisms:u32"
        + " ExpandMechanisms:u32 HeapIndex:u32 ExtraGen0Commit:size Count:u32";

    private const string HeapHistoryValues =
        "SizeBefore:size FreeListBefore:size FreeObjBefore:size SizeAfter:size FreeListAfter:size FreeObjAfter:size In:size"
        + " PinnedSurv:size NonePinnedSurv:size NewAllocation:size";

    private const string MethodNames = "MethodNamespace:str MethodName:str MethodSignature:str";

    private const string Load1 =
        "MethodID:x64 ModuleID:x64 MethodStartAddress:x64 MethodSize:u32 MethodToken:x32 MethodFlags:u32=MethodFlags "
        + MethodNames + " " + Instance;

    private const string RuntimeStart =
        Instance + " Sku:u16=RuntimeSku BclMajorVersion:u16 BclMinorVersion:u16 BclBuildNumber:u16 BclQfeNumber:u16 VMMajorVersion:u16"
        + " VMMinorVersion:u16 VMBuildNumber:u16 VMQfeNumber:u16 StartupFlags:u32 StartupMode:u8=StartupMode CommandLine:str"
        + " ComObjectGuid:guid RuntimeDllPath:str";

    private static readonly FrozenDictionary<string, ValueMap> Maps = new ValueMap[]
    {
        Values(
            "GCReason", "AllocSmall", "Induced", "LowMemory", "Empty", "AllocLarge", "OutOfSpaceSOH", "OutOfSpaceLOH", "InducedNotForced",
            "Stress", "InducedLowMemory", "InducedCompacting"),
        Values("GCType", "NonConcurrentGC", "BackgroundGC", "ForegroundGC"),
        Values("GCSegmentType", "SmallObjectHeap", "LargeObjectHeap", "ReadOnlyHeap", "PinnedObjectHeap"),
        Values("GCAllocationKind", "Small", "Large", "Pinned"),
        Values(
            "GCSuspendEEReason", "SuspendOther", "SuspendForGC", "SuspendForAppDomainShutdown", "SuspendForCodePitching",
            "SuspendForShutdown", "SuspendForDebugger", "SuspendForGCPrep", "SuspendForDebuggerSweep"),
        Values("GCBucketKind", "Largest", "PlugsInCondemned"),
        Values("GCPauseMode", "Batch", "Interactive", "LowLatency", "SustainedLowLatency", "NoGC"),
        Values("ContentionFlags", "Managed", "Native"),
        Values(
            "AdjustmentReason", "Warmup", "Initializing", "RandomMove", "ClimbingMove", "ChangePoint", "Stabilizing", "Starvation",
            "ThreadTimedOut"),
        Flags("GCGlobalMechanisms", "Concurrent", "Compaction", "Promotion", "Demotion", "CardBundles"),
        Flags("ExceptionFlags", "HasInnerException", "Nested", "ReThrown", "CorruptedState", "CLSCompliant"),
        Flags("MethodFlags", "Dynamic", "Generic", "HasSharedGenericCode", "Jitted"),
        Flags("ThreadFlags", "GCSpecial", "Finalizer", "ThreadPoolWorker"),
        new("RuntimeSku", isFlags: false, [new(1, "DesktopClr"), new(2, "CoreClr")]),
        new(
            "StartupMode",
            isFlags: true,
            [new(0, "None"), new(1, "ManagedExe"), new(2, "HostedClr"), new(4, "IjwDll"), new(8, "ComActivated"), new(16, "Other")]),
    }.ToFrozenDictionary(map => map.Name);

    private static readonly FrozenDictionary<int, EventSchema> Table = new Dictionary<int, EventSchema>
    {
        [Key(1, 0)] = Event("GC/Start", "Count:u32 Reason:u32=GCReason"),
        [Key(1, 1)] = Event("GC/Start", Start1),
        [Key(1, 2)] = Event("GC/Start", Start1 + " ClientSequenceNumber:u64"),
        [Key(2, 0)] = Event("GC/Stop", "Count:u32 Depth:u16"),
        [Key(2, 1)] = Event("GC/Stop", "Count:u32 Depth:u32 " + Instance),
        [Key(3, 0)] = Event("GC/RestartEEStop", ""),
        [Key(3, 1)] = Event("GC/RestartEEStop", Instance),
        [Key(4, 0)] = Event("GC/HeapStats", HeapStats0),
        [Key(4, 1)] = Event("GC/HeapStats", HeapStats0 + " " + Instance),
        [Key(4, 2)] = Event("GC/HeapStats", HeapStats0 + " " + Instance + " GenerationSize4:u64 TotalPromotedSize4:u64"),
        [Key(5, 0)] = Event("GC/CreateSegment", Segment),
        [Key(5, 1)] = Event("GC/CreateSegment", Segment + " " + Instance),
        [Key(6, 0)] = Event("GC/FreeSegment", "Address:x64"),
        [Key(6, 1)] = Event("GC/FreeSegment", "Address:x64 " + Instance),
        [Key(7, 0)] = Event("GC/RestartEEStart", ""),
        [Key(7, 1)] = Event("GC/RestartEEStart", Instance),
        [Key(8, 0)] = Event("GC/SuspendEEStop", ""),
        [Key(8, 1)] = Event("GC/SuspendEEStop", Instance),
        [Key(9, 0)] = Event("GC/SuspendEEStart", "Reason:u16=GCSuspendEEReason"),
        [Key(9, 1)] = Event("GC/SuspendEEStart", "Reason:u32=GCSuspendEEReason Count:u32 " + Instance),
        [Key(10, 0)] = Event("GC/AllocationTick", "AllocationAmount:u32 AllocationKind:u32=GCAllocationKind"),
        [Key(10, 1)] = Event("GC/AllocationTick", Tick1),
        [Key(10, 2)] = Event("GC/AllocationTick", Tick2),
        [Key(10, 3)] = Event("GC/AllocationTick", Tick3),
        [Key(10, 4)] = Event("GC/AllocationTick", Tick3 + " ObjectSize:u64"),
        [Key(11, 1)] = Event("GC/CreateConcurrentThread", Instance),
        [Key(12, 1)] = Event("GC/TerminateConcurrentThread", Instance),
        [Key(13, 1)] = Event("GC/FinalizersStop", "Count:u32 " + Instance),
        [Key(14, 1)] = Event("GC/FinalizersStart", Instance),
        [Key(23, 0)] = Event("GC/GenerationRange", "Generation:u8 RangeStart:ptr RangeUsedLength:u64 RangeReservedLength:u64 " + Instance),
        [Key(25, 0)] = Event("GC/MarkStackRoots", Roots),
        [Key(26, 0)] = Event("GC/MarkFinalizeQueueRoots", Roots),
        [Key(27, 0)] = Event("GC/MarkHandles", Roots),
        [Key(28, 0)] = Event("GC/MarkCards", Roots),
        [Key(29, 0)] = Event("GC/FinalizeObject", "TypeID:ptr ObjectID:ptr " + Instance),
        [Key(33, 0)] = Event("GC/PinObjectAtGCTime", "HandleID:ptr ObjectID:ptr ObjectSize:u64 TypeName:str " + Instance),
        [Key(35, 0)] = Event("GC/Triggered", "Reason:u32=GCReason " + Instance),
        [Key(50, 0)] = Event("ThreadPoolWorkerThread/Start", Workers),
        [Key(51, 0)] = Event("ThreadPoolWorkerThread/Stop", Workers),
        [Key(54, 0)] = Event("ThreadPoolWorkerThreadAdjustment/Sample", "Throughput:f64 " + Instance),
        [Key(55, 0)] = Event(
            "ThreadPoolWorkerThreadAdjustment/Adjustment",
            "AverageThroughput:f64 NewWorkerThreadCount:u32 Reason:u32=AdjustmentReason " + Instance),
        [Key(57, 0)] = Event("ThreadPoolWorkerThread/Wait", Workers),
        [Key(80, 1)] = Event(
            "Exception/Start",
            "ExceptionType:str ExceptionMessage:str ExceptionEIP:ptr ExceptionHRESULT:x32 ExceptionFlags:u16=ExceptionFlags " + Instance),
        [Key(81, 0)] = Event("Contention/Start", ""),
        [Key(81, 1)] = Event("Contention/Start", Contention1),
        [Key(81, 2)] = Event("Contention/Start", Contention1 + " LockID:ptr AssociatedObjectID:ptr LockOwnerThreadID:u64"),
        [Key(82, 0)] = Event("ClrStack/Walk", Instance + " Reserved1:u8 Reserved2:u8 FrameCount:u32", Frames()),
        [Key(85, 0)] = Event(
            "AppDomainResourceManagement/ThreadCreated",
            "ManagedThreadID:x64 AppDomainID:x64 Flags:u32=ThreadFlags ManagedThreadIndex:u32 OSThreadID:u32 " + Instance),
        [Key(91, 0)] = Event("Contention/Stop", Contention1),
        [Key(91, 1)] = Event("Contention/Stop", Contention1 + " DurationNs:f64"),
        [Key(143, 1)] = Event("Method/LoadVerbose", Load1),
        [Key(143, 2)] = Event("Method/LoadVerbose", Load1 + " ReJITID:x64"),
        [Key(145, 1)] = Event(
            "Method/JittingStarted", "MethodID:x64 ModuleID:x64 MethodToken:x32 MethodILSize:u32 " + MethodNames + " " + Instance),
        [Key(187, 0)] = Event("Runtime/Start", RuntimeStart),
        [Key(200, 0)] = Event("GarbageCollection/IncreaseMemoryPressure", "BytesAllocated:u64 " + Instance),
        [Key(201, 0)] = Event("GarbageCollection/DecreaseMemoryPressure", "BytesFreed:u64 " + Instance),
        [Key(202, 0)] = Event("GC/MarkWithType", Roots + " Type:u32 Promoted:u64"),
        [Key(204, 3)] = Event("GC/PerHeapHistory", HeapHistory3, Array("Values", HeapHistoryValues)),
        [Key(205, 1)] = Event("GC/GlobalHeapHistory", GlobalHistory1),
        [Key(205, 2)] = Event("GC/GlobalHeapHistory", GlobalHistory2),
        [Key(205, 3)] = Event("GC/GlobalHeapHistory", GlobalHistory3),
        [Key(205, 4)] = Event("GC/GlobalHeapHistory", GlobalHistory3 + " Count:u32", Array("Values", "Time:u32")),

        // What follows is padded as the compiler lays the structure out, which no description tells: not shown.
        [Key(208, 0)] = Event("GC/LOHCompact", Instance + " Count:u16", Rest()),
        [Key(209, 0)] = Event(
            "GC/FitBucketInfo",
            Instance + " BucketKind:u16=GCBucketKind TotalSize:u64 Count:u16",
            Array("Values", "Index:u32 Count:u32 Size:u64")),
    }.ToFrozenDictionary();

    /// <summary>The provider Microsoft-Windows-DotNETRuntime.</summary>
    public static Guid ProviderId { get; } = new("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");

    /// <summary>What an event looks like.</summary>
    /// <param name="id">Its id.</param>
    /// <param name="version">Its version.</param>
    /// <returns>Null for an event that is not in the table.</returns>
    public static EventSchema? Find(ushort id, byte version) => Table.GetValueOrDefault(Key(id, version));

    /// <summary>
    /// The newest version in the table that is not newer than the event's: its fields are the start of the event's payload.
    /// </summary>
    /// <param name="id">Its id.</param>
    /// <param name="version">Its version.</param>
    /// <returns>Null for an event that is not in the table.</returns>
    public static EventSchema? FindStart(ushort id, byte version)
    {
        for (int older = version; older >= 0; older--)
        {
            if (Table.TryGetValue(Key(id, (byte)older), out EventSchema? schema))
            {
                return schema;
            }
        }

        return null;
    }

    private static int Key(ushort id, byte version) => Manifest.Key(id, version);

    private static EventSchema Event(string name, string fields, params ReadOnlySpan<FieldDefinition> more) => new()
    {
        ProviderName = Name,
        EventName = name,
        Source = EventSchemaSource.BuiltIn,
        Fields = [.. Fields(fields), .. more],
    };

    /// <summary>Structs, as many as the field Count before them says.</summary>
    private static FieldDefinition Array(string name, string members) => new()
    {
        Name = name,
        InType = FieldInType.Struct,
        Count = FieldSize.FromField(0),
        Members = Fields(members, countNumber: -1),
    };

    /// <summary>Return addresses; the runtime's own description says there are always two.</summary>
    private static FieldDefinition Frames() => new()
    {
        Name = "Stack",
        InType = FieldInType.Pointer,
        OutType = FieldOutType.CodePointer,
        Count = FieldSize.FromField(0),
    };

    private static FieldDefinition Rest() => new()
    {
        Name = "Values",
        InType = FieldInType.Binary,
        OutType = FieldOutType.NoPrint,
    };

    /// <summary>Fields written "name:type" or "name:type=map", between blanks.</summary>
    private static ImmutableArray<FieldDefinition> Fields(string text, int countNumber = 0) =>
    [
        .. text.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(field =>
        {
            string[] parts = field.Split(':', '=');
            (FieldInType inType, FieldOutType outType) = TypeOf(parts[1]);
            return new FieldDefinition
            {
                Name = parts[0],
                InType = inType,
                OutType = outType,
                Number = parts[0] is "Count" or "FrameCount" ? countNumber : -1,
                Map = parts.Length > 2 ? Maps[parts[2]] : null,
            };
        }),
    ];

    private static (FieldInType InType, FieldOutType OutType) TypeOf(string name) => name switch
    {
        "u8" => (FieldInType.UInt8, FieldOutType.Default),
        "u16" => (FieldInType.UInt16, FieldOutType.Default),
        "u32" => (FieldInType.UInt32, FieldOutType.Default),
        "u64" => (FieldInType.UInt64, FieldOutType.Default),
        "i32" => (FieldInType.Int32, FieldOutType.Default),
        "x32" => (FieldInType.UInt32, FieldOutType.HexInt32),
        "x64" => (FieldInType.UInt64, FieldOutType.HexInt64),
        "f64" => (FieldInType.Double, FieldOutType.Default),
        "ptr" => (FieldInType.Pointer, FieldOutType.Default),
        "size" => (FieldInType.SizeT, FieldOutType.Default),
        "guid" => (FieldInType.Guid, FieldOutType.Default),
        "str" => (FieldInType.UnicodeString, FieldOutType.Default),
        _ => throw new ArgumentOutOfRangeException(nameof(name), name, "no such type"),
    };

    private static ValueMap Values(string name, params string[] names) =>
        new(name, isFlags: false, names.Select((text, index) => KeyValuePair.Create((ulong)index, text)));

    private static ValueMap Flags(string name, params string[] names) =>
        new(name, isFlags: true, names.Select((text, index) => KeyValuePair.Create(1UL << index, text)));
}
