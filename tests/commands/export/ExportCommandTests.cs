using System.Text;
using System.Text.Json.Nodes;
using Tracer.AnalyzerCommand.Perfetto;

namespace Tracer.Commands.Tests.Export;

/// <summary><c>analyzer export</c> as a user meets it: what the files say of a trace, against what blame and info say of it.</summary>
public sealed class ExportCommandTests : IDisposable
{
    private const string Sample = "samples/nic-behind-ndis.etl";

    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-export-").FullName;

    private string Target => Path.Combine(_folder, "out");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Perfetto_gets_spans_that_lie_within_each_other()
    {
        Dictionary<ulong, Stack<TracePacket>> open = [];
        Dictionary<string, int> begun = [];
        Dictionary<ulong, string> categories = [];
        foreach (TracePacket packet in ByTime(Perfetto()))
        {
            foreach (InternedName category in packet.InternedData?.EventCategories ?? [])
            {
                categories[category.Iid] = category.Name;
            }

            TrackEvent one = packet.TrackEvent;
            if (!open.TryGetValue(one.TrackUuid, out Stack<TracePacket>? track))
            {
                open.Add(one.TrackUuid, track = []);
            }

            if (one.Type == TrackEvent.Types.Type.SliceBegin)
            {
                track.Push(packet);
                string category = categories[one.CategoryIids.Single()];
                begun[category] = begun.GetValueOrDefault(category) + 1;
            }
            else if (one.Type == TrackEvent.Types.Type.SliceEnd)
            {
                Assert.True(track.Pop().Timestamp <= packet.Timestamp);
            }
        }

        Every.Item(open.Values, Assert.Empty);
        JsonNode blame = Blame();
        Assert.Equal(blame["episodes"]!.AsArray().Count, begun["episode"]);
        Assert.Equal(RunsOf(blame, "dpc"), begun["dpc"]);
        Assert.Equal(RunsOf(blame, "isr"), begun["isr"]);
        Assert.True(begun["thread"] > 1000);
    }

    [Fact]
    public void Perfetto_gets_the_episodes_of_blame_with_their_causes()
    {
        Trace trace = Perfetto();
        ulong[] tracks = [.. trace.Packet
            .Where(packet => packet.TrackDescriptor?.Name == "Episodes").Select(packet => packet.TrackDescriptor.Uuid)];
        TracePacket[] begun = [.. trace.Packet.Where(packet =>
            packet.TrackEvent?.Type == TrackEvent.Types.Type.SliceBegin && tracks.Contains(packet.TrackEvent.TrackUuid))];
        JsonArray episodes = Blame()["episodes"]!.AsArray();
        Assert.Equal(
            episodes.Select(one => Math.Round((decimal)one!["startUs"]! * 1000)).Order(),
            begun.Select(packet => (decimal)packet.Timestamp).Order());
        JsonNode worst = episodes.MaxBy(one => (decimal)one!["latencyUs"]!)!;
        TrackEvent shown = begun.Select(packet => packet.TrackEvent)
            .Single(one => one.DebugAnnotations.Any(note => note.Name == "episode" && note.IntValue == (long)worst["id"]!));
        string culprit = worst["causes"]![0]!["culprit"]!.ToString();
        Assert.EndsWith(": " + culprit, shown.Name);
        Assert.Contains(shown.DebugAnnotations, note => note.Name == $"{culprit}, {worst["causes"]![0]!["mechanism"]}");
    }

