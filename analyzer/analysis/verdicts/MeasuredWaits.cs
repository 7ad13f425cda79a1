using Tracer.Analysis.Facts;
using Tracer.Analysis.Mechanisms;

namespace Tracer.Analysis.Verdicts;

/// <summary>
/// Everything that was measured of how long those asked about waited: by the kernel's records, and by our driver or probe.
/// </summary>
internal sealed class MeasuredWaits
{
    private readonly long _fromTicks;
    private readonly long _toTicks;

    public MeasuredWaits(BlameFindings findings)
    {
        IReadOnlyList<MeasuredWakeup> wakeups = findings.Wakeups;
        HasMeasured = wakeups.Count > 0;
        Count = findings.Delays.Waits.Count - findings.Causes.AcrossLoss + wakeups.Count;
        Threads = findings.Delays.Waits.Threads + wakeups.Select(wakeup => wakeup.ThreadId).Distinct().Count();
        Cpus = findings.Delays.Waits.Cpus.Concat(wakeups.Select(wakeup => wakeup.Cpu)).ToHashSet();
        _fromTicks = Math.Min(findings.Delays.Waits.FirstTicks, HasMeasured ? wakeups.Min(wakeup => wakeup.FromTicks) : long.MaxValue);
        _toTicks = Math.Max(findings.Delays.Waits.LastTicks, HasMeasured ? wakeups.Max(wakeup => wakeup.ServedTicks) : long.MinValue);
    }

    /// <summary>Whether our driver or probe measured any of them.</summary>
    public bool HasMeasured { get; }

    public long Count { get; }

    public int Threads { get; }

    /// <summary>The CPUs that they waited on, and that made them ready.</summary>
    public IReadOnlySet<int> Cpus { get; }

    /// <summary>From the first to the last, in ticks.</summary>
    public long SpanTicks => Count > 0 && _toTicks > _fromTicks ? _toTicks - _fromTicks : 0;
}
