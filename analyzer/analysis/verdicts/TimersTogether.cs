using Tracer.Analysis.Beats;
using Tracer.Analysis.Causes;
using Tracer.Analysis.Mechanisms;

namespace Tracer.Analysis.Verdicts;

/// <summary>
/// DPCs of several drivers that fall together on one beat, each as long as always: their timers expire in one tick of the clock, as Windows
/// arranges for timers of which none is exact. Nobody has half of the time, and together they have most of it.
/// </summary>
/// <param name="Names">The drivers, the one with the largest part first.</param>
/// <param name="Seconds">The length of the beat.</param>
/// <param name="Share">Their part of the latency of all episodes, 0 to 1.</param>
/// <param name="AreTimers">Whether the records say of all these DPCs that a timer expired.</param>
internal sealed record TimersTogether(IReadOnlyList<string> Names, double Seconds, double Share, bool AreTimers)
{
    /// <summary>Two drivers that meet on a beat may be one that calls the other.</summary>
    private const int FewestDrivers = 3;

    /// <summary>Each must be there in this part of the episodes, all together in this part of the time, and one alone in less.</summary>
    private const double Most = 0.5;

    /// <summary>A driver with a smaller part of an episode adds nothing to speak of.</summary>
    private const double LeastOfEpisode = 0.02;

    /// <summary>What happens, as the begin of a sentence.</summary>
    public string Says => AreTimers
        ? $"{Spelled(Names.Count)} drivers' timers expire together"
        : $"The DPCs of {Spelled(Names.Count).ToLowerInvariant()} drivers come together";

    /// <param name="episodes">Those that decide the verdict.</param>
    /// <returns>Null where that is not what happens.</returns>
    public static TimersTogether? Of(BlameFindings findings, IReadOnlyList<NamedEpisode> episodes)
    {
        List<NamedEpisode> queued = [.. episodes.Where(episode => DpcsOf(episode).Any())];
        long all = episodes.Sum(episode => episode.Candidate.LatencyTicks);
        if (queued.Count < Math.Max(BeatTest.LeastBeats, Most * episodes.Count))
        {
            return null;
        }

        List<IGrouping<string, (NamedEpisode Episode, NamedCause Cause)>> drivers =
        [
            .. queued.SelectMany(DpcsOf, (episode, cause) => (Episode: episode, Cause: cause))
                .GroupBy(part => part.Cause.Name!, StringComparer.OrdinalIgnoreCase)
                .Where(driver => driver.Select(part => part.Episode).Distinct().Count() >= Most * queued.Count)
                .OrderByDescending(driver => driver.Sum(part => part.Cause.Ticks)).ThenBy(driver => driver.Key, StringComparer.Ordinal),
        ];
        if (drivers.Count < FewestDrivers || drivers[0].Sum(part => part.Cause.Ticks) >= Most * all
            || drivers.Sum(driver => driver.Sum(part => part.Cause.Ticks)) < Most * all
            || BeatTest.Find([.. queued.Select(BeginOf)]) is not { IsClear: true } beat)
        {
            return null;
        }

        bool areTimers = drivers.TrueForAll(driver => driver.All(part => part.Cause.Share?.Detail is RoutineRan { IsOfTimer: true }));
        return new TimersTogether(
            [.. drivers.Select(driver => driver.Key)], beat.Seconds,
            drivers.Sum(driver => driver.Sum(part => part.Cause.Ticks)) / (double)Math.Max(1, all), areTimers);

        double BeginOf(NamedEpisode episode) =>
            findings.Time(DpcsOf(episode).Min(cause => cause.BeginTicks(episode.Candidate.FromTicks))).Nanoseconds / 1e9;
    }

    private static IEnumerable<NamedCause> DpcsOf(NamedEpisode episode) => episode.Causes.Where(cause =>
        cause is { Kind: CulpritKind.Driver, Mechanism: Mechanism.Dpc, Name: not null }
        && cause.Ticks >= LeastOfEpisode * episode.Candidate.LatencyTicks);

    private static string Spelled(int count) => count switch
    {
        3 => "Three",
        4 => "Four",
        5 => "Five",
        6 => "Six",
        7 => "Seven",
        8 => "Eight",
        9 => "Nine",
        _ => count.ToString(CultureInfo.InvariantCulture),
    };
}
