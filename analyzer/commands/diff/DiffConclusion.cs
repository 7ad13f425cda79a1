using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Diff;

/// <summary>The verdict of a comparison, as one sentence.</summary>
internal static class DiffConclusion
{
    /// <summary>
    /// Nothing shown is "same" only where a change by half would have been shown, in percent: less is told of few episodes never.
    /// </summary>
    private const double SameWithin = 50;

    /// <summary>A culprit that the base does not have is of weight from this part of all blamed time on.</summary>
    private const double Weight = 0.25;

    /// <summary>Rows of the machine that tell two machines apart.</summary>
    private static readonly string[] OfIdentity = ["model", "processor", "logical processors"];

    /// <summary>
    /// Whether the two sides are of different machines, as far as both tell: what one of them does not tell is no difference.
    /// </summary>
    public static bool AreDifferent(IReadOnlyList<MachineChange> machine) =>
        machine.Any(change => change is { Base: not null, New: not null } && OfIdentity.Contains(change.Name));

    /// <summary>The answer that a report leads to.</summary>
    /// <param name="untold">Which trace does not tell its episodes; null where all do.</param>
    public static DiffSummary Of(DiffReport report, string? untold)
    {
        List<Measure> measures = [.. Measures(report)];
        Measure[] worse = [.. measures.Where(one => one.Change.Direction == DiffChange.Worse)];
        Measure[] better = [.. measures.Where(one => one.Change.Direction == DiffChange.Better)];
        if (worse.Length + better.Length == 0)
        {
            return Unchanged(report, measures);
        }

        ComparedCulprit? newcomer = Newcomer(report);
        bool isNewShown = newcomer?.State == "new";
        bool isWorse = worse.Length > 0 || isNewShown;
        if (!isWorse && newcomer is not null)
        {
            return new DiffSummary
            {
                Verdict = DiffVerdict.CantTell,
                Conclusion = $"{Head(report, "Can't tell", null)}: {First(better).Words}, but {newcomer.Name} has "
                    + $"{Counted.Of(newcomer.Episodes.New, "episode")} and none in the base, {TooFew}: record both sides for longer.",
                Culprit = null,
                DetectablePercent = First(better).Change.DetectablePercent,
            };
        }

        if (!isWorse && untold is not null)
        {
            return new DiffSummary
            {
                Verdict = DiffVerdict.CantTell,
                Conclusion = $"{Head(report, "Can't tell", null)}: {First(better).Words}, but {untold}.",
                Culprit = null,
                DetectablePercent = First(better).Change.DetectablePercent,
            };
        }

        Measure first = First(worse.Length > 0 ? worse : better);
        ComparedCulprit? culprit = isNewShown && worse.Length == 0 ? newcomer : report.Culprits.FirstOrDefault(one =>
            isWorse ? one.State is "new" or "more" : one.State is "vanished" or "fewer");
        return new DiffSummary
        {
            Verdict = isWorse ? DiffVerdict.Worse : DiffVerdict.Better,
            Conclusion = Head(report, isWorse ? "Worse" : "Better", culprit) + ": " + string.Join("; ", new[]
            {
                isWorse && worse.Length == 0 ? $"{With(culprit!)}, though {first.Words}" : first.Words,
                worse.Length > 0 && better.Length > 0 ? $"others became better, such as {better[0].Name}" : null,
                culprit is null ? WithoutCulprit(report) : worse.Length == 0 && isWorse ? null : With(culprit),
                Sensitivity(first.Change.DetectablePercent),
            }.OfType<string>()) + ".",
            Culprit = culprit?.Name,
            DetectablePercent = first.Change.DetectablePercent,
        };
    }

    private const string TooFew = "too few to be sure";

    private static Measure First(Measure[] shown) => shown.OrderBy(one => one.Change.Adjusted).ThenByDescending(Size).First();

