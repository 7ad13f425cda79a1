using Tracer.Analysis.Request;

namespace Tracer.Analysis.Tests;

/// <summary>What is asked for limits what is found: CPUs, times, probes.</summary>
public class SelectionTests
{
    private static readonly IReadOnlyList<Episode> All = Find(new BlameRequest());

    [Fact]
    public void Only_episodes_that_begin_in_the_times_asked_for_are_found()
    {
        Duration from = All[1].Start;
        Duration to = All[2].Start;
        Assert.Equal([All[1].Start, All[2].Start], Find(new BlameRequest { From = from, To = to }).Select(episode => episode.Start));
    }

    [Fact]
    public void Only_episodes_of_the_cpus_asked_for_are_found()
    {
        int cpu = All[0].Cpu!.Value;
        Every.Item(Find(new BlameRequest { Cpus = [cpu] }), episode => Assert.Equal(cpu, episode.Cpu));
        Assert.Throws<MeaninglessRequestException>(() => Find(new BlameRequest { Cpus = [99] }));
    }

    [Theory]
    [InlineData(ProbeChoice.Thread, ProbeKind.Thread)]
    [InlineData(ProbeChoice.Level, ProbeKind.Level)]
    public void Only_episodes_of_the_probe_asked_for_are_found(ProbeChoice asked, ProbeKind kind)
    {
        IReadOnlyList<Episode> found = Find(new BlameRequest { Probe = asked });
        Assert.NotEmpty(found);
        Every.Item(found, episode => Assert.Equal(kind, episode.Probe));
    }

    private static IReadOnlyList<Episode> Find(BlameRequest request)
    {
        using EtlReader reader = EtlReader.Open(Path.Combine(RepositoryFiles.Root, "samples", "nic-behind-ndis.etl"));
        return BlameAnalysis.Analyze("sample", reader, request).Report.Episodes;
    }
}
