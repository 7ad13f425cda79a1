using System.CommandLine;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Report;
using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Blame;

/// <summary>Whose layout the text of a blame has.</summary>
internal enum BlameStyle
{
    Own,

    /// <summary>That of <c>xperf -a dpcisr</c>.</summary>
    Xperf,

    /// <summary>That of <c>rtla timerlat -a</c>.</summary>
    Rtla,
}

/// <summary>The option that chooses between them.</summary>
internal static class BlameStyles
{
    private static readonly NamedChoice<BlameStyle> Names = NamedChoice.OfAll<BlameStyle>();

    public static Option<BlameStyle> Option() => Names.Option(
        "--style",
        "Print text as scripts for other tools expect it: xperf is the text of 'xperf -a dpcisr', rtla that of 'rtla "
        + "timerlat -a' [default: own].");

    /// <summary>What is wrong with a style and a format together; null when nothing is.</summary>
    public static string? Problem(BlameStyle style, OutputFormat format) => style != BlameStyle.Own && format != OutputFormat.Text
        ? $"--style {Names.NameOf(style)} is a kind of text, and --format asks for {OutputFormats.NameOf(format)}; leave one of them out"
        : null;

    /// <summary>What a user must be told whose text is empty, because the layout has no words for it; null where it is not.</summary>
    public static string? Note(BlameStyle style, BlameResult result) => Note(style, result.Report) ?? LeftOut(style, result.Usage);

    private static string? Note(BlameStyle style, BlameReport report) => style switch
    {
        BlameStyle.Xperf when !report.Trace.Has.IsrDpc =>
            "no ISR and no DPC is recorded, so the tables are empty: record DPC and INTERRUPT",
        BlameStyle.Xperf when report.Trace.Clock is null => $"nothing to print: {report.Summary.Conclusion}",
        BlameStyle.Rtla when report.Episodes.Count == 0 => $"nothing to print: {report.Summary.Conclusion}",
        _ => null,
    };

    /// <summary>What a trace claims that it has nothing to show for, and what is therefore left out.</summary>
    private static string? LeftOut(BlameStyle style, LevelUsage? usage)
    {
        if (style != BlameStyle.Xperf || usage is null)
        {
            return null;
        }

        List<string> parts = [];
        if (usage.SecondsLeftOut > 0)
        {
            parts.Add(FormattableString.Invariant(
                $"its time stamps span {usage.DpcSeconds.Count + usage.SecondsLeftOut:N0} s, far more than its ISRs and DPCs fill: ")
                + FormattableString.Invariant($"the last of {usage.DpcSeconds.Count:N0} intervals sums up the rest"));
        }

        if (usage.CpusLeftOut > 0)
        {
            parts.Add(FormattableString.Invariant(
                $"CPUs left out, because their numbers are far above all others: {usage.CpusLeftOut:N0}"));
        }

        return parts.Count == 0 ? null : string.Join("; ", parts);
    }
}
