namespace Tracer.Etl;

/// <summary>A statement of a file's header that the machine's own records can prove wrong.</summary>
public enum HeaderStatement
{
    /// <summary>Width of the machine's pointers in bytes: the header tells that of the program that wrote it.</summary>
    PointerBytes,

    /// <summary>Number of logical processors: buffers of others disprove it.</summary>
    ProcessorCount,

    /// <summary>What the time stamps count (<see cref="TraceClockKind"/>): the time stamps themselves disprove it.</summary>
    ClockKind,

    /// <summary>
    /// How fast the clock counts, in Hz: the time since the start of the system and the length of the session, by the time of day, disprove
    /// it. Found is a rate that computers have; 0 for none.
    /// </summary>
    ClockRate,

    /// <summary>The header event's time stamp, in ticks: the times of all other events disprove it.</summary>
    HeaderTicks,
}

/// <summary>What a file's header says, and what the machine's own records prove instead.</summary>
/// <param name="Statement">What is told.</param>
/// <param name="Told">As the header tells it.</param>
/// <param name="Found">As the records prove it.</param>
public sealed record HeaderContradiction(HeaderStatement Statement, long Told, long Found);
