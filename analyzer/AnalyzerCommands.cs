using System.CommandLine;
using Tracer.Analysis;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Commands.Blame;
using Tracer.AnalyzerCommand.Commands.Diff;
using Tracer.AnalyzerCommand.Commands.Dump;
using Tracer.AnalyzerCommand.Commands.Episodes;
using Tracer.AnalyzerCommand.Commands.Export;
using Tracer.AnalyzerCommand.Commands.Fleet;
using Tracer.AnalyzerCommand.Commands.Info;
using Tracer.AnalyzerCommand.Commands.Latency;
using Tracer.AnalyzerCommand.Commands.Mcp;
using Tracer.AnalyzerCommand.Commands.Pack;
using Tracer.AnalyzerCommand.Commands.Report;
using Tracer.AnalyzerCommand.Commands.Slice;
using Tracer.AnalyzerCommand.Commands.Symbols;
using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand;

/// <summary>The commands of <c>analyzer</c>; each appears here, and so in the help, as soon as it works.</summary>
public static class AnalyzerCommands
{
    private static readonly string[] TraceEndings = [".etl", ".gz", ".zst", ".zip"];

    public static RootCommand Create() => Create(BlameAnalysis.Analyze);

    /// <summary>Makes them with another analysis behind them, for tests of what is printed of it.</summary>
    /// <param name="analyze">Analyses an open trace; the text is its path.</param>
    public static RootCommand Create(Func<string, EtlReader, BlameRequest, BlameResult> analyze) =>
        Table(new TraceAnalysis(analyze)).AddTo(Root());

    /// <summary>Makes those that a command line needs.</summary>
    public static RootCommand For(IReadOnlyList<string> arguments)
    {
        CommandTable table = Table(new TraceAnalysis(BlameAnalysis.Analyze));
        RootWithDefault root = Root();
        bool isNamed = arguments is [var first, ..] && table.Names.Contains(first);
        return table.AddTo(root, isNamed ? arguments : root.Completed(arguments));
    }

    private static RootWithDefault Root() => new(
        "Name the driver that a Windows trace (.etl) shows to be at fault for late audio, input or control, with the reason and the "
        + "evidence; on any system, without symbols, and without the machine that was traced. 'analyzer "
        + "trace.etl' is short for 'analyzer blame trace.etl'.",
        "blame",
        IsTrace);

    private static CommandTable Table(TraceAnalysis analysis) => new(
    [
        ("blame", () => BlameCommand.Create(analysis)),
        ("episodes", () => EpisodesCommand.Create(analysis)),
        ("report", () => ReportCommand.Create(analysis)),
        ("latency", LatencyCommand.Create),
        ("info", InfoCommand.Create),
        ("dump", DumpCommand.Create),
        ("slice", SliceCommand.Create),
        ("pack", PackCommand.Create),
        ("export", ExportCommand.Create),
        ("diff", () => DiffCommand.Create(analysis)),
        ("symbols", SymbolsCommand.Create),
        ("fleet", FleetCommand.Create),
        ("mcp", McpCommand.Create),
    ]);

    private static bool IsTrace(string argument) => File.Exists(argument)
        || Array.Exists(TraceEndings, ending => argument.EndsWith(ending, StringComparison.OrdinalIgnoreCase));
}
