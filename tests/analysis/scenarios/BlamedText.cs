using Tracer.Analysis.Request;

namespace Tracer.Analysis.Tests.Scenarios;

/// <summary>Has a trace analysed that is told in the words of tests/scenarios, for tests that vary a number of it.</summary>
internal static class BlamedText
{
    /// <param name="text">The trace, without expectations.</param>
    /// <param name="change">What else is asked; null for nothing.</param>
    public static BlameReport Of(string text, Func<BlameRequest, BlameRequest>? change = null)
    {
        Scenario scenario = ScenarioText.Read("told", text + "\nexpect\nverdict none\n");
        return ScenarioFile.Report(ScenarioFile.Write(scenario), "told.etl", change?.Invoke(scenario.Request) ?? scenario.Request);
    }

    /// <summary>An episode's causes by time, as "nic.sys dpc 800us", with what is unexplained at the end.</summary>
    public static string Causes(Episode episode)
    {
        IEnumerable<string> causes = episode.Causes.Select(
            cause => $"{cause.Culprit ?? "?"} {JsonName(cause.Mechanism)} {Microseconds(cause.Time)}");
        return string.Join(", ", episode.Unexplained.Nanoseconds == 0
            ? causes
            : causes.Append($"unexplained {Microseconds(episode.Unexplained)}"));
    }

    /// <summary>The causes of the only episode; "none" where there is no episode.</summary>
    public static string Causes(BlameReport report) => report.Episodes.Count == 0 ? "none" : Causes(Assert.Single(report.Episodes));

    private static string JsonName(Mechanism mechanism) =>
        System.Text.Json.JsonNamingPolicy.KebabCaseLower.ConvertName(mechanism.ToString());

    private static string Microseconds(Duration time) => FormattableString.Invariant($"{time.Nanoseconds / 1e3}us");
}
