using System.CommandLine;

namespace Tracer.AnalyzerCommand;

/// <summary>How a command prints.</summary>
internal enum OutputFormat
{
    /// <summary>For people.</summary>
    Text,

    /// <summary>For programs.</summary>
    Json,
}

/// <summary>The option that chooses between them.</summary>
internal static class OutputFormats
{
    /// <summary>Makes it.</summary>
    public static Option<OutputFormat> Option()
    {
        var option = new Option<OutputFormat>("--format")
        {
            Description = "How to print [default: text].",
            HelpName = "text|json",
            CustomParser = result => Parse(result.Tokens[0].Value, result.AddError),
        };
        option.CompletionSources.Add("text", "json");
        return option;
    }

    private static OutputFormat Parse(string text, Action<string> addError)
    {
        switch (text)
        {
            case "text":
                return OutputFormat.Text;
            case "json":
                return OutputFormat.Json;
            default:
                addError($"--format: '{text}' is neither text nor json");
                return OutputFormat.Text;
        }
    }
}
