namespace Tracer.Analysis.Machine;

/// <summary>The thread that a CPU runs by its last switch.</summary>
/// <param name="SinceTicks">When the CPU went to it, in ticks.</param>
/// <param name="IsKnown">Whether a switch told it.</param>
internal readonly record struct RunningThread(uint Thread, long SinceTicks, bool IsKnown);
