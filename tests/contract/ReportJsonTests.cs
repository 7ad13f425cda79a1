using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using FsCheck;
using FsCheck.Fluent;
using Tracer.Etl;

namespace Tracer.Contract.Tests;

public partial class ReportJsonTests
{
    [Fact]
    public void A_blame_report_is_written_as_stored() =>
        GoldenText.AssertEqual("tests/contract/golden/blame.json", Text(SampleReports.Blame) + "\n");

    [Fact]
    public void A_truth_report_is_written_as_stored() =>
        GoldenText.AssertEqual("tests/contract/golden/truth.json", Text(SampleReports.Truth) + "\n");

    [Fact]
    public void What_is_written_is_read_as_the_same()
    {
        Assert.Equal(Text(SampleReports.Blame), Text(ReportJson.Read<BlameReport>(Utf8(SampleReports.Blame, indented: false))));
        Assert.Equal(Text(SampleReports.Truth), Text(ReportJson.Read<TruthReport>(Utf8(SampleReports.Truth, indented: false))));
    }

    [Fact]
    public void Compact_is_one_line()
    {
        string line = Encoding.UTF8.GetString(Utf8(SampleReports.Blame, indented: false));
        Assert.DoesNotContain('\n', line);
        Assert.StartsWith("""{"schema":"tracer.blame/1","trace":{"path":""", line);
    }

    /// <summary>What reports have beyond the contract.</summary>
    private static readonly string[] Added =
    [
        "secondaryEpisodes", "utcOffsetMinutes", "startUtc", "atUs", "zeroUs", "histogram", "atMostUs", "routines", "driver", "faults",
        "file", "bytes", "periodUs", "caller", "times", "of",
    ];

    [Fact]
    public void Every_name_of_the_contract_is_in_the_report_and_no_other()
    {
        string text = RepositoryFiles.ContractText();
        int start = text.IndexOf("{ \"schema\":\"tracer.blame/1\"", StringComparison.Ordinal);
        string schema = text[start..text.IndexOf("```", start, StringComparison.Ordinal)];
        // A name is quoted and followed by a colon, a comma or a brace; values in the sketch are alternatives with bars, or "...".
        var expected = QuotedName().Matches(schema).Select(match => match.Groups[1].Value).ToHashSet();

        var actual = new HashSet<string>();
        CollectNames(JsonNode.Parse(Utf8(SampleReports.Blame, indented: false))!, actual);

        // pid, tid and the like stand in the sketch as names without values, so the two sets are equal.
        Assert.Equal(expected.Union(Added).Order(), actual.Order());
    }

    [Fact]
    public void Every_word_of_the_contract_is_a_value_and_no_other()
    {
        string text = RepositoryFiles.ContractText();
        Assert.Equal(Words(text, "\"kind\":\"", "\""), Names<CulpritKind>());
        Assert.Equal(Words(text, "\"confidence\":\"", "\""), Names<Confidence>());
        Assert.Equal(Words(text, "\"proof\":\"", "\""), Names<Proof>());
        string[] probes = [.. Words(text, "[--probe ", "]")];
        Assert.Equal(probes, Names<ProbeChoice>());
        Assert.Equal(probes.Where(word => word != "auto"), Names<ProbeKind>());

        // In prose these are listed between backticks: the verdicts on one line, the mechanisms each before its meaning.
        string verdicts = text[text.IndexOf("- *verdict*", StringComparison.Ordinal)..].Split('\n')[0];
        Every.Item(Names<Verdict>(), verdict => Assert.Contains($"`{verdict}`", verdicts));
        int mechanisms = text.IndexOf("- *mechanism*", StringComparison.Ordinal);
        string meanings = text[mechanisms..text.IndexOf("- *verdict*", StringComparison.Ordinal)];
        IEnumerable<string> listed = BackticksOnly().Matches(meanings).Select(match => match.Groups[1].Value);
        Assert.Equal(listed.Order(StringComparer.Ordinal), Names<Mechanism>());

        static IEnumerable<string> Words(string text, string before, string after)
        {
            int start = text.IndexOf(before, StringComparison.Ordinal) + before.Length;
            return text[start..text.IndexOf(after, start, StringComparison.Ordinal)].Split('|').Order(StringComparer.Ordinal);
        }

        static IEnumerable<string> Names<TEnum>()
            where TEnum : struct, Enum =>
            Enum.GetValues<TEnum>().Select(value => JsonSerializer.Serialize(value).Trim('"')).Order(StringComparer.Ordinal);
    }

