using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Blame.Tables;

/// <summary>A row for each file in which a process had hard page faults.</summary>
internal static class FaultsTable
{
    /// <summary>The names of the columns.</summary>
    public const string Header = "trace,process,pid,file,count,bytes,total_us,max_us,max_at_us";

    public static IEnumerable<CsvLine> Lines(BlameReport report) => (report.Faults ?? []).Select(fault => new CsvLine()
        .Text(report.Trace.Path)
        .Text(fault.Process)
        .Number(fault.Pid)
        .Text(fault.File)
        .Number(fault.Count)
        .Number(fault.Bytes)
        .Microseconds(fault.Total)
        .Microseconds(fault.Max)
        .Microseconds(fault.MaxAt));
}
