namespace Tracer.Capture.Sessions;

/// <summary>Puts together what several ask of one provider: a session takes the last word only.</summary>
public static class ProviderRequests
{
    /// <returns>One for each provider, in the order in which it was first asked for: what any of them wants.</returns>
    public static IReadOnlyList<ProviderRequest> Joined(IEnumerable<ProviderRequest> requests) =>
        [.. requests.GroupBy(static one => one.Id).Select(static group => group.Aggregate(Join))];

    private static ProviderRequest Join(ProviderRequest one, ProviderRequest other) => one with
    {
        Keywords = one.Keywords | other.Keywords,
        Level = Math.Max(one.Level, other.Level),
        EventIds = one.EventIds.Count == 0 || other.EventIds.Count == 0 ? [] : [.. one.EventIds.Union(other.EventIds)],
        AsksState = one.AsksState || other.AsksState,
    };
}