    /// <summary>The simulator's truth is compared with blame field by field, so the names must not drift apart.</summary>
    [Fact]
    public void Truth_names_its_fields_as_blame_does()
    {
        JsonNode blame = JsonNode.Parse(Utf8(SampleReports.Blame))!;
        JsonNode truth = JsonNode.Parse(Utf8(SampleReports.Truth))!;
        foreach (string list in new[] { "culprits", "episodes" })
        {
            IEnumerable<string> known = blame[list]![0]!.AsObject().Select(member => member.Key);
            Assert.Empty(truth[list]![0]!.AsObject().Select(member => member.Key).Except(known));
        }
    }

    [Theory]
    [InlineData(Mechanism.RaisedIrql, "raised-irql")]
    [InlineData(Mechanism.DpcDeferred, "dpc-deferred")]
    [InlineData(Mechanism.SpinWait, "spin-wait")]
    [InlineData(Mechanism.IdleExit, "idle-exit")]
    [InlineData(Mechanism.TimerTick, "timer-tick")]
    [InlineData(Mechanism.Isr, "isr")]
    public void Mechanisms_are_written_in_kebab_case(Mechanism mechanism, string expected)
    {
        TruthReport report = SampleReports.Truth with { Mechanism = mechanism };
        Assert.Equal(expected, JsonNode.Parse(Utf8(report, indented: false))!["mechanism"]!.GetValue<string>());
        Assert.Equal(mechanism, ReportJson.Read<TruthReport>(Utf8(report, indented: false)).Mechanism);
    }

    [Theory]
    [InlineData(Proof.WdfEvent, "wdf-event")]
    [InlineData(Proof.OnlyCandidate, "only-candidate")]
    public void Proofs_are_written_in_kebab_case(Proof proof, string expected)
    {
        BlameReport report = SampleReports.Blame with { Culprits = [SampleReports.Blame.Culprits[0] with { Proof = proof }] };
        Assert.Equal(expected, JsonNode.Parse(Utf8(report))!["culprits"]![0]!["proof"]!.GetValue<string>());
    }

    [Theory]
    [InlineData(0, "0")]
    [InlineData(1, "0.001")]
    [InlineData(1_500, "1.5")]
    [InlineData(-2_000_000, "-2000")]
    [InlineData(long.MaxValue, "9223372036854775.807")]
    public void Times_are_microseconds_with_at_most_three_decimals(long nanoseconds, string expected) =>
        Assert.Equal(expected, JsonSerializer.Serialize(new Duration(nanoseconds)));

    [Fact]
    public void Every_time_is_read_as_it_was_written() =>
        Prop.ForAll(ArbMap.Default.ArbFor<DoNotSize<long>>(), any =>
        {
            var time = new Duration(any.Item);
            return JsonSerializer.Deserialize<Duration>(JsonSerializer.Serialize(time)) == time;
        }).QuickCheckThrowOnFailure();

    [Theory]
    [InlineData("9223372036854775.807", long.MaxValue)]
    [InlineData("-9223372036854775.808", long.MinValue)]
    [InlineData("0.0004", 0)] // To the nearest nanosecond.
    [InlineData("1e3", 1_000_000)]
    public void Any_number_of_microseconds_in_range_is_read(string json, long nanoseconds) =>
        Assert.Equal(new Duration(nanoseconds), JsonSerializer.Deserialize<Duration>(json));

    [Theory]
    [InlineData("9223372036854775.808")]
    [InlineData("-9223372036854775.809")]
    [InlineData("79228162514264337593543950335")]
    [InlineData("1e300")]
    [InlineData("\"1\"")]
    [InlineData("null")]
    public void What_is_no_time_is_refused(string json) => Assert.Throws<JsonException>(() => JsonSerializer.Deserialize<Duration>(json));

    [Fact]
    public void Printed_causes_and_unexplained_add_up_to_the_printed_latency() =>
        Prop.ForAll(ArbMap.Default.ArbFor<int[]>(), ArbMap.Default.ArbFor<int>(), (times, latency) =>
        {
            Episode episode = SampleReports.Blame.Episodes[0] with
            {
                Latency = new Duration(latency),
                Causes = [.. times.Select(time => SampleReports.Blame.Episodes[0].Causes[0] with { Time = new Duration(time) })],
            };
            JsonNode json = JsonNode.Parse(Utf8(SampleReports.Blame with { Episodes = [episode] }))!["episodes"]![0]!;
            decimal parts = json["unexplainedUs"]!.GetValue<decimal>()
                + json["causes"]!.AsArray().Sum(cause => cause!["us"]!.GetValue<decimal>());
            return parts == json["latencyUs"]!.GetValue<decimal>();
        }).QuickCheckThrowOnFailure();

