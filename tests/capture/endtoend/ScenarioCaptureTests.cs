using System.Globalization;
using Tracer.Analysis;
using Tracer.Contract;
using Tracer.Etl;
using Tracer.Simulator;

namespace Tracer.Capture.Tests;

/// <summary>
/// A capture of each simulated problem: the trace passes <c>analyzer info</c> without a warning, and blame names the same culprit as on the
/// full simulated trace.
/// </summary>
public abstract class ScenarioCaptureTests
{
    private static readonly Duration LeastTime = Duration.FromSeconds(6);

    /// <summary>Every second scenario.</summary>
    protected static IEnumerable<TheoryDataRow<string>> Half(int which) => ScenarioCatalog.All
        .Where((_, index) => index % 2 == which)
        .Select(scenario => new TheoryDataRow<string>(scenario.Name));

    /// <summary>Captures one and compares.</summary>
    protected static void Capture(string name)
    {
        Scenario scenario = ScenarioCatalog.Find(name)!;
        var quarter = new Duration(scenario.Duration.Nanoseconds / 4);
        Duration time = quarter > LeastTime ? quarter : LeastTime;
        using var full = new MemoryStream();
        TruthReport truth = FakeMachines.Simulate(name, time, full);
        BlameReport whole = Blame(full, "full");
        full.Position = 0;
        using var rig = new CaptureRig(MachineTrace.Read(full, truth));
        rig.Options = rig.Options with { Duration = time };
        CaptureResult result = rig.Run();
        if (whole.Summary.Episodes == 0)
        {
            Assert.False(result.IsHit);
            return;
        }

        CapturedEpisode worst = result.Status.Episodes.MaxBy(episode => episode.Latency)!;
        Assert.Empty(rig.Notes);
        AssertNoWarning(worst.File);
        BlameReport captured = CaptureRig.Blame(worst.File, rig.Options.Threshold).Report;
        Assert.Equal(Described(whole), Described(captured));
    }

    private static string Described(BlameReport report) => string.Create(
        CultureInfo.InvariantCulture,
        $"{report.Summary.Verdict} {report.Summary.Culprit} {report.Culprits.FirstOrDefault()?.Mechanism}");

    private static BlameReport Blame(MemoryStream trace, string name)
    {
        trace.Position = 0;
        EtlReader reader = EtlReader.Open(trace, name);
        return BlameAnalysis.Analyze(name, reader, new BlameRequest()).Report;
    }

    private static void AssertNoWarning(string path)
    {
        using EtlReader reader = EtlReader.Open(path);
        var contents = new TraceContents([]);
        contents.Read(reader);
        TraceLosses losses = InfoReportOfTrace.Make(path, reader, contents).Losses;
        Assert.Empty(losses.DamagedBuffers);
        Assert.Empty(losses.Counters);
    }
}

/// <summary>The first, third... of the scenarios.</summary>
public sealed class OddScenarioCaptureTests : ScenarioCaptureTests
{
    public static IEnumerable<TheoryDataRow<string>> Names => Half(0);

    [Theory]
    [MemberData(nameof(Names))]
    public void TheCapturedEpisodeHasTheCulpritOfTheFullTrace(string scenario) => Capture(scenario);
}

/// <summary>The others.</summary>
public sealed class EvenScenarioCaptureTests : ScenarioCaptureTests
{
    public static IEnumerable<TheoryDataRow<string>> Names => Half(1);

    [Theory]
    [MemberData(nameof(Names))]
    public void TheCapturedEpisodeHasTheCulpritOfTheFullTrace(string scenario) => Capture(scenario);
}
