namespace Tracer.Forecast;

/// <summary>
/// The latency that is exceeded on average once in a time of use, by extreme-value theory; valid for the measured workload only.
/// </summary>
/// <param name="LevelNs">The latency; null where it is refused.</param>
/// <param name="LowNs">Low end of the 95 % interval.</param>
/// <param name="HighNs">Its high end; null where none can be told, too.</param>
/// <param name="Refusal">Why it is refused; null where it is not.</param>
public sealed record ReturnLevel(long HorizonNs, long? LevelNs, long? LowNs, long? HighNs, Refusal? Refusal);

/// <summary>Return levels by one method.</summary>
public sealed record ReturnLevels
{
    /// <summary>Why the method says nothing; null where it does, though not for every time.</summary>
    public Refusal? Refusal { get; init; }

    /// <summary>
    /// The threshold (peaks over threshold), or the length of a block (block maxima), in nanoseconds; null where refused.
    /// </summary>
    public long? ChoiceNs { get; init; }

    /// <summary>How many latencies are above the threshold, or how many blocks there are.</summary>
    public int Count { get; init; }

    /// <summary>How many disturbances these are; the same as <see cref="Count"/> for blocks.</summary>
    public int Clusters { get; init; }

    /// <summary>A disturbance ends where nothing is above the threshold for longer than this, in nanoseconds.</summary>
    public long IntervalNs { get; init; }

    /// <summary>The shape of the tail, xi.</summary>
    public double? Shape { get; init; }

    /// <summary>Its scale, sigma, in nanoseconds.</summary>
    public double? ScaleNs { get; init; }

    /// <summary>The levels, one for each time asked; empty where all are refused.</summary>
    public IReadOnlyList<ReturnLevel> Levels { get; init; } = [];
}