    [Fact]
    public void A_flow_of_perfetto_ends_behind_its_beginning()
    {
        Dictionary<ulong, int> begun = [];
        int ended = 0;
        int fromInterrupts = 0;
        Dictionary<ulong, string> names = [];
        HashSet<ulong> ofInterrupts = [];
        foreach (TracePacket packet in ByTime(Perfetto()))
        {
            foreach (InternedName name in packet.InternedData?.EventNames ?? [])
            {
                names[name.Iid] = name.Name;
            }

            string called = names.GetValueOrDefault(packet.TrackEvent.NameIid, "");
            foreach (ulong flow in packet.TrackEvent.FlowIds)
            {
                begun[flow] = begun.GetValueOrDefault(flow) + 1;
                if (called.StartsWith("ISR ", StringComparison.Ordinal))
                {
                    ofInterrupts.Add(flow);
                }
            }

            foreach (ulong flow in packet.TrackEvent.TerminatingFlowIds)
            {
                Assert.True(begun.Remove(flow));
                ended++;
                fromInterrupts += called.StartsWith("DPC ", StringComparison.Ordinal) && ofInterrupts.Contains(flow) ? 1 : 0;
            }
        }

        Assert.True(ended > 1000);
        Assert.True(fromInterrupts > 100);
    }

    [Fact]
    public void Speedscope_gets_events_in_order_and_all_samples()
    {
        JsonNode file = JsonNode.Parse(Export("speedscope"))!;
        int frames = file["shared"]!["frames"]!.AsArray().Count;
        JsonArray profiles = file["profiles"]!.AsArray();
        JsonNode[] evented = [.. profiles.Where(one => one!["type"]!.ToString() == "evented").Select(one => one!)];
        Every.Item(evented, profile =>
        {
            var open = new Stack<int>();
            long last = (long)profile["startValue"]!;
            foreach (JsonNode? one in profile["events"]!.AsArray())
            {
                Assert.True((long)one!["at"]! >= last);
                last = (long)one["at"]!;
                if (one["type"]!.ToString() == "O")
                {
                    open.Push((int)one["frame"]!);
                }
                else
                {
                    Assert.Equal(open.Pop(), (int)one["frame"]!);
                }
            }

            Assert.Empty(open);
            Assert.Equal(last, (long)profile["endValue"]!);
        });
        JsonNode[] sampled = [.. profiles.Where(one => one!["type"]!.ToString() == "sampled").Select(one => one!)];
        Every.Item(sampled.SelectMany(one => one["samples"]!.AsArray()).SelectMany(stack => stack!.AsArray()), frame =>
            Assert.InRange((int)frame!, 0, frames - 1));
        Assert.Equal(Samples(), sampled.Sum(one => one["weights"]!.AsArray().Sum(weight => (long)weight!)));
    }

    [Fact]
    public void The_Firefox_Profiler_gets_tables_whose_columns_fit_each_other()
    {
        JsonNode file = JsonNode.Parse(Export("firefox-profiler"))!;
        JsonNode[] threads = [.. file["threads"]!.AsArray().Select(one => one!)];
        Every.Item(threads, thread =>
        {
            int strings = thread["stringArray"]!.AsArray().Count;
            foreach (string table in new[] { "samples", "markers", "stackTable", "frameTable", "funcTable", "resourceTable" })
            {
                JsonObject columns = thread[table]!.AsObject();
                int length = (int)columns["length"]!;
                Assert.All(columns.Select(one => one.Value).OfType<JsonArray>(), column => Assert.Equal(length, column.Count));
            }

            int i = 0;
            foreach (JsonNode? prefix in thread["stackTable"]!["prefix"]!.AsArray())
            {
                Assert.True(prefix is null || (int)prefix < i); // What lies around it comes first.
                i++;
            }

            Assert.All(thread["samples"]!["stack"]!.AsArray(), stack => Assert.InRange((int)stack!, 0, i - 1));
            Assert.All(thread["funcTable"]!["name"]!.AsArray(), name => Assert.InRange((int)name!, 0, strings - 1));
            Assert.All(thread["markers"]!["name"]!.AsArray(), name => Assert.InRange((int)name!, 0, strings - 1));
        });
        Assert.Equal(Samples(), threads.Sum(one => one["samples"]!["weight"]!.AsArray().Sum(weight => (long)weight!)));
        JsonNode blame = Blame();
        Assert.Equal(
            blame["episodes"]!.AsArray().Count + RunsOf(blame, "dpc") + RunsOf(blame, "isr"),
            threads.Sum(one => (int)one["markers"]!["length"]!));
    }

