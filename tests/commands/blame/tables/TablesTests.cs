using System.Text;
using System.Text.Json.Nodes;
using Tracer.Analysis;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand;

namespace Tracer.Commands.Tests.Blame.Tables;

/// <summary>The tables for programs: each is as docs/reference/tables.md says, and all tell the same as JSON does.</summary>
public sealed class TablesTests
{
    private const string Sample = "nic-behind-ndis.etl";

    public static TheoryData<string> Tables() => ["causes", "culprits", "episodes", "drivers", "drivers-by-cpu", "routines", "faults"];

    [Theory]
    [MemberData(nameof(Tables))]
    public void Each_table_has_the_columns_that_are_documented(string table)
    {
        List<string[]> rows = Table(table, Sample, "first.etl");
        Assert.Equal(Documented(table), string.Join(',', rows[0]));
        Every.Item(rows, row => Assert.Equal(rows[0].Length, row.Length));
        Assert.Equal(1, rows.Count(row => row[0] == "trace"));
        Assert.Equal(table == "faults" ? 0 : 2, rows.Skip(1).Select(row => row[0]).Distinct().Count());
    }

    [Fact]
    public void The_table_is_that_of_causes_where_none_is_named() => Assert.Equal(
        Blame(Sample, "--format", "csv").Output, Blame(Sample, "--format", "csv", "--table", "causes").Output);

    [Theory]
    [InlineData("--table drivers", "--table drivers is a table of --format csv, and the format is text; write --format csv, too")]
    [InlineData(
        "--table faults --format json",
        "--table faults is a table of --format csv, and --format asks for json, which has all tables; leave one of them out")]
    [InlineData("--table driver --format csv", "--table: 'driver' is not one of causes, culprits, episodes, drivers")]
    public void A_table_is_for_csv_alone(string options, string problem)
    {
        (int exitCode, string output, string error) = Blame(Sample, options.Split(' '));
        Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
        Assert.StartsWith($"analyzer: {problem}", error);
    }

    [Theory]
    [InlineData(Sample)]
    [InlineData("firmware-blackout.etl", "--to", "1s")]
    [InlineData(Sample, "--cpu", "0")]
    public void Cpus_histograms_and_routines_add_up_to_their_driver(string sample, params string[] options)
    {
        BlameReport report = Report(sample, options);
        RoutineTimes[] all = [.. report.Drivers.SelectMany(driver => new[] { driver.Isr, driver.Dpc }).OfType<RoutineTimes>()];
        Assert.NotEmpty(all);
        Every.Item(all, times =>
        {
            Assert.Equal(times.Count, times.PerCpu!.Sum(cpu => cpu.Count));
            Assert.Equal(times.Count, times.Histogram!.Sum(bucket => bucket.Count));
            Assert.InRange(
                times.PerCpu!.Sum(cpu => cpu.Total.Nanoseconds) - times.Total.Nanoseconds, -times.PerCpu!.Count, times.PerCpu!.Count);
            Assert.Equal(times.Max, times.PerCpu!.Max(cpu => cpu.Max));
            Assert.True(times.P50 <= times.P90 && times.P90 <= times.P99 && times.P99 <= times.P999 && times.P999 <= times.Max);
        });
        foreach (DriverActivity driver in report.Drivers)
        {
            RoutineActivity[] own = [.. report.Routines!.Where(routine => routine.Driver == driver.Name)];
            Assert.Equal(driver.Isr?.Count ?? 0, own.Sum(routine => routine.Isr?.Count ?? 0));
            Assert.Equal(driver.Dpc?.Count ?? 0, own.Sum(routine => routine.Dpc?.Count ?? 0));
            Assert.Equal(driver.Dpc?.Max, own.Max(routine => routine.Dpc?.Max));
        }
    }

    [Fact]
    public void The_table_of_drivers_is_that_of_json()
    {
        List<string[]> rows = Table("drivers", Sample);
        List<string[]> cpus = Table("drivers-by-cpu", Sample);
        BlameReport report = Report(Sample);
        int row = 1;
        int cpuRow = 1;
        foreach (DriverActivity driver in report.Drivers)
        {
            foreach ((string kind, RoutineTimes? times) in new[] { ("isr", driver.Isr), ("dpc", driver.Dpc) })
            {
                if (times is null)
                {
                    continue;
                }

                string[] cells = rows[row++];
                Assert.Equal([driver.Name, string.Join("; ", driver.Through), kind], cells[1..4]);
                Assert.Equal($"{times.Count}", cells[4]);
                Assert.Equal([times.Total, times.Max, times.MaxAt, times.P50, times.P90, times.P99, times.P999], Durations(cells[5..12]));
                Assert.Equal(times.Count, cells[13..].Sum(cell => long.Parse(cell, CultureInfo.InvariantCulture)));
                Every.Item(times.PerCpu!, cpu =>
                {
                    string[] cellsOfCpu = cpus[cpuRow++];
                    Assert.Equal([driver.Name, kind, $"{cpu.Cpu}", $"{cpu.Count}"], cellsOfCpu[1..5]);
                    Assert.Equal([cpu.Total, cpu.Max], Durations(cellsOfCpu[5..]));
                });
            }
        }

        Assert.Equal((rows.Count, cpus.Count), (row, cpuRow));
    }

