using System.CommandLine;
using Tracer.Analysis;
using Tracer.CommandLine;
using Tracer.Etl;

namespace Tracer.AnalyzerCommand;

/// <summary>The commands of <c>analyzer</c>; each appears here, and so in the help, as soon as it works.</summary>
public static class AnalyzerCommands
{
    private static readonly string[] TraceEndings = [".etl", ".gz", ".zst", ".zip"];

    /// <summary>Makes them anew.</summary>
    public static RootCommand Create() => Create(BlameAnalysis.Analyze);

    /// <summary>Makes them with another analysis behind them, for tests of what is printed of it.</summary>
    /// <param name="analyze">Analyses an open trace; the text is its path.</param>
    public static RootCommand Create(Func<string, EtlReader, BlameRequest, BlameResult> analyze) => new RootWithDefault(
        "To name the driver that a Windows trace (.etl) shows to be at fault for late audio, input or control, with the reason and the "
        + "evidence; on any system, without symbols, and without the machine that was traced. "
        + "'analyzer trace.etl' is 'analyzer blame trace.etl'.",
        "blame",
        IsTrace)
    {
        BlameCommand.Create(analyze),
        EpisodesCommand.Create(analyze),
        ReportCommand.Create(analyze),
        LatencyCommand.Create(),
        InfoCommand.Create(),
        DumpCommand.Create(),
        SliceCommand.Create(analyze),
        PackCommand.Create(analyze),
        ExportCommand.Create(analyze),
        DiffCommand.Create(analyze),
        SymbolsCommand.Create(),
        FleetCommand.Create(),
        McpCommand.Create(),
    };

    /// <summary>Whether an argument is a trace, be it there or not.</summary>
    private static bool IsTrace(string argument) => File.Exists(argument)
        || Array.Exists(TraceEndings, ending => argument.EndsWith(ending, StringComparison.OrdinalIgnoreCase));
}