    /// <summary>The heaviest culprit that the base does not have; null where none is of weight.</summary>
    private static ComparedCulprit? Newcomer(DiffReport report)
    {
        double all = report.Culprits.Sum(one => (double)one.NewPerHour.Nanoseconds);
        return report.Culprits
            .Where(one => one.Episodes is { Base: 0, New: > 0 } && one.NewPerHour.Nanoseconds >= Weight * all)
            .MaxBy(one => one.NewPerHour.Nanoseconds);
    }

    /// <summary>The verdict as a word, the culprit and the machines: what a reader must have read before anything else.</summary>
    private static string Head(DiffReport report, string verdict, ComparedCulprit? culprit) =>
        $"{verdict}{(culprit is null ? "" : $", by {culprit.Name}")}, {Machines(report)}";

    private static string Machines(DiffReport report)
    {
        (string? old, string? now) = (Machine(report.Base), Machine(report.New));
        return AreDifferent(report.Machine)
            ? $"between two different machines ({old ?? "not known"}; {now ?? "not known"})"
            : old is null && now is null ? "of machines that the traces do not name" : $"on one machine ({old ?? now})";
    }

    private static string? Machine(DiffSide side) => side.Traces
        .Select(trace => trace.Machine.Model ?? trace.Machine.Cpu).FirstOrDefault(name => name is not null);

    private static DiffSummary Unchanged(DiffReport report, List<Measure> measures)
    {
        Measure[] tested = [.. measures.Where(one => one.IsSteady)];
        double? worst = tested.Length > 0 && tested.All(one => one.Change.DetectablePercent is not null)
            ? tested.Max(one => one.Change.DetectablePercent)
            : null;
        bool isSame = worst <= SameWithin;
        return new DiffSummary
        {
            Verdict = isSame ? DiffVerdict.Same : DiffVerdict.CantTell,
            Conclusion = isSame
                ? $"{Head(report, "Same", null)}: nothing became worse or better; {Sensitivity(worst)}."
                : $"{Head(report, "Can't tell", null)}: no change is shown, but {Few(report)}{WhyNot(tested, worst)}",
            Culprit = null,
            DetectablePercent = worst,
        };
    }

    /// <summary>Who has the episodes that are too few to tell a change of.</summary>
    private static string Few(DiffReport report)
    {
        if (report.Episodes is not { } episodes
            || report.Culprits.MaxBy(one => Math.Abs(one.Episodes.New - one.Episodes.Base)) is not { } most
            || most.Episodes.Base == most.Episodes.New)
        {
            return "";
        }

        (string side, long own, long all) = most.Episodes.New > most.Episodes.Base
            ? ("new", most.Episodes.New, episodes.New) : ("base", most.Episodes.Base, episodes.Base);
        string count = own == all ? $"all {all}" : $"{own} of {Counted.Of(all, "episode")}";
        return $"{most.Name} has {count} of the {side}, {TooFew}; ";
    }

    /// <summary>Why that does not mean that nothing changed, and what to do.</summary>
    private static string WhyNot(Measure[] tested, double? worst)
    {
        if (worst is { } percent)
        {
            string least = tested.First(one => one.Change.DetectablePercent == percent).Name;
            return $"the data could have shown only a change of {RoundedNumber.Of(percent)} % or more of {least}: record both sides about "
                + $"{Longer(percent)} times as long.";
        }

        Measure? most = tested.Where(one => one.Change.DetectablePercent is not null).MinBy(one => one.Change.DetectablePercent);
        return most is null
            ? "there is too little to compare: record both sides for longer, with CSWITCH, DISPATCHER, INTERRUPT and DPC."
            : $"there is too little of {tested.First(one => one.Change.DetectablePercent is null).Name} (a change of {most.Name} by "
                + $"{RoundedNumber.Of(most.Change.DetectablePercent!.Value)} % would have been shown): record both sides for longer.";
    }

