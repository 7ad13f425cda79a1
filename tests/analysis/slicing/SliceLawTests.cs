using Tracer.Analysis.Request;
using Tracer.Analysis.Slicing;
using Tracer.Analysis.Tests.Scenarios;
using Tracer.Simulator.Scenarios;
using Scenario = Tracer.Analysis.Tests.Scenarios.Scenario;

namespace Tracer.Analysis.Tests.Slicing;

/// <summary>
/// The law of slices: blame of a slice tells the episodes of that part of the whole trace, with the same latencies, mechanisms and times,
/// and nobody's name that the whole trace does not tell. On every trace that is told in words, and on simulated machines.
/// </summary>
[Trait("Speed", "slow")]
public class SliceLawTests
{
    /// <summary>Machines whose answers rest on what the whole trace shows; one of five by default.</summary>
    public static TheoryData<string> Machines =>
    [
        .. Selection.Some(
            [
                "kmdf-client", "masked-interrupts", "smi", "cstate-exit", "hal-beat", "clock-owner", "gc-pause", "parked-cores",
                "hard-faults", "spin-lock", "clock-owner-driver",
            ],
            2, parts: 5),
    ];

    public static TheoryData<string> Told => [.. Selection.Some(ScenarioStore.Names, 5, parts: 20)];

    [Theory]
    [MemberData(nameof(Told))]
    public void A_slice_of_a_told_trace_says_what_its_part_of_the_whole_says(string name)
    {
        Scenario scenario = ScenarioStore.Read(name);
        byte[] trace = ScenarioFile.Write(scenario);
        BlameReport whole = ScenarioFile.Report(trace, name, scenario.Request);
        int compared = 0;
        foreach ((Duration from, Duration to) in Windows(whole))
        {
            BlameRequest request = scenario.Request with { From = Later(scenario.Request.From, from), To = to };
            try
            {
                SliceDifferences differences = Slice(name, trace, request, out _).Differences;
                Assert.True(differences.Different == 0, $"{from} to {to}: {differences}");
                compared++;
            }
            catch (MeaninglessRequestException empty)
            {
                Assert.StartsWith("no event lies from", empty.Message); // The rest of a blackout: nothing began in it.
            }
        }

        Assert.True(compared > 0 || whole.Episodes.Count == 0);
    }

    [Theory]
    [MemberData(nameof(Machines))]
    public void A_slice_of_a_simulated_machine_says_what_its_part_of_the_whole_says(string name)
    {
        using var file = new MemoryStream();
        _ = new ScenarioRun(ScenarioCatalog.Find(name)!, 11) { Duration = Duration.FromSeconds(5) }.WriteTo(file);
        byte[] trace = file.ToArray();
        var request = new BlameRequest { From = Duration.FromMilliseconds(2300), To = Duration.FromMilliseconds(3100) };
        SliceResult result = Slice(name, trace, request, out byte[] slice);
        Assert.Equal(0, result.Differences.Different);
        Assert.True(slice.Length < trace.Length, $"{slice.Length} bytes of {trace.Length}");
        Assert.Contains(result.Report.Warnings, warning => warning.StartsWith("This trace is a slice", StringComparison.Ordinal));
    }

    private static SliceResult Slice(string name, byte[] trace, BlameRequest request, out byte[] slice)
    {
        using var output = new MemoryStream();
        using EtlReader reader = EtlReader.Open(new MemoryStream(trace), name);
        SliceResult result = TraceSlicing.Cut(name, reader, request, episode: null, output);
        slice = output.ToArray();
        return result;
    }

    /// <summary>Parts that hold an episode whole, cut it off, or begin in it.</summary>
    private static IEnumerable<(Duration From, Duration To)> Windows(BlameReport whole)
    {
        if (whole.Episodes.Count == 0)
        {
            yield break;
        }

        Episode first = whole.Episodes[0];
        Episode last = whole.Episodes[^1];
        yield return (first.Start, NotBefore(last.Start));
        if (whole.Episodes.Count > 1)
        {
            yield return (last.Start, NotBefore(last.Start + Half(last.Latency)));
        }

        yield return (first.Start + Half(first.Latency), NotBefore(last.Start + last.Latency));

        static Duration Half(Duration time) => new(time.Nanoseconds / 2);
        static Duration NotBefore(Duration time) => time > Duration.Zero ? time : Duration.Zero;
    }

    private static Duration Later(Duration? one, Duration other) => one is { } known && known > other ? known : other;
}
