using System.Text;

namespace Tracer.TracerCommand.Commands.Measure;

/// <summary>How a measurement is printed.</summary>
internal enum MeasureFormat
{
    /// <summary>For people.</summary>
    Text,

    /// <summary>Schema <c>tracer.measure/1</c>.</summary>
    Json,

    /// <summary>A line for each number.</summary>
    Csv,

    /// <summary>A page to look at and to send.</summary>
    Html,
}

/// <summary>What was measured, in each format.</summary>
/// <param name="Json">Writes JSON as UTF-8.</param>
internal sealed record MeasureOutput(Func<ReportPage> Text, Action<Stream> Json, Action<TextWriter> Csv, Func<string> Html)
{
    public static MeasureOutput Of(MeasureReport report) => new(
        () => MeasureText.Of(report), json => ReportJson.Write(json, report, indented: true), csv => MeasureCsv.Write(report, csv),
        () => MeasureHtml.Of(report));

    public static MeasureOutput Of(MeasureSummary summary) => new(
        () => SummaryText.Of(summary), json => ReportJson.Write(json, summary, indented: true), csv => SummaryText.WriteCsv(summary, csv),
        () => MeasureHtml.Of(summary));
}

/// <summary>Prints a measurement, or writes it to a file, which is there only when it is complete.</summary>
internal static class MeasurePrinting
{
    /// <param name="file">The file, which is kept; null for standard output.</param>
    public static void Print(MeasureOutput report, MeasureFormat format, OutputFile? file, TextWriter output)
    {
        if (file is null && format == MeasureFormat.Text)
        {
            PagePrinter.Print(report.Text(), output);
            return;
        }

        if (file is null)
        {
            foreach (string line in Written(report, format).TrimEnd('\n').Split('\n'))
            {
                output.WriteLine(line);
            }

            return;
        }

        file.Content.Write(Encoding.UTF8.GetBytes(Written(report, format)));
        file.Keep();
    }

    private static string Written(MeasureOutput report, MeasureFormat format)
    {
        using var text = new StringWriter(CultureInfo.InvariantCulture) { NewLine = "\n" };
        switch (format)
        {
            case MeasureFormat.Json:
                using (var bytes = new MemoryStream())
                {
                    report.Json(bytes);
                    text.Write(Encoding.UTF8.GetString(bytes.GetBuffer().AsSpan(0, (int)bytes.Length)));
                    text.Write('\n');
                }

                break;
            case MeasureFormat.Csv:
                report.Csv(text);
                break;
            case MeasureFormat.Html:
                text.Write(report.Html());
                break;
            default:
                report.Text().Write(text);
                break;
        }

        return text.ToString();
    }
}
