using System.CommandLine;
using Tracer.AnalyzerCommand.Commands.Export;
using Tracer.AnalyzerCommand.Commands.Fleet;
using Tracer.AnalyzerCommand.Commands.Mcp;

namespace Tracer.AnalyzerCommand;

/// <summary>The commands that need libraries of others; the native program has <c>aot/</c> in the place of this file.</summary>
internal static class OptionalCommands
{
    public static Command Export() => ExportCommand.Create();

    public static Command Fleet() => FleetCommand.Create();

    public static Command Mcp() => McpCommand.Create();
}
