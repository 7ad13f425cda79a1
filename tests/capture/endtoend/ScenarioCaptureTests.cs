using Tracer.Analysis;
using Tracer.Analysis.Contents;
using Tracer.Analysis.Request;
using Tracer.Capture.Ground;
using Tracer.Etl.Kernel;
using Tracer.Simulator.Scenarios;

namespace Tracer.Capture.Tests;

/// <summary>
/// A capture of each simulated problem: the trace passes <c>analyzer info</c> without a warning, and blame names the same culprit as on the
/// full simulated trace.
/// </summary>
public abstract class ScenarioCaptureTests
{
    private static readonly Duration LeastTime = Duration.FromSeconds(6);
    private static readonly Duration MostTime = Duration.FromSeconds(45);
    private static readonly Duration Pre = Duration.FromSeconds(1);

    /// <summary>
    /// Whose evidence needs several episodes in one trace, so that the user must ask for a longer <c>--pre</c>: that a CPU stopped is seen
    /// from one stop, but whose driver it was from what always ran before it.
    /// </summary>
    private static readonly Dictionary<string, Duration> LongerPre = new() { ["video-stall"] = Duration.FromSeconds(10) };

    /// <summary>
    /// Every second one of the scenarios that are captured: a fifth of the quickest of each verdict and mechanism, or with TRACER_EVERY=1
    /// in the environment, all.
    /// </summary>
    protected static IEnumerable<TheoryDataRow<string>> Half(int which) => ScenarioCatalog.All
        .Where(FakeMachines.CanBeCaptured)
        .GroupBy(scenario => Selection.IsAll ? scenario.Name
            : $"{scenario.Verdict} {scenario.Kind} {scenario.Mechanism}")
        .Select(alike => alike.MinBy(scenario => scenario.Duration)!)
        .Where((_, index) => Selection.IsAll || index % 5 == 0)
        .Where((_, index) => index % 2 == which)
        .Select(scenario => new TheoryDataRow<string>(scenario.Name));

    /// <summary>Captures one and compares.</summary>
    protected static void Capture(string name)
    {
        Scenario scenario = ScenarioCatalog.Find(name)!;
        Duration pre = LongerPre.GetValueOrDefault(name, Pre);
        var quarter = new Duration(scenario.Duration.Nanoseconds / 4);
        Duration time = (quarter > MostTime ? MostTime : quarter > LeastTime ? quarter : LeastTime) + pre;
        using var stream = new MemoryStream();
        TruthReport truth = FakeMachines.Simulate(name, time, stream);
        byte[] full = stream.ToArray();
        BlameReport whole = Blame(full, new BlameRequest());
        using var rig = new CaptureRig(MachineTrace.Read(new MemoryStream(full), truth));
        rig.Options = rig.Options with
        {
            Duration = time,
            KeepWorst = 1,
            Pre = pre,
            ProfileInterval = new Duration(scenario.SampleIntervalNs),
        };
        CaptureResult result = rig.Run(new TruthTrigger(rig.Windows, TriggerKind.Wakeup) { NotBefore = pre });
        Assert.Equal(truth.Episodes.Count > 0, result.IsHit);
        if (!result.IsHit)
        {
            return;
        }

        CapturedEpisode worst = result.Status.Episodes.MaxBy(episode => episode.Latency)!;
        AssertOnlyTheMachineIsQuiet(rig);
        AssertNoWarning(worst.File);
        if ((whole.Summary.Verdict, whole.Summary.Culprit) != (truth.Verdict, truth.Culprit))
        {
            return; // docs/generated/accuracy.md counts that; a part of the trace need not be wrong in the same way.
        }

        BlameReport captured = CaptureRig.Blame(worst.File, rig.Options.Threshold).Report;
        Assert.Equal((whole.Summary.Verdict, whole.Summary.Culprit), (captured.Summary.Verdict, captured.Summary.Culprit));
        if (Mechanism(whole) != Mechanism(captured))
        {
            // One that does harm in several ways may do it in another way in these seconds: then the full trace says so of them, too.
            Duration start = Since(whole, worst.StartUtc);
            Duration from = start + new Duration(-pre.Nanoseconds);
            BlameReport same = Blame(full, new BlameRequest { From = from, To = start + worst.Latency + rig.Options.Post });
            Assert.Equal(Mechanism(same), Mechanism(captured));
        }
    }

    /// <summary>
    /// The only thing to be told is what this machine does not log: it has no stacks of queued DPCs, and some take no samples.
    /// </summary>
    private static void AssertOnlyTheMachineIsQuiet(CaptureRig rig)
    {
        const string NoRecord = "switched on, and not one record in the first second: ";
        string[] known = rig.Windows.Machine.Kinds.Any(kind => kind.Hook == KernelHook.SampledProfile && !kind.IsStack)
            ? ["stacks of PerfInfo 100"]
            : ["stacks of PerfInfo 100", "PROFILE"];
        foreach (string note in rig.Notes)
        {
            Assert.StartsWith(NoRecord, note);
            Assert.Empty(note[NoRecord.Length..note.IndexOf(';')].Split(", ").Except(known));
        }
    }

    private static Mechanism? Mechanism(BlameReport report) => report.Culprits is [Culprit first, ..] ? first.Mechanism : null;

    private static Duration Since(BlameReport whole, DateTime time) => new(100 * (time - whole.Trace.StartUtc!.Value).Ticks);

    private static BlameReport Blame(byte[] trace, BlameRequest request)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(trace), "full");
        return BlameAnalysis.Analyze("full", reader, request).Report;
    }

    private static void AssertNoWarning(string path)
    {
        using EtlReader reader = EtlReader.Open(path);
        var contents = new TraceContents(() => null);
        contents.Read(reader);
        TraceLosses losses = InfoReportOfTrace.Make(path, reader, contents).Losses;
        Assert.Empty(losses.DamagedBuffers);
        Assert.Empty(losses.Counters);
    }
}

/// <summary>The first, third... of the scenarios.</summary>
[Trait("Speed", "slow")]
public sealed class OddScenarioCaptureTests : ScenarioCaptureTests
{
    public static IEnumerable<TheoryDataRow<string>> Names => Half(0);

    [Theory]
    [MemberData(nameof(Names))]
    public void TheCapturedEpisodeHasTheCulpritOfTheFullTrace(string scenario) => Capture(scenario);
}

[Trait("Speed", "slow")]
public sealed class EvenScenarioCaptureTests : ScenarioCaptureTests
{
    public static IEnumerable<TheoryDataRow<string>> Names => Half(1);

    [Theory]
    [MemberData(nameof(Names))]
    public void TheCapturedEpisodeHasTheCulpritOfTheFullTrace(string scenario) => Capture(scenario);
}
