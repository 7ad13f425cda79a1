using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Diff;

/// <summary>The verdict of a comparison, as one sentence.</summary>
internal static class DiffConclusion
{
    /// <summary>
    /// Nothing shown is "same" only where a change by half would have been shown, in percent: less is told of few episodes never.
    /// </summary>
    private const double SameWithin = 50;

    /// <summary>The answer that a report leads to.</summary>
    public static DiffSummary Of(DiffReport report)
    {
        List<Measure> measures = [.. Measures(report)];
        Measure[] worse = [.. measures.Where(one => one.Change.Direction == DiffChange.Worse)];
        Measure[] better = [.. measures.Where(one => one.Change.Direction == DiffChange.Better)];
        if (worse.Length + better.Length == 0)
        {
            return Unchanged(measures);
        }

        bool isWorse = worse.Length > 0;
        Measure[] shown = isWorse ? worse : better;
        Measure first = shown.OrderBy(one => one.Change.Adjusted).ThenByDescending(Size).First();
        ComparedCulprit? culprit = report.Culprits.FirstOrDefault(one =>
            isWorse ? one.State is "new" or "more" : one.State is "vanished" or "fewer");
        return new DiffSummary
        {
            Verdict = isWorse ? DiffVerdict.Worse : DiffVerdict.Better,
            Conclusion = Capital(string.Join("; ", new[]
            {
                first.Words,
                isWorse && better.Length > 0 ? $"others became better, such as {better[0].Name}" : null,
                culprit is null ? WithoutCulprit(report) : With(culprit),
                Sensitivity(first.Change.DetectablePercent),
            }.OfType<string>())) + ".",
            Culprit = culprit?.Name,
            DetectablePercent = first.Change.DetectablePercent,
        };
    }

    private static DiffSummary Unchanged(List<Measure> measures)
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
                ? $"Nothing became worse or better; {Sensitivity(worst)}."
                : "No change is shown, but " + WhyNot(tested, worst),
            Culprit = null,
            DetectablePercent = worst,
        };
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

    private static string Capital(string text) => text.Length > 0 ? char.ToUpperInvariant(text[0]) + text[1..] : text;

    private sealed record Measure(string Name, string Words, Change Change, bool IsSteady);
}
