namespace Tracer.Analysis.Latencies;

/// <summary>The latencies of one trace.</summary>
public sealed record LatencyFindings
{
    public required TraceSummary Trace { get; init; }

    /// <summary>How long was measured, as far as the trace tells.</summary>
    public required Duration Measured { get; init; }

    /// <summary>The histograms: of everything of a kind and source, and of its parts.</summary>
    public required IReadOnlyList<MeasuredPart> Parts { get; init; }

    /// <summary>The intervals between the wake-ups of periodic threads.</summary>
    public required IReadOnlyList<CallbackIntervals> Callbacks { get; init; }

    public required IReadOnlyList<LeftOutLatencies> LeftOut { get; init; }

    /// <summary>From where on wake-ups were logged, where the driver or the probe logged only late ones; null for all.</summary>
    public Duration? WakeupsFrom { get; init; }

    public required IReadOnlyList<string> Warnings { get; init; }
}

/// <param name="Histogram">In nanoseconds.</param>
public readonly record struct MeasuredPart(LatencyKind Kind, LatencySource Source, LatencyPart Part, HdrHistogram Histogram);
