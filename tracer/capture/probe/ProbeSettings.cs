namespace Tracer.Capture.Probe;

/// <summary>How the probe process is to measure.</summary>
public sealed record ProbeSettings
{
    /// <summary>The higher priority of the papers' threads (Cota-Robles &amp; Held 3), and the default.</summary>
    public const int HighPriority = 28;

    /// <summary>The base of the real-time class, and the papers' lower priority.</summary>
    public const int RealTimePriority = 24;

    /// <summary>As many CPUs as one processor group can have: the probe stays in the first.</summary>
    public const int MostCpus = 64;

    /// <summary>
    /// A millisecond, as both papers have it: what keeps a CPU for half of that is met within a second or two of its beat.
    /// </summary>
    public static Duration DefaultPeriod { get; } = Duration.FromMilliseconds(1);

    /// <summary>Latency from which a wake-up is an episode.</summary>
    public required Duration Threshold { get; init; }

    /// <summary>Least time from one wake-up to the next timer; up to a tick of the clock comes on top.</summary>
    public Duration Period { get; init; } = DefaultPeriod;

    /// <summary>Priority of the threads: <see cref="RealTimePriority"/> or <see cref="HighPriority"/>.</summary>
    public int Priority { get; init; } = HighPriority;

    /// <summary>
    /// CPUs to measure, one thread bound to each; empty for all. A driver may keep any CPU: a probe on one sees the others' trouble only
    /// by chance.
    /// </summary>
    public IReadOnlyList<int> Cpus { get; init; } = [];

    /// <summary>The process whose end is the probe's, too; 0 for none.</summary>
    public int ParentId { get; init; }
}
