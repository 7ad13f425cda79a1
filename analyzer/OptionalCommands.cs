using System.CommandLine;
using Tracer.AnalyzerCommand.Commands.Export;
using Tracer.AnalyzerCommand.Commands.Fleet;
using Tracer.AnalyzerCommand.Commands.Mcp;

namespace Tracer.AnalyzerCommand;

/// <summary>The commands that need libraries of others; the native program has <c>aot/</c> in the place of this file.</summary>
internal static class OptionalCommands
{
    /// <summary>Makes <c>analyzer export</c>.</summary>
    public static Command Export() => ExportCommand.Create();

    /// <summary>Makes <c>analyzer fleet</c>.</summary>
    public static Command Fleet() => FleetCommand.Create();

    /// <summary>Makes <c>analyzer mcp</c>.</summary>
    public static Command Mcp() => McpCommand.Create();
}
