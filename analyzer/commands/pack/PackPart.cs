using Tracer.Analysis.Request;

namespace Tracer.AnalyzerCommand.Commands.Pack;

/// <summary>Which part of a trace a pack holds: the worst episodes of the one who is to blame, with what surrounds them.</summary>
internal static class PackPart
{
    /// <summary>Asks for the worst episodes.</summary>
    /// <returns>The request with the times of them; null where there is no episode.</returns>
    public static BlameRequest? Of(BlameReport whole, BlameRequest request, int most)
    {
        Episode[] worst = [.. Candidates(whole).Take(most)];
        return worst.Length == 0
            ? null
            : request with
            {
                Times = null,
                Zero = null,
                At = null,
                From = worst.Min(static episode => episode.Start) - Defaults.BeforeEpisode,
                To = worst.Max(static episode => episode.End) + Defaults.BehindEpisode,
            };
    }

    private static IEnumerable<Episode> Candidates(BlameReport whole)
    {
        bool isFirst = whole.Episodes.Any(static episode => !episode.Secondary);
        IEnumerable<Episode> ranked = whole.Episodes.Where(episode => !isFirst || !episode.Secondary);
        return ranked
            .OrderByDescending(episode => TimeOf(whole.Summary.Culprit, episode))
            .ThenByDescending(static episode => episode.Latency)
            .ThenBy(static episode => episode.Id);
    }

    private static Duration TimeOf(string? culprit, Episode episode) => episode.Causes
        .Where(cause => culprit is not null && cause.Culprit == culprit)
        .Aggregate(Duration.Zero, static (sum, cause) => sum + cause.Time);
}
