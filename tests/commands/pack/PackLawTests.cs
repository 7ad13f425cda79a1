using Tracer.Analysis;
using Tracer.Analysis.Request;
using Tracer.Analysis.Slicing;
using Tracer.AnalyzerShared.Redact;
using Tracer.Simulator.Scenarios;

namespace Tracer.Commands.Tests.Pack;

/// <summary>
/// The law of slices without names: blame of a pack tells the episodes of that part of the whole trace, names apart. On machines whose
/// answers rest on what is rewritten: processes, files, events of providers, idle states. All machines: bench/packs.md.
/// </summary>
[Trait("Speed", "slow")]
public class PackLawTests
{
    [Theory]
    [InlineData("priority-hog")]
    [InlineData("hard-faults")]
    [InlineData("gc-pause")]
    [InlineData("parked-cores")]
    [InlineData("acpi-dpc-method")]
    public void A_pack_says_what_its_part_of_the_whole_says(string name)
    {
        using var file = new MemoryStream();
        _ = new ScenarioRun(ScenarioCatalog.Find(name)!, 11) { Duration = Duration.FromMilliseconds(3200) }.WriteTo(file);
        using EtlReader reader = EtlReader.Open(new MemoryStream(file.ToArray()), name);
        BlameReport whole = BlameAnalysis.Analyze(name, reader, new BlameRequest { WithTables = false }).Report;
        var redaction = new Redaction(reader, whole);
        var request = new BlameRequest
        {
            From = Duration.FromMilliseconds(1500),
            To = Duration.FromMilliseconds(3100),
            WithTables = false,
        };
        using var slice = new MemoryStream();
        SliceDifferences differences =
            TraceSlicing.Cut(name, reader, request, episode: null, slice, redaction).Differences;
        Assert.InRange(differences.Episodes, 1, 10_000);
        Assert.Equal(0, differences.Different);
        Assert.InRange(redaction.Names.Count(NameKind.Process), 1, 1000);
    }
}
