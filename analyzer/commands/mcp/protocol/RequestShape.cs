using System.Text.Json;
using System.Text.Json.Nodes;
using ModelContextProtocol.Protocol;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Protocol;

/// <summary>What the parameters of a request have to look like; the library takes what does not for a mistake of its own.</summary>
internal static class RequestShape
{
    /// <summary>What is wrong with the parameters of a request; null where nothing is.</summary>
    public static string? Problem(JsonRpcRequest request)
    {
        if (request.Params is not (null or JsonObject))
        {
            return "params: an object is expected";
        }

        var given = request.Params as JsonObject;
        return request.Method switch
        {
            RequestMethods.ToolsCall when !IsText(given?["name"]) => "params.name: the name of a tool is expected",
            RequestMethods.ToolsCall when given!["arguments"] is not (null or JsonObject) => "params.arguments: an object is expected",
            RequestMethods.ResourcesRead when !IsText(given?["uri"]) => "params.uri: the address of a resource is expected",
            _ => null,
        };
    }

    private static bool IsText(JsonNode? node) => node?.GetValueKind() == JsonValueKind.String;
}
