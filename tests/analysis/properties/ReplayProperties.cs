using FsCheck;
using FsCheck.Fluent;
using Tracer.Analysis.Causes;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Tests.Causes;
using Tracer.Analysis.Tests.Scenarios;
using Tracer.Analysis.Verdicts;
using Replay = Tracer.Analysis.Verdicts.Replay;

namespace Tracer.Analysis.Tests.Properties;

/// <summary>A replay takes out what it is asked to and adds nothing.</summary>
[Trait("Speed", "slow")]
public class ReplayProperties
{
    private const long Threshold = 500;
    private const long Gap = 2;

    private static readonly Mechanism[] Mechanisms =
    [
        Mechanism.Isr, Mechanism.Dpc, Mechanism.Thread, Mechanism.RaisedIrql, Mechanism.Blackout, Mechanism.Scheduler,
        Mechanism.DpcDeferred,
    ];

    [Fact]
    public void Without_nobody_everything_stays() => Hold(episode =>
    {
        Assert.Equal(Before(episode), Without(episode, _ => false));
        Assert.Equal(Before(episode), Without(episode, cause => cause.Name == "absent"));
    });

    [Fact]
    public void Without_everybody_only_the_unexplained_is_left() => Hold(episode =>
    {
        // The short way from one to the next goes with them.
        long rest = episode.Candidate.LatencyTicks - episode.Causes.Sum(cause => cause.Ticks);
        long least = rest - (5 * Gap * (episode.Causes.Count - 1));
        (int episodes, long? worst) = Without(episode, _ => true);
        Assert.InRange(episodes, least >= Threshold ? 1 : 0, rest >= Threshold ? 1 : 0);
        Assert.InRange(worst ?? rest, Math.Min(least, rest), rest);
    });

    [Fact]
    public void Nothing_gets_longer_and_what_is_taken_out_is_missing() => Hold(episode =>
    {
        foreach (string? name in episode.Causes.Select(cause => cause.Name).Distinct())
        {
            long taken = episode.Causes.Where(cause => cause.Name == name).Sum(cause => cause.Ticks);
            (int episodes, long? worst) = Without(episode, cause => cause.Name == name);
            Assert.InRange(episodes, 0, 1);
            Assert.InRange(worst ?? 0, 0, episode.Candidate.LatencyTicks - taken);
        }
    });

    [Fact]
    public void What_was_not_kept_makes_no_answer() => Hold(episode =>
    {
        NamedEpisode cut = episode with
        {
            Causes = [.. episode.Causes.Select(cause => cause with { Share = cause.Share! with { IsCut = true } })],
        };
        Assert.Null(new Replay([cut], Threshold, Gap, new WorkBudget(0)).Without(_ => true));
        Assert.NotNull(new Replay([cut], Threshold, Gap, new WorkBudget(0)).Without(_ => false));
    });

    [Fact]
    public void In_any_trace_a_name_without_a_part_changes_nothing() => PropertyTraces.Hold(60, (scenario, _) =>
    {
        BlameReport report = ScenarioFile.Report(
            ScenarioFile.Write(scenario), "trace.etl", scenario.Request with { Without = "absent.sys" });
        Assert.Equal(
            ("absent.sys", report.Summary.Episodes, report.Summary.OverThreshold),
            (report.Without!.Name, report.Without.Episodes, report.Without.OverThreshold!.Value));
        foreach (Culprit culprit in report.Culprits.Where(culprit => culprit.Rank <= 10))
        {
            Assert.NotNull(culprit.Without);
            Assert.Equal(culprit.Without.Episodes == 0, culprit.Without.Worst is null);
            Assert.True(culprit.Without.Worst is null || culprit.Without.Worst >= scenario.Request.Threshold);
        }
    });

    private static (int Episodes, long? Worst) Before(NamedEpisode episode) => (1, episode.Candidate.LatencyTicks);

    private static (int Episodes, long? Worst) Without(NamedEpisode episode, Func<NamedCause, bool> isGone)
    {
        ReplayOutcome outcome = new Replay([episode], Threshold, Gap, new WorkBudget(0)).Without(isGone)!;
        Assert.Equal(outcome.WorstTicks ?? 0, outcome.Ticks);
        return (outcome.Episodes, outcome.WorstTicks);
    }

    private static void Hold(Action<NamedEpisode> property) =>
        Prop.ForAll(ArbMap.Default.ArbFor<DoNotSize<int>>(), seed =>
        {
            property(Episode(new Random(seed.Item)));
            return true;
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(300));

    /// <summary>A thread that waited while one thing after the other ran, with holes that nobody explains.</summary>
    private static NamedEpisode Episode(Random random)
    {
        long from = random.Next(1, 1_000_000);
        long at = from;
        List<NamedCause> causes = [];
        int count = 1 + random.Next(8);
        for (int i = 0; i < count || at - from < Threshold; i++)
        {
            at += random.Next(3) == 0 ? random.Next(400) : 0;
            long ticks = 1 + random.Next(900);
            Mechanism mechanism = Mechanisms[random.Next(Mechanisms.Length)];
            long since = mechanism == Mechanism.Thread ? at - random.Next(500) : at;
            causes.Add(new NamedCause
            {
                Kind = CulpritKind.Driver,
                Name = $"{(char)('a' + random.Next(4))}.sys",
                Mechanism = mechanism,
                Ticks = ticks,
                Proof = Proof.Routine,
                Confidence = Confidence.Certain,
                Share = new CauseShare
                {
                    Detail = MadeMachine.DetailOf(mechanism),
                    Ticks = ticks,
                    AtTicks = at,
                    Stretches = random.Next(4) == 0 ? [] : [new CauseStretch(at, at + ticks, since)],
                },
            });
            at += ticks;
        }

        var candidate = new EpisodeCandidate(new Delay
        {
            Probe = ProbeKind.Thread,
            FromTicks = from,
            ToTicks = at + random.Next(50),
            Cpu = 0,
            ThreadId = 7,
            Priority = 24,
        });
        return new NamedEpisode(candidate, causes);
    }
}
