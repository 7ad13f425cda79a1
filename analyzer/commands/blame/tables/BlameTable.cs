using System.CommandLine;
using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Blame.Tables;

/// <summary>Which table <c>--format csv</c> prints; their columns stand in docs/reference/tables.md.</summary>
internal enum BlameTable
{
    /// <summary>A row for each cause of each episode.</summary>
    Causes,

    /// <summary>A row for each culprit.</summary>
    Culprits,

    /// <summary>A row for each episode.</summary>
    Episodes,

    /// <summary>A row for the ISRs and one for the DPCs of each driver.</summary>
    Drivers,

    /// <summary>The same for each CPU by itself.</summary>
    DriversByCpu,

    /// <summary>The same for each routine.</summary>
    Routines,

    /// <summary>A row for each file in which a process had hard page faults.</summary>
    Faults,
}

/// <summary>The option that chooses between them, and what prints them.</summary>
internal static class BlameTables
{
    private static readonly NamedChoice<BlameTable> Names = NamedChoice.OfAll<BlameTable>();

    /// <summary>Makes the option; null where it is not given.</summary>
    public static Option<BlameTable?> Option()
    {
        string names = Names.HelpName.Replace("|", ", ", StringComparison.Ordinal);
        var option = new Option<BlameTable?>("--table")
        {
            Description = $"Which table --format csv prints: {names} [default: causes].",
            HelpName = "TABLE",
            CustomParser = result => Names.Parse(result),
        };
        Names.Complete(option);
        return option;
    }

    /// <summary>What is wrong with a table and a format together; null when nothing is.</summary>
    public static string? Problem(BlameTable? table, OutputFormat format) => table is { } named && format != OutputFormat.Csv
        ? $"--table {Names.NameOf(named)} is a table of --format csv, and "
            + (format == OutputFormat.Json
                ? "--format asks for json, which has all tables; leave one of them out"
                : "the format is text; write --format csv, too")
        : null;

    /// <param name="withHeader">Whether the names of the columns come first.</param>
    public static void Write(BlameTable table, BlameReport report, bool withHeader, TextWriter output)
    {
        (string header, IEnumerable<CsvLine> lines) = table switch
        {
            BlameTable.Causes => (CausesTable.Header, CausesTable.Lines(report)),
            BlameTable.Culprits => (CulpritsTable.Header, CulpritsTable.Lines(report)),
            BlameTable.Episodes => (EpisodesTable.Header, EpisodesTable.Lines(report)),
            BlameTable.Drivers => (DriverTables.Header, DriverTables.Lines(report)),
            BlameTable.DriversByCpu => (DriverTables.HeaderByCpu, DriverTables.LinesByCpu(report)),
            BlameTable.Routines => (DriverTables.HeaderOfRoutines, DriverTables.LinesOfRoutines(report)),
            BlameTable.Faults => (FaultsTable.Header, FaultsTable.Lines(report)),
            _ => throw new InvalidOperationException($"There is no table {table}."),
        };
        CsvLine.Write(withHeader ? header : null, lines, output);
    }
}
