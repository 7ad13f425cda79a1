using System.CommandLine;

namespace Tracer.AnalyzerCommand;

/// <summary>How a command prints.</summary>
internal enum OutputFormat
{
    /// <summary>For people.</summary>
    Text,

    /// <summary>For programs.</summary>
    Json,

    /// <summary>For tables: comma-separated values.</summary>
    Csv,
}

/// <summary>The option that chooses between them.</summary>
internal static class OutputFormats
{
    private static readonly (string Name, OutputFormat Format)[] All =
        [("text", OutputFormat.Text), ("json", OutputFormat.Json), ("csv", OutputFormat.Csv)];

    /// <summary>Makes it, for text and JSON.</summary>
    public static Option<OutputFormat> Option() => Option(All[..2], "is neither text nor json");

    /// <summary>Makes it, for all of them.</summary>
    public static Option<OutputFormat> OptionWithCsv() => Option(All, "is none of text, json, csv");

    /// <summary>A format as the command line has it.</summary>
    public static string NameOf(OutputFormat format) => All.Single(one => one.Format == format).Name;

    private static Option<OutputFormat> Option((string Name, OutputFormat Format)[] formats, string refusal)
    {
        var option = new Option<OutputFormat>("--format")
        {
            Description = "How to print [default: text].",
            HelpName = string.Join('|', formats.Select(one => one.Name)),
            CustomParser = result =>
            {
                string text = result.Tokens[0].Value;
                int index = Array.FindIndex(formats, one => one.Name == text);
                if (index < 0)
                {
                    result.AddError($"--format: '{text}' {refusal}");
                }

                return formats[Math.Max(index, 0)].Format;
            },
        };
        option.CompletionSources.Add([.. formats.Select(one => one.Name)]);
        return option;
    }
}
