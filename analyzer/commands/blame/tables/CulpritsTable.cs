using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Blame.Tables;

/// <summary>A row for each culprit of the first ranking, then of the second.</summary>
internal static class CulpritsTable
{
    /// <summary>The names of the columns.</summary>
    public const string Header =
        "trace,ranking,rank,kind,name,mechanism,share,blamed_us,episodes,worst_us,confidence,proof,through,period_s,"
        + "without_episodes,without_worst_us,path,version,company,timestamp,device";

    public static IEnumerable<CsvLine> Lines(BlameReport report) =>
        report.Culprits.Select(culprit => Line(report.Trace.Path, "first", culprit))
            .Concat((report.Secondary ?? []).Select(culprit => Line(report.Trace.Path, "second", culprit)));

    private static CsvLine Line(string trace, string ranking, Culprit culprit) => new CsvLine()
        .Text(trace)
        .Add(ranking)
        .Number(culprit.Rank)
        .Add(KebabCase.Of(culprit.Kind))
        .Text(culprit.Name)
        .Add(KebabCase.Of(culprit.Mechanism))
        .Number(culprit.Share)
        .Microseconds(culprit.Blamed)
        .Number(culprit.Episodes)
        .Microseconds(culprit.Worst)
        .Add(KebabCase.Of(culprit.Confidence))
        .Add(KebabCase.Of(culprit.Proof))
        .Texts(culprit.Through)
        .Number(culprit.Period?.Seconds)
        .Number(culprit.Without?.Episodes)
        .Microseconds(culprit.Without?.Worst)
        .Text(culprit.Image?.Path)
        .Text(culprit.Image?.Version)
        .Text(culprit.Image?.Company)
        .Utc(culprit.Image?.Timestamp)
        .Text(culprit.Device);
}
