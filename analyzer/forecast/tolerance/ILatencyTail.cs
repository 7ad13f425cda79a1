namespace Tracer.Forecast;

/// <summary>How large a part of waits is longer than a latency.</summary>
public interface ILatencyTail
{
    /// <summary>The part of waits, 0 to 1, that take longer.</summary>
    double Above(double latencyNs);
}
