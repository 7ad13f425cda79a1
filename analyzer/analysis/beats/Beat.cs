namespace Tracer.Analysis;

/// <summary>
/// A beat of events: they come at one phase of a period, and an error of one event does not move those after it, as with a periodic timer.
/// Times in the unit of the events.
/// </summary>
internal sealed record Beat
{
    /// <summary>Less coverage than this is told beside the facts, not in a headline.</summary>
    public const double ClearCoverage = 0.7;

    /// <summary>More jitter than this part of the beat is told beside the facts, not in a headline.</summary>
    public const double ClearJitter = 0.05;

    /// <summary>The length of a beat.</summary>
    public required double Seconds { get; init; }

    /// <summary>The standard deviation of the phase: of the distance of the events on the beat from it.</summary>
    public required double Jitter { get; init; }

    /// <summary>When the first beat with an event was.</summary>
    public required double First { get; init; }

    /// <summary>Beats from the first with an event to the last with one.</summary>
    public required long Beats { get; init; }

    /// <summary>How many of them have one.</summary>
    public required int BeatsWithEvent { get; init; }

    /// <summary>How many events there were, each burst counted once.</summary>
    public required int Events { get; init; }

    /// <summary>How many of them are on the beat.</summary>
    public required int EventsOnBeat { get; init; }

    /// <summary>What is farther from a beat is not on it.</summary>
    public required double Window { get; init; }

    /// <summary>When the last beat with an event was.</summary>
    public double Last => First + ((Beats - 1) * Seconds);

    /// <summary>The part of the beats that have an event, 0 to 1.</summary>
    public double Coverage => (double)BeatsWithEvent / Beats;

    /// <summary>Whether it is plain enough for a headline: few beats without an event, little jitter.</summary>
    public bool IsClear => Coverage >= ClearCoverage && Jitter <= ClearJitter * Seconds;

    /// <summary>How far a time is from the nearest beat.</summary>
    /// <param name="time">The time; before the first and after the last beat it goes on as between them.</param>
    /// <returns>Negative before the beat, positive after it; at most half a beat.</returns>
    public double Off(double time)
    {
        double beats = (time - First) / Seconds;
        return (beats - Math.Round(beats)) * Seconds;
    }

    /// <summary>Whether a time is on the beat.</summary>
    /// <param name="time">The time.</param>
    /// <returns>True if no farther from a beat than <see cref="Window"/>.</returns>
    public bool Has(double time) => Math.Abs(Off(time)) <= Window;
}
