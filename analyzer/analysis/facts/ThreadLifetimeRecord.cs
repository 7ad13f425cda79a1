namespace Tracer.Analysis.Facts;

/// <summary>What one record says about a thread.</summary>
/// <param name="Kind">Whether the thread started, ended, or was found in a rundown.</param>
/// <param name="BasePriority">Base priority; null where the record has none.</param>
/// <param name="Affinity">The thread's affinity mask; 0 where the record has none.</param>
/// <param name="StartAddress">The thread's start address; 0 where the record has none.</param>
/// <param name="Name">The thread's name; empty where the record has none.</param>
internal readonly record struct ThreadLifetimeRecord(
    uint ThreadId,
    uint ProcessId,
    long Ticks,
    LifetimeRecordKind Kind,
    sbyte? BasePriority,
    ulong Affinity,
    ulong StartAddress,
    string Name)
    : ILifetimeRecord<ThreadLifetimeRecord>
{
    public UInt128 Place => ThreadId;

    public int CompareContent(in ThreadLifetimeRecord other)
    {
        int order = ProcessId.CompareTo(other.ProcessId);
        order = order != 0 ? order : (BasePriority ?? sbyte.MinValue).CompareTo(other.BasePriority ?? sbyte.MinValue);
        order = order != 0 ? order : Affinity.CompareTo(other.Affinity);
        order = order != 0 ? order : StartAddress.CompareTo(other.StartAddress);
        return order != 0 ? order : string.CompareOrdinal(Name, other.Name);
    }

    public bool IsSame(in ThreadLifetimeRecord other) => ProcessId == other.ProcessId;

    public ThreadLifetimeRecord With(in ThreadLifetimeRecord later) => this with
    {
        BasePriority = later.BasePriority ?? BasePriority,
        Affinity = later.Affinity != 0 ? later.Affinity : Affinity,
        StartAddress = StartAddress != 0 ? StartAddress : later.StartAddress,
        Name = later.Name.Length > 0 ? later.Name : Name,
    };
}

/// <summary>What one record says about a process.</summary>
/// <param name="Key">A unique key of the process, never reused; 0 where the record has none.</param>
/// <param name="Kind">Whether the process started, ended, or was found in a rundown.</param>
/// <param name="Name">File name of the process's image; empty where unknown.</param>
internal readonly record struct ProcessLifetimeRecord(
    uint ProcessId, ulong Key, uint ParentId, long Ticks, LifetimeRecordKind Kind, string Name)
    : ILifetimeRecord<ProcessLifetimeRecord>
{
    public UInt128 Place => ProcessId;

    public int CompareContent(in ProcessLifetimeRecord other)
    {
        int order = Key.CompareTo(other.Key);
        order = order != 0 ? order : ParentId.CompareTo(other.ParentId);
        return order != 0 ? order : string.CompareOrdinal(Name, other.Name);
    }

    public bool IsSame(in ProcessLifetimeRecord other) => Key != 0 && other.Key != 0
        ? Key == other.Key
        : Name.Length == 0 || other.Name.Length == 0 || Name == other.Name;

    public ProcessLifetimeRecord With(in ProcessLifetimeRecord later) => this with
    {
        Key = Key != 0 ? Key : later.Key,
        Name = Name.Length > 0 ? Name : later.Name,
    };
}