    [Theory]
    [InlineData("\"schema\":\"tracer.blame/1\"", "\"schema\":\"tracer.blame/2\"")]
    [InlineData("\"schema\":\"tracer.blame/1\",", "")]
    [InlineData("\"verdict\":\"driver\"", "\"verdict\":\"gremlin\"")]
    [InlineData("\"verdict\":\"driver\"", "\"verdict\":2")]
    [InlineData("\"verdict\":\"driver\"", "\"verdict\":null")]
    [InlineData("\"thresholdUs\":500", "\"thresholdUs\":\"500us\"")]
    [InlineData("\"thresholdUs\":500", "\"thresholdUs\":1e300")]
    [InlineData("\"warnings\":[", "\"warnings\":null,\"more\":[")]
    [InlineData("\"conclusion\":", "\"end\":")]
    public void A_report_of_another_schema_is_refused(string written, string instead)
    {
        string text = Encoding.UTF8.GetString(Utf8(SampleReports.Blame, indented: false));
        Assert.Contains(written, text);
        byte[] changed = Encoding.UTF8.GetBytes(text.Replace(written, instead, StringComparison.Ordinal));
        Assert.Throws<JsonException>(() => ReportJson.Read<BlameReport>(changed));
    }

    [Theory]
    [InlineData("")]
    [InlineData("null")]
    [InlineData("[]")]
    [InlineData("{")]
    public void What_is_no_report_is_refused(string text) =>
        Assert.Throws<JsonException>(() => ReportJson.Read<TruthReport>(Encoding.UTF8.GetBytes(text)));

    [Fact]
    public void Names_that_this_version_does_not_know_are_passed_over()
    {
        string text = Encoding.UTF8.GetString(Utf8(SampleReports.Truth, indented: false));
        string newer = text.Replace("\"scenario\":", "\"addedLater\":{\"a\":[1]},\"scenario\":", StringComparison.Ordinal);
        Assert.NotEqual(text, newer);
        Assert.Equal(Text(SampleReports.Truth), Text(ReportJson.Read<TruthReport>(Encoding.UTF8.GetBytes(newer))));
    }

    [Fact]
    public void Clock_kinds_have_their_names()
    {
        Assert.Equal(["qpc", "system-time", "cpu-cycles"], new[] { TraceClockKind.Qpc, TraceClockKind.SystemTime, TraceClockKind.CpuCycles }
            .Select(kind => JsonNode.Parse(Utf8(SampleReports.Blame with { Trace = SampleReports.Blame.Trace with { Clock = kind } }))!
                ["trace"]!["clock"]!.GetValue<string>()));
    }

    private static void CollectNames(JsonNode node, HashSet<string> names)
    {
        if (node is JsonObject members)
        {
            names.UnionWith(members.Select(member => member.Key));
        }

        IEnumerable<JsonNode?> children = node switch
        {
            JsonObject parent => parent.Select(member => member.Value),
            JsonArray items => items,
            _ => [],
        };
        foreach (JsonNode child in children.OfType<JsonNode>())
        {
            CollectNames(child, names);
        }
    }

    private static byte[] Utf8(BlameReport report, bool indented = false)
    {
        using var stream = new MemoryStream();
        ReportJson.Write(stream, report, indented);
        return stream.ToArray();
    }

    private static byte[] Utf8(TruthReport report, bool indented = false)
    {
        using var stream = new MemoryStream();
        ReportJson.Write(stream, report, indented);
        return stream.ToArray();
    }

    private static string Text(BlameReport report) => Encoding.UTF8.GetString(Utf8(report, indented: true));

    private static string Text(TruthReport report) => Encoding.UTF8.GetString(Utf8(report, indented: true));

    [GeneratedRegex("`([a-z-]+)`")]
    private static partial Regex BackticksOnly();

    [GeneratedRegex("""(?<!:)"([a-zA-Z0-9]+)"(?=\s*[:,}|])""")]
    private static partial Regex QuotedName();
}
