namespace Tracer.Analysis.Mechanisms;

/// <summary>
/// The thresholds from which a culprit is named and ranked, for all mechanisms. Those of one mechanism are on its page, those from which it
/// is called certain in <see cref="CulpritConfidence"/>.
/// </summary>
internal static class CulpritThresholds
{
    /// <summary>
    /// A culprit with a smaller share of all late time is not named, because such a share may be chance, unless it reaches
    /// <see cref="LeastPartOfEpisode"/>.
    /// </summary>
    public const double LeastShare = 0.02;

    /// <summary>
    /// A culprit with this part of any one episode is named whatever its share of all late time. Without it that episode would have been a
    /// different one.
    /// </summary>
    public const double LeastPartOfEpisode = 0.25;

    /// <summary>
    /// The first culprit's time must be at least this part of the time without an owner for the verdict to name it. Otherwise an unknown
    /// owner may well have the larger part.
    /// </summary>
    public const double LeastOfUnknown = 0.5;

    /// <summary>
    /// A culprit that is not the first is still reported as guilty from this share of all late time on, when the user asks about it.
    /// </summary>
    public const double GuiltyShare = 0.25;

    /// <summary>
    /// From this share of late time without an owner on, no suspect is reported as innocent, and the report warns: the time may be
    /// anyone's.
    /// </summary>
    public const double MuchUnowned = 0.1;
}
