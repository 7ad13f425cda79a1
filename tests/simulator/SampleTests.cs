using Tracer.Simulator.Background;
using Tracer.Simulator.Scenarios;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Tests;

/// <summary>The samples of the repository are what the simulator makes: anybody can make them again, byte for byte.</summary>
public class SampleTests
{
    private static readonly Dictionary<string, (string Scenario, ulong Seed, BackgroundLoad Load)> Samples = new()
    {
        ["nic-behind-ndis.etl"] = ("ndis-miniport", 13, BackgroundLoad.Idle),
        ["masked-interrupts.etl"] = ("masked-interrupts", 25, BackgroundLoad.Idle),
        ["firmware-blackout.etl"] = ("smi", 25, BackgroundLoad.Idle),
    };

    public static TheoryData<string> Names() => [.. Samples.Keys];

    /// <summary>What a machine lists of itself is most of so short a trace: it does so once.</summary>
    private static KernelLogOptions Small(KernelLogOptions options) => options with
    {
        Kinds = RecordKinds.Usual,
        Rundown = Rundowns.End,
        UsesStackKeys = true,
        IsMerged = true,
        IsWindows7Merge = false,
        Compress = true,
    };

    [Theory]
    [MemberData(nameof(Names))]
    public void A_sample_is_what_the_simulator_makes(string name)
    {
        (string scenario, ulong seed, BackgroundLoad load) = Samples[name];
        using var trace = new MemoryStream();
        var run = new ScenarioRun(ScenarioCatalog.Find(scenario)!, seed)
        {
            Duration = Duration.FromSeconds(3),
            Load = load,
            HasFewPrograms = true,
            ChangeRecording = Small,
        };
        run.WriteTo(trace);
        string path = Path.Combine(RepositoryFiles.Root, "samples", name);
        if (Environment.GetEnvironmentVariable("UPDATE_GOLDEN") == "1")
        {
            File.WriteAllBytes(path, trace.ToArray());
        }

        Assert.True(trace.Length < 500_000, $"{trace.Length}");
        Assert.Equal(File.ReadAllBytes(path), trace.ToArray());
    }
}
