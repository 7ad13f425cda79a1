namespace Tracer.Analysis.Latencies;

/// <summary>What latencies are told apart by.</summary>
[Flags]
public enum LatencyDimensions
{
    /// <summary>Nothing: all of a kind and source together.</summary>
    None = 0,

    Trace = 1,

    /// <summary>The processor that ran what had waited.</summary>
    Cpu = 2,

    /// <summary>The thread's priority.</summary>
    Priority = 4,

    /// <summary>The group of the thread's priority.</summary>
    Group = 8,

    /// <summary>The process of the thread.</summary>
    Process = 16,

    /// <summary>The mark that was set last before.</summary>
    Label = 32,
}

/// <summary>Which latencies are measured, and what they are told apart by.</summary>
public sealed record LatencyRequest
{
    /// <summary>Most parts of a split that are told apart: no machine has more CPUs or programs, but a damaged trace may.</summary>
    public const int MostParts = 512;

    /// <summary>Each dimension by itself: what is told apart where nobody asks for anything else.</summary>
    public static IReadOnlyList<LatencyDimensions> Each { get; } =
    [
        LatencyDimensions.Trace, LatencyDimensions.Cpu, LatencyDimensions.Priority, LatencyDimensions.Group, LatencyDimensions.Process,
        LatencyDimensions.Label,
    ];

    /// <summary>The kinds; null for all latencies, but not for what jobs take and lose, of which much is no lateness.</summary>
    public IReadOnlySet<LatencyKind>? Kinds { get; init; }

    /// <summary>The sources; null for all.</summary>
    public IReadOnlySet<LatencySource>? Sources { get; init; }

    /// <summary>
    /// What is told apart, each beside what is of everything: one distribution for each value of a dimension, or for each combination of
    /// values of several.
    /// </summary>
    public IReadOnlyList<LatencyDimensions> Splits { get; init; } = Each;

    public bool Wants(LatencyKind kind, LatencySource source) => Asks(kind) && Sources?.Contains(source) != false;

    /// <summary>Whether the periodic threads are asked for, which keep their beat or not by both.</summary>
    public bool AsksBeats => Asks(LatencyKind.Thread) || Asks(LatencyKind.Response);

    public bool Asks(LatencyKind kind) => Kinds?.Contains(kind) ?? !kind.IsOfJobs();
}

/// <summary>Takes each latency as it is measured, in no strict order of time.</summary>
public interface ILatencySink
{
    void Begin(long fromNs);

    /// <param name="periodOf">The period of the timer whose wake-ups a source measured, in nanoseconds; null where there is none.</param>
    void End(long toNs, Func<LatencySource, long?> periodOf);

    /// <summary>Takes a latency that is in the distributions.</summary>
    void Add(in MeasuredLatency latency);

    /// <summary>Takes a stretch from which records are missing.</summary>
    void AddUnobserved(long fromNs, long toNs);

    /// <summary>Takes the jobs of a periodic thread.</summary>
    void AddJobs(CallbackIntervals thread, IReadOnlyList<MeasuredJob> jobs)
    {
    }
}

/// <summary>A job of a periodic thread.</summary>
/// <param name="StartNs">When it should have run, in nanoseconds from the header event.</param>
/// <param name="ResponseNs">From then until it was done.</param>
/// <param name="IsMissed">Whether it was done after its deadline: the one that its thread had set itself, else its next beat.</param>
public readonly record struct MeasuredJob(long StartNs, long ResponseNs, bool IsMissed = false);

/// <param name="StartNs">When it began, in nanoseconds from the header event.</param>
/// <param name="Cpu">The processor that ran what had waited.</param>
/// <param name="Priority">The thread's priority; -1 where no thread waited.</param>
/// <param name="ThreadId">The thread; 0 where none waited.</param>
public readonly record struct MeasuredLatency(
    LatencyKind Kind, LatencySource Source, long StartNs, long Nanoseconds, int Cpu, int Priority, uint ThreadId);
