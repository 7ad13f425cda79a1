namespace Tracer.Simulator;

/// <summary>What providers beside the kernel log; see <see cref="IKernelLog"/> for times and order.</summary>
public interface IProviderLog
{
    /// <summary>The .NET runtime of a process stops its threads for a garbage collection, collects, lets them go on.</summary>
    void GarbageCollection(long timeNs, int cpu, uint threadId, CollectionStep step, uint number);

    /// <summary>Our own recorder begins to measure wake-ups.</summary>
    /// <param name="timeNs">When.</param>
    /// <param name="cpu">The CPU that logs.</param>
    /// <param name="threadId">The thread that measures.</param>
    /// <param name="priority">Its priority.</param>
    /// <param name="periodNs">From one wake-up to the next.</param>
    /// <param name="thresholdNs">From which latency on a wake-up is an episode.</param>
    /// <param name="isProcess">Whether a probe process measures; else our driver.</param>
    void MeasuringStarted(
        long timeNs, int cpu, uint threadId, int priority, long periodNs, long thresholdNs, bool isProcess = false);

    /// <summary>Our own recorder relates its clock to the performance counter.</summary>
    void ClocksRelated(long timeNs, int cpu, uint threadId);

    /// <summary>Our own recorder has measured a wake-up.</summary>
    void WakeupMeasured(long timeNs, int cpu, uint threadId, in SimulatedWakeup wakeup);

    /// <summary>Our own recorder stops.</summary>
    void MeasuringStopped(long timeNs, int cpu, uint threadId, ulong wakeups);
}

/// <summary>Steps of a garbage collection, by the ids of their events.</summary>
public enum CollectionStep
{
    /// <summary>All threads are to stop where they can.</summary>
    SuspensionBegins = 9,

    /// <summary>They have stopped.</summary>
    SuspensionEnds = 8,

    /// <summary>The collection begins.</summary>
    Begins = 1,

    /// <summary>The collection has ended.</summary>
    Ends = 2,

    /// <summary>The threads are being let go.</summary>
    RestartBegins = 7,

    /// <summary>They may run.</summary>
    RestartEnds = 3,
}

/// <summary>A wake-up that our own recorder measured; times in nanoseconds since the machine was started.</summary>
public readonly record struct SimulatedWakeup
{
    /// <summary>Counts the wake-ups of the run.</summary>
    public required ulong Sequence { get; init; }

    /// <summary>When the timer was due.</summary>
    public required long DueNs { get; init; }

    /// <summary>The clock interrupt that served it; null where that can't be measured, as in a process.</summary>
    public required long? IsrNs { get; init; }

    /// <summary>First instruction of the DPC; null where there is none.</summary>
    public required long? DpcNs { get; init; }

    /// <summary>First instruction of the thread.</summary>
    public required long ThreadNs { get; init; }

    /// <summary>Its priority.</summary>
    public required int Priority { get; init; }
}
