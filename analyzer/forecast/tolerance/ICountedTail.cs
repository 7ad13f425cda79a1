namespace Tracer.Forecast;

/// <summary>Waits that were measured and counted: what dropouts are told from.</summary>
public interface ICountedTail : ILatencyTail
{
    /// <summary>How many waits were measured.</summary>
    long Waits { get; }

    long ObservedNs { get; }

    /// <summary>How many waits take longer.</summary>
    long CountAbove(double latencyNs);

    /// <summary>Variance over mean of the number of waits that take longer; null where nothing tells when they were.</summary>
    double? DispersionAbove(double latencyNs);
}
