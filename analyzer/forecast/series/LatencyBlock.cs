namespace Tracer.Forecast;

/// <summary>
/// What was measured in one block of time; all blocks of a series are equally long, but the last of a session may be cut short.
/// </summary>
/// <param name="StartNs">Where the block begins, in nanoseconds on the series' own line of time.</param>
/// <param name="ObservedNs">
/// How much of the block was observed, in nanoseconds: its length without what was not observed and without what lies behind the end.
/// </param>
/// <param name="Waits">How many waits were measured in it.</param>
/// <param name="MaximumNs">The longest of them in nanoseconds; 0 where there was none.</param>
public readonly record struct LatencyBlock(long StartNs, long ObservedNs, long Waits, long MaximumNs);