    /// <summary>What the verdict is drawn from. The longest latency alone never tells that nothing changed.</summary>
    private static IEnumerable<Measure> Measures(DiffReport report)
    {
        if (report.Episodes is { } rate)
        {
            yield return new Measure(
                "episodes an hour",
                $"episodes an hour {Verb(rate.Change)} from {RoundedNumber.Of(rate.BasePerHour)} to {RoundedNumber.Of(rate.NewPerHour)}",
                rate.Change,
                IsSteady: rate.Base + rate.New > 0);
        }

        foreach (ComparedValue value in report.EpisodeTimes)
        {
            yield return new Measure(
                value.Name,
                $"{value.Name} {Verb(value.Change)} from {ReadableDuration.Of(value.Base.Value)} to {ReadableDuration.Of(value.New.Value)}",
                value.Change,
                IsSteady: false); // Of few episodes, which their number tells already.
        }

        if (report.DeadlinesMissed is { } deadlines)
        {
            yield return new Measure(
                "missed deadlines",
                $"missed deadlines {Verb(deadlines.Change)} from {RoundedNumber.Of(deadlines.BasePerHour)} to "
                    + $"{RoundedNumber.Of(deadlines.NewPerHour)} an hour",
                deadlines.Change,
                IsSteady: false);
        }

        foreach (ComparedLatency latency in report.Latencies)
        {
            string of = DiffWords.Of(latency, report.Settings.MinPriority);
            foreach (ComparedValue value in latency.Values.Where(value => value.Change.Adjusted is not null))
            {
                string name = value.Name == "longest" ? $"the longest {of}" : $"{value.Name} of {of}";
                yield return new Measure(
                    name,
                    $"{name} {Verb(value.Change)} from {ReadableDuration.Of(value.Base.Value)} to {ReadableDuration.Of(value.New.Value)}",
                    value.Change,
                    IsSteady: value.Name != "longest");
            }
        }
    }

    private static string Verb(Change change) => change.Ratio is < 1 ? "fell" : "rose";

    private static double Size(Measure one) => Math.Abs(Math.Log(Math.Max(1e-9, one.Change.Ratio ?? 1e9)));

    private static string With(ComparedCulprit culprit)
    {
        bool hasOtherVersion = culprit.BaseVersions.Count > 0 && culprit.NewVersions.Count > 0
            && !culprit.BaseVersions.SequenceEqual(culprit.NewVersions);
        string what = culprit.State switch
        {
            "new" => $"{culprit.Name} is a new culprit",
            "vanished" => $"{culprit.Name} is no longer a culprit",
            "more" => $"{culprit.Name} has more episodes",
            _ => $"{culprit.Name} has fewer episodes",
        };
        return culprit.IsAnotherFile switch
        {
            true when hasOtherVersion => $"{culprit.Name} {DiffWords.Versions(culprit.BaseVersions)} -> "
                + $"{DiffWords.Versions(culprit.NewVersions)} is the change that matters",
            true => $"{what}, and its file is another one",
            false => $"{what}, though its file is the same"
                + (culprit.NewVersions.Count > 0 ? $" ({DiffWords.Versions(culprit.NewVersions)})" : ""),
            _ => culprit.BaseVersions.Count == 0 && culprit.NewVersions.Count > 0
                ? $"{culprit.Name} {DiffWords.Versions(culprit.NewVersions)}, which the base does not have, is the change that matters"
                : what,
        };
    }

    private static string? WithoutCulprit(DiffReport report) => report.Files.Count > 0
        ? $"no culprit stands out; {Counted.Of(report.Files.Count, "file")} of the kernel changed"
        : "no culprit stands out";

    private static string? Sensitivity(double? percent) => percent is { } known
        ? $"the data could have shown a change of {RoundedNumber.Of(Math.Ceiling(known))} % or more"
        : null;

    /// <summary>Intervals become narrower with the square root of the time.</summary>
    private static string Longer(double percent) =>
        RoundedNumber.Of(Math.Ceiling(Math.Pow(Math.Log(1 + (percent / 100)) / Math.Log(1 + (SameWithin / 100)), 2)));

    private sealed record Measure(string Name, string Words, Change Change, bool IsSteady);
}
