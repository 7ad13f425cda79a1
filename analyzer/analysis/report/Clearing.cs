using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Verdicts;

namespace Tracer.Analysis.Report;

/// <summary>
/// Clears those that other tools would have named: the driver with the largest total time, the longest routine or the most interrupts, the
/// framework, the interrupted process, and Tracer's own driver. Each gets one sentence with its numbers.
/// </summary>
internal sealed class Clearing
{
    /// <summary>The driver with the most runs is cleared only if it has at least this many. Fewer look suspicious to no one.</summary>
    private const int FewestOfMany = 100;

    /// <summary>The file name of Tracer's own driver, from its device name.</summary>
    private static readonly string OurDriver = DriverInterface.DevicePath[(DriverInterface.DevicePath.LastIndexOf('\\') + 1)..] + ".sys";

    private readonly IReadOnlyList<Suspect> _suspects;
    private readonly IReadOnlyList<NamedEpisode> _episodes;
    private readonly Func<long, Duration> _duration;
    private readonly Func<long, Duration> _time;
    private readonly long _thresholdTicks;
    private readonly bool _hasWaits;
    private readonly bool _areOwned;
    private readonly List<ClearedName> _cleared = [];
    private readonly HashSet<string> _done;

    /// <param name="areOwned">Whether nearly all of the late time has an owner.</param>
    private Clearing(IReadOnlyList<Suspect> suspects, IReadOnlyList<NamedEpisode> episodes, BlameFindings findings, bool areOwned)
    {
        _areOwned = areOwned;
        _suspects = suspects;
        _episodes = episodes;
        _duration = findings.Length;
        _time = findings.Time;
        _thresholdTicks = findings.ThresholdTicks;
        _hasWaits = findings is { Delays.Waits.Count: > 0, Machine.Routines.MissesWaits: false };
        _done = new(suspects.Select(suspect => suspect.Name), StringComparer.OrdinalIgnoreCase);
    }

    public static IReadOnlyList<ClearedName> Of(Judgement judged, IReadOnlyList<Suspect> suspects, BlameFindings findings)
    {
        var clearing = new Clearing(suspects, judged.Episodes, findings, judged.UnownedShare < CulpritThresholds.MuchUnowned);
        clearing.AddFrameworks();
        clearing.AddWaiters();
        if (judged.Episodes.Count > 0 || judged.Verdict == Verdict.None)
        {
            // Else nothing was seen to be late, but the trace can't tell that nothing was.
            clearing.AddDrivers(judged.Table);
        }

        clearing.AddInterrupted();
        return clearing._cleared;
    }

    private static string Text(InvariantText text) => text.Take();

    private static string Runs(DriverTable.Row row) => Counted.Of(row.Runs, "run");

    private void AddFrameworks()
    {
        foreach (Suspect suspect in _suspects)
        {
            foreach (string framework in suspect.Main.Through.Where(framework => _done.Add(framework)))
            {
                long through = suspect.Parts.Where(part => part.Cause.Through.Contains(framework)).Sum(part => part.Cause.Ticks);
                _cleared.Add(new ClearedName(framework, suspect.Kind == CulpritKind.Hardware
                    ? "It only ran the firmware's methods."
                    : Text($"It only called {suspect.Name}, whose code took the time: {Length(through)} of the episodes ran through it.")));
            }
        }
    }

    /// <summary>Clears modules that only waited, for a lock or on a slow CPU.</summary>
    private void AddWaiters()
    {
        foreach (IGrouping<string, NamedCause> waiter in _episodes.SelectMany(episode => episode.Causes)
            .Where(cause => cause.Waiter is not null)
            .GroupBy(cause => cause.Waiter!, StringComparer.OrdinalIgnoreCase))
        {
            NamedCause most = waiter.MaxBy(cause => cause.Ticks)!;
            if (_done.Add(waiter.Key))
            {
                _cleared.Add(new ClearedName(waiter.Key, most.Slowdown is not null
                    ? "Its routine takes so long only on a CPU that runs slowly."
                    : Text($"It only waited for a lock that {most.Name ?? "somebody else"} held, or for a CPU that was kept.")));
            }
        }
    }

