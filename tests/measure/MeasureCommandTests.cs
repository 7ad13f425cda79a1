using System.CommandLine;
using Tracer.Analysis;
using Tracer.Analysis.Latencies;
using Tracer.Analysis.Request;
using Tracer.CommandLine;
using Tracer.Etl;
using Tracer.Measure.Ground;
using Tracer.Measure.Machine;
using Tracer.TracerCommand.Commands.Measure;

namespace Tracer.Measure.Tests;

/// <summary><c>tracer measure</c>: what is refused and how, what is set and restored, and that it really runs on this Linux.</summary>
[Collection("one measurement at a time")]
public sealed class MeasureCommandTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-measure-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("--length: 1ns is not between 1us and 60s", "sleep", "--length", "1ns")]
    [InlineData("--duration: 100us is not between 1ms and 86400s", "clock", "--duration", "100us")]
    [InlineData("--ratio: '0' is not a whole number from 1 to 1000", "preempt", "--ratio", "0")]
    [InlineData("--priority: 'highest' is not one of real-time, normal, high, time-critical", "sleep", "--priority", "highest")]
    public void Wrong_usage_is_told_before_anything_is_opened(string words, params string[] arguments)
    {
        (int status, string output, string error) = Run(static () => throw new InvalidOperationException(), arguments);
        Assert.Equal((ExitCode.WrongUsage, ""), (status, output));
        Assert.Contains(words, error, StringComparison.Ordinal);
    }

    [Fact]
    public void A_resolution_of_timers_is_refused_where_it_is_no_setting()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has it.");
        (int status, _, string error) = Run(static () => throw new InvalidOperationException(), "sleep", "--timer-resolution", "5");
        Assert.Equal(ExitCode.WrongUsage, status);
        Assert.Contains("--timer-resolution: timers have no such setting here", error, StringComparison.Ordinal);
    }

    [Fact]
    public void A_file_that_cannot_be_written_is_told_before_anything_is_opened()
    {
        (int status, string output, string error) = Run(
            static () => throw new InvalidOperationException(), "clock", "-o", Path.Combine(_folder, "none", "x.json"));
        Assert.Equal((ExitCode.Failed, ""), (status, output));
        Assert.Contains("none", error, StringComparison.Ordinal);
    }

    [Fact]
    public void A_refused_priority_is_told_and_measured_without()
    {
        var machine = new ModelMachine { RefusesPriorities = true };
        (int status, string output, string error) = Run(() => machine, "sleep", "--duration", "50ms", "--format", "json");
        Assert.Equal((ExitCode.Done, ""), (status, error));
        MeasureReport report = ReportJson.Read<MeasureReport>(System.Text.Encoding.UTF8.GetBytes(output));
        Assert.Equal(
            [("memory", null, true), ("priority", "not permitted", true)],
            report.Settings.Select(static one => (one.Name, one.Refusal, one.IsRestored)));
        Assert.False(machine.IsPrepared);
    }

    [Fact]
    public void A_refused_priority_ends_it_where_it_is_required()
    {
        var machine = new ModelMachine { RefusesPriorities = true };
        string path = Path.Combine(_folder, "before.json");
        File.WriteAllText(path, "before");
        (int status, string output, string error) = Run(() => machine, "sleep", "--duration", "50ms", "--require", "-o", path);
        Assert.Equal((ExitCode.Failed, ""), (status, output));
        Assert.Contains("refused the priority 'RealTime' (not permitted): run it as ", error, StringComparison.Ordinal);
        Assert.Equal("before", File.ReadAllText(path));
        Assert.Equal([path], Directory.EnumerateFileSystemEntries(_folder));
        Assert.False(machine.IsPrepared);
    }

    [Fact]
    public void A_clock_that_leaves_the_other_ends_it()
    {
        (int status, string output, string error) = Run(
            static () => new ModelMachine { OtherClockLeaves = 2_000_000_000 }, "sleep", "--duration", "500ms", "--warm-up", "0s");
        Assert.Equal((ExitCode.Failed, ""), (status, output));
        Assert.Contains("a clock jumped or the machine slept, measure again", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("preempt")]
    [InlineData("sleep")]
    [InlineData("switch")]
    [InlineData("timer")]
    [InlineData("wakeup")]
    public void A_counter_that_goes_backward_ends_it(params string[] arguments)
    {
        string path = Path.Combine(_folder, "before.json");
        File.WriteAllText(path, "before");
        (int status, string output, string error) = Run(
            static () => new ModelMachine { FallsBack = (60_000_000, 40_000_000), SwitchCost = 101_500, WakeUp = 1_000_000 },
            [.. arguments, "--duration", "200ms", "--warm-up", "0s", "-o", path]);
        Assert.Equal((ExitCode.Failed, ""), (status, output));
        Assert.Equal(
            "tracer: the counter that measures went backward: bind the measurement to one CPU with --cpu, or choose another clock source "
            + "of the system\n",
            error);
        Assert.Equal("before", File.ReadAllText(path));
    }

    [Fact]
    public void A_load_that_cannot_start_is_told_and_nothing_is_lost()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "A compiler is hidden by PATH.");
        string path = Path.Combine(_folder, "before.json");
        File.WriteAllText(path, "before");
        string usual = Environment.GetEnvironmentVariable("PATH")!;
        string dotnet = usual.Split(':').Select(static one => Path.Combine(one, "dotnet")).First(File.Exists);
        string only = Directory.CreateDirectory(Path.Combine(_folder, "only")).FullName;
        File.CreateSymbolicLink(Path.Combine(only, "dotnet"), dotnet);
        Environment.SetEnvironmentVariable("PATH", only);
        try
        {
            (int status, string output, string error) = Run(
                static () => new ModelMachine(), "sleep", "--duration", "50ms", "--load", "make", "-o", path);
            Assert.Equal((ExitCode.Failed, ""), (status, output));
            Assert.Equal("tracer: the load 'make' needs a C compiler called cc: install one, or choose another --load\n", error);
            Assert.Equal("before", File.ReadAllText(path));
        }
        finally
        {
            Environment.SetEnvironmentVariable("PATH", usual);
        }
    }

    [Fact]
    public void A_CPU_that_is_not_there_is_told()
    {
        (int status, _, string error) = Run(static () => new ModelMachine(), "sleep", "--duration", "50ms", "--cpu", "7");
        Assert.Equal(ExitCode.Failed, status);
        Assert.Contains("may not run on CPU 7: choose --cpu among 0, 1", error, StringComparison.Ordinal);
    }

    [Fact]
    public void Text_has_the_numbers_of_the_model()
    {
        (int status, string output, string error) = Run(
            static () => new ModelMachine(), "sleep", "--duration", "50ms", "--warm-up", "0s", "--spread", "0s");
        Assert.Equal((ExitCode.Done, ""), (status, error));
        const string Sentence = "10 sleeps of 5ms: 1.02 us longer than wanted on average, 1.02 us at most.\n";
        Assert.StartsWith(Sentence, output, StringComparison.Ordinal);
        Assert.Contains("own cost: reading the counter 25 ns, counting a value 0 ns, 50 % of one CPU", output, StringComparison.Ordinal);
        (_, string csv, _) = Run(
            static () => new ModelMachine(), "sleep", "--duration", "50ms", "--warm-up", "0s", "--spread", "0s", "--format", "csv");
        Assert.Contains("\nsleep,series,deviation,mean,1.025,us\n", csv, StringComparison.Ordinal);
        Assert.Contains("\nsleep,bin,deviation,1 to 2 us,10,\n", csv, StringComparison.Ordinal);
    }

    [Fact]
    public void All_prints_the_paper_beside_the_machine()
    {
        string[] arguments = ["all", "--profile", "paper-drummond", "--duration", "1ms", "--warm-up", "0s"];
        (int status, string output, string error) = Run(static () => new ModelMachine { SwitchCost = 101_500 }, arguments);
        Assert.Equal((ExitCode.Done, ""), (status, error));
        Assert.Matches(@"page 5 +context switch, mean +20 +102 us\n", output);
        (_, string csv, _) = Run(static () => new ModelMachine { SwitchCost = 101_500 }, [.. arguments, "--format", "csv"]);
        Assert.Contains("\npaper-drummond,page 5,\"context switch, mean\",20,101.512,us\n", csv, StringComparison.Ordinal);
        (_, string json, _) = Run(static () => new ModelMachine { SwitchCost = 101_500 }, [.. arguments, "--format", "json"]);
        Assert.Contains("\"schema\": \"tracer.measure.summary/1\"", json, StringComparison.Ordinal);
    }

    /// <summary>What is recorded as events has the histogram that was printed, and is blamed.</summary>
    [Theory]
    [InlineData("wakeup", "--interval", "1ms")]
    [InlineData("sleep", "--length", "1ms", "--spread", "500us")]
    public void Wake_ups_written_as_events_have_the_same_histogram(params string[] arguments)
    {
        string path = Path.Combine(_folder, "wakeups.etl");
        var machine = new ModelMachine { Tick = 976_562, WakeUp = 3_000 };
        (int status, string output, string error) = Run(
            () => machine, [.. arguments, "--duration", "300ms", "--warm-up", "20ms", "--format", "json", "--events", path]);
        Assert.Equal((ExitCode.Done, ""), (status, error));
        var measured = new HdrHistogram(HdrLayout.Latencies);
        MeasureReport report = ReportJson.Read<MeasureReport>(System.Text.Encoding.UTF8.GetBytes(output));
        Every.Item(report.Series, one => measured.Add(HdrEncoding.Decode(one.Histogram)!));
        // Where each is above 0 an early one would be counted as in time.
        Assert.All(report.Series, static one => Assert.True(one.Minimum >= Duration.Zero));

        LatencyReport latency = LatencyOf(path);
        LatencyDistribution read = latency.Distributions.Single(
            static one => one.Kind == LatencyKind.ThreadInterrupt && one.Part == LatencyPart.All);
        Assert.Equal(HdrEncoding.Encode(measured), read.Histogram);
        using EtlReader reader = EtlReader.Open(path);
        BlameReport blame = BlameAnalysis.Analyze(path, reader, new BlameRequest { Threshold = Duration.FromMicroseconds(500) }).Report;
        var edge = Duration.FromMicroseconds(512);
        long late = report.Series.Sum(one => one.Bins.Where(bin => bin.From >= edge).Sum(static bin => bin.Count));
        Assert.InRange(blame.Episodes.Count, late, measured.Count);
        Assert.Equal(report.Series.Max(static one => one.Maximum), blame.Episodes.Max(static one => one.Latency));
    }

    [Theory]
    [InlineData("--events: report.json is what --output writes; write to another file", "-o", "./report.json", "--events", "report.json")]
    public void One_file_is_not_two(string words, params string[] arguments)
    {
        (int status, _, string error) = Run(static () => throw new InvalidOperationException(), ["wakeup", .. arguments]);
        Assert.Equal(ExitCode.WrongUsage, status);
        Assert.Contains(words, error, StringComparison.Ordinal);
    }

    [Fact]
    public void A_page_has_the_numbers_and_the_data_and_needs_nothing_else()
    {
        string path = Path.Combine(_folder, "sleep.html");
        (int status, string output, string error) = Run(
            static () => new ModelMachine(), "sleep", "--duration", "50ms", "--warm-up", "0s", "--spread", "0s", "-o", path);
        Assert.Equal((ExitCode.Done, "", ""), (status, output, error));
        string page = File.ReadAllText(path);
        Assert.StartsWith("<!doctype html>", page, StringComparison.Ordinal);
        const string Title = "<h1>10 sleeps of 5ms: 1.02 us longer than wanted on average, 1.02 us at most.</h1>";
        Assert.Contains(Title, page, StringComparison.Ordinal);
        Assert.Contains("<td class=\"number\">1</td><td class=\"number\">2</td><td data-key=\"100\"><svg ", page, StringComparison.Ordinal);
        Assert.DoesNotContain("src=", page, StringComparison.Ordinal);
        int data = page.IndexOf("id=\"measure\">", StringComparison.Ordinal) + 13;
        string json = page[data..page.IndexOf("</script>", StringComparison.Ordinal)];
        Assert.Equal("sleep", ReportJson.Read<MeasureReport>(System.Text.Encoding.UTF8.GetBytes(json)).Measurement);
        (_, string paper, _) = Run(
            static () => new ModelMachine { SwitchCost = 101_500 }, "all", "--profile", "paper-drummond", "--duration", "1ms", "--warm-up",
            "0s", "--format", "html");
        const string Row = "<td>context switch, mean</td><td class=\"number\">20</td><td class=\"number\">102</td><td>us</td>";
        Assert.Contains(Row, paper, StringComparison.Ordinal);
        Assert.Contains("<details><summary>switch, real-time: ", paper, StringComparison.Ordinal);
    }

    [Fact]
    public void What_a_trace_shows_of_each_second_is_told()
    {
        string path = Path.Combine(RepositoryFiles.Root, "samples", "first.etl");
        (int status, string output, string error) = Run(static () => new ModelMachine(), "background", path, "--format", "json");
        Assert.Equal((ExitCode.Done, ""), (status, error));
        MeasureReport report = ReportJson.Read<MeasureReport>(System.Text.Encoding.UTF8.GetBytes(output));
        Assert.StartsWith("Windows", report.Machine.System, StringComparison.Ordinal);
        Assert.True(report.Figures.Single(static one => one.Name == "together").Value > 0);
        (status, _, error) = Run(static () => new ModelMachine(), "background", path, "-o", path);
        Assert.Equal(ExitCode.WrongUsage, status);
        (status, _, error) = Run(static () => new ModelMachine(), "background", Path.Combine(_folder, "none.etl"));
        Assert.Equal(ExitCode.Failed, status);
        Assert.Contains("none.etl", error, StringComparison.Ordinal);
    }

    [Fact]
    public void A_peer_that_does_not_answer_is_told()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Linux is measured here.");
