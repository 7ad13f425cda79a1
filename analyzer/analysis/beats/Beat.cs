namespace Tracer.Analysis.Beats;

/// <summary>
/// A periodic beat that events keep. Each event falls on one phase of a period, and the error of one event does not shift the later ones,
/// as with a periodic timer. Times are in the unit of the events.
/// </summary>
internal sealed record Beat
{
    /// <summary>
    /// A beat with a smaller part of its periods covered by events is reported beside the facts, not in a headline: too many are missing.
    /// </summary>
    public const double ClearCoverage = 0.7;

    /// <summary>
    /// A beat with more jitter than this part of its period is reported beside the facts, not in a headline: it is too blurred.
    /// </summary>
    public const double ClearJitter = 0.05;

    public required double Seconds { get; init; }

    /// <summary>Standard deviation of the phase, that is, of the distance between the beat and the events on it.</summary>
    public required double Jitter { get; init; }

    /// <summary>Time of the first beat that has an event.</summary>
    public required double First { get; init; }

    /// <summary>Number of beats from the first to the last one that has an event.</summary>
    public required long Beats { get; init; }

    /// <summary>How many of these beats have an event.</summary>
    public required int BeatsWithEvent { get; init; }

    /// <summary>Number of events; a burst counts once.</summary>
    public required int Events { get; init; }

    /// <summary>How many of these events are on the beat.</summary>
    public required int EventsOnBeat { get; init; }

    /// <summary>An event farther from the beat than this is not on it.</summary>
    public required double Window { get; init; }

    /// <summary>
    /// Whether it is proved that an error of one event does not shift the later ones. Else the intervals are just as alike as those of work
    /// that begins some time after the last of its kind ended: a loop that sleeps.
    /// </summary>
    public required bool IsKept { get; init; }

    /// <summary>Time of the last beat that has an event.</summary>
    public double Last => First + ((Beats - 1) * Seconds);

    /// <summary>The part of the beats that have an event, 0 to 1.</summary>
    public double Coverage => (double)BeatsWithEvent / Beats;

    /// <summary>Whether the beat is clear enough for a headline: few beats without an event, little jitter.</summary>
    public bool IsClear => Coverage >= ClearCoverage && Jitter <= ClearJitter * Seconds;

    /// <summary>How far a time is from the nearest beat.</summary>
    /// <param name="time">The time; the beat is continued before its first and after its last event.</param>
    /// <returns>Negative before the beat, positive after it; at most half a beat.</returns>
    public double Off(double time)
    {
        double beats = (time - First) / Seconds;
        return (beats - Math.Round(beats)) * Seconds;
    }

    /// <returns>True if no farther from a beat than <see cref="Window"/>.</returns>
    public bool Has(double time) => Math.Abs(Off(time)) <= Window;
}
