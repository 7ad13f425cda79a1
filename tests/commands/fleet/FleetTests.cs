using System.Text;
using Tracer.Commands.Tests.Fleet.Made;

namespace Tracer.Commands.Tests.Fleet;

/// <summary><c>analyzer fleet</c>: what it prints, and what it does with input that is none.</summary>
public sealed class FleetTests : IDisposable
{
    private const string Nic = "nic.sys";

    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-fleet-tests-").FullName;

    private string Cases => MadeCase.File(At("cases.jsonl"), Enumerable.Range(0, 60).Select(i => MadeCase.Of(
        i, i % 20, i / 20 * 6, [(Nic, i % 20 < 8 ? "2.0" : "1.0"), ("disk.sys", "1.0")],
        i % 20 < 8 ? [MadeCase.Chain(Nic, Mechanism.Dpc, $"{Nic}+0x4{i % 3}10", 3, 1.0)]
        : i % 20 == 9 ? [MadeCase.Chain("disk.sys", Mechanism.Isr, "disk.sys!Isr", 40)]
        : [])));

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("fleet", "--since", "7d")]
    [InlineData("fleet-cluster", "--cluster", "FIRST", "--top", "3")]
    [InlineData("fleet-clusters", "--format", "csv", "--by", "time")]
    [InlineData("fleet-contrasts", "--format", "csv", "--table", "contrasts")]
    [InlineData("fleet-cases", "--format", "csv", "--table", "cases")]
    [InlineData("fleet-latencies", "--format", "csv", "--table", "latencies")]
    public void The_report_is_the_stored_one(string name, params string[] options)
    {
        string id = Json(CommandRun.Analyzer("fleet", Cases, "--format", "json").Output).Clusters[0].Id;
        (int exitCode, string output, string error) = CommandRun.Analyzer(
            ["fleet", Cases, .. options.Select(option => option.Replace("FIRST", id, StringComparison.Ordinal))]);
        Assert.Equal((ExitCode.Done, ""), (exitCode, error));
        GoldenText.AssertEqual($"tests/commands/fleet/goldens/{name}.txt", output);
    }

    [Fact]
    public void The_page_loads_nothing_and_holds_names_as_text_alone()
    {
        string page = At("fleet.html");
        MadeCase.File(At("evil.jsonl"), MadeCase.Of(
            1, 1, 0, [], MadeCase.Chain("<script>alert(1)</script>", Mechanism.Dpc, "<img src=x>!<b>")));
        Assert.Equal(ExitCode.Done, CommandRun.Analyzer("fleet", At("evil.jsonl"), "--html", page).ExitCode);
        string html = File.ReadAllText(page);
        Assert.Contains("&lt;script&gt;alert(1)", html, StringComparison.Ordinal);
        foreach (string forbidden in new[] { "<script>alert", "<img", "http:", "https:", "src=\"", "<b>" })
        {
            Assert.DoesNotContain(forbidden, html, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void A_store_keeps_cases_and_a_second_load_changes_nothing()
    {
        string store = At("fleet.db");
        (_, string first, string error) = CommandRun.Analyzer("fleet", Cases, "--store", store, "--format", "json");
        Assert.Contains("60 cases added, 0 known before", error, StringComparison.Ordinal);
        (_, string second, error) = CommandRun.Analyzer("fleet", Cases, Cases, "--store", store, "--format", "json");
        Assert.Contains("0 cases added, 60 known before", error, StringComparison.Ordinal);
        Assert.Equal(first, second);
        Assert.Equal(first, CommandRun.Analyzer("fleet", "--store", store, "--format", "json").Output);
        Assert.Equal(first, CommandRun.Analyzer("fleet", Cases, "--format", "json").Output);
    }

    [Fact]
    public void A_driver_is_named_with_the_device_that_most_of_its_machines_have_and_no_machines_are_compared_by_it()
    {
        CaseReport[] cases =
        [
            .. Enumerable.Range(0, 12).Select(i => MadeCase.Of(
                i, i, 0, [(Nic, "1.0")], i < 6 ? [MadeCase.Chain("NIC.SYS", Mechanism.Dpc, "NIC.SYS!Receive")] : [])),
        ];
        string old = At("old.jsonl");
        string store = At("devices.db");
        MadeCase.File(old, cases[..1]);
        string before = CommandRun.Analyzer("fleet", old, "--store", store, "--format", "json").Output;
        Assert.DoesNotContain("device", before, StringComparison.Ordinal);
        string file = MadeCase.File(At("devices.jsonl"), cases.Skip(1).Select((one, i) => one with
        {
            Culprits = i >= 5 ? [] : [MadeCase.Culprit("NIC.SYS", i == 0 ? "Another Adapter" : "Gigabit Ethernet Controller")],
        }));
        string page = At("devices.html");
        string text = CommandRun.Analyzer("fleet", file, "--store", store, "--html", page).Output;
        Assert.Contains("NIC.SYS (Gigabit Ethernet Controller) comes first of 1 cause: ", text, StringComparison.Ordinal);
        Assert.Contains(">1. NIC.SYS (Gigabit Ethernet Controller)", File.ReadAllText(page), StringComparison.Ordinal);
        FleetReport report = Json(CommandRun.Analyzer("fleet", "--store", store, "--format", "json").Output);
        Assert.Equal(("nic.sys", "Gigabit Ethernet Controller"), (report.Clusters[0].Owner, report.Clusters[0].Device));
        Assert.DoesNotContain(report.Clusters[0].Contrasts, one => one.Trait.StartsWith("device", StringComparison.Ordinal));
    }

    [Fact]
    public void A_cause_lists_its_traces_through_the_list_beside_the_cases()
    {
        string cases = At("real.jsonl");
        string trace = Path.Combine(RepositoryFiles.Root, "samples", "nic-behind-ndis.etl");
        CommandRun.Analyzer("blame", trace, "--format", "cases", "-o", cases);
        FleetReport report = Json(CommandRun.Analyzer("fleet", cases, "--format", "json").Output);
        Assert.Equal(("gimoxowifi.sys", Mechanism.Dpc), (report.Clusters.Single().Owner, report.Clusters[0].Mechanism));
        string drilled = CommandRun.Analyzer("fleet", cases, "--cluster", report.Clusters[0].Id, "--format", "json").Output;
        Assert.Equal(trace, Assert.Single(Json(drilled).Cases!).Trace);
    }

    [Fact]
    public void Bad_files_of_cases_end_with_a_sentence()
    {
        byte[] good = File.ReadAllBytes(Cases);
        int second = Array.IndexOf(good, (byte)'\n') + 1;
        Fails("line 2 is not a case", [.. good[..second], .. "{\"schema\":\"tracer.case/1\"}\n"u8, .. good[second..]]);
        Fails("line 1 is not a case", [.. "no json\n"u8]);
        Fails("'tracer.case/9'", [.. good[..second], .. Replaced(good[second..], "tracer.case/1", "tracer.case/9")]);
        Fails("a histogram of it cannot be read", Replaced(good, "HISTFA", "HISTFB"));
        byte[] others = Replaced(good[second..], "\"thresholdUs\":500", "\"thresholdUs\":1000");
        Fails("was made with --threshold 1ms", [.. good[..second], .. others]);
        Fails("there is no case in it", []);
        (int exitCode, string output, string error) = CommandRun.Analyzer("fleet", At("nowhere.jsonl"));
        Assert.Equal((ExitCode.Failed, ""), (exitCode, output));
        Assert.Contains("there is no file", error, StringComparison.Ordinal);

        void Fails(string expected, byte[] content)
        {
            File.WriteAllBytes(At("bad.jsonl"), content);
            string kept = At("kept.txt");
            File.WriteAllText(kept, "before");
            (int exit, string printed, string told) = CommandRun.Analyzer("fleet", At("bad.jsonl"), "-o", kept);
            Assert.Equal((ExitCode.Failed, "", "before"), (exit, printed, File.ReadAllText(kept)));
            Assert.Contains(expected, told, StringComparison.Ordinal);
            Assert.Single(told.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        }

        static byte[] Replaced(byte[] lines, string old, string now) =>
            Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(lines).Replace(old, now, StringComparison.Ordinal));
    }

    [Fact]
    public void A_last_line_that_was_cut_is_told_and_left_out()
    {
        byte[] good = File.ReadAllBytes(Cases);
        File.WriteAllBytes(At("cut.jsonl"), good[..^100]);
        (int exitCode, string output, string error) = CommandRun.Analyzer("fleet", At("cut.jsonl"), "--format", "json");
        Assert.Equal((ExitCode.Done, 59L), (exitCode, Json(output).Summary.Cases));
        Assert.Contains("its last line is cut", error, StringComparison.Ordinal);
    }

    [Fact]
    public void A_store_that_is_none_is_refused_and_stays_as_it_was()
    {
        string store = At("notes.db");
        File.WriteAllText(store, string.Concat(Enumerable.Repeat("my notes\n", 1000)));
        Refused("is not a store of 'analyzer fleet'");
        File.Delete(store);
        Assert.Equal(ExitCode.Done, CommandRun.Analyzer(
            "export", Path.Combine(RepositoryFiles.Root, "samples", "first.etl"), "--format", "sqlite", "-o", store).ExitCode);
        Refused("is a database, but not a store of 'analyzer fleet'");
        File.Delete(store);
        CommandRun.Analyzer("fleet", Cases, "--store", store);
        byte[] other = File.ReadAllBytes(store);
        other[63]++; // The user version of SQLite's header.
        File.WriteAllBytes(store, other);
        Refused("is a store of version 3, and this program knows version 2");
        (int exitCode, _, string error) = CommandRun.Analyzer("fleet", "--store", At("nowhere.db"));
        Assert.Equal(ExitCode.Failed, exitCode);
        Assert.Contains("there is no store", error, StringComparison.Ordinal);
        Assert.False(File.Exists(At("nowhere.db")));
        (exitCode, _, error) = CommandRun.Analyzer("fleet", Cases, "--store", At("no/folder.db"));
        Assert.Equal(ExitCode.Failed, exitCode);
        Assert.Contains("cannot be opened: is its folder there", error, StringComparison.Ordinal);

        void Refused(string expected)
        {
            byte[] before = File.ReadAllBytes(store);
            (int exit, string output, string told) = CommandRun.Analyzer("fleet", Cases, "--store", store);
            Assert.Equal((ExitCode.Failed, ""), (exit, output));
            Assert.Contains(expected, told, StringComparison.Ordinal);
            Assert.Equal(before, File.ReadAllBytes(store));
        }
    }

    [Fact]
    public void A_cause_that_is_none_is_told()
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer("fleet", Cases, "--cluster", "'; DROP TABLE cases; --");
        Assert.Equal((ExitCode.Failed, ""), (exitCode, output));
        Assert.Contains("no cause is called", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("name files of 'analyzer blame --format cases', or a store of them with --store")]
    [InlineData("--since: 'yesterday' is neither a length such as 7d", "FILE", "--since", "yesterday")]
    [InlineData("--table is for --format csv", "FILE", "--table", "cases")]
    [InlineData("--store: a file is expected, or clickhouse://HOST:PORT/DATABASE", "FILE", "--store", "cloud://fleet")]
    [InlineData("--store", "FILE", "--store", "FILE")]
    [InlineData("--output", "FILE", "-o", "FILE")]
    [InlineData("--html and the report can't go to the same place", "FILE", "--html", "x", "-o", "x")]
    [InlineData("standard input (-) can be read only once", "-", "-")]
    public void Wrong_usage_is_told_in_a_sentence(string expected, params string[] options)
    {
        string cases = Cases;
        byte[] before = File.ReadAllBytes(cases);
        (int exitCode, string output, string error) =
            CommandRun.Analyzer(["fleet", .. options.Select(option => option == "FILE" ? cases : option)]);
        Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
        Assert.Contains(expected, error, StringComparison.Ordinal);
        Assert.Equal(before, File.ReadAllBytes(cases));
    }

    private static FleetReport Json(string text) => ReportJson.Read<FleetReport>(Encoding.UTF8.GetBytes(text));

    private string At(string name) => Path.Combine(_folder, name);
}
