namespace Tracer.Analysis.Facts;

/// <summary>A thread during its lifetime; its id may be reused afterwards.</summary>
public sealed record ThreadLife
{
    /// <summary>The thread's id; 0 is the idle thread of every CPU.</summary>
    public required uint ThreadId { get; init; }

    public required uint ProcessId { get; init; }

    /// <summary>When the thread started, in ticks; long.MinValue where it existed before the trace.</summary>
    public required long FromTicks { get; init; }

    /// <summary>When the thread ended, in ticks; long.MaxValue where it outlived the trace.</summary>
    public required long ToTicks { get; init; }

    /// <summary>Base priority, 0 to 31, from the last record that gives it; null where none does.</summary>
    public int? BasePriority { get; init; }

    /// <summary>Affinity mask within the thread's processor group, from the last record that gives it; null where none does.</summary>
    public ulong? Affinity { get; init; }

    /// <summary>Start address; null where no record gives it.</summary>
    public ulong? StartAddress { get; init; }

    /// <summary>The thread's name; null where it has none.</summary>
    public string? Name { get; init; }
}

/// <summary>A process during its lifetime; its id may be reused afterwards.</summary>
public sealed record ProcessLife
{
    public required uint ProcessId { get; init; }

    public required uint ParentId { get; init; }

    /// <summary>When the process started, in ticks; long.MinValue where it existed before the trace.</summary>
    public required long FromTicks { get; init; }

    /// <summary>When the process ended, in ticks; long.MaxValue where it outlived the trace.</summary>
    public required long ToTicks { get; init; }

    /// <summary>File name of the process's image, which old systems truncate; null where the trace has none.</summary>
    public string? ImageName { get; init; }
}
