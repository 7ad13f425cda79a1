using System.CommandLine;
using Tracer.CommandLine;

namespace Tracer.AnalyzerCommand;

/// <summary>In the place of <c>analyzer fleet</c> where SQLite's own library cannot be.</summary>
internal static class FleetCommand
{
    /// <summary>Makes the command.</summary>
    public static Command Create() => new AbsentCommand("fleet");
}
