using System.CommandLine;
using Tracer.Analysis;
using Tracer.CommandLine;
using Tracer.Etl;

namespace Tracer.AnalyzerCommand;

/// <summary>In the place of <c>analyzer export</c> where SQLite's own library cannot be.</summary>
internal static class ExportCommand
{
    /// <summary>Makes the command.</summary>
    /// <param name="analyze">The analysis that it would need.</param>
    public static Command Create(Func<string, EtlReader, BlameRequest, BlameResult> analyze)
    {
        _ = analyze;
        return new AbsentCommand("export");
    }
}
