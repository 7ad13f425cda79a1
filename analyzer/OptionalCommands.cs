using System.CommandLine;
using Tracer.Analysis;
using Tracer.Etl;

namespace Tracer.AnalyzerCommand;

/// <summary>The commands that need libraries of others; the native program has <c>aot/</c> in the place of this file.</summary>
internal static class OptionalCommands
{
    /// <summary>Makes <c>analyzer export</c>.</summary>
    /// <param name="analyze">The analysis.</param>
    public static Command Export(Func<string, EtlReader, BlameRequest, BlameResult> analyze) => ExportCommand.Create(analyze);

    /// <summary>Makes <c>analyzer fleet</c>.</summary>
    public static Command Fleet() => FleetCommand.Create();

    /// <summary>Makes <c>analyzer mcp</c>.</summary>
    public static Command Mcp() => McpCommand.Create();
}
