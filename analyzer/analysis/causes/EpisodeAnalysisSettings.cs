using Tracer.Analysis.Delays;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Causes;

/// <summary>What is analysed, and what is left out. Times in ticks of the trace's clock.</summary>
internal sealed record EpisodeAnalysisSettings
{
    /// <summary>A latency of this length or more is an episode.</summary>
    public required long ThresholdTicks { get; init; }

    /// <summary>Whether a CPU that was kept, or stopped, counts only where a thread that counts ran on it.</summary>
    public bool OnlyVictims { get; init; }

    /// <summary>A gap longer than this ends a stretch at ISR or DPC level.</summary>
    public required long LevelGapTicks { get; init; }

    /// <summary>
    /// Whether a thread that runs counts as a victim of what stops it, by thread id, its priority, and time; null where none does.
    /// </summary>
    public required Func<uint, int, long, bool>? IsVictim { get; init; }

    /// <summary>A longer latency rests on a damaged time stamp and is left out.</summary>
    public required long LongestTicks { get; init; }

    /// <summary>How long after the end of an episode its records may still come.</summary>
    public required long LagTicks { get; init; }

    /// <summary>What is due is examined at the ends of these.</summary>
    public required TimeCells Cells { get; init; }

    /// <summary>Episodes that begin earlier are left out.</summary>
    public required long FromTicks { get; init; }

    /// <summary>
    /// The same for the threads that a glitch is about: what explains one of the asked part may have begun before that.
    /// </summary>
    public required long GlitchFromTicks { get; init; }

    /// <summary>Whether a glitch that Windows recorded is about a thread.</summary>
    public required Func<uint, bool> IsOfGlitch { get; init; }

    /// <summary>Episodes that begin later are left out.</summary>
    public required long ToTicks { get; init; }

    /// <summary>The CPUs whose episodes are wanted; null for all.</summary>
    public required IReadOnlySet<int>? Cpus { get; init; }

    /// <summary>Tells when Tracer's own flight recorder was writing: latencies then are left out.</summary>
    public required CaptureEvents Recorder { get; init; }

    /// <summary>Whether gaps in the samples are episodes.</summary>
    public required bool WantsGaps { get; init; }

    /// <summary>Whether to keep what ran on the CPUs during episodes.</summary>
    public required bool WithStrips { get; init; }

    /// <summary>
    /// The affinity of a thread at a time, one bit per CPU; null where not known, or where one mask does not hold all CPUs.
    /// </summary>
    public required Func<uint, long, ulong?> AffinityOf { get; init; }

    /// <summary>Tells when the threads of measured wake-ups were made ready.</summary>
    public required MeasuredReadies Readies { get; init; }

    /// <summary>Tells which clock ticks serve measured timers.</summary>
    public required TimerTicks Ticks { get; init; }

    /// <summary>The suspensions of a thread by its own runtime between two times, by time, without overlaps.</summary>
    public required Func<uint, long, long, IEnumerable<TickSpan>> PausesOf { get; init; }

    public required ParkedProcessors Parked { get; init; }

    /// <summary>
    /// Another CPU must be idle for at least this long to count as free. If it is idle for less, it may already be on its way to the
    /// victim.
    /// </summary>
    public required long LeastIdleTicks { get; init; }
}
