using System.Text;
using Tracer.Analysis.Request;
using Tracer.Simulator.Scenarios;

namespace Tracer.Analysis.Tests.Simulated;

/// <summary>
/// What is told of four seconds of each simulated machine: who is guilty, how sure that is, and what each episode consists of. That the
/// answers are right is for docs/generated/accuracy.md to show; here a change of the analysis that moves any of them is seen. One of twelve
/// by default.
/// </summary>
[Trait("Speed", "slow")]
public class SimulatedMachineTests
{
    private const ulong Seed = 7;
    private const int MostEpisodes = 25;

    public static TheoryData<string> Names => [.. Selection.Some(ScenarioCatalog.All.Select(scenario => scenario.Name), 1, parts: 12)];

    [Theory]
    [MemberData(nameof(Names))]
    public void A_simulated_machine_gets_the_answer_that_is_stored(string name)
    {
        using EtlReader reader = EtlReader.Open(Simulated(name), name);
        BlameReport report = BlameAnalysis.Analyze(name, reader, new BlameRequest()).Report;
        GoldenText.AssertEqual($"tests/analysis/simulated/{name}.txt", Described(report));
    }

    private static MemoryStream Simulated(string name)
    {
        var trace = new MemoryStream();
        var run = new ScenarioRun(ScenarioCatalog.Find(name)!, Seed) { Duration = Duration.FromSeconds(4) };
        _ = run.WriteTo(trace);
        trace.Position = 0;
        return trace;
    }

    private static string Described(BlameReport report)
    {
        var text = new StringBuilder();
        Line(text, $"{report.Summary.Verdict}, {report.Summary.Probes} probes, {report.Episodes.Count} episodes");
        foreach (Culprit culprit in report.Culprits.Concat(report.Secondary ?? []))
        {
            string rank = report.Culprits.Contains(culprit) ? "culprit" : "second";
            string through = culprit.Through.Count > 0 ? $" through {string.Join(",", culprit.Through)}" : "";
            string period = culprit.Period is { } beat ? $" every {beat.Seconds:0.######} s" : "";
            string without = culprit.Without is { } left ? $" without {left.Episodes} worst {left.Worst}" : "";
            Line(text, $"{rank} {culprit.Name} {culprit.Kind} {culprit.Mechanism} {culprit.Proof} {culprit.Confidence}{through}")
                .Append(CultureInfo.InvariantCulture, $"  {100 * culprit.Share:0.##} % in {culprit.Episodes}, worst {culprit.Worst}")
                .Append(period).Append(without).Append('\n');
        }

        text.AppendJoin("", report.Cleared.Select(cleared => $"cleared {cleared.Name}\n"));
        foreach (Episode episode in report.Episodes.Take(MostEpisodes))
        {
            string victim = episode.Thread is { } thread ? $" thread {thread.Tid}" : "";
            Line(text, $"{episode.Probe} at {episode.Start} takes {episode.Latency} cpu {episode.Cpu}{victim}");
            foreach (Cause cause in episode.Causes)
            {
                Line(text, $"  {cause.Culprit ?? "?"} {cause.Mechanism} {cause.Time}");
            }
        }

        return text.ToString();
    }

    private static StringBuilder Line(StringBuilder text, FormattableString line) =>
        text.Append(FormattableString.Invariant(line)).Append('\n');
}
