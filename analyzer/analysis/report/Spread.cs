using System.Numerics;
using Tracer.Analysis.Beats;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Verdicts;

namespace Tracer.Analysis.Report;

/// <summary>
/// Says what experts look for by hand: that all of a driver's work runs on one CPU of several, and that it grows over the trace.
/// </summary>
internal static class Spread
{
    /// <summary>Fewer runs on one CPU may be chance.</summary>
    public const int FewestRuns = 30;

    /// <summary>This part of the runs must be on one CPU: a device whose interrupts are spread has a few on each.</summary>
    private const double OnOneCpu = 0.99;

    /// <summary>Growth is told from this many episodes on, because fewer pairs of an early and a late one prove nothing.</summary>
    private const int FewestEpisodes = 20;

    /// <summary>Growth by less than this is told by nobody's ear.</summary>
    private const double LeastGrowth = 1.5;

    /// <summary>The largest probability by chance at which so many late episodes exceed the early ones.</summary>
    private const double GrowthChance = 1e-3;

    /// <summary>That nearly all ISRs and DPCs of a driver ran on one CPU; null where they did not.</summary>
    /// <param name="row">The driver's row; null where none of its routines ran.</param>
    public static string? OnOne(DriverTable.Row? row, BlameFindings findings)
    {
        if (row is null || findings.Summary.Cpus is not { } cpus || cpus < 2)
        {
            return null;
        }

        var runs = new Dictionary<int, long>();
        foreach (PerCpuRuns perCpu in (PerCpuRuns[])[row.Isr.PerCpu, row.Dpc.PerCpu])
        {
            foreach (CpuRun run in perCpu.All)
            {
                runs[run.Cpu] = runs.GetValueOrDefault(run.Cpu) + run.Count;
            }
        }

        long all = runs.Values.Sum();
        (int cpu, long most) = runs.OrderByDescending(run => run.Value).ThenBy(run => run.Key).FirstOrDefault();
        // What a framework's routine serves is not this driver's alone.
        int messages = row.Routines.Where(routine => routine.Counts.IsIsr && routine.Image?.Name == row.Name)
            .Select(routine => routine.Counts.Routine).Distinct()
            .Sum(routine => BitOperations.PopCount(findings.Facts.MessagesOf(routine)));
        string spread = messages switch
        {
            0 => "none of its work is spread",
            1 => "its interrupts come as one message, so none of its work is spread",
            _ => Text($"its interrupts come as {messages} messages, all of them there"),
        };
        return all < FewestRuns || most < OnOneCpu * all
            ? null
            : Text($"{most:N0} of {all:N0} of its ISRs and DPCs ran on CPU {cpu}, of {cpus} CPUs: {spread}.");
    }

    private static string Text(InvariantText text) => text.Take();

    /// <summary>
    /// That a suspect's time in an episode grows over the trace, by comparing each episode of the first half with the one half the
    /// episodes later (Cox and Stuart's test of a trend); null where it does not.
    /// </summary>
    public static string? Growth(Suspect suspect, BlameFindings findings)
    {
        long[] times = [.. suspect.Parts.GroupBy(part => part.Episode, part => part.Cause.Ticks)
            .OrderBy(episode => episode.Key.Candidate.FromTicks).Select(episode => episode.Sum())];
        if (times.Length < FewestEpisodes)
        {
            return null;
        }

        int half = times.Length / 2;
        int later = times.Length - half;
        int more = Enumerable.Range(0, half).Count(i => times[later + i] > times[i]);
        double early = times[..half].Average();
        double late = times[later..].Average();
        return late < LeastGrowth * early || BinomialTail.LogAtLeast(more, half, 0.5) > Math.Log(GrowthChance)
            ? null
            : $"It grows: {Length(early)} an episode in the first half of its episodes, {Length(late)} in the second.";

        string Length(double ticks) => ReadableDuration.Of(findings.Length((long)ticks));
    }
}
