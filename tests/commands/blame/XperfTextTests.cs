using System.Text.RegularExpressions;
using Tracer.Analysis.Modules;
using Tracer.AnalyzerCommand;
using Tracer.AnalyzerCommand.Commands.Blame;
using Tracer.CommandLine;

namespace Tracer.Commands.Tests.Blame;

/// <summary>
/// <c>analyzer blame --style xperf</c>, read by a parser that knows nothing but the layout of <c>xperf -a dpcisr</c>: sections by their
/// headings, cells by commas, the histogram by its words.
/// </summary>
public sealed partial class XperfTextTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;

    private static string Sample => Path.Combine(RepositoryFiles.Root, "samples", "nic-behind-ndis.etl");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void It_reads_as_stored() =>
        GoldenText.AssertEqual("tests/commands/golden/reports/style-xperf.txt", OfMade().ReplaceLineEndings("\n"));

    [Fact]
    public void Every_line_ends_with_carriage_return_and_line_feed()
    {
        string text = OfMade();
        Assert.EndsWith("\r\n", text);
        Assert.Equal(text.Count(letter => letter == '\n'), text.Split("\r\n").Length - 1);
    }

    [Fact]
    public void A_file_has_the_same_bytes_as_standard_output()
    {
        string file = Path.Combine(_folder, "dpcisr.txt");
        Assert.Equal("", Run("blame", Sample, "--style", "xperf", "-o", file));
        Assert.Equal(Run("blame", Sample, "--style", "xperf"), File.ReadAllText(file));
    }

    [Fact]
    public void A_parser_finds_what_was_counted()
    {
        LevelUsage usage = Made();
        Dictionary<string, Section> sections = Parse(OfMade());
        Assert.Equal(["DPC Info", "Interrupt Info"], sections.Keys);
        foreach ((Section section, IReadOnlyList<ModuleUsage> modules) in
            new[] { (sections["DPC Info"], usage.Dpcs), (sections["Interrupt Info"], usage.Isrs) })
        {
            Assert.Equal((0, 2_500_400), section.Span);
            Assert.Equal([0, 1], section.Cpus);
            Assert.Equal(modules.Select(module => module.Name ?? "\"Unknown\""), section.Usage.Keys);
            Assert.Equal(
                modules.SelectMany(module => module.Times.Select(time => (time.Nanoseconds + 500) / 1000)),
                section.Usage.Values.SelectMany(cells => cells.Select(cell => (long)cell.Usec)));
            Assert.Equal(
                modules.Select(module => module.Histogram.Sum()), section.Usage.Keys.Select(module => (long)section.Totals[module]));
            Assert.Equal(section.Totals.Values.Sum(), section.Total);
            Assert.True(section.IsEqual);
            Assert.Equal(
                modules.SelectMany(module => module.Histogram).Where(count => count > 0),
                section.Usage.Keys.SelectMany(module => section.Histograms[module].Select(bucket => bucket.Count))
                    .Where(count => count > 0));
            Assert.Equal([(0, 1000), (1000, 2000), (2000, 2500)], section.Intervals.Select(row => (row.From, row.To)));
        }
    }

    [Fact]
    public void The_numbers_of_a_trace_are_those_of_its_records()
    {
        Dictionary<string, Section> sections = Parse(Run("blame", Sample, "--style", "xperf"));
        Section dpcs = sections["DPC Info"];
        Section isrs = sections["Interrupt Info"];

        // Routines count for the module that they lie in, and so gross: not for the driver behind it.
        Assert.Contains("ndis.sys", dpcs.Usage.Keys);
        Assert.DoesNotContain("gimoxowifi.sys", dpcs.Usage.Keys);
        BlameReport report = ReportJson.Read<BlameReport>(System.Text.Encoding.UTF8.GetBytes(Run("blame", Sample, "--format", "json")));
        Assert.Equal(report.Drivers.Sum(driver => driver.Dpc?.Count ?? 0), dpcs.Total);
        Assert.Equal(report.Drivers.Sum(driver => driver.Isr?.Count ?? 0), isrs.Total);
        double net = report.Drivers.Sum(driver => (double)(driver.Dpc?.Total.Microseconds ?? 0));
        double gross = dpcs.Usage.Values.Sum(cells => cells.Sum(cell => cell.Usec));
        int rounded = dpcs.Usage.Values.Sum(cells => cells.Length); // Each cell is rounded to whole microseconds.
        Assert.InRange(gross, net - rounded, net * 1.1);
        foreach (Section section in sections.Values)
        {
            for (int cpu = 0; cpu < section.Cpus.Count; cpu++)
            {
                // Each cell is rounded to whole microseconds.
                int whole = section.Usage.Values.Sum(cells => cells[cpu].Usec);
                int byIntervals = section.Intervals.Sum(row => row.Cells[cpu].Usec);
                int most = (section.Intervals.Count + section.Usage.Count + 1) / 2;
                Assert.InRange(byIntervals - whole, -most, most);
            }
        }
    }

    [Fact]
    public void Shares_and_distributions_fit_the_times()
    {
        string text = OfMade();
        Section section = Parse(text)["DPC Info"];
        Assert.Equal((30_005, 1.2), section.Usage["nic.sys"][0]);
        Assert.Equal(80, section.Intervals[2].Cells[1].Percent); // 400 ms of the half second that is left.
        string[] rows = [.. text.Split("\r\n").SkipWhile(line => !line.StartsWith("Distribution", StringComparison.Ordinal))];
        Assert.Equal("Distribution of number of 2000 ms intervals w.r.t. DPC/ISR usage:", rows[0]);
        Dictionary<int, long[]> counts = rows.Select(row => DistributionRow().Match(row)).Where(match => match.Success).ToDictionary(
            match => int.Parse(match.Groups["high"].Value, CultureInfo.InvariantCulture),
            match => match.Groups["cell"].Captures.Select(cell => long.Parse(cell.Value, CultureInfo.InvariantCulture)).ToArray());
        Assert.Equal([1, 5, 10, 20, 40, 60, 80, 100], counts.Keys);
        Assert.Equal([1, 2, 1, 1, 2, 1], counts[1]); // CPU 0: DPC, ISR, both; CPU 1 likewise.
        Assert.Equal([0, 0, 0, 1, 0, 1], counts[40]); // And 20 % of a whole interval, as xperf counts the last one.
        Every.Item(Enumerable.Range(0, 6), column => Assert.Equal(2, counts.Values.Sum(row => row[column])));
    }

    [Fact]
    public void An_empty_trace_has_empty_tables()
    {
        using var output = new StringWriter();
        XperfText.Write(new LevelUsage(Duration.Zero, 1, [], [], [[Duration.Zero]], [[Duration.Zero]]), output);
        Dictionary<string, Section> sections = Parse(output.ToString());
        Every.Item(sections.Values, section => Assert.Equal((0, 0, true), (section.Usage.Count, section.Total, section.IsEqual)));
    }

    private static LevelUsage Made() => new(
        new Duration(2_500_400_000),
        2,
        [
            new ModuleUsage("ndis.sys", [Us(120.9m), Us(0)], [0, 0, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
            new ModuleUsage("nic.sys", [Us(30_004.8m), Us(400_000)], [1, 0, 0, 0, 2_990, 0, 0, 10, 0, 0, 0, 0, 2]),
            new ModuleUsage(null, [Us(0), Us(1)], [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ],
        [new ModuleUsage("nic.sys", [Us(4_100), Us(0.3m)], [1, 3_000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0])],
        [[Us(10_000), Us(0)], [Us(20_125.7m), Us(1)], [Us(0), Us(400_320)]],
        [[Us(4_000), Us(0.3m)], [Us(100), Us(0)], [Us(0), Us(0)]]);

    private static Duration Us(decimal microseconds) => new((long)(microseconds * 1000));

    private static string OfMade()
    {
        using var output = new StringWriter();
        XperfText.Write(Made(), output);
        return output.ToString();
    }

    private static string Run(params string[] arguments)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();
        Assert.Equal(0, CommandProgram.Run(AnalyzerCommands.Create(), "analyzer", arguments, output, error));
        Assert.Equal("", error.ToString());
        return output.ToString();
    }

    private static Dictionary<string, Section> Parse(string text)
    {
        string[] lines = text.Split("\r\n");
        Dictionary<string, Section> sections = [];
        Section? current = null;
        string? module = null;
        for (int i = 0; i < lines.Length; i++)
        {
            string line = lines[i];
            if (line is "DPC Info" or "Interrupt Info")
            {
                Assert.Equal("--------------------------", lines[i - 1]);
                sections.Add(line, current = new Section());
            }
            else if (SpanLine().Match(line) is { Success: true } span)
            {
                current!.Span = (Number(span, "from"), Number(span, "to"));
                Assert.Equal("", lines[i + 1]);
                current.Cpus.AddRange(CpuHead().Matches(lines[i + 2]).Select(match => Number(match, "cpu")));
                Assert.Matches(@"^(     usec      %, )+Module$", lines[i + 3]);
                for (i += 4; lines[i].Length > 0; i++)
                {
                    string[] cells = lines[i].Split(',');
                    Assert.Equal(current.Cpus.Count + 1, cells.Length);
                    current.Usage.Add(cells[^1].Trim(), [.. cells[..^1].Select(CellOf)]);
                }
            }
            else if (TotalLine().Match(line) is { Success: true } total)
            {
                module = total.Groups["module"].Success ? total.Groups["module"].Value : null;
                if (module is null)
                {
                    current!.Total = Number(total, "count");
                }
                else
                {
                    current!.Totals.Add(module, Number(total, "count"));
                    current.Histograms.Add(module, []);
                }
            }
            else if (BucketLine().Match(line) is { Success: true } bucket)
            {
                if (module is not null)
                {
                    current!.Histograms[module].Add((Number(bucket, "low"), Number(bucket, "count")));
                }
            }
            else if (line.StartsWith("Elapsed", StringComparison.Ordinal))
            {
                Assert.Fail(line);
            }
            else if (EqualLine().Match(line) is { Success: true } equal)
            {
                current!.IsEqual = Number(equal, "modules") == Number(equal, "total") && Number(equal, "total") == current.Total;
            }
            else if (IntervalRow().Match(line) is { Success: true } row)
            {
                current!.Intervals.Add(
                    (Number(row, "from"), Number(row, "to"), [.. row.Groups["cells"].Value.Split(',').Select(CellOf)]));
            }
        }

        return sections;
    }

    private static int Number(Match match, string group) => int.Parse(match.Groups[group].Value, CultureInfo.InvariantCulture);

    private static (int Usec, double Percent) CellOf(string cell)
    {
        Match match = UsageCell().Match(cell);
        Assert.True(match.Success, cell);
        return (Number(match, "usec"), double.Parse(match.Groups["percent"].Value, CultureInfo.InvariantCulture));
    }

    [GeneratedRegex(@"^CPU Usage from (?<from>\d+) us to (?<to>\d+) us:$")]
    private static partial Regex SpanLine();

    [GeneratedRegex(@"CPU (?<cpu>\d+) Usage")]
    private static partial Regex CpuHead();

    [GeneratedRegex(@"^\s*(?<usec>\d+)\s+(?<percent>[\d.]+)\s*$")]
    private static partial Regex UsageCell();

    [GeneratedRegex(@"^Total = (?<count>\d+)( for module (?<module>.+))?$")]
    private static partial Regex TotalLine();

    [GeneratedRegex(@"^Elapsed Time, >\s*(?<low>\d+) usecs AND <=\s*(?<high>\d+) usecs,\s*(?<count>\d+), or\s*(?<percent>[\d.]+)%$")]
    private static partial Regex BucketLine();

    [GeneratedRegex(@"^All Module =\s+(?<modules>\d+),\s+Total = (?<total>\d+),\s+EQUAL$")]
    private static partial Regex EqualLine();

    [GeneratedRegex(@"^\s*(?<from>\d+)-(?<to>\d+)\s*:,(?<cells>.*)$")]
    private static partial Regex IntervalRow();

    [GeneratedRegex(@"^>=?\s+(?<low>\d+) AND <=\s+(?<high>\d+)(,\s*(?<cell>\d+))+$")]
    private static partial Regex DistributionRow();

    private sealed class Section
    {
        public (int From, int To) Span { get; set; }

        public List<int> Cpus { get; } = [];

        public Dictionary<string, (int Usec, double Percent)[]> Usage { get; } = [];

        public int Total { get; set; }

        public Dictionary<string, int> Totals { get; } = [];

        public Dictionary<string, List<(int Low, long Count)>> Histograms { get; } = [];

        public bool IsEqual { get; set; }

        public List<(int From, int To, (int Usec, double Percent)[] Cells)> Intervals { get; } = [];
    }
}