    [Fact]
    public void What_text_needs_no_table_for_is_not_looked_up()
    {
        BlameRequest? asked = null;
        foreach (string format in new[] { "text", "csv", "json" })
        {
            using var output = new StringWriter();
            Tracer.CommandLine.CommandProgram.Run(
                AnalyzerCommands.Create((path, reader, request) => BlameAnalysis.Analyze(path, reader, asked = request)),
                "analyzer", ["blame", PathOf(Sample), "--format", format], output, output);
            Assert.Equal(format != "text", asked!.WithTables);
        }
    }

    [Fact]
    public void Info_lists_the_drivers_as_text_table_and_json()
    {
        (int exitCode, string csv, string error) = CommandRun.Analyzer("info", PathOf(Sample), "--drivers", "--format", "csv");
        Assert.Equal((0, ""), (exitCode, error));
        List<string[]> rows = [.. CsvRows.Of(csv)];
        Assert.Equal(Documented("info --drivers"), string.Join(',', rows[0]));
        Every.Item(rows, row => Assert.Equal(rows[0].Length, row.Length));
        Assert.Contains("ndis.sys", rows.Select(row => row[1]));
        Assert.Equal(rows.Skip(1).Select(row => row[1]).Order(StringComparer.OrdinalIgnoreCase), rows.Skip(1).Select(row => row[1]));
        string json = CommandRun.Analyzer("info", PathOf(Sample), "--drivers", "--format", "json").Output;
        JsonArray drivers = JsonNode.Parse(json)!["drivers"]!.AsArray();
        Assert.Equal(rows.Skip(1).Select(row => row[1]), drivers.Select(driver => (string?)driver!["name"]));
        Assert.Equal(rows.Skip(1).Select(row => row[6]), drivers.Select(driver => driver!["size"]!.ToJsonString()));
        string text = CommandRun.Analyzer("info", PathOf(Sample), "--drivers").Output;
        Assert.Contains($"\nDrivers ({drivers.Count})", text);
        Every.Item(drivers, driver => Assert.Contains($"\n  {(string?)driver!["name"]} ", text));
    }

    [Fact]
    public void Info_lists_drivers_only_where_they_are_asked_for()
    {
        Assert.Null(JsonNode.Parse(CommandRun.Analyzer("info", PathOf(Sample), "--format", "json").Output)!["drivers"]);
        (int exitCode, string output, string error) = CommandRun.Analyzer("info", PathOf(Sample), "--format", "csv");
        Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
        Assert.StartsWith("analyzer: --format csv is for the table of drivers; write --drivers, too\n", error);
    }

    private static IEnumerable<Duration?> Durations(IEnumerable<string> cells) => cells.Select(cell =>
        cell.Length == 0 ? null : (Duration?)new Duration((long)(decimal.Parse(cell, CultureInfo.InvariantCulture) * 1000)));

    /// <summary>The names of the columns in the section of a table.</summary>
    private static string Documented(string table)
    {
        string text = File.ReadAllText(Path.Combine(RepositoryFiles.Root, "docs", "reference", "tables.md"));
        string section = text[text.IndexOf($"\n## {table}\n", StringComparison.Ordinal)..];
        return section.Split("```")[1].Trim();
    }

    private static List<string[]> Table(string table, params string[] samples) => [.. CsvRows.Of(
        CommandRun.Analyzer(["blame", .. samples.Select(PathOf), "--format", "csv", "--table", table]).Output)];

    private static BlameReport Report(string sample, params string[] options) =>
        ReportJson.Read<BlameReport>(Encoding.UTF8.GetBytes(Blame(sample, [.. options, "--format", "json"]).Output));

    private static (int ExitCode, string Output, string Error) Blame(string sample, params string[] options) =>
        CommandRun.Analyzer(["blame", PathOf(sample), .. options]);

    private static string PathOf(string sample) => Path.Combine(RepositoryFiles.Root, "samples", sample);
}
