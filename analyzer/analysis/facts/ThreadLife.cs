namespace Tracer.Analysis;

/// <summary>A thread, while its id was its own.</summary>
public sealed record ThreadLife
{
    /// <summary>Its id; 0 is every CPU's idle thread.</summary>
    public required uint ThreadId { get; init; }

    /// <summary>Its process.</summary>
    public required uint ProcessId { get; init; }

    /// <summary>When it began, in ticks; long.MinValue where it was there before the trace.</summary>
    public required long FromTicks { get; init; }

    /// <summary>When it ended, in ticks; long.MaxValue where it did not.</summary>
    public required long ToTicks { get; init; }

    /// <summary>Base priority, 0 to 31, by the last record that tells; null where none does.</summary>
    public int? BasePriority { get; init; }

    /// <summary>Processors that it may use, within its group, by the last record that tells; null where none does.</summary>
    public ulong? Affinity { get; init; }

    /// <summary>Address at which it began; null where no record tells.</summary>
    public ulong? StartAddress { get; init; }

    /// <summary>Its name; null where it has none.</summary>
    public string? Name { get; init; }
}

/// <summary>A process, while its id was its own.</summary>
public sealed record ProcessLife
{
    /// <summary>Its id.</summary>
    public required uint ProcessId { get; init; }

    /// <summary>The process that made it.</summary>
    public required uint ParentId { get; init; }

    /// <summary>When it began, in ticks; long.MinValue where it was there before the trace.</summary>
    public required long FromTicks { get; init; }

    /// <summary>When it ended, in ticks; long.MaxValue where it did not.</summary>
    public required long ToTicks { get; init; }

    /// <summary>File name of its image, which old systems cut; null where the trace has none.</summary>
    public string? ImageName { get; init; }
}
