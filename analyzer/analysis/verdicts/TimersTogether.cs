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

    /// <summary>They must be there in this part of the episodes, all together have this part of the time, and one alone less.</summary>
    private const double Most = 0.5;

    /// <summary>Each must have a part in this part of the episodes.</summary>
    private const double LeastMet = 0.8;

    /// <summary>Who is in fewer episodes is not known to be in the row each time, however many of them began behind it.</summary>
    private const int FewestMet = 3;

    /// <summary>A driver with a smaller part of an episode adds nothing to speak of.</summary>
    private const double LeastOfEpisode = 0.02;

    /// <summary>What happens, as the begin of a sentence.</summary>
    public string Says => AreTimers
        ? $"{Spelled(Names.Count)} drivers' timers expire together"
        : $"The DPCs of {Spelled(Names.Count).ToLowerInvariant()} drivers come together";

    /// <param name="episodes">Those that decide the verdict.</param>
    /// <returns>Null where that is not what happens.</returns>
    public static TimersTogether? Of(BlameFindings findings, IReadOnlyList<NamedEpisode> episodes) =>
        Of(findings, episodes, ofTimers: true) ?? Of(findings, episodes, ofTimers: false);

    private static TimersTogether? Of(BlameFindings findings, IReadOnlyList<NamedEpisode> episodes, bool ofTimers)
    {
        List<NamedEpisode> queued = [.. episodes.Where(episode => DpcsOf(episode).Any())];
        long all = episodes.Sum(episode => episode.Candidate.LatencyTicks);
        if (queued.Count < Math.Max(BeatTest.LeastBeats, Most * episodes.Count))
        {
            return null;
        }

        List<(List<string> Names, bool IsCut)> rows =
            [.. queued.Select(episode => (RowOf(episode), BeginTicks(episode) < episode.Candidate.FromTicks))];
        List<string> fullest = rows.MaxBy(row => row.Names.Count).Names;
        List<(string Name, long Ticks)> drivers =
        [
            .. queued.SelectMany(DpcsOf, (episode, cause) => (Episode: episode, Cause: cause))
                .GroupBy(part => part.Cause.Name!, StringComparer.OrdinalIgnoreCase)
                .Where(driver => IsEachTime(driver.Key, driver.Select(part => part.Episode).Distinct().Count()))
                .Select(driver => (driver.Key, driver.Sum(part => part.Cause.Ticks)))
                .OrderByDescending(driver => driver.Item2).ThenBy(driver => driver.Key, StringComparer.Ordinal),
        ];
        long together = drivers.Sum(driver => driver.Ticks);
        return drivers.Count < FewestDrivers || drivers[0].Ticks >= Most * all || together < Most * all
            || BeatTest.Find([.. queued.Select(BeginOf)]) is not { IsClear: true } beat
            ? null
            : new TimersTogether(
                [.. drivers.Select(driver => driver.Name)], beat.Seconds, together / (double)Math.Max(1, all), ofTimers);

        // A wait that begins while one of the row runs has nothing of those in front of it. Timers of one tick expire in the same order.
        bool IsEachTime(string name, int met)
        {
            int place = ofTimers && met >= FewestMet ? PlaceOf(name) : -1;
            return met >= LeastMet * rows.Count
                || (place >= 0 && met >= LeastMet * rows.Count(row => !IsOver(name, place, row.Names, row.IsCut)));
        }

        bool IsOver(string name, int place, List<string> names, bool isCut) =>
            isCut && place < PlaceOf(names[0]) && !names.Contains(name, StringComparer.OrdinalIgnoreCase);

        int PlaceOf(string name) => fullest.FindIndex(other => other.Equals(name, StringComparison.OrdinalIgnoreCase));

        List<string> RowOf(NamedEpisode episode) =>
            [.. DpcsOf(episode).OrderBy(cause => cause.BeginTicks(episode.Candidate.FromTicks)).Select(cause => cause.Name!)];

        long BeginTicks(NamedEpisode episode) => DpcsOf(episode).Min(cause => cause.BeginTicks(episode.Candidate.FromTicks));

        IEnumerable<NamedCause> DpcsOf(NamedEpisode episode) => episode.Causes.Where(cause =>
            cause is { Kind: CulpritKind.Driver, Mechanism: Mechanism.Dpc, Name: not null }
            && (!ofTimers || cause.Share?.Detail is RoutineRan { IsOfTimer: true })
            && cause.Ticks >= LeastOfEpisode * episode.Candidate.LatencyTicks);

        double BeginOf(NamedEpisode episode) => findings.Time(BeginTicks(episode)).Nanoseconds / 1e9;
    }

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
