using System.Text.Json.Nodes;

namespace Tracer.Commands.Tests.Latency;

/// <summary>Reports of latencies that a stranger wrote, with numbers that no trace gives.</summary>
public sealed class HostileLatencyReportTests : IDisposable
{
    private static readonly string[] Numbers =
    [
        "-1", "1e308", "-1e308", "9223372036854775807", "-9223372036854775808", "1e-300", "99999999999999999999", "0", "null", "\"NaN\"",
        "[]",
    ];

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("tracer-hostile-");

    public void Dispose() => _folder.Delete(recursive: true);

    /// <summary>
    /// Each number of a report in turn; most reports are read still, as the number is shown only, and none ends otherwise.
    /// </summary>
    [Fact]
    public void Any_number_ends_in_a_report_or_in_one_sentence()
    {
        string path = Path.Combine(_folder.FullName, "one.json");
        string trace = Path.Combine("samples", "nic-behind-ndis.etl");
        Assert.Equal(ExitCode.Done, CommandRun.Analyzer(
            "latency", trace, "--per", "trace", "--usage", "8h/day", "--format", "json", "-o", path).ExitCode);
        string text = File.ReadAllText(path);
        List<string> places = [];
        Collect(JsonNode.Parse(text)!, "", places);
        Assert.True(places.Count > 50, $"{places.Count} numbers");
        long before = GC.GetTotalMemory(forceFullCollection: false);
        int refused = 0;
        const int Rounds = 3;
        for (int i = 0; i < Rounds * places.Count; i++)
        {
            JsonNode report = JsonNode.Parse(text)!;
            string place = places[i % places.Count];
            string number = Numbers[i % Numbers.Length];
            Put(report, place, JsonNode.Parse(number));
            File.WriteAllText(path, report.ToJsonString());
            (int exitCode, string output, string error) = CommandRun.Analyzer("latency", path, "--usage", "1h/day");
            string what = $"{place} = {number}: {exitCode} {error}";
            Assert.True(exitCode is ExitCode.Done or ExitCode.Failed, what);
            Assert.True(output.Length < 1_000_000 && !output.Contains("NaN", StringComparison.Ordinal), what);
            Assert.True(exitCode == ExitCode.Done || (output.Length == 0 && error.Count(letter => letter == '\n') == 1), what);
            refused += exitCode == ExitCode.Failed ? 1 : 0;
        }

        Assert.InRange(refused, 20, Rounds * places.Count - 1);
        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true) - before, long.MinValue, 64 << 20);
    }

    [Fact]
    public void Deep_nesting_is_refused()
    {
        string path = Path.Combine(_folder.FullName, "deep.json");
        File.WriteAllText(path, "{\"schema\":\"tracer.latency/1\",\"traces\":" + new string('[', 100_000));
        (int exitCode, string output, string error) = CommandRun.Analyzer("latency", path);
        Assert.Equal((ExitCode.Failed, ""), (exitCode, output));
        Assert.StartsWith($"analyzer: {path} is not a report of 'analyzer latency --format json': ", error);
    }

    /// <summary>Whoever takes reports or traces, and gets a report of latencies that is none, or that is not what it takes.</summary>
    [Theory]
    [InlineData("", "it is not JSON: it ends too early", "there is no case in it", "is empty")]
    [InlineData("{\"schema\":\"tracer.latency/1\"", "it is not JSON: it ends too early", "its last line is cut", "not an .etl trace")]
    [InlineData("{\"schema\":\"tracer.latency/1", "it is not JSON: it ends too early", "its last line is cut", "not an .etl trace")]
    [InlineData("{\"schema\":\"tracer.latency/1\"}\n", "it lacks 'traces'", "tracer.case/1 is expected, not", "not an .etl trace")]
    [InlineData("{\"schema\":\"tracer.latency/9\"}\n", "expected, not 'tracer.latency/9'", "case/1 is expected", "not an .etl trace")]
    [InlineData("{\"schema\":7}\n", "its schema has a value that can't stand there", "its schema has a value", "not an .etl trace")]
    [InlineData("{\"schema\":\"\xFF\"}\n", "is expected, not '", "is expected, not '", "not an .etl trace")]
    [InlineData("{\"schema\"<\n", "it is not JSON: '<' is invalid", "it is not JSON: '<' is invalid", "not an .etl trace")]
    [InlineData("null\n", "is expected, not null", "is expected, not null", "not an .etl trace")]
    public void A_forged_report_is_told_in_a_sentence_by_each_command(string text, string latency, string fleet, string diff)
    {
        string path = Path.Combine(_folder.FullName, "forged.json");
        File.WriteAllText(path, text);
        string trace = Path.Combine(RepositoryFiles.Root, "samples", "first.etl");
        Told(latency, "latency", path);
        Told(fleet, "fleet", path);
        Told(diff, "diff", trace, path);
        Told(diff, "blame", path);
        Told(diff, "report", path, "-o", Path.Combine(_folder.FullName, "page.html"));

        void Told(string expected, params string[] arguments)
        {
            (int exitCode, string output, string error) = CommandRun.Analyzer(arguments);
            Assert.Equal((ExitCode.Failed, ""), (exitCode, output));
            Assert.Contains(expected, error, StringComparison.Ordinal);
            foreach (string odd in new[] { "System.", "Exception", "   at ", "isFinalBlock", "payload", "Sequence contains" })
            {
                Assert.DoesNotContain(odd, error, StringComparison.Ordinal);
            }
        }
    }

    [Fact]
    public void A_long_name_of_a_schema_is_cut()
    {
        string path = Path.Combine(_folder.FullName, "long.json");
        File.WriteAllText(path, "{\"schema\":\"" + new string('x', 100_000) + "\"}");
        Assert.InRange(CommandRun.Analyzer("latency", path).Error.Length, 1, 300);
    }

    private static void Collect(JsonNode node, string at, List<string> places)
    {
        switch (node)
        {
            case JsonObject all:
                foreach ((string name, JsonNode? one) in all)
                {
                    Next(one, $"{at}/{name}");
                }

                break;
            case JsonArray list:
                for (int i = 0; i < Math.Min(2, list.Count); i++)
                {
                    Next(list[i], $"{at}/{i}");
                }

                break;
            case JsonValue value when value.GetValueKind() == System.Text.Json.JsonValueKind.Number:
                places.Add(at);
                break;
            default:
                break;
        }

        void Next(JsonNode? one, string place)
        {
            if (one is not null)
            {
                Collect(one, place, places);
            }
        }
    }

    private static void Put(JsonNode report, string place, JsonNode? number)
    {
        string[] steps = place[1..].Split('/');
        foreach (string step in steps[..^1])
        {
            report = report is JsonArray list ? list[int.Parse(step, null)]! : report[step]!;
        }

        if (report is JsonArray last)
        {
            last[int.Parse(steps[^1], null)] = number;
        }
        else
        {
            report[steps[^1]] = number;
        }
    }
}
