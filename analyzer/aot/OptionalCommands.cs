using System.CommandLine;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.CommandLine;
using Tracer.Etl;

namespace Tracer.AnalyzerCommand;

/// <summary>In the place of the commands whose libraries the native program cannot hold, or not without taking too much room.</summary>
internal static class OptionalCommands
{
    /// <summary>In the place of <c>analyzer export</c>: SQLite's own library is a file of its own.</summary>
    public static Command Export() => new AbsentCommand("export");

    /// <summary>In the place of <c>analyzer fleet</c>, for the same reason.</summary>
    public static Command Fleet() => new AbsentCommand("fleet");

    /// <summary>In the place of <c>analyzer mcp</c>: the protocol's library is too large.</summary>
    public static Command Mcp() => new AbsentCommand("mcp");
}
