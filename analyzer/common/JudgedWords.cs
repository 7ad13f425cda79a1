namespace Tracer.AnalyzerCommand.Common;

/// <summary>How a list of judged traces calls things.</summary>
internal static class JudgedWords
{
    private const int MostNames = 5;

    /// <summary>Who is to blame, with the device; what is wrong with the trace; a dash where nobody is named.</summary>
    public static string WhoOf(JudgedTrace trace) => trace.Problem is { } problem ? WithoutName(problem, trace.Trace)
        : trace.Culprit is null ? "-" : trace.Culprit + (trace.Device is { } device ? $" ({device})" : "");

    public static string VerdictOf(JudgedTrace trace) => trace.Verdict is { } verdict ? KebabCase.Of(verdict) : "not read";

    public static string ConfidenceOf(JudgedTrace trace) => trace.Confidence is { } sure ? KebabCase.Of(sure) : "-";

    public static string WorstOf(JudgedTrace trace) => ReadableDuration.Of(trace.Worst, "-");

    /// <summary>A number of something; a dash where the trace does not tell.</summary>
    public static string CountOf(JudgedTrace trace, long count) => trace.Verdict is null ? "-" : ReportWords.Number(count);

    /// <summary>What all of them add up to: <c>4 traces: 2 driver (nic.sys 2), 1 none, 1 not read.</c></summary>
    public static string Totals(IReadOnlyCollection<JudgedTrace> traces)
    {
        IEnumerable<string> parts = traces.GroupBy(trace => (trace.Verdict is null, trace.Verdict)).OrderBy(group => group.Key.Item1)
            .ThenByDescending(group => group.Count()).ThenBy(group => group.Key.Verdict)
            .Select(group => $"{ReportWords.Number(group.Count())} {VerdictOf(group.First())}{NamesOf(group)}");
        return $"{Counted.Of(traces.Count, "trace")}: {string.Join(", ", parts)}.";
    }

    /// <summary>A sentence about a trace that stands beside its name.</summary>
    private static string WithoutName(string problem, string name) =>
        problem.StartsWith(name, StringComparison.Ordinal) ? problem[name.Length..].TrimStart(':', ' ') : problem;

    private static string NamesOf(IEnumerable<JudgedTrace> traces)
    {
        (string Name, int Count)[] names =
        [
            .. traces.Where(trace => trace.Culprit is not null).GroupBy(trace => trace.Culprit!, StringComparer.OrdinalIgnoreCase)
                .Select(group => (group.Key, group.Count())).OrderByDescending(one => one.Item2)
                .ThenBy(one => one.Key, StringComparer.OrdinalIgnoreCase),
        ];
        return names.Length == 0 ? ""
            : $" ({string.Join(", ", names.Take(MostNames).Select(one => $"{one.Name} {ReportWords.Number(one.Count)}"))}"
                + (names.Length > MostNames ? $", {Counted.Of(names.Length - MostNames, "other")})" : ")");
    }
}
