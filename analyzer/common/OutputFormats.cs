using System.CommandLine;

namespace Tracer.AnalyzerCommand.Common;

internal enum OutputFormat
{
    /// <summary>For people.</summary>
    Text,

    /// <summary>For programs.</summary>
    Json,

    /// <summary>For tables: comma-separated values.</summary>
    Csv,

    /// <summary>A line of JSON for each trace, to be compared with those of other machines: <see cref="CaseReport"/>.</summary>
    Cases,
}

/// <summary>The option that chooses between them.</summary>
internal static class OutputFormats
{
    private static readonly NamedChoice<OutputFormat> All = NamedChoice.OfAll<OutputFormat>();

    private static readonly NamedChoice<OutputFormat> Reports =
        new(("text", OutputFormat.Text), ("json", OutputFormat.Json), ("csv", OutputFormat.Csv));

    private static readonly NamedChoice<OutputFormat> TextAndJson = new(("text", OutputFormat.Text), ("json", OutputFormat.Json));

    public static Option<OutputFormat> Option() => Option(TextAndJson);

    /// <summary>Makes it, for reports and tables.</summary>
    public static Option<OutputFormat> OptionWithCsv() => Option(Reports);

    public static Option<OutputFormat> OptionWithCases() => Option(All);

    public static string NameOf(OutputFormat format) => All.NameOf(format);

    private static Option<OutputFormat> Option(NamedChoice<OutputFormat> formats) =>
        formats.Option("--format", "How to print [default: text].");
}
