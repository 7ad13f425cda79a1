using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Verdicts;

namespace Tracer.Analysis.Report;

/// <summary>Brings the bins of drivers and their routines into a form outside of the analysis.</summary>
internal sealed class ActivityBinning(BlameFindings findings, Func<ulong, long, string> nameOf)
{
    private const long FirstNanoseconds = 125_000_000;

    /// <summary>How long a bin is at first, in ticks: an eighth of a second.</summary>
    public static long FirstTicks(TraceClock clock) => Math.Max(1, clock.TicksOf(FirstNanoseconds));

    /// <summary>The bins of all drivers, and of the routines that the report lists.</summary>
    public IReadOnlyList<ActivityTimeBins> Of(DriverTable table) =>
    [
        .. table.Rows.SelectMany(row => Both(row.Name, isRoutine: false, row.Isr, row.Dpc)),
        .. table.Rows.SelectMany(row => row.PerRoutine.Values)
            .OrderByDescending(routine => routine.TotalTicks).ThenBy(routine => routine.Address)
            .Take(Defaults.RoutinesListed)
            .SelectMany(routine => Both(nameOf(routine.Address, routine.AtTicks), isRoutine: true, routine.Isr, routine.Dpc)),
    ];

    private IEnumerable<ActivityTimeBins> Both(string name, bool isRoutine, RunTimes isr, RunTimes dpc)
    {
        foreach ((RunTimes times, bool isIsr) in new[] { (isr, true), (dpc, false) })
        {
            if (times.TimeBins is { } bins)
            {
                long doubled = bins.LengthTicks / FirstTicks(findings.Clock);
                long[] lengths = [.. bins.Net.ToArray().Select(net => findings.Length(net).Nanoseconds)];
                long length = (long)Int128.Min((Int128)doubled * FirstNanoseconds, long.MaxValue);
                yield return new ActivityTimeBins(name, isRoutine, isIsr, length, lengths);
            }
        }
    }
}
