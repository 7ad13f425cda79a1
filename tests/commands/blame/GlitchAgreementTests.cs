using System.Text.Json.Nodes;
using Microsoft.Data.Sqlite;
using Tracer.Commands.Tests.Report;
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

        string page = Path.Combine(_folder, "one.html");
        Run("report", _trace, "-o", page);
        JsonNode paged = ReportPage.Of(page).BlameJson;
        Assert.Equal(glitches.ToJsonString(), paged["glitches"]!.ToJsonString());
        Assert.Equal(episodes.Length, paged["episodes"]!.AsArray().Count);

        // The worst job that was ready in time lost the most of all jobs of its process.
        JsonObject worst = episodes.Where(one => one["job"] is { } job && job["dueUs"] is null && (string?)one["probe"] == "glitch")
            .MaxBy(one => (decimal)one["latencyUs"]!)!;
        JsonNode lost = Json("latency", _trace, "json", "--kind", "lost")["distributions"]!.AsArray()
            .Single(one => (string?)one!["part"]!["process"] == (string?)worst["thread"]!["process"])!;
        Assert.Equal((double)worst["latencyUs"]!, (double)lost["maxUs"]!, 0.01 * (double)lost["maxUs"]!);
    }

    /// <summary>A part of a trace holds the glitches of its time, whether it is asked about or cut out.</summary>
    [Fact]
    public void A_part_has_its_own_glitches()
    {
        Simulate("glitch-dpc", _trace, 5);
        string part = Path.Combine(_folder, "part.etl");
        Run("slice", _trace, "--from", "700ms", "--to", "1500ms", "-o", part);
        int asked = (int)Json("blame", _trace, "json", "--from", "700ms", "--to", "1500ms")["summary"]!["glitches"]!["audio"]!;
        Assert.InRange(asked, 1, Json("blame", _trace)["glitches"]!.AsArray().Count - 1);
        Assert.Equal(asked, (int)Json("blame", part)["summary"]!["glitches"]!["audio"]!);
        Assert.Equal(asked, (int)Json("info", part)["glitches"]!["audio"]!);
    }

    /// <summary>Each glitch is judged, or one of them, and its account stands on the first screen.</summary>
    [Fact]
    public void Around_a_glitch_it_alone_is_judged()
    {
        Simulate("glitch-dpc", _trace, 5);
        JsonNode whole = Json("blame", _trace);
        JsonArray glitches = whole["glitches"]!.AsArray();
        JsonNode each = Json("blame", _trace, "json", "--at", "glitch");
        Assert.Equal(glitches.Select(AtOf), each["glitches"]!.AsArray().Select(AtOf));

        JsonNode second = Json("blame", _trace, "json", "--at", "glitch:2");
        JsonNode only = Assert.Single(second["glitches"]!.AsArray())!;
        Assert.Equal(AtOf(glitches[1]), AtOf(only));
        Assert.Equal((string?)glitches[1]!["culprit"], (string?)second["summary"]!["culprit"]);
        Assert.Single(second["episodes"]!.AsArray());
        string screen = CommandRun.Analyzer("blame", _trace, "--at", "glitch:2").Output;
        Assert.Contains("What Windows recorded as glitches", screen, StringComparison.Ordinal);
        Assert.Contains($"2.    at {AtOf(only) / 1_000_000:0.000000} s", screen, StringComparison.Ordinal);
        Assert.DoesNotContain("from -", screen, StringComparison.Ordinal);
        Assert.Equal(ExitCode.WrongUsage, CommandRun.Analyzer("blame", _trace, "--at", $"glitch:{glitches.Count + 1}").ExitCode);

        static decimal AtOf(JsonNode? glitch) => (decimal)glitch!["atUs"]!;
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

    /// <summary>Deadlines that the engine had set itself: what blame and latency count, and its own records of those it missed.</summary>
    [Theory]
    [InlineData("glitch-dpc")]
    [InlineData("glitch-storm")]
    public void Deadlines_that_the_engine_set_are_missed_as_often_in_each(string scenario)
    {
        Simulate(scenario, _trace, 5);
        JsonNode blame = Json("blame", _trace);
        JsonObject[] late =
        [
            .. blame["episodes"]!.AsArray().OfType<JsonObject>().Where(one => (string?)one["thread"]?["process"] == "audiodg.exe"
                && one["job"] is { } job && (decimal?)job["endUs"] > (decimal?)job["deadlineUs"]),
        ];
        JsonNode thread = Json("latency", _trace)["callbacks"]!.AsArray().Single(one => (string?)one!["process"] == "audiodg.exe")!;
        int told = blame["glitches"]!.AsArray().Sum(glitch => glitch!["records"]!.AsArray()
            .Count(record => ((string)record!["event"]!).Contains("/118 ", StringComparison.Ordinal)));
        Assert.NotEmpty(late);
        Assert.Equal((late.Length, told), ((int)thread["missed"]!, late.Length));
        Assert.InRange((int)thread["ownDeadlines"]!, late.Length, (int)thread["jobs"]!);
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
        Run("export", _trace, "--format", "sqlite", "-o", path);
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

    private static void Run(params string[] arguments)
    {
        (int exitCode, _, string error) = CommandRun.Analyzer(arguments);
        Assert.True(exitCode == ExitCode.Done, error);
    }

    private static JsonNode Json(string command, string trace, string format = "json", params string[] more)
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer([command, trace, "--format", format, .. more]);
        Assert.True(exitCode == ExitCode.Done, error); // Where it takes long, 'cases' tells how far it is.
        return JsonNode.Parse(output)!;
    }
}