#pragma warning disable CA1416 // Linux, as was just seen.
        (int status, string output, string error) = Run(
            static () => new LinuxMachine(), "udp", "--peer", "127.0.0.1:9", "--duration", "50ms");
#pragma warning restore CA1416
        Assert.Equal((ExitCode.Failed, ""), (status, output));
        const string Told = "--peer: nothing answers at 127.0.0.1:9: start 'tracer measure peer --listen ADDRESS:PORT' there";
        Assert.Contains(Told, error, StringComparison.Ordinal);
        (status, _, error) = Run(static () => new ModelMachine(), "udp", "--peer", "somewhere");
        Assert.Equal(ExitCode.WrongUsage, status);
        Assert.Contains("--peer: 'somewhere' is not a host with a port", error, StringComparison.Ordinal);
        (status, _, error) = Run(static () => new ModelMachine(), "peer", "--listen", "nowhere");
        Assert.Equal(ExitCode.WrongUsage, status);
        Assert.Contains("--listen: 'nowhere' is not an address with a port", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("clock")]
    [InlineData("sleep --length 1ms")]
    [InlineData("sleep --priority normal --cpu 0")]
    [InlineData("preempt --active 10ms --pause 5ms")]
    [InlineData("timer --period 1ms")]
    [InlineData("wakeup --interval 1ms --cpu 0")]
    [InlineData("switch")]
    [InlineData("preemption --priority normal")]
    [InlineData("syscalls --calls 20")]
    [InlineData("udp --interval 2ms")]
    [InlineData("deadline --period 5ms --work 500us")]
    [InlineData("operator --period 5ms --bytes 100")]
    [InlineData("operator --period 5ms --screen")]
    [InlineData("interrupt --interval 1ms")]
    [InlineData("io-interference")]
    public void It_runs_on_this_Linux_and_allocates_nothing_while_it_measures(string line)
    {
        string[] arguments = line.Split(' ');
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Linux is measured here.");
#pragma warning disable CA1416 // Linux, as was just seen.
        (int status, string output, string error) = Run(
            static () => new LinuxMachine(), [.. arguments, "--duration", "50ms", "--warm-up", "30ms", "--format", "json"]);
#pragma warning restore CA1416
        Assert.Equal((ExitCode.Done, ""), (status, error));
        MeasureReport report = ReportJson.Read<MeasureReport>(System.Text.Encoding.UTF8.GetBytes(output));
        Assert.Equal(arguments[0], report.Measurement);
        // Starting a process does; .NET itself does a little where it compiles code again meanwhile.
        Assert.InRange(arguments[0] == "syscalls" ? 0 : report.Cost.AllocatedBytes, 0, 200);
        Assert.All(report.Settings, static one => Assert.True(one.IsRestored, one.ToString()));
        Every.Item(report.Settings, static one => Assert.True(one.Refusal is not null || one.Got == one.Wanted, one.ToString()));
        Assert.InRange(report.Elapsed.Nanoseconds, arguments[0] == "syscalls" ? 1 : 40_000_000, 5_000_000_000);
        Assert.Equal(arguments[0] == "clock", report.Series.Count == 0);
        Assert.All(report.Series, static one => Assert.True(one.Count > 0, one.Name));
        Assert.All(report.Series, static one => Assert.Equal(one.Count, HdrEncoding.Decode(one.Histogram)!.Count
            + (one.EarlyHistogram is null ? 0 : HdrEncoding.Decode(one.EarlyHistogram)!.Count)));
    }

    private static LatencyReport LatencyOf(string path)
    {
        using EtlReader reader = EtlReader.Open(path);
        var all = new LatencyMerge(new LatencyRequest());
        all.Add(LatencyAnalysis.Measure(path, reader, new LatencyRequest()));
        return all.Report();
    }

    private static (int Status, string Output, string Error) Run(Func<IMeasureMachine> machine, params string[] arguments)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var error = new StringWriter { NewLine = "\n" };
        var root = new RootCommand { MeasureCommand.Create(machine) };
        int status = CommandProgram.Run(root, "tracer", ["measure", .. arguments], output, error);
        return (status, output.ToString(), error.ToString());
    }
}
