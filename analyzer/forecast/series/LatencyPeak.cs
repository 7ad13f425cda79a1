namespace Tracer.Forecast;

/// <summary>One of the longest latencies of a series.</summary>
/// <param name="TimeNs">When it began, in nanoseconds on the series' own line of time (<see cref="LatencySession"/>).</param>
public readonly record struct LatencyPeak(long TimeNs, long LatencyNs);
