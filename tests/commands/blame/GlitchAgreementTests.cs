using System.Text.Json.Nodes;
using Tracer.Simulator.Scenarios;

namespace Tracer.Commands.Tests.Blame;

/// <summary>What counts latency counts the same glitches, lost times and missed deadlines, as docs/reference/report.md says.</summary>
public sealed class GlitchAgreementTests : IDisposable
{
    private readonly string _trace = Path.GetTempFileName();

    public void Dispose() => File.Delete(_trace);

    [Fact]
    public void Commands_agree_on_one_trace()
    {
        using (FileStream file = File.Create(_trace))
        {
            _ = new ScenarioRun(ScenarioCatalog.Find("glitch-dpc")!, 5) { Duration = Duration.FromSeconds(2) }.WriteTo(file);
        }

        JsonNode blame = Json("blame", _trace);
        JsonArray glitches = blame["glitches"]!.AsArray();
        JsonNode counts = blame["summary"]!["glitches"]!;
        Assert.NotEmpty(glitches);
        Assert.Equal(glitches.Count, (int)counts["audio"]!);
        Assert.StartsWith(Counted.Of(glitches.Count, "audio glitch") + " in ", (string)blame["summary"]!["conclusion"]!);
        JsonObject[] episodes = [.. blame["episodes"]!.AsArray().OfType<JsonObject>()];
        Every.Item(glitches, glitch => Assert.Equal("glitch", (string?)episodes[(int)glitch!["episode"]!]["probe"]));

        Assert.Equal(glitches.Count, (int)Json("info", _trace)["glitches"]!["audio"]!);
        JsonNode told = Json("blame", _trace, "cases");
        Assert.Equal(glitches.Count, (int)told["glitches"]!);
        JsonObject[] missed = [.. episodes.Where(one =>
            one["secondary"] is null && one["job"] is { } job && (decimal?)job["endUs"] > (decimal?)job["deadlineUs"])];
        Assert.Equal(missed.Length, (int)told["deadlinesMissed"]!);
        Assert.Equal(episodes.Length, Json("episodes", _trace)["episodes"]!.AsArray().Count);

        // The worst job that was ready in time lost the most of all jobs of its process.
        JsonObject worst = episodes.Where(one => one["job"] is { } job && job["dueUs"] is null && (string?)one["probe"] == "glitch")
            .MaxBy(one => (decimal)one["latencyUs"]!)!;
        JsonNode lost = Json("latency", _trace, "json", "--kind", "lost")["distributions"]!.AsArray()
            .Single(one => (string?)one!["part"]!["process"] == (string?)worst["thread"]!["process"])!;
        Assert.Equal((double)worst["latencyUs"]!, (double)lost["maxUs"]!, 0.01 * (double)lost["maxUs"]!);
    }

    private static JsonNode Json(string command, string trace, string format = "json", params string[] more)
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer([command, trace, "--format", format, .. more]);
        Assert.Equal((ExitCode.Done, ""), (exitCode, error));
        return JsonNode.Parse(output)!;
    }
}
