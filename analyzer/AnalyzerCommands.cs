using System.CommandLine;
using Tracer.Analysis;
using Tracer.Etl;

namespace Tracer.AnalyzerCommand;

/// <summary>The commands of <c>analyzer</c>; each appears here, and so in the help, as soon as it works.</summary>
public static class AnalyzerCommands
{
    /// <summary>Makes them anew.</summary>
    public static RootCommand Create() => Create(BlameAnalysis.Analyze);

    /// <summary>Makes them with another analysis behind them, for tests of what is printed of it.</summary>
    /// <param name="analyze">Analyses an open trace; the text is its path.</param>
    public static RootCommand Create(Func<string, EtlReader, BlameRequest, BlameResult> analyze) => new(
        "To name the driver that a Windows trace (.etl) shows to be at fault for late audio, input or control, with the reason and the "
        + "evidence; on any system, without symbols, and without the machine that was traced.")
    {
        BlameCommand.Create(analyze),
        EpisodesCommand.Create(analyze),
        InfoCommand.Create(),
        DumpCommand.Create(),
        SymbolsCommand.Create(),
    };
}
