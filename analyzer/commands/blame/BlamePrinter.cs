using Tracer.Analysis.Report;
using Tracer.AnalyzerCommand.Commands.Blame.Tables;
using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Blame;

/// <summary>Prints the reports of <c>analyzer blame</c>, one trace after the other.</summary>
/// <param name="top">How many lines each list has at most; null for the first screen alone.</param>
/// <param name="isOneOfMany">Whether there are several traces: text has a heading, JSON one line each.</param>
internal sealed class BlamePrinter(ReportOutput output, OutputFormat format, BlameTable table, BlameStyle style, int? top, bool isOneOfMany)
{
    private const int UsualTop = 3;

    private bool _hasPrinted;

    /// <summary>Prints a result in the format and style that were asked for.</summary>
    public void Print(BlameResult result)
    {
        BlameReport report = result.Report;
        switch (format)
        {
            case OutputFormat.Json:
                output.WriteJson(json => ReportJson.Write(json, report, indented: !isOneOfMany));
                break;
            case OutputFormat.Csv:
                BlameTables.Write(table, report, withHeader: !_hasPrinted, output.Writer);
                break;
            case OutputFormat.Text when style == BlameStyle.Xperf:
                if (result.Usage is { } usage)
                {
                    XperfText.Write(usage, output.Writer);
                }

                break;
            case OutputFormat.Text when style == BlameStyle.Rtla:
                RtlaText.Write(report, top ?? UsualTop, output.Writer);
                break;
            case OutputFormat.Text when style == BlameStyle.Own:
                if (_hasPrinted)
                {
                    output.Writer.Write('\n');
                }

                output.Print(top is { } lines
                    ? BlameText.PageOf(report, lines, isOneOfMany, output.Columns, output.Rows)
                    : FirstScreen.PageOf(report, isOneOfMany, output.Columns, output.Rows));
                break;
            default:
                throw new InvalidOperationException($"There is no text for format {format} in style {style}.");
        }

        _hasPrinted = true;
    }
}
