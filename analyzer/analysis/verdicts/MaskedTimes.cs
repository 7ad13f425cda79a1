using Tracer.Analysis.Mechanisms;

namespace Tracer.Analysis.Verdicts;

/// <summary>
/// Joins parts that are one thing. A driver that masks interrupts shows as a blackout where it does so for longer than a sample interval,
/// and as raised IRQL that a late sample hit where it is shorter. If most of the driver's time is blackout, its other parts without any
/// served interrupt become blackouts, too.
/// </summary>
internal static class MaskedTimes
{
    public static List<NamedEpisode> Joined(List<NamedEpisode> episodes)
    {
        HashSet<string> masking = new(
            episodes.SelectMany(episode => episode.Causes)
                .Where(cause => cause is { Kind: CulpritKind.Driver, Mechanism: Mechanism.Blackout or Mechanism.RaisedIrql })
                .GroupBy(cause => cause.Name!, StringComparer.OrdinalIgnoreCase)
                .Where(cause => cause.Sum(part => part.Mechanism == Mechanism.Blackout ? part.Ticks : -part.Ticks) > 0)
                .Select(cause => cause.Key),
            StringComparer.OrdinalIgnoreCase);
        return masking.Count == 0
            ? episodes
            : [.. episodes.Select(episode => episode with { Causes = [.. episode.Causes.Select(Joined)] })];

        NamedCause Joined(NamedCause cause) =>
            cause.Kind == CulpritKind.Driver && masking.Contains(cause.Name!) ? BlackoutPage.Silent(cause) : cause;
    }
}
