using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>
/// How long the ISRs or DPCs of a driver ran, as a text of another program tells it, or a trace in the way of such texts: gross, by the
/// module of the routine. Buckets tell no exact length, so that percentiles are upper bounds.
/// </summary>
public sealed record ToldRunTimes
{
    public required string Input { get; init; }

    public required RunTimeSource Source { get; init; }

    /// <summary>Whether ISRs, else DPCs.</summary>
    public required bool Isr { get; init; }

    /// <summary>The module; null for all together.</summary>
    public required string? Driver { get; init; }

    /// <summary>How long was measured.</summary>
    [JsonPropertyName("measuredUs")]
    public required Duration Measured { get; init; }

    /// <summary>Number of runs; null where the source does not tell it.</summary>
    public required long? Count { get; init; }

    /// <summary>What they took together; null where the source does not tell it.</summary>
    [JsonPropertyName("totalUs")]
    public required Duration? Total { get; init; }

    /// <summary>None ran longer; null where the source does not tell it.</summary>
    [JsonPropertyName("longestUs")]
    public required Duration? Longest { get; init; }

    /// <summary>Upper bounds of 50, 90, 99, 99.9, 99.99 and 99.999 %, in this order; empty where the source has no buckets.</summary>
    public required IReadOnlyList<LatencyPercentile> Percentiles { get; init; }

    /// <summary>By length, as the source has them.</summary>
    public required IReadOnlyList<RunTimeBucket> Buckets { get; init; }

    /// <summary>The mean; null where count or sum is not told.</summary>
    [JsonIgnore]
    public Duration? Mean => Count > 0 && Total is { } total ? new Duration(total.Nanoseconds / Count.Value) : null;

    /// <summary>Runs a second; null where their number is not told.</summary>
    [JsonIgnore]
    public double? PerSecond => Count is { } count && Measured > Duration.Zero ? count / (Measured.Nanoseconds / 1e9) : null;

    /// <summary>What they took in a second; null where their sum is not told.</summary>
    [JsonIgnore]
    public Duration? TimePerSecond => Total is { } total && Measured > Duration.Zero
        ? new Duration((long)(1e9 * total.Nanoseconds / Measured.Nanoseconds))
        : null;

    /// <summary>Makes those of a histogram.</summary>
    /// <param name="longest">None ran longer; null where only the buckets tell.</param>
    public static ToldRunTimes Of(
        string input,
        RunTimeSource source,
        bool isr,
        string? driver,
        Duration measured,
        Duration? total,
        Duration? longest,
        IReadOnlyList<RunTimeBucket> buckets)
    {
        ArgumentNullException.ThrowIfNull(buckets);
        long count = buckets.Sum(bucket => bucket.Count);
        RunTimeBucket[] byEnd =
            [.. buckets.Where(bucket => bucket.Count > 0).OrderBy(bucket => bucket.AtMost ?? new Duration(long.MaxValue))];
        return new ToldRunTimes
        {
            Input = input,
            Source = source,
            Isr = isr,
            Driver = driver,
            Measured = measured,
            Count = count,
            Total = total,
            Longest = longest ?? (byEnd.Length > 0 ? byEnd[^1].AtMost : null),
            Percentiles = [.. LatencyDistributions.Percents.Select(percent => new LatencyPercentile(percent, Bound(percent)))],
            Buckets = buckets,
        };

        // A percentile that less than one run lies beyond is not told, as of latencies.
        Duration? Bound(decimal percent)
        {
            if (count * (100 - percent) < 100)
            {
                return null;
            }

            long seen = 0;
            Duration? bound = byEnd.First(bucket => (seen += bucket.Count) * 100m >= count * percent).AtMost;
            return longest is { } most && (bound is null || most < bound) ? most : bound;
        }
    }
}

/// <summary>Runs of like length.</summary>
/// <param name="Over">They took longer than this; of the first bucket, no less.</param>
/// <param name="AtMost">They took no longer; null where the source gives no end.</param>
public sealed record RunTimeBucket(
    [property: JsonPropertyName("overUs")] Duration Over, [property: JsonPropertyName("atMostUs")] Duration? AtMost, long Count);

/// <summary>Who tells run times. In JSON in kebab case.</summary>
[JsonConverter(typeof(KebabCaseConverter<RunTimeSource>))]
public enum RunTimeSource
{
    /// <summary>The records of a trace, counted as xperf does.</summary>
    Trace,

    /// <summary>A text of <c>xperf -a dpcisr</c>.</summary>
    Xperf,

    /// <summary>A report of LatencyMon.</summary>
    LatencyMon,
}
