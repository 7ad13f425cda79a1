namespace Tracer.AnalyzerCommand.Commands.Export;

/// <summary>The part of a trace that is written, both ends included.</summary>
/// <param name="FromTicks">First time stamp, in ticks.</param>
/// <param name="ToTicks">Last time stamp, in ticks.</param>
internal readonly record struct ExportWindow(long FromTicks, long ToTicks)
{
    /// <summary>Whether a time lies in it.</summary>
    public bool Holds(long ticks) => ticks >= FromTicks && ticks <= ToTicks;
}
