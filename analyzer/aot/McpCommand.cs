using System.CommandLine;
using Tracer.CommandLine;

namespace Tracer.AnalyzerCommand;

/// <summary>In the place of <c>analyzer mcp</c> where the protocol's library would take too much room.</summary>
internal static class McpCommand
{
    /// <summary>Makes the command.</summary>
    public static Command Create() => new AbsentCommand("mcp");
}