    private void AddDrivers(DriverTable table)
    {
        List<DriverTable.Row> known = [.. table.Rows.Where(row => row.IsKnown)];
        if (known.Count > 0)
        {
            Clear(known[0], Text($"The largest total time in ISRs and DPCs, {Length(known[0].TotalTicks)} in {Runs(known[0])}"));
        }

        if (known.MaxBy(row => row.MaxTicks) is { } longest)
        {
            Clear(longest, Text($"The longest single ISR or DPC, {Length(longest.MaxTicks)}{When(longest)}"));
        }

        if (known.MaxBy(row => row.Runs) is { Runs: >= FewestOfMany } most)
        {
            Clear(most, Text($"The most ISRs and DPCs, {most.Runs:N0} that took {Length(most.TotalTicks)}"));
        }

        if (known.Find(row => string.Equals(row.Name, OurDriver, StringComparison.OrdinalIgnoreCase)) is { } ours)
        {
            Clear(ours, Text($"Our own driver, whose {ours.Runs:N0} ISRs and DPCs took {Length(ours.TotalTicks)}"));
        }
    }

    private void AddInterrupted()
    {
        foreach (IGrouping<string, NamedCause> interrupted in _episodes.SelectMany(episode => episode.Causes)
            .Where(cause => cause is { Mechanism: Mechanism.RaisedIrql, ThreadId: not null, ProcessName: not null })
            .GroupBy(cause => cause.ProcessName!, StringComparer.OrdinalIgnoreCase))
        {
            if (_done.Add(interrupted.Key))
            {
                _cleared.Add(new ClearedName(
                    interrupted.Key,
                    Text($"Its thread was on the CPU, but in kernel code of {interrupted.First().Name ?? "a driver"}: ")
                        + "a process does not answer for what a driver does in its threads."));
            }
        }
    }

    private void Clear(DriverTable.Row row, string claim)
    {
        if (!_done.Add(row.Name) || _episodes.SelectMany(episode => episode.Causes)
            .Any(cause => cause.Name is null && string.Equals(cause.Behind, row.Name, StringComparison.OrdinalIgnoreCase)))
        {
            return; // It is a culprit, or cleared already, or an unknown driver is behind it in an episode: none of these can be cleared.
        }

        long all = _episodes.Sum(episode => episode.Candidate.LatencyTicks);
        long blamed = _episodes.SelectMany(episode => episode.Causes)
            .Where(cause => string.Equals(cause.Name, row.Name, StringComparison.OrdinalIgnoreCase)).Sum(cause => cause.Ticks);
        if (blamed > 0 && !_areOwned)
        {
            return; // What has no owner may be its, too.
        }

        string share = _episodes.Count == 0
            ? "but nothing was late"
            : blamed == 0
                ? "but none of it in an episode"
                : Text($"but only {ReadablePercent.Of((double)blamed / Math.Max(1, all))} of the late time");
        string shorter = row.MaxTicks < _thresholdTicks
            ? Text($"; its longest, {Length(row.MaxTicks)}, is below the threshold")
            : string.Empty;
        string alone = _hasWaits && row is { IsWatched: true, Waited: 0 }
            ? "; no measured thread waited for a CPU while it ran"
            : string.Empty;
        _cleared.Add(new ClearedName(row.Name, Text($"{claim}, {share}{shorter}{alone}.")));
    }

    private string When(DriverTable.Row row) => row.Longest is { } longest
        ? Text($" at {ReadableDuration.At(_time(longest.StartTicks))} on CPU {longest.Cpu}")
        : string.Empty;

    private string Length(long ticks) => ReadableDuration.Of(_duration(ticks));
}
