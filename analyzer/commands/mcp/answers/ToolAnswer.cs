using System.Text.Json.Nodes;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Answers;

/// <summary>What a tool says: a text to read, and the same as JSON.</summary>
/// <param name="Text">The text; strings of traces in it have no unprintable characters.</param>
/// <param name="Data">The JSON, which holds no more than <see cref="BoundedJson.MostBytes"/>.</param>
internal sealed record ToolAnswer(string Text, JsonObject Data);
