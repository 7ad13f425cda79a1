using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Tracer.AnalyzerCommand.Commands.Mcp;
using Tracer.AnalyzerCommand.Commands.Mcp.Traces;
using Tracer.Symbols;

namespace Tracer.Commands.Tests.Mcp;

/// <summary>A client of <c>analyzer mcp</c> that says all it has to say at once and then reads the answers.</summary>
internal sealed class McpAnswers
{
    private McpAnswers(string output, string errors)
    {
        Output = output;
        Errors = errors;
        Assert.True(output.Length == 0 || output[^1] == '\n', "The last line is not ended.");
        Lines = [.. output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => JsonDocument.Parse(line).RootElement)];
    }

    /// <summary>All that the server wrote.</summary>
    public string Output { get; }

    /// <summary>What it wrote to standard error.</summary>
    public string Errors { get; }

    /// <summary>Its lines: each is JSON.</summary>
    public IReadOnlyList<JsonElement> Lines { get; }

    /// <summary>The greeting of a client.</summary>
    public static string Hello { get; } = Request("hello", "initialize", new JsonObject
    {
        ["protocolVersion"] = "2025-06-18",
        ["capabilities"] = new JsonObject(),
        ["clientInfo"] = new JsonObject { ["name"] = "t", ["version"] = "1" },
    }) + "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";

    public static string Request(object id, string method, JsonObject? parameters = null) => new JsonObject
    {
        ["jsonrpc"] = "2.0",
        ["id"] = id is int number ? JsonValue.Create(number) : JsonValue.Create((string)id),
        ["method"] = method,
        ["params"] = parameters ?? [],
    }.ToJsonString() + "\n";

    public static string Call(object id, string tool, string arguments = "{}", string? meta = null)
    {
        var parameters = new JsonObject { ["name"] = tool, ["arguments"] = JsonNode.Parse(arguments) };
        if (meta is not null)
        {
            parameters["_meta"] = JsonNode.Parse(meta);
        }

        return Request(id, "tools/call", parameters);
    }

    public static McpAnswers Of(string folder, string said, TimeSpan? betweenProgress = null) =>
        Of([folder], new MemoryStream(Encoding.UTF8.GetBytes(said)), betweenProgress);

    public static McpAnswers Of(IEnumerable<string> folders, Stream said, TimeSpan? betweenProgress = null, TimeSpan? patience = null)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var errors = new StringWriter { NewLine = "\n" };
        new McpServing
        {
            Folders = TraceFolders.Of(folders),
            Symbols = SymbolPath.Empty,
            AsksServers = false,
            Log = null,
            Errors = errors,
            BetweenProgress = betweenProgress ?? TimeSpan.FromSeconds(1),
            Patience = patience ?? TimeSpan.FromMinutes(1),
        }.Run(said, output);
        return new McpAnswers(output.ToString(), errors.ToString());
    }

    public static JsonElement Ask(string folder, string tool, string arguments) =>
        Of(folder, Hello + Call(1, tool, arguments)).Answer(1).GetProperty("result");

    /// <summary>Asks one tool what it cannot do, and gives its sentence.</summary>
    public static string Problem(string folder, string tool, string arguments)
    {
        JsonElement result = Ask(folder, tool, arguments);
        Assert.True(result.TryGetProperty("isError", out JsonElement isError) && isError.GetBoolean(), result.ToString());
        return TextOf(result);
    }

    public static string TextOf(JsonElement result) => result.GetProperty("content")[0].GetProperty("text").GetString()!;

    public JsonElement Answer(object id) => Assert.Single(Lines, line => line.TryGetProperty("id", out JsonElement given)
        && (id is int number ? given.ValueKind == JsonValueKind.Number && given.GetInt32() == number
            : given.ValueKind == JsonValueKind.String && given.GetString() == (string)id));

    /// <summary>The JSON of a tool's answer.</summary>
    public JsonElement Data(object id)
    {
        JsonElement result = Answer(id).GetProperty("result");
        Assert.False(result.TryGetProperty("isError", out JsonElement isError) && isError.GetBoolean(), result.ToString());
        return result.GetProperty("structuredContent");
    }
}
