namespace Tracer.Etl;

/// <summary>How it is known that events may be missing.</summary>
public enum LossKind
{
    /// <summary>
    /// The number of a buffer is missing between those of others. Which CPU's it was is not told: each CPU that might have had it in use
    /// then gets a loss of its own, and one of them is right.
    /// </summary>
    MissingBuffer,

    /// <summary>A buffer is there but could not be read whole.</summary>
    DamagedBuffer,

    /// <summary>A buffer says that events were lost before or while it was filled.</summary>
    EventsLost,

    /// <summary>A buffer says that a buffer was lost before it.</summary>
    BufferLost,

    /// <summary>Events of that time are there, but with time stamps that no neighbour supports.</summary>
    StrayTimes,

    /// <summary>The file ends before its writer meant it to: what a CPU logged behind its last event here is not known.</summary>
    CutOff,
}

/// <summary>
/// A stretch of time in which events of a CPU may be missing; what its neighbours at both ends logged is there. Outside all losses of a
/// CPU, from its first event on, nothing is missing that left a trace in the file.
/// </summary>
/// <param name="Cpu">Logical processor; null for all of them.</param>
/// <param name="FromTicks">Not before this time stamp; long.MinValue where nothing limits it.</param>
/// <param name="ToTicks">Not behind this time stamp; long.MaxValue where nothing limits it.</param>
/// <param name="Kind">How it is known.</param>
public readonly record struct TraceLoss(int? Cpu, long FromTicks, long ToTicks, LossKind Kind)
{
    /// <summary>Whether events of a CPU at a time may be missing because of this.</summary>
    /// <param name="cpu">Logical processor.</param>
    /// <param name="ticks">Time stamp.</param>
    public bool Covers(int cpu, long ticks) => (Cpu is null || Cpu == cpu) && ticks >= FromTicks && ticks <= ToTicks;
}
