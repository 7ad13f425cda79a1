using System.Security.Cryptography;
using Tracer.Simulator.Background;
using Tracer.Simulator.Scenarios;

namespace Tracer.Simulator.Tests;

/// <summary>Every scenario: the trace is sound, the truth is what the catalogue says, and the seed decides the rest.</summary>
[Trait("Speed", "slow")]
public class ScenarioTests
{
    /// <summary>The last stamp may lie so far back.</summary>
    private const long CoarsestStepNs = 1_000_000;

    /// <summary>Long enough for each scenario to show, so many seconds.</summary>
    private const int Seconds = 4;

    public static TheoryData<string, ulong> Runs
    {
        get
        {
            var data = new TheoryData<string, ulong>();
            foreach (string name in Selection.Some(ScenarioCatalog.All.Select(scenario => scenario.Name), 3))
            {
                // The answers to simulated machines (test.sh) are those of seed 1.
                data.Add(name, 2);
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Runs))]
    public void The_truth_is_what_the_catalogue_says_and_the_trace_is_sound(string name, ulong seed)
    {
        Scenario scenario = ScenarioCatalog.Find(name)!;
        using var stream = new MemoryStream();
        TruthReport truth = Run(scenario, seed).WriteTo(stream);
        AssertSound(WrittenTrace.Read(stream.ToArray()), truth, scenario.IsCircular);
        Assert.Equal((name, seed, scenario.Verdict, scenario.Mechanism), (truth.Scenario, truth.Seed, truth.Verdict, truth.Mechanism));
        if (scenario.Verdict is Verdict.None or Verdict.Unknown)
        {
            Assert.Null(truth.Culprit);
        }

        if (scenario.Verdict == Verdict.Unknown)
        {
            return;
        }

        if (scenario.Verdict == Verdict.None)
        {
            Assert.DoesNotContain(truth.Culprits, culprit => culprit.Share > 0.05);
            Assert.All(truth.Episodes, episode => Assert.Equal(Mechanism.TimerTick, episode.Causes[0].Mechanism));
            return;
        }

        if (truth.Culprits.Count == 0)
        {
            Assert.Equal("glitch-overloaded-client", name); // Late by its own work, which is no latency: its glitches alone tell.
            return;
        }

        TrueCulprit first = truth.Culprits[0];
        Assert.Equal((truth.Culprit, scenario.Kind, scenario.Mechanism), (first.Name, first.Kind, first.Mechanism));
        Assert.True(first.Share > scenario.LeastShare, $"The culprit has only {first.Share} of the latency.");
        Assert.True(scenario.CulpritName!.StartsWith('<') || scenario.CulpritName == truth.Culprit);
        Assert.NotEmpty(truth.Episodes);
        Assert.DoesNotContain(truth.Culprit, truth.Innocents);
    }

    [Fact]
    public void The_same_seed_gives_the_same_bytes_and_another_one_others()
    {
        Assert.Equal(Digest(4), Digest(4));
        Assert.NotEqual(Digest(4), Digest(5));

        static string Digest(ulong seed)
        {
            using var stream = new MemoryStream();
            Run(ScenarioCatalog.Find("kmdf-client")!, seed).WriteTo(stream);
            return Convert.ToHexString(SHA256.HashData(stream.ToArray()));
        }
    }

    [Theory]
    [InlineData(BackgroundLoad.Idle)]
    [InlineData(BackgroundLoad.Cpu)]
    [InlineData(BackgroundLoad.Disk)]
    [InlineData(BackgroundLoad.Net)]
    [InlineData(BackgroundLoad.Tty)]
    public void No_background_delays_anybody(BackgroundLoad load)
    {
        for (ulong seed = 1; seed <= 4; seed++)
        {
            using var stream = new MemoryStream();
            ScenarioRun run = Run(ScenarioCatalog.Find("clean")!, seed) with { Load = load, Cpus = (int)seed };
            Assert.Empty(run.WriteTo(stream).Episodes);
        }
    }

    /// <summary>With this seed two DPCs of the background come one behind the other and keep their CPU for 500.2 us.</summary>
    [Fact]
    public void Where_the_background_is_too_long_the_truth_says_who_it_was()
    {
        using var stream = new MemoryStream();
        TruthReport truth = new ScenarioRun(ScenarioCatalog.Find("clean")!, 5).WriteTo(stream);
        TrueCulprit culprit = Assert.Single(truth.Culprits);
        Assert.Equal((Verdict.Driver, culprit.Name, Mechanism.Dpc), (truth.Verdict, truth.Culprit, truth.Mechanism));
    }

    [Fact]
    public void The_truth_stands_beside_the_trace()
    {
        string folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;
        try
        {
            string path = Path.Combine(folder, "a.b.etl");
            TruthReport truth = Run(ScenarioCatalog.Find("smi")!, 1).WriteTo(path);
            TruthReport read = ReportJson.Read<TruthReport>(File.ReadAllBytes(Path.Combine(folder, "a.b.truth.json")));
            Assert.Equal((truth.Culprit, truth.Episodes.Count), (read.Culprit, read.Episodes.Count));
            using EtlReader reader = EtlReader.Open(path);
            Assert.True(reader.HasHeader);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static void AssertSound(WrittenTrace trace, TruthReport truth, bool isCircular)
    {
        // Of an overwritten event the stack may be left.
        Assert.All(trace.Oddities.Keys, oddity => Assert.True(isCircular && oddity == HealthCounter.UnmatchedStacks, oddity.ToString()));
        Assert.DoesNotContain(trace.Entries, entry => entry.TimeNs < 0);
        Assert.Equal(truth.Cpus, trace.Header.ProcessorCount);
        Assert.True(trace.Entries.Max(entry => entry.TimeNs) >= truth.Duration.Nanoseconds - CoarsestStepNs);
    }

    private static ScenarioRun Run(Scenario scenario, ulong seed)
    {
        var shortened = Duration.FromSeconds(Seconds);
        return new ScenarioRun(scenario, seed)
        {
            Cpus = Math.Max(scenario.Cpus, scenario.LeastCpus),
            Duration = scenario.Duration < shortened ? scenario.Duration : shortened,
        };
    }
}
