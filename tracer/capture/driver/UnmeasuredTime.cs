namespace Tracer.Capture.Driver;

/// <summary>
/// What of a run's time the driver did not measure, because the machine slept or was about to: it counts its own time by clocks that stand
/// still then. A night of which nothing is said would be taken for a quiet one.
/// </summary>
public sealed class UnmeasuredTime
{
    /// <summary>Less is what lies between two answers of a busy machine.</summary>
    private static readonly Duration Least = Duration.FromSeconds(5);

    private Duration _told = Duration.Zero;

    /// <param name="elapsed">Since it began, by the performance counter.</param>
    /// <param name="measured">How long it was on, by the driver.</param>
    /// <returns>A sentence; null where nothing new is to be told.</returns>
    public string? Look(Duration elapsed, Duration measured)
    {
        Duration missed = elapsed - measured;
        if (missed - _told < Least)
        {
            return null;
        }

        _told = missed;
        return $"the driver has not measured {ReadableDuration.Of(missed)} of {ReadableDuration.Of(elapsed)}: the machine slept meanwhile";
    }
}
