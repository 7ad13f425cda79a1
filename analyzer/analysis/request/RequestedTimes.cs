namespace Tracer.Analysis.Request;

/// <summary>The times that a user asks about, as written: what they are is known once the trace is.</summary>
public sealed record RequestedTimes
{
    /// <summary>The first time; null for no limit.</summary>
    public TimePoint? From { get; init; }

    /// <summary>The last time; null for no limit.</summary>
    public TimePoint? To { get; init; }

    /// <summary>
    /// The moment around which all is of interest, in the place of <see cref="From"/> and <see cref="To"/>; null for none.
    /// </summary>
    public TimePoint? At { get; init; }

    /// <summary>The moment from which seconds are counted; null for the start of the trace.</summary>
    public TimePoint? Zero { get; init; }

    /// <summary>Whether a trace must be read to know what they are.</summary>
    public bool NeedTrace => new[] { From, To, At, Zero }.Any(point => point is { FromStart: null, Found: null });

    /// <summary>What they are in a trace, from the header event on.</summary>
    /// <exception cref="MeaninglessRequestException">The trace has no such moment.</exception>
    public FoundTimes In(TraceTimes traceTimes)
    {
        ArgumentNullException.ThrowIfNull(traceTimes);
        Duration? zero = Zero is { } zeroPoint ? traceTimes.Find("--zero", zeroPoint, Duration.Zero) : null;
        Duration? Find(string option, TimePoint? point) =>
            point is null ? null : traceTimes.Find(option, point, zero ?? Duration.Zero);
        (Duration? from, Duration? to) = (Find("--from", From), Find("--to", To));
        if (from > to)
        {
            throw new MeaninglessRequestException($"--from {From!.Text} is later than --to {To!.Text}");
        }

        (Duration before, Duration after) = TraceTimes.Around;
        return Find("--at", At) is { } at
            ? new FoundTimes(Before(at, before), Later(at, after.Nanoseconds), at, zero)
            : new FoundTimes(from, to, null, zero);
    }

    /// <summary>So long before a time; of a time after the header event not before that.</summary>
    private static Duration Before(Duration time, Duration length) =>
        Later(time, -(time > Duration.Zero && time < length ? time : length).Nanoseconds);

    private static Duration Later(Duration time, long nanoseconds) =>
        new((long)Int128.Clamp((Int128)time.Nanoseconds + nanoseconds, long.MinValue, long.MaxValue));
}

/// <summary>Times of a trace, from its header event on.</summary>
/// <param name="From">The first time that is asked about; null for no limit.</param>
/// <param name="To">The last time; null for no limit.</param>
/// <param name="At">The moment around which all is of interest; null for none.</param>
/// <param name="Zero">From where seconds are counted; null for the header event.</param>
public sealed record FoundTimes(Duration? From, Duration? To, Duration? At, Duration? Zero);
