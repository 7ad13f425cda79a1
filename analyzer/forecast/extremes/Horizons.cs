namespace Tracer.Forecast;

/// <summary>How far a forecast may go.</summary>
internal static class Horizons
{
    /// <summary>A level that is exceeded more often than this many times per excess lies in the bulk, not in the tail.</summary>
    public const double LeastOnce = 2;

    /// <summary>Refuses a time of use that is too long beside what was observed.</summary>
    public static Refusal? Refusal(long observedNs, long horizonNs)
    {
        double least = horizonNs / ExtremeRules.MostHorizon;
        return observedNs >= least ? null : new Refusal(RefusalReason.TooFar, string.Create(CultureInfo.InvariantCulture,
            $"{Times.Text(horizonNs)} of use take {Times.Text((long)least)} of measuring; {Times.Text(observedNs)} were observed"));
    }
}
