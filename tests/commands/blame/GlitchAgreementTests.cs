using System.Text.Json.Nodes;
using Microsoft.Data.Sqlite;
using Tracer.Simulator.Scenarios;

namespace Tracer.Commands.Tests.Blame;

/// <summary>What counts latency counts the same glitches, lost times and missed deadlines, as docs/reference/report.md says.</summary>
public sealed class GlitchAgreementTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-glitches-").FullName;
    private readonly string _trace;

    public GlitchAgreementTests() => _trace = Path.Combine(_folder, "one.etl");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Commands_agree_on_one_trace()
    {
        Simulate("glitch-dpc", _trace, 5);
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
        Assert.NotEmpty(missed);

        string cases = Path.Combine(_folder, "cases.jsonl");
        File.WriteAllText(cases, told.ToJsonString() + "\n");
        JsonNode fleet = Json("fleet", cases)["summary"]!;
        Assert.Equal((glitches.Count, missed.Length), ((int)fleet["glitches"]!, (int)fleet["deadlinesMissed"]!));

        string other = Path.Combine(_folder, "other.etl");
        Simulate("glitch-dpc", other, 6);
        JsonNode diff = Json("diff", _trace, "json", other);
        Assert.Equal((glitches.Count, missed.Length), ((int)diff["glitches"]!["base"]!, (int)diff["deadlinesMissed"]!["base"]!));
        Assert.Equal((glitches.Count, missed.Length), Exported());

        Assert.Equal(episodes.Length, Json("episodes", _trace)["episodes"]!.AsArray().Count);

        // The worst job that was ready in time lost the most of all jobs of its process.
        JsonObject worst = episodes.Where(one => one["job"] is { } job && job["dueUs"] is null && (string?)one["probe"] == "glitch")
            .MaxBy(one => (decimal)one["latencyUs"]!)!;
        JsonNode lost = Json("latency", _trace, "json", "--kind", "lost")["distributions"]!.AsArray()
            .Single(one => (string?)one!["part"]!["process"] == (string?)worst["thread"]!["process"])!;
        Assert.Equal((double)worst["latencyUs"]!, (double)lost["maxUs"]!, 0.01 * (double)lost["maxUs"]!);
    }

    /// <summary>A deadline that is the next beat: what lost time and missed it, and what forecasts count of all its jobs.</summary>
    [Fact]
    public void Beats_that_were_missed_are_as_many_in_each()
    {
        Simulate("glitch-preempted-client", _trace, 5);
        JsonObject[] episodes = [.. Json("blame", _trace)["episodes"]!.AsArray().OfType<JsonObject>()];
        string client = (string)episodes.First(one => (string?)one["probe"] == "glitch")["thread"]!["process"]!;
        int late = episodes.Count(one => (string?)one["thread"]?["process"] == client
            && one["job"] is { } job && (decimal?)job["endUs"] > (decimal?)job["deadlineUs"]);
        Assert.NotEqual(0, late);

        JsonNode latency = Json("latency", _trace, "json", "--usage", "8h/day,5d/week");
        JsonNode thread = latency["callbacks"]!.AsArray().Single(one => (string?)one!["process"] == client)!;
        Assert.Equal(late, (int)thread["missed"]!);
        Assert.InRange((int)thread["jobs"]!, 10 * late, 200);
        JsonNode forecast = latency["forecasts"]!.AsArray()
            .Single(one => ((string?)one!["thread"])?.StartsWith(client + ", tid ", StringComparison.Ordinal) == true)!;
        JsonNode own = Assert.Single(forecast["applications"]!.AsArray())!;
        Assert.Equal((late, (int)thread["jobs"]!, "response"), ((int)own["late"]!, (int)forecast["waits"]!, (string?)forecast["kind"]));
        Assert.Equal((decimal)thread["worstResponseUs"]!, (decimal)forecast["worstCases"]![0]!["observedUs"]!);
    }

    private static void Simulate(string scenario, string path, ulong seed)
    {
        using FileStream file = File.Create(path);
        _ = new ScenarioRun(ScenarioCatalog.Find(scenario)!, seed) { Duration = Duration.FromSeconds(2) }.WriteTo(file);
    }

    /// <summary>What the exported database counts.</summary>
    private (int Glitches, int Missed) Exported()
    {
        string path = Path.Combine(_folder, "one.sqlite");
        Assert.Equal(ExitCode.Done, CommandRun.Analyzer("export", _trace, "--format", "sqlite", "-o", path).ExitCode);
        using var connection = new SqliteConnection($"Data Source={path};Mode=ReadOnly;Pooling=False");
        connection.Open();
        return (
            Count("SELECT COUNT(*) FROM glitches"),
            Count("SELECT COUNT(*) FROM episodes WHERE end_ns > deadline_ns AND secondary = 0"));

        int Count(string query)
        {
            using SqliteCommand command = connection.CreateCommand();
#pragma warning disable CA2100 // The queries are those above.
            command.CommandText = query;
#pragma warning restore CA2100
            return Convert.ToInt32(command.ExecuteScalar(), CultureInfo.InvariantCulture);
        }
    }

    private static JsonNode Json(string command, string trace, string format = "json", params string[] more)
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer([command, trace, "--format", format, .. more]);
        Assert.True(exitCode == ExitCode.Done, error); // Where it takes long, 'cases' tells how far it is.
        return JsonNode.Parse(output)!;
    }
}