    [Fact]
    public void Folded_stacks_hold_all_samples_each_stack_once()
    {
        string[] lines = Export("folded").TrimEnd('\n').Split('\n');
        Assert.Equal(lines.Order(StringComparer.Ordinal), lines);
        string[] stacks = [.. lines.Select(line => line[..line.LastIndexOf(' ')])];
        Assert.Equal(stacks.Length, stacks.Distinct().Count());
        Assert.Equal(Samples(), lines.Sum(Count));
    }

    [Fact]
    public void Of_a_culprit_are_the_stacks_that_it_is_in()
    {
        string[] all = Export("folded").TrimEnd('\n').Split('\n');
        string[] driver = Export("folded", "--culprit", "GimoxoWifi.sys").TrimEnd('\n').Split('\n');
        Assert.Equal(all.Where(line => line.Contains("gimoxowifi.sys", StringComparison.OrdinalIgnoreCase)), driver);
        string process = all.First(line => !line.StartsWith("Idle", StringComparison.Ordinal)).Split(" (")[0];
        string[] ofProcess = Export("folded", "--culprit", process).TrimEnd('\n').Split('\n');
        Assert.Equal(all.Where(line => line.StartsWith(process + " (", StringComparison.Ordinal)), ofProcess);
        JsonNode speedscope = JsonNode.Parse(Export("speedscope", "--culprit", "gimoxowifi.sys"))!;
        Assert.Equal(
            driver.Sum(Count), speedscope["profiles"]!.AsArray().Sum(one => one!["weights"]!.AsArray().Sum(weight => (long)weight!)));
    }

    [Fact]
    public void A_window_cuts_what_reaches_over_its_ends()
    {
        JsonNode file = JsonNode.Parse(Export("speedscope", "--from", "1s", "--to", "1500ms"))!;
        JsonNode[] evented = [.. file["profiles"]!.AsArray().Where(one => one!["type"]!.ToString() == "evented").Select(one => one!)];
        Every.Item(evented, profile =>
        {
            Assert.InRange((long)profile["startValue"]!, 1_000_000_000, 1_100_000_000);
            Assert.InRange((long)profile["endValue"]!, 1_400_000_000, 1_500_000_000);
        });
        JsonNode shifted = JsonNode.Parse(Export("speedscope", "--zero", "1s", "--from", "0s", "--to", "500ms"))!;
        Assert.Equal((long)evented[0]["endValue"]! - 1_000_000_000, (long)shifted["profiles"]![0]!["endValue"]!);
    }

    [Theory]
    [InlineData("perfetto")]
    [InlineData("speedscope")]
    [InlineData("folded")]
    [InlineData("sqlite")]
    [InlineData("firefox-profiler")]
    public void The_same_trace_gives_the_same_bytes(string format) =>
        Assert.Equal(ExportBytes(format, "--to", "1s"), ExportBytes(format, "--to", "1s"));

    [Theory]
    [InlineData("--format svg", "--format: 'svg' is not one of perfetto, firefox-profiler")]
    [InlineData("", "say what to write, such as --format perfetto; there are perfetto, firefox-profiler, ")]
    [InlineData("--to folded --format folded", "'folded' is a format, and --format names one")]
    [InlineData("--to wpa", "--to: ")]
    [InlineData("--format perfetto --culprit nic.sys", "--culprit chooses samples")]
    [InlineData("--format folded --from 2s --to 1s", "--from 2s is later than --to 1s")]
    [InlineData("--format folded --from 100s", "--from 100s: this trace ends at ")]
    [InlineData("--format perfetto --threshold 0s", "--threshold: '0")]
    public void What_cannot_be_meant_is_wrong_usage_and_no_file_is_touched(string options, string why) =>
        Refuse(ExitCode.WrongUsage, why, ["export", Sample, .. options.Split(' ', StringSplitOptions.RemoveEmptyEntries), "-o", Target]);

