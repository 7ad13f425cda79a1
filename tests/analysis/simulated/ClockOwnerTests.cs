using Tracer.Analysis.Request;
using Tracer.Simulator.Scenarios;

namespace Tracer.Analysis.Tests.Simulated;

/// <summary>
/// One CPU expires the timers of all, and a network driver's DPCs run there: the probe on every CPU is late by them. From the tick to ready
/// belongs to the CPU that made the thread ready, and nothing before the tick is anybody's doing.
/// </summary>
public class ClockOwnerTests
{
    public static TheoryData<int, ulong> Machines => new(
        from cpus in Selection.IsAll ? (int[])[4, 8] : [8]
        from seed in Enumerable.Range(1, Selection.IsAll ? 3 : 1)
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

    /// <summary>
    /// One timer serves the driver's probes of all CPUs: that it was late is one delay, of the CPU that ran its callback, and what each CPU
    /// waits for counts from when its DPC was queued.
    /// </summary>
    public static TheoryData<int, ulong> Sizes => Selection.IsAll ? new((4, 1), (8, 2), (16, 3)) : new((8, 2));

    [Theory]
    [MemberData(nameof(Sizes))]
    public void The_late_timer_of_all_CPUs_is_one_delay_of_the_driver_on_its_CPU(int cpus, ulong seed)
    {
        (BlameReport report, TruthReport truth) = Blamed("clock-owner-driver", cpus, seed);
        string guilty = truth.Culprits[0].Name;
        Assert.Equal((Verdict.Driver, guilty), (report.Summary.Verdict, report.Summary.Culprit));
        Assert.InRange(report.Culprits[0].Share, 0.9, 1);
        Assert.InRange(report.Episodes.Sum(episode => episode.Unexplained.Nanoseconds)
            / (double)report.Episodes.Sum(episode => episode.Latency.Nanoseconds), 0, 0.05);
        Episode[] late = [.. report.Episodes.Where(episode => episode.LateTimer)];
        Assert.InRange(late.Length, 2, int.MaxValue);
        Every.Item(late, episode => Assert.Equal((0, null), (episode.Cpu, episode.Thread)));
        Every.Item(late, episode => Assert.Equal(guilty, episode.Causes[0].Culprit));
        Assert.Contains("the timer that serves all CPUs was late", report.Summary.Conclusion);
        Assert.Equal(
            truth.Episodes.Count(episode => episode.Probe == ProbeKind.Wakeup),
            report.Episodes.Count(episode => episode.Probe == ProbeKind.Wakeup));
        Assert.Equal((30_000, 0), (report.Recording!.Driver!.Floor!.Value.Nanoseconds, report.Recording.Driver.UnmeasuredCpus));
        Assert.InRange(report.Recording.Driver.Own.Nanoseconds / (double)report.Recording.Driver.Run.Nanoseconds, 0.001, 0.1);
    }

    [Theory]
    [InlineData("clock-owner-short", 8, 2, 1_000)]
    [InlineData("clock-owner-driver-short", 8, 4, 0)]
    public void Waiting_for_the_tick_is_no_episode_and_accuses_nobody(string scenario, int cpus, ulong seed, long leastProbes)
    {
        (BlameReport report, _) = Blamed(scenario, cpus, seed);
        Assert.Equal((Verdict.None, 0), (report.Summary.Verdict, report.Episodes.Count));
        Assert.InRange(report.Summary.Probes, leastProbes, long.MaxValue);
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
