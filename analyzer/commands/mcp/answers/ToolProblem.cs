namespace Tracer.AnalyzerCommand.Commands.Mcp.Answers;

/// <summary>Why a tool cannot do what a client asks; the message is one sentence that says what to do.</summary>
internal sealed class ToolProblem(string message) : Exception(message);