    [Fact]
    public void To_takes_a_format_where_nothing_else_names_one()
    {
        (int exitCode, string output, string error) =
            CommandRun.Analyzer("export", Sample, "--to", "folded", "--from", "1s", "-o", Target);
        Assert.Equal((ExitCode.Done, ""), (exitCode, error));
        Assert.Matches($"^{System.Text.RegularExpressions.Regex.Escape(Target)}: [0-9.,]+ .*; open it with flamegraph.pl", output);
        Assert.Equal(ExportBytes("folded", "--from", "1s"), File.ReadAllBytes(Target));
    }

    [Fact]
    public void What_cannot_be_written_fails_and_no_file_is_touched()
    {
        Refuse(ExitCode.Failed, "no profile sample of nobody.sys lies in the part", [
            "export", Sample, "--format", "folded", "--culprit", "nobody.sys", "-o", Target]);
        string noTrace = Path.Combine(_folder, "no.etl");
        File.WriteAllText(noTrace, "no trace");
        Refuse(ExitCode.Failed, noTrace, ["export", noTrace, "--format", "perfetto", "-o", Target]);
        Refuse(ExitCode.Failed, "this is a folder", ["export", Sample, "--format", "perfetto", "-o", _folder]);
        Refuse(ExitCode.WrongUsage, "is read by this command", ["export", noTrace, "--format", "perfetto", "-o", noTrace]);
    }

    private void Refuse(int expected, string why, string[] arguments)
    {
        File.WriteAllText(Target, "mine");
        (int exitCode, string output, string error) = CommandRun.Analyzer(arguments);
        Assert.Equal((expected, ""), (exitCode, output));
        Assert.Contains(why, error);
        Assert.InRange(error.Count(letter => letter == '\n'), 1, 2); // The second says where help is.
        Assert.Equal("mine", File.ReadAllText(Target));
        Assert.DoesNotContain(Directory.GetFiles(_folder), path => path.EndsWith(".tracer-part", StringComparison.Ordinal));
    }

    private static long Count(string line) => long.Parse(line[(line.LastIndexOf(' ') + 1)..], CultureInfo.InvariantCulture);

    private static long Samples()
    {
        (_, string output, _) = CommandRun.Analyzer("dump", Sample, "--name", "SampledProfile", "--format", "json");
        return output.Count(letter => letter == '\n');
    }

    private static JsonNode Blame() => JsonNode.Parse(CommandRun.Analyzer("blame", Sample, "--format", "json").Output)!;

    private static int RunsOf(JsonNode blame, string what) => blame["drivers"]!.AsArray().Sum(one => (int?)one![what]?["count"] ?? 0);

    /// <summary>As readers of the format see them: sorted by time, what is of one time as it stands.</summary>
    private static IEnumerable<TracePacket> ByTime(Trace trace)
    {
        // What is interned holds from its packet on in the order of the file; so it is learnt first.
        var all = new TracePacket { InternedData = new InternedData(), TrackEvent = new TrackEvent() };
        foreach (TracePacket packet in trace.Packet.Where(one => one.InternedData is not null))
        {
            all.InternedData.EventNames.AddRange(packet.InternedData.EventNames);
            all.InternedData.EventCategories.AddRange(packet.InternedData.EventCategories);
        }

        return trace.Packet.Where(one => one.TrackEvent is not null).OrderBy(one => one.Timestamp).Prepend(all);
    }

    private Trace Perfetto() => Trace.Parser.ParseFrom(ExportBytes("perfetto"));

    private string Export(string format, params string[] options) => Encoding.UTF8.GetString(ExportBytes(format, options));

    private byte[] ExportBytes(string format, params string[] options)
    {
        (int exitCode, string output, string error) =
            CommandRun.Analyzer(["export", Sample, "--format", format, .. options, "-o", Target]);
        Assert.Equal((ExitCode.Done, ""), (exitCode, error));
        Assert.StartsWith(Target + ": ", output, StringComparison.Ordinal);
        return File.ReadAllBytes(Target);
    }
}
