using System.Text.Json.Nodes;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Answers;

/// <summary>What a value of an argument looks like.</summary>
internal enum ArgumentKind
{
    Text,

    /// <summary>A whole number.</summary>
    Number,

    /// <summary>Several texts.</summary>
    Texts,
}

/// <summary>An argument of a tool, as a client reads of it before it asks.</summary>
/// <param name="Description">What it means, with its unit and an example.</param>
internal sealed record ToolArgument(string Name, ArgumentKind Kind, string Description)
{
    /// <summary>Whether a call without it is wrong.</summary>
    public bool IsRequired { get; init; }

    /// <summary>The only values; empty for any.</summary>
    public IReadOnlyList<string> Choices { get; init; } = [];

    public long Least { get; init; }

    public long Most { get; init; } = int.MaxValue;

    public JsonObject Schema()
    {
        var schema = new JsonObject
        {
            ["type"] = Kind switch
            {
                ArgumentKind.Number => "integer",
                ArgumentKind.Texts => "array",
                _ => "string",
            },
            ["description"] = Description,
        };
        if (Kind == ArgumentKind.Number)
        {
            (schema["minimum"], schema["maximum"]) = (Least, Most);
        }

        if (Kind == ArgumentKind.Texts)
        {
            (schema["items"], schema["maxItems"]) = (new JsonObject { ["type"] = "string" }, ToolCall.MostTexts);
        }

        if (Choices.Count > 0)
        {
            schema["enum"] = new JsonArray([.. Choices.Select(choice => (JsonNode)choice)]);
        }

        return schema;
    }
}
