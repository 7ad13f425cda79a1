namespace Tracer.AnalyzerCommand.Commands.Mcp.Answers;

/// <summary>The addresses that clients fetch reports by.</summary>
internal static class ReportAddresses
{
    public const string Traces = "tracer://traces";

    /// <summary>The beginning of those of a blame; its format and the trace stand behind it.</summary>
    public const string Blame = "tracer://blame/";

    public static readonly (string Format, string MimeType, string Title)[] Formats =
    [
        ("text", "text/plain", "The blame as text"),
        ("json", "application/json", "The blame as JSON, schema tracer.blame/1"),
        ("html", "text/html", "The blame as a page"),
    ];

    public static IEnumerable<string> Of(string trace) => Formats.Select(one => Of(one.Format, trace));

    /// <summary>The address of a trace's blame in a format.</summary>
    public static string Of(string format, string trace) =>
        $"{Blame}{format}/{string.Join('/', trace.Split('/').Select(Uri.EscapeDataString))}";
}
