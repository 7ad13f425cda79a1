using System.Security.Cryptography;
using System.Text;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Tracer.Analysis.Report;
using Tracer.AnalyzerCommand;
using Tracer.AnalyzerCommand.Common;
using Tracer.AnalyzerShared.Html;
using Tracer.CommandLine;

namespace Tracer.Commands.Tests.Report;

/// <summary><c>analyzer report</c>: what stands in the page, how large it is, and what no trace can make of it.</summary>
public sealed partial class HtmlReportTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-html-").FullName;

    private string Target => Path.Combine(_folder, "report.html");

    public static TheoryData<string> Traces() =>
    [
        .. Directory.EnumerateFiles(Path.Combine(RepositoryFiles.Root, "samples"), "*.etl").Select(path => Path.GetFileName(path)!).Order(),
        .. Selection.Some(
            Selection.WithoutLargest(RepositoryFiles.InCorpus("*.etl*")
                .Concat(RepositoryFiles.InCorpus("*.etl*", "synthetic/")).Concat(RepositoryFiles.InCorpus("*.etl*", "calibrated/"))),
            2).Select(name => "corpus/" + name),
    ];

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [MemberData(nameof(Traces))]
    public void The_data_is_what_blame_prints_byte_for_byte(string name)
    {
        string path = name.StartsWith("corpus/", StringComparison.Ordinal)
            ? Path.Combine(RepositoryFiles.Corpus(), name["corpus/".Length..])
            : Sample(name);
        string json = Path.Combine(_folder, "blame.json");
        (int status, _, string blamed) = CommandRun.Analyzer("blame", path, "--format", "json", "-o", json);
        (int exitCode, string output, string error) = CommandRun.Analyzer("report", path, "-o", Target);
        Assert.Equal((status, blamed), (exitCode, error));
        Assert.Matches(
            status == ExitCode.Done
                ? @"^.*report\.html: (driver|hardware|process|power|none|unknown).*B; open it in a browser\n$"
                : "^$",
            output);
        Assert.Equal(status == ExitCode.Done, File.Exists(Target));
        if (status == ExitCode.Done)
        {
            ReportPage page = ReportPage.Of(Target);
            Assert.Equal(File.ReadAllBytes(json), page.Blame);
            // Of a trace without waits, from which nothing can be forecast, the command says so and the page why.
            (int measured, string latency, _) = CommandRun.Analyzer(
                "latency", path, "--samples", "64,128,256,512,1024", "--format", "json");
            Assert.Equal(measured == ExitCode.Done, page.LatencyJson["distributions"]!.AsArray().Count > 0);
            Assert.True(measured != ExitCode.Done || latency == Encoding.UTF8.GetString(page.Latency));
            Assert.InRange(new FileInfo(Target).Length, 1, HtmlPage.MostBytes);
        }
    }

    [Fact]
    public void Options_are_those_of_blame_and_the_same_trace_gives_the_same_page()
    {
        string[] options = ["--threshold", "3ms", "--without", "gimoxowifi.sys", "--suspect", "ndis.sys", "--from", "1s"];
        string json = CommandRun.Analyzer(["blame", Sample("nic-behind-ndis.etl"), "--format", "json", .. options]).Output;
        Assert.Equal(ExitCode.Done, CommandRun.Analyzer(["report", Sample("nic-behind-ndis.etl"), "-o", Target, .. options]).ExitCode);
        byte[] first = File.ReadAllBytes(Target);
        Assert.Equal(json, Encoding.UTF8.GetString(ReportPage.Of(Target).Blame));
        Assert.Equal(ExitCode.Done, CommandRun.Analyzer(["report", Sample("nic-behind-ndis.etl"), "-o", Target, .. options]).ExitCode);
        Assert.Equal(first, File.ReadAllBytes(Target));
    }

    [Theory]
    [InlineData("nic-behind-ndis.etl")]
    [InlineData("firmware-blackout.etl")]
    [InlineData("masked-interrupts.etl")]
    public void Lanes_show_what_episodes_shows_and_the_wait_adds_up(string name)
    {
        Assert.Equal(ExitCode.Done, CommandRun.Analyzer("report", Sample(name), "-o", Target).ExitCode);
        JsonNode strips = JsonNode.Parse(CommandRun.Analyzer("episodes", Sample(name), "--format", "json").Output)!;
        JsonNode lanes = ReportPage.Of(Target).Lanes;
        Assert.Equal(strips["episodes"]!.AsArray().Count, lanes["episodes"]!.AsArray().Count);
        Every.Item(strips["episodes"]!.AsArray(), one =>
        {
            JsonNode drawn = lanes["episodes"]!.AsArray().Single(lane => (int)lane!["id"]! == (int)one!["episode"]!["id"]!)!;
            JsonNode episode = one!["episode"]!;
            long wait = episode["job"] is { } job
                ? Nanoseconds(job["endUs"]) - Nanoseconds(episode["startUs"])
                : Nanoseconds(episode["latencyUs"]);
            Assert.True(Nanoseconds(drawn["fromUs"]) < 0 && Nanoseconds(drawn["toUs"]) > wait);
            Every.Item(one["cpus"]!.AsArray(), cpu =>
            {
                JsonNode lane = drawn["cpus"]!.AsArray().Single(other => (int)other!["cpu"]! == (int)cpu!["cpu"]!)!;
                Assert.Equal(StripWithin(cpu!), Within(lane, Nanoseconds(drawn["fromUs"]), wait, lanes["works"]!.AsArray()));
            });
        });
    }

    [Fact]
    public void Spans_tell_the_routine_the_proof_and_the_framework_and_samples_tell_their_callers()
    {
        Assert.Equal(ExitCode.Done, CommandRun.Analyzer("report", Sample("nic-behind-ndis.etl"), "-o", Target).ExitCode);
        JsonNode lanes = ReportPage.Of(Target).Lanes;
        JsonNode work = lanes["works"]!.AsArray().First(one =>
            (string)one!["kind"]! == "dpc" && (string?)one["owner"] == "gimoxowifi.sys")!;
        Assert.Equal(("stack", "ndis.sys"), ((string)work["proof"]!, (string)work["through"]![0]!));
        Assert.StartsWith("ndis.sys+0x", (string)work["routine"]!);
        string[] names = [.. lanes["code"]!["names"]!.AsArray().Select(one => (string)one!)];
        int[] parents = [.. lanes["code"]!["parents"]!.AsArray().Select(one => (int)one!)];
        Assert.Equal(names.Length, parents.Length);
        Assert.Contains(Enumerable.Range(0, names.Length), node => names[node].StartsWith("gimoxowifi.sys+", StringComparison.Ordinal)
            && parents[node] >= 0 && names[parents[node]].StartsWith("ndis.sys+", StringComparison.Ordinal));
        Every.Item(Enumerable.Range(0, parents.Length), node => Assert.InRange(parents[node], -1, node - 1));
        Assert.Contains(lanes["drivers"]!.AsArray(), driver =>
            (string)driver!["name"]! == "gimoxowifi.sys" && (string?)driver["version"] == "5.20.166.2465");
    }

    [Fact]
    public void The_page_may_load_nothing_and_run_only_its_own_program()
    {
        Assert.Equal(ExitCode.Done, CommandRun.Analyzer("report", Sample("first.etl"), "-o", Target).ExitCode);
        ReportPage page = ReportPage.Of(Target);
        string program = page.Raw("<script>");
        string policy = Policy().Match(page.Html).Groups["policy"].Value;
        string hash = Convert.ToBase64String(SHA256.HashData(Encoding.UTF8.GetBytes(program)));
        Assert.StartsWith("default-src 'none'; base-uri 'none'; form-action 'none'; ", policy);
        Assert.Contains($"script-src 'sha256-{hash}'", policy);
        Assert.DoesNotContain("unsafe", policy);
        Assert.DoesNotMatch("<(link|img|iframe|object|embed|base)\\b", page.Html);
        Assert.DoesNotMatch("\\bsrc=", page.Html.Replace(program, "", StringComparison.Ordinal));
        Assert.DoesNotMatch("url\\((?!data:|#|\"data:|\"#)", page.Raw("<style>"));
        Assert.DoesNotContain("fetch(", program);
        Assert.DoesNotContain("XMLHttpRequest", program);
        Assert.Contains("d3-scale", page.Html);
        Assert.Contains("SIL OPEN FONT LICENSE", page.Html, StringComparison.OrdinalIgnoreCase);
    }

    [Fact]
    public void No_name_in_a_trace_breaks_out_of_the_page()
    {
        const string Evil = "</script><img src=x onerror=alert(1)><!--<script>]]>\u2028\u2029\u202e\u200b\u0000\ud800"
            + "</noscript></title>&amp;\"'.sys";
        BlameReport like = BlameSamples.All["driver"];
        BlameReport report = like with
        {
            Trace = like.Trace with { Path = Evil },
            Summary = like.Summary with { Culprit = Evil, Conclusion = Evil },
            Culprits = [.. like.Culprits.Select(culprit => culprit with { Name = Evil, Evidence = [Evil] })],
            Warnings = [Evil],
        };
        var result = new BlameResult(report, []) { Lanes = Lanes(report, Evil) };
        Assert.Equal(ExitCode.Done, Run(result, "report", Sample("first.etl"), "-o", Target).ExitCode);
        ReportPage page = ReportPage.Of(Target);
        string bare = page.Html.Replace(page.Raw("<script>"), "", StringComparison.Ordinal);
        Assert.Equal(5, Regex.Count(bare, "<script", RegexOptions.IgnoreCase));
        Assert.Equal(5, Regex.Count(bare, "</script", RegexOptions.IgnoreCase));
        Assert.Equal((1, 1, 1), (Regex.Count(bare, "</title"), Regex.Count(bare, "<noscript"), Regex.Count(bare, "</noscript")));
        Assert.DoesNotContain("<img", bare);
        Assert.DoesNotContain("<!--", bare);
        Assert.DoesNotContain(bare, letter => letter is '\u2028' or '\u2029' or '\u202e' or '\u200b' or '\0' || char.IsSurrogate(letter));
        Assert.Contains("&lt;/script&gt;&lt;img src=x", bare);
        // Half of a surrogate pair is no text; all else is there as it was.
        Assert.Equal(Evil.Replace('\ud800', '\ufffd'), (string)page.BlameJson["culprits"]![0]!["name"]!);
        Assert.Equal(Evil.Replace('\ud800', '\ufffd'), (string)page.Lanes["works"]![0]!["owner"]!);
    }

    [Fact]
    public void Of_too_many_episodes_the_worst_of_each_cause_stay_and_the_others_are_on_the_map()
    {
        BlameResult result = Many(10_000);
        Assert.Equal(ExitCode.Done, Run(result, "report", Sample("first.etl"), "-o", Target).ExitCode);
        ReportPage page = ReportPage.Of(Target);
        Assert.InRange(new FileInfo(Target).Length, 1, HtmlPage.MostBytes);
        JsonArray kept = page.BlameJson["episodes"]!.AsArray();
        Assert.Equal(HtmlPage.MostEpisodes, kept.Count);
        Assert.Equal(10, kept.Count(one => (string?)one!["causes"]![0]!["culprit"] == "rare.sys")); // The shortest of all.
        Assert.Contains(kept, one => (decimal)one!["latencyUs"]! == 10_499);
        JsonNode left = page.Lanes["leftOut"]!;
        Assert.Equal(8_000, (int)left["count"]!);
        Every.Item(["startsUs", "latenciesUs", "causes"], list => Assert.Equal(8_000, left[list]!.AsArray().Count));
        HashSet<decimal> starts = [.. kept.Select(one => (decimal)one!["startUs"]!)];
        long at = 0;
        foreach (JsonNode? distance in left["startsUs"]!.AsArray())
        {
            at += (long)distance!;
            Assert.True(starts.Add(at), $"the episode at {at} us is in both lists");
        }

        Assert.Equal(10_000, starts.Count);
        Assert.Contains("leaves 8,000 episodes out", (string)page.BlameJson["warnings"]!.AsArray()[^1]!);
    }

    /// <summary>The verdict rests on what measured threads waited for: nothing of that goes for times that nobody waited for.</summary>
    [Fact]
    public void What_no_measured_thread_waited_for_goes_first()
    {
        BlameReport many = Many(5_000).Report;
        BlameReport report = many with
        {
            Episodes = [.. many.Episodes.Select(one => one with { Secondary = one.Latency >= Duration.FromMicroseconds(1_700) })],
        };
        BlameReport chosen = EpisodeChoice.Of(report, HtmlPage.MostEpisodes, out LeftOutEpisodes? left);
        Assert.Equal(3_000, left!.Count);
        Assert.Equal(report.Episodes.Where(one => !one.Secondary), chosen.Episodes.Where(one => !one.Secondary));
    }

    [Fact]
    public void Latencies_that_are_too_large_are_told_of_each_kind_alone()
    {
        Assert.Equal(ExitCode.Done, CommandRun.Analyzer("report", Sample("nic-behind-ndis.etl"), "-o", Target).ExitCode);
        ReportPage whole = ReportPage.Of(Target);
        LatencyReport latency = ReportJson.Read<LatencyReport>(whole.Latency);
        Assert.Contains(latency.Distributions, one => one.Part.Process is not null);
        int most = 4 * (whole.Raw("id=\"latency\">").Length - 1);
        var page = new ReportPage(Encoding.UTF8.GetString(
            HtmlReport.Page(new BlameResult(BlameSamples.All["none"], []), latency, HtmlPage.MostEpisodes, most)));
        Assert.Equal(
            latency.Distributions.Where(one => one.Part == LatencyPart.All).Select(one => one.Histogram),
            page.LatencyJson["distributions"]!.AsArray().Select(one => (string)one!["histogram"]!));
        Assert.Contains("'analyzer latency' gives those of CPUs", page.LatencyJson["warnings"]!.AsArray()[^1]!.GetValue<string>());
    }

    [Fact]
    public void A_page_that_would_be_too_large_has_fewer_lanes_and_then_fewer_episodes()
    {
        BlameResult result = Many(1_000);
        int whole = HtmlReport.Page(result, null, HtmlPage.MostEpisodes, HtmlPage.MostBytes).Length;
        LanesReport lanes = result.Lanes!;
        BlameResult withFew = result with { Lanes = lanes with { Episodes = [.. lanes.Episodes.Take(16)] } };
        int few = HtmlReport.Page(withFew, null, HtmlPage.MostEpisodes, HtmlPage.MostBytes).Length;
        ReportPage fewer = Page(result, whole - 1);
        Assert.Equal(1_000, fewer.BlameJson["episodes"]!.AsArray().Count);
        Assert.InRange(fewer.Lanes["episodes"]!.AsArray().Count, 16, 299);
        ReportPage least = Page(result, few - 1);
        Assert.InRange(least.BlameJson["episodes"]!.AsArray().Count, 16, 500);
        Assert.Equal(1_000 - least.BlameJson["episodes"]!.AsArray().Count, (int)least.Lanes["leftOut"]!["count"]!);
        Every.Item(least.Lanes["episodes"]!.AsArray(), lane =>
            Assert.Contains(least.BlameJson["episodes"]!.AsArray(), one => (int)one!["id"]! == (int)lane!["id"]!));
    }

    [Fact]
    public void A_page_of_nothing_is_a_page()
    {
        var result = new BlameResult(BlameSamples.All["bare"], []);
        Assert.Equal(ExitCode.Done, Run(result, "report", Sample("first.etl"), "-o", Target).ExitCode);
        Assert.Empty(ReportPage.Of(Target).Lanes["episodes"]!.AsArray());
    }

    [Theory]
    [InlineData("report {trace}", ExitCode.WrongUsage, "--output")]
    [InlineData("report {trace} -o {trace}", ExitCode.WrongUsage, "is read by this command")]
    [InlineData("report {trace} -o {old} --without {blank}", ExitCode.WrongUsage, "--without: a name such as nic.sys")]
    [InlineData("report {trace} -o {old} --from 100s", ExitCode.WrongUsage, "this trace ends at")]
    [InlineData("report {old} -o {page}", ExitCode.Failed, "old.html")]
    [InlineData("report {nothing} -o {old}", ExitCode.Failed, "nothing.etl")]
    [InlineData("report {trace} -o {nowhere}", ExitCode.Failed, "there is no folder")]
    [InlineData("report {trace} -o {folder}", ExitCode.Failed, "this is a folder; the name of a file is expected")]
    [InlineData("report {trace} -o {below}", ExitCode.Failed, "there is no folder")]
    [InlineData("report {empty} -o {old}", ExitCode.Failed, "is empty")]
    [InlineData("report {head} -o {old}", ExitCode.Failed, "is not an .etl trace")]
    [InlineData("report {html} -o {old}", ExitCode.Failed, "is not an .etl trace")]
    public void What_is_wrong_is_told_and_nothing_is_lost(string line, int expected, string problem)
    {
        string old = Path.Combine(_folder, "old.html");
        File.WriteAllText(old, "what was there before");
        string[] words = [.. line.Split(' ').Select(word => word
            .Replace("{trace}", Sample("first.etl"), StringComparison.Ordinal)
            .Replace("{blank}", " ", StringComparison.Ordinal)
            .Replace("{old}", old, StringComparison.Ordinal)
            .Replace("{page}", Target, StringComparison.Ordinal)
            .Replace("{folder}", _folder, StringComparison.Ordinal)
            .Replace("{below}", Path.Combine(old, "x.html"), StringComparison.Ordinal)
            .Replace("{empty}", Input("empty.etl", []), StringComparison.Ordinal)
            .Replace("{head}", Input("head.etl", File.ReadAllBytes(Sample("first.etl"))[..40]), StringComparison.Ordinal)
            .Replace("{html}", Input("html.etl", [.. "<!doctype html>"u8]), StringComparison.Ordinal)
            .Replace("{nothing}", Path.Combine(_folder, "nothing.etl"), StringComparison.Ordinal)
            .Replace("{nowhere}", Path.Combine(_folder, "no", "x.html"), StringComparison.Ordinal))];
        long before = new FileInfo(Sample("first.etl")).Length;
        (int exitCode, string output, string error) = CommandRun.Analyzer(words);
        Assert.Equal((expected, ""), (exitCode, output));
        Assert.Contains(problem, error);
        Assert.Equal("what was there before", File.ReadAllText(old));
        Assert.Equal(before, new FileInfo(Sample("first.etl")).Length);
        Assert.Equal([old], Directory.EnumerateFiles(_folder));
        Assert.Equal(1, error.Split('\n').Count(text => text.StartsWith("analyzer: ", StringComparison.Ordinal)));

        string Input(string name, byte[] bytes)
        {
            string path = Path.Combine(Directory.CreateDirectory(Path.Combine(_folder, "in")).FullName, name);
            File.WriteAllBytes(path, bytes);
            return path;
        }
    }

    /// <summary>The program stands at the end: of a file that was cut only what is no script is seen.</summary>
    [Fact]
    public void A_page_that_was_cut_says_so_by_itself()
    {
        Assert.Equal(ExitCode.Done, CommandRun.Analyzer("report", Sample("first.etl"), "-o", Target).ExitCode);
        string html = File.ReadAllText(Target);
        int says = html.IndexOf("the file was cut", StringComparison.Ordinal);
        int data = html.IndexOf("id=\"blame\"", StringComparison.Ordinal);
        Assert.InRange(says, html.IndexOf("<div id=\"page\">", StringComparison.Ordinal), data);
        Assert.EndsWith("</script>\n</body>\n</html>\n", html);
    }

    /// <summary>The words that viewer/src/words.ts has to write alike; tests/viewer/words.mjs compares.</summary>
    [Fact]
    public void Numbers_are_written_as_stored_for_the_page()
    {
        long[] times =
        [
            0, 1, 999, 1_000, 1_500, 999_999, 1_000_000, 4_404_350, 4_404_450, 12_345_678, 99_995_000, 100_050_000, 999_950_000,
            999_999_999, 1_000_000_000, 61_234_567_891, 3_600_000_000_000, 512_250, 512_350, 10_005, 10_015, 100_250,
            -1_500, -2_081_937_400,
        ];
        long[][] columns =
        [
            [0, 1, 12_345, 999_499], [999_500, 400, 12_345], [5_283_000, 99_950, 9_995_000, 999_500], [12_345_678_900, 999, 61_234_567],
        ];
        double[] shares = [0, 0.0004, 0.0005, 0.001, 0.5, 0.61482, 0.9985, 0.9989, 0.9991, 0.99999, 1];
        long[] counts = [0, 1, 2, 999, 1_000, 1_234_567];
        var json = new JsonObject
        {
            ["durations"] = new JsonArray([.. times.Select(ns => Pair(ns / 1000m, ReadableDuration.Of(new Duration(ns))))]),
            ["places"] = new JsonArray([.. times.Select(ns => Pair(ns / 1000m, ReadableDuration.At(new Duration(ns))))]),
            ["columns"] = new JsonArray([.. columns.Select(Column)]),
            ["compact"] = new JsonArray([.. times.Select(ns => Pair(ns / 1000m, new Duration(ns).ToString()))]),
            ["percents"] = new JsonArray([.. shares.Select(share => Pair((decimal)share, ReportWords.Percent(share)))]),
            ["counts"] = new JsonArray([.. counts.Select(count => Pair(count, ReportWords.Count(count, "context switch")))]),
            ["mechanisms"] = Words(Enum.GetValues<Mechanism>(), one => KebabCase.Of(one), ReportWords.MeaningOf),
            ["proofs"] = Words(Enum.GetValues<Proof>(), one => KebabCase.Of(one), ReportWords.MeaningOf),
            ["probes"] = Words(Enum.GetValues<ProbeKind>(), one => KebabCase.Of(one), ReportWords.MeaningOf),
        };
        GoldenText.AssertEqual("tests/viewer/words.json", json.ToJsonString(new() { WriteIndented = true, NewLine = "\n" }) + "\n");
    }

    /// <summary>Times, their unit, and how each is written below the others.</summary>
    private static JsonArray Column(long[] times)
    {
        var column = DurationColumn.For(times.Select(ns => new Duration(ns)));
        return
        [
            new JsonArray([.. times.Select(ns => (JsonNode)(ns / 1000m))]), column.Unit,
            new JsonArray([.. times.Select(ns => (JsonNode)column.Of(new Duration(ns)))]),
        ];
    }

    private static JsonArray Pair(decimal value, string text) => [value, text];

    private static JsonObject Words<TEnum>(TEnum[] all, Func<TEnum, string> name, Func<TEnum, string> meaning)
    {
        var words = new JsonObject();
        foreach (TEnum one in all)
        {
            words[name(one)] = meaning(one);
        }

        return words;
    }

    private static ReportPage Page(BlameResult result, int mostBytes)
    {
        byte[] page = HtmlReport.Page(result, null, HtmlPage.MostEpisodes, mostBytes);
        Assert.InRange(page.Length, 1, mostBytes);
        return new ReportPage(Encoding.UTF8.GetString(page));
    }

    private static LanesReport Lanes(BlameReport report, string owner) => new()
    {
        Works = [new LaneWork { Kind = "dpc", Owner = owner, Routine = owner, Proof = Proof.Stack }],
        Code = new LaneCode([owner], [-1]),
        Episodes = [.. report.Episodes.Take(300).Select((episode, number) => new EpisodeLanes
        {
            Id = episode.Id,
            From = Duration.Zero,
            To = episode.Latency,
            Cpus =
            [
                new CpuLane
                {
                    Cpu = 0, Spans = [.. Enumerable.Range(0, 300).Select(i => (i * 7919L * (number + 1)) % 10_007)], Samples = [1, 0],
                },
            ],
        })],
    };

    /// <summary>Episodes whose latency is their number and 500 us; each thousandth is a short one of a rare cause.</summary>
    private static BlameResult Many(int count)
    {
        BlameReport report = BlameSamples.All["driver"] with
        {
            Episodes = [.. Enumerable.Range(0, count).Select(id => id % 1000 == 0
                ? Episode(id, 500, BlameSamples.Cause("rare.sys", Mechanism.Isr, 500))
                : Episode(id, 500 + id, BlameSamples.Cause("often.sys", Mechanism.Dpc, 500)))],
        };
        return new BlameResult(report, []) { Lanes = Lanes(report, "often.sys") };
    }

    private static Episode Episode(int id, decimal latency, Cause cause) =>
        BlameSamples.Episode(id, ProbeKind.Thread, 10_000m * id, latency, 0, BlameSamples.Audio, [cause]);

    private static string Sample(string name) => Path.Combine(RepositoryFiles.Root, "samples", name);

    private static long Nanoseconds(JsonNode? us) => (long)((decimal)us! * 1000);

    /// <summary>A CPU of <c>analyzer episodes</c> as lines; neighbours that read alike are one.</summary>
    private static string StripWithin(JsonNode cpu) => Joined(cpu["spans"]!.AsArray().Select(span => (
        Nanoseconds(span!["startUs"]),
        Nanoseconds(span["startUs"]) + Nanoseconds(span["us"]),
        $"{span["kind"]} {span["label"]}".TrimEnd())));

    private static string Within(JsonNode lane, long from, long wait, JsonArray works)
    {
        long[] numbers = [.. lane["spans"]!.AsArray().Select(one => (long)one!)];
        List<(long, long, string)> spans = [];
        long at = from;
        for (int i = 0; i < numbers.Length; i += 3)
        {
            Assert.True(numbers[i] >= 0 && numbers[i + 1] >= 0);
            long start = at + numbers[i];
            at = start + numbers[i + 1];
            JsonNode work = works[(int)numbers[i + 2]]!;
            spans.Add((Math.Max(start, 0), Math.Min(at, wait), $"{work["kind"]} {work["owner"]}".TrimEnd()));
        }

        return Joined(spans.Where(span => span.Item2 > span.Item1));
    }

    private static string Joined(IEnumerable<(long From, long To, string What)> spans)
    {
        List<(long From, long To, string What)> joined = [];
        foreach ((long from, long to, string what) in spans)
        {
            if (joined.Count > 0 && joined[^1] is var last && last.What == what && last.To == from)
            {
                joined[^1] = (last.From, to, what);
            }
            else
            {
                joined.Add((from, to, what));
            }
        }

        return string.Join('\n', joined.Select(one => string.Create(CultureInfo.InvariantCulture, $"{one.From} {one.To} {one.What}")));
    }

    private static (int ExitCode, string Output, string Error) Run(BlameResult result, params IEnumerable<string> arguments)
    {
        using var output = new StringWriter();
        using var error = new StringWriter { NewLine = "\n" };
        int exitCode = CommandProgram.Run(AnalyzerCommands.Create((_, _, _) => result), "analyzer", [.. arguments], output, error);
        return (exitCode, output.ToString(), error.ToString());
    }

    [GeneratedRegex("http-equiv=\"Content-Security-Policy\" content=\"(?<policy>[^\"]*)\"")]
    private static partial Regex Policy();
}
