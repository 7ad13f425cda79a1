using System.Globalization;
using System.Text;
using Tracer.CommandLine;
using Tracer.Contract;

namespace Tracer.TracerCommand;

/// <summary>How a measurement is printed.</summary>
internal enum MeasureFormat
{
    /// <summary>For people.</summary>
    Text,

    /// <summary>Schema <c>tracer.measure/1</c>.</summary>
    Json,

    /// <summary>A line for each number.</summary>
    Csv,
}

/// <summary>Prints a measurement, or writes it to a file, which is there only when it is complete.</summary>
internal static class MeasurePrinting
{
    /// <summary>Prints it.</summary>
    /// <param name="report">What was measured.</param>
    /// <param name="format">How.</param>
    /// <param name="file">The file, which is kept; null for standard output.</param>
    /// <param name="output">Standard output.</param>
    public static void Print(MeasureReport report, MeasureFormat format, OutputFile? file, TextWriter output)
    {
        if (file is null && format == MeasureFormat.Text)
        {
            PagePrinter.Print(MeasureText.Of(report), output);
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

    private static string Written(MeasureReport report, MeasureFormat format)
    {
        using var text = new StringWriter(CultureInfo.InvariantCulture) { NewLine = "\n" };
        switch (format)
        {
            case MeasureFormat.Json:
                using (var bytes = new MemoryStream())
                {
                    ReportJson.Write(bytes, report, indented: true);
                    text.Write(Encoding.UTF8.GetString(bytes.GetBuffer().AsSpan(0, (int)bytes.Length)));
                    text.Write('\n');
                }

                break;
            case MeasureFormat.Csv:
                MeasureCsv.Write(report, text);
                break;
            default:
                MeasureText.Of(report).Write(text);
                break;
        }

        return text.ToString();
    }
}
