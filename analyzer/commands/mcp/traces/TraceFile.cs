namespace Tracer.AnalyzerCommand.Commands.Mcp.Traces;

/// <summary>A file as it was when it was asked for.</summary>
/// <param name="Path">Its whole path, without links.</param>
/// <param name="Length">Its length in bytes.</param>
/// <param name="Written">When it was written last, in ticks of .NET.</param>
internal sealed record TraceFile(string Name, string Path, long Length, long Written);
