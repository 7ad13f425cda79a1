using Tracer.Analysis.Request;
using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Properties;

/// <summary>What is missing or damaged never makes anybody guilty beyond doubt, nor ends the program.</summary>
[Trait("Speed", "slow")]
public class DamageProperties
{
    [Fact]
    public void Missing_buffers_make_no_innocent_certain() => PropertyTraces.Hold(60, (scenario, seed) =>
    {
        byte[] file = ScenarioFile.Write(scenario, bufferBytes: PropertyTraces.SmallBuffer);
        BlameReport whole = ScenarioFile.Report(file, "trace.etl", scenario.Request);
        HashSet<string> guilty = new(whole.Culprits.Select(culprit => culprit.Name), StringComparer.OrdinalIgnoreCase);
        List<byte[]> buffers = PropertyTraces.Buffers(file, PropertyTraces.SmallBuffer);
        var random = new Random(seed);
        for (int dropped = 0; dropped < Math.Max(1, buffers.Count / 20) && buffers.Count > 1; dropped++)
        {
            buffers.RemoveAt(1 + random.Next(buffers.Count - 1));
        }

        BlameReport rest = ScenarioFile.Report([.. buffers.SelectMany(buffer => buffer)], "trace.etl", scenario.Request);
        Assert.Empty(rest.Culprits.Where(culprit => culprit.Confidence == Confidence.Certain && !guilty.Contains(culprit.Name))
            .Select(culprit => $"{scenario.Name}: {culprit.Name} {culprit.Mechanism}"));
    });

    [Fact]
    public void Damaged_bytes_are_survived() => PropertyTraces.Hold(60, (scenario, seed) =>
    {
        byte[] file = ScenarioFile.Write(scenario, bufferBytes: PropertyTraces.SmallBuffer);
        var random = new Random(seed);
        for (int damaged = random.Next(1, 60); damaged > 0; damaged--)
        {
            // Behind the file's header, most of the time: without it there is little to go wrong later.
            int from = random.Next(4) == 0 ? 0 : Math.Min(file.Length - 1, PropertyTraces.SmallBuffer);
            file[random.Next(from, file.Length)] = (byte)random.Next(256);
        }

        try
        {
            BlameReport report = ScenarioFile.Report(file, "trace.etl", scenario.Request);
            Assert.All(report.Episodes, episode => Assert.True(episode.Unexplained >= Duration.Zero, scenario.Name));
            _ = ScenarioFile.Json(report);
        }
        catch (Tracer.Etl.EtlFormatException)
        {
            // The reader refuses what is no trace at all, with a word.
        }
        catch (MeaninglessRequestException)
        {
            // The part that is asked for lies outside of what is left, which is said.
        }
    });
}
