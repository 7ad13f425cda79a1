using Tracer.Capture.Ground;

namespace Tracer.Capture.Engine;

/// <summary>
/// The episodes that are kept: so many of the worst, as many events, which have no latency, and all that the user asked for.
/// </summary>
public sealed class KeptEpisodes(int most)
{
    /// <summary>A screen shows a handful.</summary>
    private const int MostSuspects = 20;

    private readonly List<CapturedEpisode> _episodes = [];

    /// <summary>Them, in order of their number.</summary>
    public IReadOnlyList<CapturedEpisode> Episodes => _episodes;

    public long Bytes => _episodes.Sum(static episode => episode.Bytes);

    /// <summary>The shortest latency, once there are as many as are kept; else 0.</summary>
    public long LeastNs => Measured.Count() < most ? 0 : Measured.Min(static episode => episode.Latency.Nanoseconds);

    /// <summary>Whether there are as many events as are kept.</summary>
    public bool EventsAreFull => _episodes.Count(static episode => episode.Trigger == TriggerKind.Event) >= most;

    private IEnumerable<CapturedEpisode> Measured => _episodes.Where(static episode => !episode.Trigger.IsInstant());

    /// <returns>The one that it replaces, whose file is to be deleted; null where there was room.</returns>
    public CapturedEpisode? Add(CapturedEpisode episode)
    {
        _episodes.Add(episode);
        if (episode.Trigger.IsInstant() || Measured.Count() <= most)
        {
            return null;
        }

        CapturedEpisode least = Measured.OrderBy(static one => one.Latency).ThenByDescending(static one => one.Number).First();
        _episodes.Remove(least);
        return least;
    }

    /// <returns>The most blamed time first.</returns>
    public IReadOnlyList<CaptureSuspect> Suspects() =>
    [
        .. _episodes
            .SelectMany(static episode => episode.Suspects.Select((suspect, rank) => (suspect, IsFirst: rank == 0)))
            .GroupBy(static one => one.suspect.Name, StringComparer.OrdinalIgnoreCase)
            .Select(static group => new CaptureSuspect(
                group.Key,
                group.Aggregate(Duration.Zero, static (sum, one) => sum + one.suspect.Blamed),
                group.Count(static one => one.IsFirst)))
            .OrderByDescending(static suspect => suspect.Blamed)
            .ThenBy(static suspect => suspect.Name, StringComparer.Ordinal)
            .Take(MostSuspects),
    ];
}
