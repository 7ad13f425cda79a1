using Tracer.Analysis.Facts;
using Tracer.Analysis.Mechanisms;

namespace Tracer.Analysis.Report;

/// <summary>Makes the section of what the recording itself took: the interrupts that are no device's, and the kernel driver.</summary>
internal sealed class RecordingMaker(BlameFindings findings)
{
    public RecordingCost? Make()
    {
        double all = (double)(findings.Summary.Duration?.Nanoseconds ?? 0) * Math.Max(1, findings.Facts.Cpus.Count);
        InterruptCost? profile = CostOf(findings.Facts.ProfileInterrupt.Total);
        InterruptCost? ticks = CostOf(findings.Machine.ClockInterrupts.Total);
        DriverCost? driver = DriverCostOf(findings.Facts.Tracer.Timers);
        return profile is null && ticks is null && driver is null
            ? null
            : new RecordingCost(profile, ticks, all > 0 ? (profile?.Total.Nanoseconds ?? 0) / all : 0) { Driver = driver };
    }

    private static DriverCost? DriverCostOf(TimerStates timers)
    {
        if (timers.OfRuns.Count == 0)
        {
            return null;
        }

        TimerState last = timers.OfRuns[^1];
        return new DriverCost(
            Nanoseconds(timers.OwnNanoseconds),
            Nanoseconds(timers.RunNanoseconds),
            last.FloorNs == 0 ? null : Nanoseconds(last.FloorNs),
            last.TickNs == 0 ? null : Nanoseconds(last.TickNs),
            (long)Math.Min(timers.OfRuns.Sum(state => (double)state.LateTimers), long.MaxValue),
            (long)Math.Min(timers.OfRuns.Sum(state => (double)state.Discarded), long.MaxValue),
            timers.OfRuns.Max(state => state.UnmeasuredCpus));

        static Duration Nanoseconds(double ns) => new((long)Math.Min(ns, long.MaxValue));
    }

    private InterruptCost? CostOf(InterruptTotal? total) =>
        total is { } known ? new InterruptCost(known.Count, findings.Length(known.Ticks)) : null;
}
