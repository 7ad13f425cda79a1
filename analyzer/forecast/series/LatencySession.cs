namespace Tracer.Forecast;

/// <summary>
/// One stretch of measuring without a restart, such as a trace file. The sessions of a series stand one behind the other on its line of
/// time; what lay between them is not part of it, and nothing is assumed to go on from one to the next.
/// </summary>
/// <param name="StartNs">Where it begins on the series' line of time, in nanoseconds.</param>
/// <param name="EndNs">Where it ends; the next session begins here.</param>
/// <param name="ObservedNs">How much of it was observed: its length without what was not observed (lost buffers, marked snapshots).</param>
public readonly record struct LatencySession(long StartNs, long EndNs, long ObservedNs);
