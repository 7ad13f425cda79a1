namespace Tracer.Capture.Ground;

/// <summary>What the kinds of triggers have in common.</summary>
public static class TriggerKinds
{
    public static IReadOnlyList<TriggerKind> Named { get; } =
        [TriggerKind.Driver, TriggerKind.Wakeup, TriggerKind.Job, TriggerKind.Dpc, TriggerKind.Isr];

    /// <summary>Whether it measures threads of the processes that the user named.</summary>
    public static bool IsOfProcess(this TriggerKind kind) => kind is TriggerKind.Process or TriggerKind.Job;

    /// <summary>Whether it tells of moments instead of latencies.</summary>
    public static bool IsInstant(this TriggerKind kind) => kind is TriggerKind.Event or TriggerKind.AskedFor;
}

/// <summary>Something measured, at or above the threshold or not.</summary>
/// <param name="StartQpc">When the victim should have run or the routine began, in ticks of the performance counter.</param>
/// <param name="LatencyNs">How late it was, or how long it ran, in nanoseconds.</param>
/// <param name="Routine">Address of the routine, for DPCs and ISRs; 0 otherwise.</param>
public readonly record struct TriggerMeasurement(TriggerKind Kind, long StartQpc, long LatencyNs, int Cpu, ulong Routine);

/// <summary>Takes measurements; on the engine's thread.</summary>
public interface ITriggerSink
{
    void OnMeasurement(in TriggerMeasurement measurement);

    /// <summary>All latencies that a source has measured so far, where it hands over only those that are late.</summary>
    void OnAll(TriggerKind kind, LatencyHistogram all)
    {
    }

    /// <summary>Measurements that were lost on the way.</summary>
    void OnLost(TriggerKind kind, long count);
}

/// <summary>
/// Something that measures latencies while a capture runs. The engine starts it, asks it for what came (<see cref="Drain"/>) and
/// disposes it.
/// </summary>
public interface ITriggerSource : IDisposable
{
    TriggerKind Kind { get; }

    /// <summary>How late after its end an episode may be heard of: 1.5 s for ETW triggers, 10 ms for the others.</summary>
    TimeSpan Delay { get; }

    /// <summary>Latency of the idle machine in nanoseconds; 0 where it is not measured. Thresholds below twice this are refused.</summary>
    long FloorNs { get; }

    /// <summary>Begins to measure. Throws where it cannot, with the reason as message.</summary>
    void Start();

    /// <summary>Hands over what was measured since the last call. Never blocks.</summary>
    void Drain(ITriggerSink sink);
}

/// <summary>A trigger source that has something to tell the user: what it was not granted, what it costs. Optional.</summary>
public interface ITriggerRemarks
{
    /// <summary>
    /// What is to be told since the last call, for <see cref="ICaptureObserver.OnNote"/>; also after the source is disposed.
    /// </summary>
    /// <returns>A sentence each, without a full stop.</returns>
    IReadOnlyList<(CaptureNoteLevel Level, string Text)> TakeRemarks();
}
