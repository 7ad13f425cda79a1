using Tracer.Contract;
using Tracer.Etl;
using Tracer.Simulator;

namespace Tracer.Analysis.Tests.Simulated;

/// <summary>
/// One CPU expires the timers of all, and a network driver's DPCs run there: the probe on every CPU is late by them. From the tick to ready
/// belongs to the CPU that made the thread ready, and nothing before the tick is anybody's doing.
/// </summary>
public class ClockOwnerTests
{
    public static TheoryData<int, ulong> Machines => new(
        from cpus in (int[])[4, 8]
        from seed in Enumerable.Range(1, 3)
        select (cpus, (ulong)seed));

    [Theory]
    [MemberData(nameof(Machines))]
    public void The_driver_on_the_clocks_owner_is_blamed_for_every_late_probe(int cpus, ulong seed)
    {
        (BlameReport report, TruthReport truth) = Blamed("clock-owner-probe", cpus, seed);
        TrueCulprit guilty = truth.Culprits[0];
        Assert.Equal((Verdict.Driver, guilty.Name), (report.Summary.Verdict, report.Summary.Culprit));
        Assert.InRange(report.Culprits[0].Share, 0.9, 1);
        Episode[] measured = [.. report.Episodes.Where(episode => episode.Probe == ProbeKind.Wakeup)];
        Assert.Equal(
            truth.Episodes.Count(episode => episode.Probe == ProbeKind.Wakeup), measured.Length);
        Assert.Equal(cpus, measured.Select(episode => episode.Cpu).Distinct().Count());
        Every.Item(measured, episode => Assert.DoesNotContain(episode.Causes, cause => cause.Mechanism == Mechanism.TimerTick));
        Every.Item(measured, episode => Assert.Contains(episode.Causes, cause => cause.Culprit == guilty.Name));
    }

    [Theory]
    [InlineData(8, 2)]
    public void Waiting_for_the_tick_is_no_episode_and_accuses_nobody(int cpus, ulong seed)
    {
        (BlameReport report, _) = Blamed("clock-owner-short", cpus, seed);
        Assert.Equal((Verdict.None, 0), (report.Summary.Verdict, report.Episodes.Count));
        Assert.InRange(report.Summary.Probes, 1_000, long.MaxValue);
    }

    private static (BlameReport Report, TruthReport Truth) Blamed(string scenario, int cpus, ulong seed)
    {
        using var trace = new MemoryStream();
        var run = new ScenarioRun(ScenarioCatalog.Find(scenario)!, seed)
        {
            Cpus = cpus,
            Duration = Duration.FromSeconds(2),
            IsQuiet = true,
        };
        TruthReport truth = run.WriteTo(trace);
        trace.Position = 0;
        using EtlReader reader = EtlReader.Open(trace, scenario);
        return (BlameAnalysis.Analyze(scenario, reader, new BlameRequest()).Report, truth);
    }
}
