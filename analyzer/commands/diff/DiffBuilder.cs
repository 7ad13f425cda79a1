using Tracer.AnalyzerCommand.Common.Copies;
using Tracer.Forecast;

namespace Tracer.AnalyzerCommand.Commands.Diff;

/// <summary>Compares two sides.</summary>
/// <param name="leastPercent">Changes of fewer percent do not count.</param>
/// <param name="leastTime">Percentiles that change by less do not count.</param>
/// <param name="copies">Traces that were left out, because others hold the same.</param>
internal sealed class DiffBuilder(
    IReadOnlyList<DiffTrace> old, IReadOnlyList<DiffTrace> now, double leastPercent, Duration leastTime, IReadOnlyList<InputCopy> copies)
{
    /// <summary>Percentiles that are compared.</summary>
    private static readonly double[] Percents = [50, 90, 99, 99.9, 99.99];

    /// <summary>From this percentile on the verdict looks at: how late things are at worst, not how long they usually take.</summary>
    private const double OfVerdict = 99;

    /// <summary>
    /// From so much of the load that is left from one block to the next a warning tells of it; chance alone seldom makes so much.
    /// </summary>
    private const double TellPersistence = 0.5;

    private readonly DiffBlocks _blocks = new(old, now);
    private readonly double _oldHours = old.Sum(trace => trace.MeasuredNs) / 3.6e12;
    private readonly double _newHours = now.Sum(trace => trace.MeasuredNs) / 3.6e12;

    /// <summary>Why nothing of the two sides can be compared, as one sentence; null where something can.</summary>
    public string? WhyNothing() => old.Concat(now).FirstOrDefault(trace => trace.NothingJudged is not null) is { } nothing
            ? $"{nothing.Blame.Trace.Path} can't tell: {nothing.NothingJudged}"
        : WhyNoEpisodes() is { } why && Keys().Count == 0
        ? $"the two sides have no latency of one kind in common, and {why}"
        : null;

    public DiffReport Make()
    {
        BlockMemory memory = Memory();
        Compared? rate = WhyNoEpisodes() is null ? RateComparison.Of(Episodes(old, null), Episodes(now, null), memory) : null;
        List<(ComparedKey Key, IReadOnlyList<ComparedPercentile> Values)> latencies =
        [
            .. Keys().Select(key => (
                key, LatencyComparison.Of(_blocks.Latencies(old, key), _blocks.Latencies(now, key), Percents, memory))),
        ];
        bool hasPrioritised = latencies.Exists(one => one.Key.Prioritised != false);
        bool Counts(ComparedKey key, ComparedPercentile value) =>
            value.Percent >= OfVerdict && (key.Prioritised != false || !hasPrioritised);
        IReadOnlyList<(string Name, ComparedEpisodes Compared)> times = rate is null ? [] : EpisodeTimes(memory);
        Func<DiffTrace, IEnumerable<Duration>> missed =
            trace => EpisodesOf(trace, null).Where(episode => episode.MissedDeadline).Select(episode => episode.Start);
        Compared? deadlines = CompareRates(missed, memory);
        List<double> chances =
        [
            .. rate is null ? [] : new[] { rate.P },
            .. times.Select(one => one.Compared.Change.P),
            .. deadlines is null ? [] : new[] { deadlines.P },
        ];
        chances.AddRange(latencies.SelectMany(one => one.Values.Where(value => Counts(one.Key, value)).Select(value => value.Change.P)));
        var corrected = new Queue<double>(Corrections.Holm(chances));
        ComparedRate? episodes = rate is null
            ? null
            : Rate(rate, Total(old, null), Total(now, null), corrected.Dequeue());
        ComparedValue[] episodeTimes = [.. times.Select(one => Value(one.Name, one.Compared, corrected.Dequeue()))];
        ComparedRate? deadlinesMissed = deadlines is null ? null
            : Rate(deadlines, CountOf(old, missed), CountOf(now, missed), corrected.Dequeue());
        var shown = new List<ComparedLatency>();
        foreach ((ComparedKey key, IReadOnlyList<ComparedPercentile> values) in latencies)
        {
            shown.Add(new ComparedLatency
            {
                Kind = key.Kind,
                Source = key.Source,
                Prioritised = key.Prioritised,
                Base = _blocks.Latencies(old, key).Sum(block => block.Count),
                New = _blocks.Latencies(now, key).Sum(block => block.Count),
                Values = [.. values.Select(value => Value(value, Counts(key, value) ? corrected.Dequeue() : null))],
            });
        }

        var activities = new DiffActivities(old, now, _blocks, memory, ChangeOf);
        var report = new DiffReport
        {
            Base = Side(old),
            New = Side(now),
            Settings = new DiffSettings
            {
                Threshold = old[0].Blame.Settings.Threshold,
                MinPriority = old[0].Blame.Settings.MinPriority,
                LeastPercent = leastPercent,
                LeastTime = leastTime,
                Block = _blocks.Length,
            },
            Summary = new DiffSummary { Verdict = DiffVerdict.CantTell, Conclusion = "", Culprit = null, DetectablePercent = null },
            Episodes = episodes,
            DeadlinesMissed = deadlinesMissed,
            EpisodeTimes = episodeTimes,
            Glitches = Glitches(memory),
            Latencies = shown,
            Culprits = episodes is null ? [] : Culprits(memory),
            Beats = Beats(),
            Drivers = activities.Drivers(),
            Routines = activities.Routines(),
            Machine = DiffMachine.Changes(old, now),
            Files = DiffMachine.Files(old, now),
            NotRecorded = [.. NotRecorded()],
            Warnings = [.. copies.Select(copy => copy.Warning), .. Warnings(shown, memory)],
        };
        return report with { Summary = DiffConclusion.Of(report, WhyUntold()) };
    }

    /// <summary>No record of the kernel's own tells the power plan.</summary>
    private IEnumerable<string> NotRecorded() =>
        old.Concat(now).All(trace => trace.Blame.Trace.Machine.Firmware is not null)
            ? ["power plan"]
            : ["power plan", "version of the firmware (BIOS, UEFI)"];

    private static DiffSide SideOf(IReadOnlyList<DiffTrace> traces, int blocks) => new()
    {
        Traces = [.. traces.Select(trace => trace.Blame.Trace)],
        Measured = new Duration(traces.Sum(trace => trace.MeasuredNs)),
        Blocks = blocks,
    };

    private DiffSide Side(IReadOnlyList<DiffTrace> traces) => SideOf(traces, _blocks.Count(traces));

    /// <summary>The trace that does not tell its episodes; null where all do.</summary>
    private string? WhyUntold() => old.Concat(now).FirstOrDefault(trace => trace.Blame.Summary.Verdict == Verdict.Unknown) is { } unknown
        ? $"{unknown.Blame.Trace.Path} does not tell its episodes: 'analyzer blame' says why"
        : null;

    /// <summary>Why episodes are not found alike on both sides; null where they are.</summary>
    private string? WhyNoEpisodes()
    {
        if (WhyUntold() is { } untold)
        {
            return untold;
        }

        (string Name, Func<RecordedKinds, bool> Has)[] kinds =
        [
            ("ISRs and DPCs", has => has.IsrDpc), ("context switches", has => has.ContextSwitches),
            ("ReadyThread", has => has.ReadyThread), ("samples", has => has.Samples), ("measured wake-ups", has => has.Wakeups),
        ];
        foreach ((string name, Func<RecordedKinds, bool> has) in kinds)
        {
            DiffTrace[] without = [.. old.Concat(now).Where(trace => !has(trace.Blame.Trace.Has))];
            if (without.Length > 0 && without.Length < old.Count + now.Count)
            {
                return $"{without[0].Blame.Trace.Path} has no records of {name}, and others have: record both sides in the same way";
            }
        }

        DiffTrace? latest = old.Concat(now).MaxBy(trace => trace.Findings.WakeupsFrom ?? Duration.Zero);
        return latest?.Findings.WakeupsFrom is { } from && from > latest.Blame.Settings.Threshold
            && old.Concat(now).Any(trace => trace.Findings.WakeupsFrom != from)
                ? $"{latest.Blame.Trace.Path} has only wake-ups of {from} or later, and others have more: compare with '--threshold {from}'"
                : null;
    }

    private List<ComparedKey> Keys() =>
    [
        .. old.SelectMany(trace => trace.Latencies.Keys).Intersect(now.SelectMany(trace => trace.Latencies.Keys))
            .OrderBy(key => key.Kind).ThenBy(key => key.Source).ThenByDescending(key => key.Prioritised),
    ];

    private static IEnumerable<Episode> EpisodesOf(DiffTrace trace, string? culprit) => trace.Blame.Episodes
        .Where(episode => !episode.Secondary && (culprit is null || episode.Causes.Any(cause => cause.Culprit == culprit)));

    private CountedBlock[] Episodes(IReadOnlyList<DiffTrace> traces, string? culprit) =>
        _blocks.Counts(traces, trace => EpisodesOf(trace, culprit).Select(episode => episode.Start));

    private static long Total(IReadOnlyList<DiffTrace> traces, string? culprit) =>
        traces.Sum(trace => (long)EpisodesOf(trace, culprit).Count());

    private static long CountOf(IReadOnlyList<DiffTrace> traces, Func<DiffTrace, IEnumerable<Duration>> times) =>
        traces.Sum(trace => times(trace).LongCount());

    /// <summary>How long episodes are, however many there are: what is as often late, but for longer, is worse.</summary>
    private IReadOnlyList<(string Name, ComparedEpisodes Compared)> EpisodeTimes(BlockMemory memory)
    {
        (LateBlock[] before, LateBlock[] after) = (Late(old), Late(now));
        (string Name, ComparedEpisodes? Compared)[] all =
        [
            ("late time an hour", EpisodeComparison.Time(before, after, memory)),
            ("length of an episode", EpisodeComparison.Length(before, after, memory)),
            ("worst episode", EpisodeComparison.Worst(before, after, memory)),
        ];
        return [.. all.Where(one => one.Compared is not null).Select(one => (one.Name, one.Compared!))];

        LateBlock[] Late(IReadOnlyList<DiffTrace> traces) => _blocks.Late(traces, trace => EpisodesOf(trace, null));
    }

    /// <summary>How often something happened; null where the sides cannot be compared, or it did not happen at all.</summary>
    private Compared? CompareRates(Func<DiffTrace, IEnumerable<Duration>> times, BlockMemory memory) =>
        CountOf(old, times) + CountOf(now, times) == 0 || WhyNoEpisodes() is not null ? null
            : RateComparison.Of(_blocks.Counts(old, times), _blocks.Counts(now, times), memory);

    /// <summary>What Windows recorded as glitches, whatever else is known of either side; null where it recorded none.</summary>
    private ComparedRate? Glitches(BlockMemory memory)
    {
        Func<DiffTrace, IEnumerable<Duration>> times = static trace => (trace.Blame.Glitches ?? []).Select(glitch => glitch.At);
        return CountOf(old, times) + CountOf(now, times) == 0
            ? null
            : Rate(
                RateComparison.Of(_blocks.Counts(old, times), _blocks.Counts(now, times), memory), CountOf(old, times), CountOf(now, times),
                corrected: null);
    }

    private ComparedRate Rate(Compared compared, long before, long after, double? corrected) => new()
    {
        Base = before,
        New = after,
        BasePerHour = Math.Round(before / _oldHours, 3),
        NewPerHour = Math.Round(after / _newHours, 3),
        Interval = compared.Dispersion > 1 ? "block-bootstrap" : "exact",
        Dispersion = Math.Round(compared.Dispersion, 3),
        Change = ChangeOf(compared, corrected),
    };

    private ComparedValue Value(ComparedPercentile value, double? corrected) => new()
    {
        Name = value.Percent < 100 ? string.Create(System.Globalization.CultureInfo.InvariantCulture, $"p{value.Percent}") : "longest",
        Base = new ValueInterval(new Duration(value.Old.Value), new Duration(value.Old.Low), new Duration(value.Old.High)),
        New = new ValueInterval(new Duration(value.Now.Value), new Duration(value.Now.Low), new Duration(value.Now.High)),
        Change = WhereLongEnough(value, ChangeOf(value.Change, corrected)),
    };

    private ComparedValue Value(string name, ComparedEpisodes value, double corrected) => new()
    {
        Name = name,
        Base = new ValueInterval(new Duration(value.Old.Value), new Duration(value.Old.Low), new Duration(value.Old.High)),
        New = new ValueInterval(new Duration(value.Now.Value), new Duration(value.Now.Low), new Duration(value.Now.High)),
        Change = Math.Abs(value.Now.Value - value.Old.Value) >= leastTime.Nanoseconds ? ChangeOf(value.Change, corrected)
            : ChangeOf(value.Change, corrected) with { Direction = DiffChange.NotShown },
    };

    /// <summary>Nobody hears that a percentile rose from one microsecond to ten.</summary>
    private Change WhereLongEnough(ComparedPercentile value, Change change) =>
        Math.Abs(value.Now.Value - value.Old.Value) >= leastTime.Nanoseconds ? change : change with { Direction = DiffChange.NotShown };

    private Change ChangeOf(Compared compared, double? corrected)
    {
        double ratio = compared.Ratio ?? double.PositiveInfinity;
        double least = 1 + (leastPercent / 100);
        bool isShown = corrected < ComparisonAlarms.Part;
        return new Change
        {
            Ratio = Rounded(compared.Ratio),
            Low = Rounded(compared.Low),
            High = Rounded(compared.High),
            P = Rounded(compared.P),
            Adjusted = Rounded(corrected),
            DetectablePercent = compared.Detectable is { } detectable ? Rounded((detectable - 1) * 100) : null,
            Direction = isShown && ratio >= least ? DiffChange.Worse
                : isShown && ratio <= 1 / least ? DiffChange.Better
                : DiffChange.NotShown,
        };
    }

    private static double? Rounded(double? value) => value is { } known && double.IsFinite(known) ? Math.Round(known, 4) : null;

    /// <summary>Whole traces do not depend on each other; blocks of one may.</summary>
    private BlockMemory Memory() => _blocks.Length is null
        ? BlockMemory.None
        : Keys().Select(key => LatencyComparison.Memory(_blocks.Latencies(old, key), _blocks.Latencies(now, key)))
            .Aggregate(BlockMemory.None, (longest, one) => longest.Or(one));

    private IReadOnlyList<ComparedCulprit> Culprits(BlockMemory memory)
    {
        Culprit[] all = [.. old.Concat(now).SelectMany(trace => trace.Blame.Culprits).DistinctBy(culprit => culprit.Name)];
        Compared[] compared = [.. all.Select(one => RateComparison.Of(Episodes(old, one.Name), Episodes(now, one.Name), memory))];
        double[] corrected = Corrections.BenjaminiHochberg([.. compared.Select(one => one.P)]);
        return
        [
            .. all.Select((culprit, i) =>
            {
                (long before, long after) = (Total(old, culprit.Name), Total(now, culprit.Name));
                ComparedRate rate = Rate(compared[i], before, after, corrected[i]);
                bool hasFile = culprit.Kind is CulpritKind.Driver or CulpritKind.Kernel;
                return new ComparedCulprit
                {
                    Name = culprit.Name,
                    Kind = culprit.Kind,
                    State = rate.Change.Direction switch
                    {
                        DiffChange.Worse => before == 0 ? "new" : "more",
                        DiffChange.Better => after == 0 ? "vanished" : "fewer",
                        _ => "not-shown",
                    },
                    Episodes = rate,
                    BasePerHour = Blamed(old, culprit.Name, _oldHours),
                    NewPerHour = Blamed(now, culprit.Name, _newHours),
                    BaseVersions = hasFile ? DiffMachine.Versions(old, culprit.Name) : [],
                    NewVersions = hasFile ? DiffMachine.Versions(now, culprit.Name) : [],
                    IsAnotherFile = hasFile ? DiffMachine.IsAnother(old, now, culprit.Name) : null,
                };
            })
            .OrderByDescending(one => Math.Abs(one.NewPerHour.Nanoseconds - one.BasePerHour.Nanoseconds))
            .ThenBy(one => one.Name, StringComparer.Ordinal),
        ];
    }

    private static Duration Blamed(IReadOnlyList<DiffTrace> traces, string culprit, double hours) => new((long)Math.Min(
        long.MaxValue / 2,
        traces.Sum(trace => EpisodesOf(trace, culprit).Sum(episode =>
            episode.Causes.Where(cause => cause.Culprit == culprit).Sum(cause => (double)cause.Time.Nanoseconds))) / hours));

    private IReadOnlyList<ComparedBeat> Beats()
    {
        Dictionary<string, double> before = Periods(old);
        Dictionary<string, double> after = Periods(now);
        return
        [
            .. before.Keys.Concat(after.Keys).Distinct().Order(StringComparer.Ordinal)
                .Select(name => new ComparedBeat(
                    name,
                    before.TryGetValue(name, out double one) ? one : null,
                    after.TryGetValue(name, out double other) ? other : null))
                .Where(beat => beat.Base is not { } one || beat.New is not { } other || Math.Abs(other / one - 1) > 0.02),
        ];
    }

    private static Dictionary<string, double> Periods(IReadOnlyList<DiffTrace> traces) => traces
        .SelectMany(trace => trace.Blame.Culprits)
        .Where(culprit => culprit.Period is { Seconds: > 0 })
        .GroupBy(culprit => culprit.Name)
        .ToDictionary(group => group.Key, group => group.First().Period!.Seconds);

    private IEnumerable<string> Warnings(List<ComparedLatency> latencies, BlockMemory memory)
    {
        if (WhyNoEpisodes() is { } why)
        {
            yield return $"Episodes are not compared: {why}.";
        }

        if (latencies.Count == 0)
        {
            yield return "The two sides have no latency of one kind in common: record CSWITCH and DISPATCHER on both.";
        }

        if (_blocks.Length is { } length && memory.Persistence >= TellPersistence)
        {
            var lasts = new Duration((long)(-length.Nanoseconds / Math.Log(memory.Persistence)));
            yield return $"The load stays similar for about {ReadableDuration.Of(lasts)}, and a block is {ReadableDuration.Of(length)} "
                + $"long: blocks depend on each other, which makes intervals wider. Record each side for much longer, or "
                + $"{DiffBlocks.LeastTraces} times.";
        }

        if (_blocks.Length is not null)
        {
            yield return "No interval covers what differs from one run to the next: record each side "
                + $"{DiffBlocks.LeastTraces} times, with a restart between, and name all traces.";
        }

        int fewest = Math.Min(_blocks.Count(old), _blocks.Count(now));
        const int TooFew = 6;
        if (fewest < TooFew)
        {
            yield return $"One side has only {Counted.Of(fewest, "block")} of time, too little to show a change of latencies: record both "
                + "sides for the same length of time.";
        }

        if (DiffConclusion.AreDifferent(DiffMachine.Changes(old, now)))
        {
            yield return "The sides were recorded on different machines: what changed need not be the update's doing.";
        }

        foreach (DiffTrace trace in old.Concat(now))
        {
            if (trace.Blame.Trace.Slice is not null)
            {
                yield return $"{trace.Blame.Trace.Path} is a part of a longer trace: what it was cut around happens more often in it.";
            }

            if (trace.Blame.Trace is { EventsLost: > 0 } or { BuffersLost: > 0 })
            {
                yield return $"{trace.Blame.Trace.Path} has lost events: latencies are missing there.";
            }
        }
    }
}
