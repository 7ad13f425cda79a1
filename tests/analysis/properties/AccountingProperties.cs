using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Properties;

/// <summary>What is blamed adds up, whatever the trace.</summary>
[Trait("Speed", "slow")]
public class AccountingProperties
{
    [Fact]
    public void Causes_and_what_is_unexplained_are_the_latency() => PropertyTraces.Hold(60, (scenario, _) =>
    {
        BlameReport report = ScenarioFile.Report(ScenarioFile.Write(scenario), "trace.etl", scenario.Request);
        foreach (Episode episode in report.Episodes)
        {
            Assert.True(
                episode.Latency >= scenario.Request.Threshold
                    || (episode.Job is { Deadline: { } deadline } job && job.End > deadline && job.Lost >= job.End - deadline),
                $"{scenario.Name}: {episode.Latency} is no episode");

            // Of a glitch's turn what it worked is part of the latency, and not lost.
            Assert.InRange((episode.Latency - (episode.Job?.Lost ?? episode.Latency)).Nanoseconds, 0, WorkOfGlitch(episode));
            Assert.All(episode.Causes, cause => Assert.InRange(cause.Time.Nanoseconds, 1, episode.Latency.Nanoseconds));
            Assert.InRange(episode.Unexplained.Nanoseconds, 0, episode.Latency.Nanoseconds);
            Assert.Equal(
                episode.Latency.Nanoseconds,
                episode.Causes.Sum(cause => cause.Time.Nanoseconds) + episode.Unexplained.Nanoseconds);
        }
    });

    private static long WorkOfGlitch(Episode episode) => episode is { Probe: ProbeKind.Glitch, Job: { } job } ? job.Work.Nanoseconds : 0;

    [Fact]
    public void Culprits_have_what_their_causes_have() => PropertyTraces.Hold(60, (scenario, _) =>
    {
        BlameReport report = ScenarioFile.Report(ScenarioFile.Write(scenario), "trace.etl", scenario.Request);
        Assert.True(report.Culprits.Sum(culprit => culprit.Share) <= 1 + 1e-9, scenario.Name);
        foreach (IGrouping<string, Culprit> owner in report.Culprits.GroupBy(culprit => culprit.Name, StringComparer.OrdinalIgnoreCase))
        {
            List<Episode> own =
                [.. report.Episodes.Where(episode => !episode.Secondary && episode.Causes.Any(cause => IsOf(cause, owner.First())))];
            Assert.Equal(own.Sum(episode => Time(episode, owner.First())), owner.Sum(culprit => culprit.Blamed.Nanoseconds));
            long worst = own.Max(episode => Time(episode, owner.First()));
            Every.Item(owner, culprit => Assert.True(culprit.Episodes <= own.Count && culprit.Worst.Nanoseconds <= worst));
            Assert.Equal(owner.Count(), owner.DistinctBy(culprit => culprit.Mechanism).Count());
            if (owner.Count() == 1)
            {
                Assert.Equal((own.Count, worst), (owner.First().Episodes, owner.First().Worst.Nanoseconds));
            }
        }

        foreach (Culprit culprit in report.Culprits)
        {
            Assert.NotEqual(Proof.None, culprit.Proof);
            Assert.NotEmpty(culprit.Evidence);
        }

        Assert.Empty(report.Culprits.Select(culprit => culprit.Name).Intersect(report.Cleared.Select(cleared => cleared.Name)));
        Assert.Equal(
            report.Summary.Verdict is Verdict.None or Verdict.Unknown ? null : report.Culprits[0].Name, report.Summary.Culprit);
    });

    private static bool IsOf(Cause cause, Culprit culprit) =>
        string.Equals(cause.Culprit, culprit.Name, StringComparison.OrdinalIgnoreCase);

    private static long Time(Episode episode, Culprit culprit) =>
        episode.Causes.Where(cause => IsOf(cause, culprit)).Sum(cause => cause.Time.Nanoseconds);
}
