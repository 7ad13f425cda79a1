using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;

namespace Tracer.Analysis.Report;

/// <summary>Lists hard page faults by process and file for the report.</summary>
internal static class FaultTable
{
    /// <summary>Most rows of the report: a damaged trace may claim any number.</summary>
    private const int MostRows = 10_000;

    /// <summary>Makes the list, the longest total first.</summary>
    /// <returns>Null where there are no faults.</returns>
    public static IReadOnlyList<FileFaults>? Of(BlameFindings findings)
    {
        TraceFacts facts = findings.Facts;
        List<FileFaults> faults = [.. findings.Machine.FaultCounts.All
            .GroupBy(one => (one.Of.Process, one.Of.File?.Name))
            .Select(group => (group.Key.Process, group.Key.Name, Sum: group.Aggregate(default(FaultSum), (sum, one) => sum.With(one.Sum))))
            .OrderByDescending(one => one.Sum.Ticks).ThenBy(one => one.Process).ThenBy(one => one.Name, StringComparer.Ordinal)
            .Take(MostRows)
            .Select(one => new FileFaults
            {
                Process = one.Process is { } id ? facts.Threads.NameOf(id, one.Sum.MaxAtTicks) : null,
                Pid = one.Process,
                File = one.Name is { } name ? facts.Images.PathForPeople(name) : null,
                Count = one.Sum.Count,
                Bytes = one.Sum.Bytes,
                Total = findings.Length(one.Sum.Ticks),
                Max = findings.Length(one.Sum.MaxTicks),
                MaxAt = findings.Time(one.Sum.MaxAtTicks),
            })];
        return faults.Count > 0 ? faults : null;
    }
}
