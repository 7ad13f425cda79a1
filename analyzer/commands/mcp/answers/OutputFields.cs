using System.Text.Json.Nodes;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Answers;

/// <summary>
/// The fields of a tool's data, as clients check them: those at the top, with their types; what lies in them is in the reports' reference.
/// </summary>
internal static class OutputFields
{
    /// <summary>The fields of a page of a list.</summary>
    public const string OfPage = "total?:integer first:integer nextCursor:string|null";

    /// <param name="fields">
    /// Name and type of each, such as <c>total:integer</c>; <c>name?:type</c> where it may be absent, types by <c>|</c>.
    /// </param>
    public static JsonObject Schema(string fields)
    {
        var properties = new JsonObject();
        var required = new JsonArray();
        foreach (string field in fields.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            string[] parts = field.Split(':');
            string name = parts[0].TrimEnd('?');
            string[] types = parts[1].Split('|');
            properties[name] = new JsonObject
            {
                ["type"] = types.Length == 1 ? types[0] : new JsonArray([.. types.Select(type => (JsonNode)type)]),
            };
            if (!parts[0].EndsWith('?'))
            {
                required.Add((JsonNode)name);
            }
        }

        return new JsonObject { ["type"] = "object", ["properties"] = properties, ["required"] = required };
    }
}
