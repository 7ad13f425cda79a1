using System.Text.Json;
using System.Text.Json.Nodes;
using ModelContextProtocol.Protocol;
using Tracer.AnalyzerCommand.Commands.Mcp.Answers;
using Tracer.AnalyzerCommand.Commands.Mcp.Traces;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Tools;

/// <summary>A tool of <c>analyzer mcp</c>: it reads, and changes nothing.</summary>
internal abstract class McpTool
{
    public abstract string Name { get; }

    /// <summary>Its name for people.</summary>
    public abstract string Title { get; }

    /// <summary>What it tells, in which units, and when to ask it: an assistant reads nothing else.</summary>
    public abstract string Description { get; }

    public abstract IReadOnlyList<ToolArgument> Arguments { get; }

    /// <summary>The fields of its data, as <see cref="OutputFields.Schema"/> reads them.</summary>
    public abstract string Output { get; }

    /// <exception cref="ToolProblem">It cannot.</exception>
    public abstract Task<ToolAnswer> AnswerAsync(ToolCall call, ToolWork work);

    /// <summary>The tool as clients are told of it.</summary>
    /// <param name="asksServers">Whether it may ask a symbol server.</param>
    public Tool Describe(bool asksServers)
    {
        var properties = new JsonObject();
        foreach (ToolArgument argument in Arguments)
        {
            properties[argument.Name] = argument.Schema();
        }

        var schema = new JsonObject
        {
            ["type"] = "object",
            ["properties"] = properties,
            ["required"] = new JsonArray([.. Arguments.Where(one => one.IsRequired).Select(one => (JsonNode)one.Name)]),
            ["additionalProperties"] = false,
        };
        return new Tool
        {
            Name = Name,
            Title = Title,
            Description = Description,
            InputSchema = ElementOf(schema),
            OutputSchema = ElementOf(OutputFields.Schema(Output)),
            Annotations = new ToolAnnotations
            {
                Title = Title,
                ReadOnlyHint = true,
                DestructiveHint = false,
                IdempotentHint = true,
                OpenWorldHint = asksServers,
            },
        };
    }

    /// <summary>JSON as the protocol's library takes it.</summary>
    public static JsonElement ElementOf(JsonNode node)
    {
        using var document = JsonDocument.Parse(node.ToJsonString());
        return document.RootElement.Clone();
    }
}
