using Tracer.Analysis.Causes;
using Tracer.Analysis.Contents;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Verdicts;

namespace Tracer.Analysis.Report;

/// <summary>
/// Puts what Windows recorded of glitches beside what the trace shows: who was late, or who was on time, and where the two disagree.
/// </summary>
internal sealed class GlitchMaker
{
    private readonly BlameFindings _findings;
    private readonly Dictionary<int, (NamedEpisode Episode, int Id)> _explained = [];

    public GlitchMaker(BlameFindings findings, IReadOnlyList<NamedEpisode> episodes)
    {
        _findings = findings;
        for (int id = 0; id < episodes.Count; id++)
        {
            foreach (int number in episodes[id].Candidate.Glitches)
            {
                _explained[number] = (episodes[id], id);
            }
        }

        All = [.. GlitchVictims.Asked(findings).Select(one => Make(one.Number, one.Glitch))];
    }

    public IReadOnlyList<Glitch> All { get; }

    /// <summary>How many there are, and by whom; null where there is none.</summary>
    public GlitchCounts? Counts()
    {
        GlitchRecords records = _findings.Facts.Glitches;
        return All.Count == 0 && (_findings.Glitches is null || records.Counted == 0)
            ? null
            : new GlitchCounts
            {
                Audio = All.Count(one => one.Sound),
                Frames = All.Count(one => one is { Sound: false, Side: not GlitchSide.Unknown }),
                Marks = All.Count(one => one.Side == GlitchSide.Unknown),
                Unexplained = All.Count(one => one.Episode is null),
                Unowned = All.Count(one => one is { Episode: not null, Culprit: null }),
                By =
                [
                    .. All.Where(one => one.Culprit is not null).GroupBy(one => one.Culprit!)
                        .Select(group => new GlitchesOf(group.Key, group.Count()))
                        .OrderByDescending(group => group.Count).ThenBy(group => group.Name, StringComparer.Ordinal),
                ],
                More = records.More,
                CountedByEngine = records.Counted,
            };
    }

    /// <summary>The beginning of the conclusion: how many, and by whom; empty where there is none.</summary>
    public string Headline(GlitchCounts? counts, Duration? length)
    {
        if (counts is not { All: > 0 })
        {
            return string.Empty;
        }

        if (_findings.Request.Glitch is { } number)
        {
            string whose = counts.By.Count > 0 ? $"by {counts.By[0].Name}"
                : counts.Unowned > 0 ? "late with no known owner"
                : "unexplained";
            int all = _findings.Glitches?.All.Count ?? 0;
            return string.Create(CultureInfo.InvariantCulture, $"Glitch {number} of {all:N0}: {whose}. ");
        }

        string[] parts =
        [
            .. counts.By.Take(3).Select(one => string.Create(CultureInfo.InvariantCulture, $"{one.Count:N0} by {one.Name}")),
            .. counts.By.Count > 3
                ? [string.Create(CultureInfo.InvariantCulture, $"{counts.By.Skip(3).Sum(one => one.Count):N0} by others")]
                : Array.Empty<string>(),
            .. counts.Unowned > 0
                ? [string.Create(CultureInfo.InvariantCulture, $"{counts.Unowned:N0} late with no known owner")]
                : Array.Empty<string>(),
            .. counts.Unexplained > 0
                ? [string.Create(CultureInfo.InvariantCulture, $"{counts.Unexplained:N0} unexplained")]
                : Array.Empty<string>(),
        ];
        string within = length is { } known ? $" in {ReadableDuration.Of(known)}" : string.Empty;
        return $"{counts.Words}{within}: {string.Join(", ", parts)}. ";
    }

    private Glitch Make(int number, RecordedGlitch glitch)
    {
        GlitchRecord first = glitch.Records[0];
        (NamedEpisode Episode, int Id)? explained = _explained.TryGetValue(number, out (NamedEpisode, int) known) ? known : null;
        return new Glitch
        {
            Number = glitch.Number,
            At = _findings.Time(glitch.Ticks),
            Sound = glitch.IsSound,
            Side = first.Kind.Side,
            Process = glitch.IsMark ? null : NameOf(first.Process, glitch.Ticks),
            Records =
            [
                .. glitch.Records.Select(record => new GlitchTold(
                    _findings.Time(record.Ticks),
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{record.Kind.ProviderName}/{record.Kind.Id} {record.Kind.Name}"),
                    record.Words)),
            ],
            Episode = explained?.Id,
            Culprit = explained?.Episode.Causes.Where(cause => cause.Name is not null).GroupBy(cause => cause.Name)
                .OrderByDescending(cause => cause.Sum(part => part.Ticks)).ThenBy(cause => cause.Key, StringComparer.Ordinal)
                .Where(cause => 2 * cause.Sum(part => part.Ticks) >= Unnamed(explained.Value.Episode))
                .FirstOrDefault()?.Key,
            OnTime = explained is null && !glitch.IsMark ? OnTime(number, glitch) : null,
            Disagrees = explained is { Episode.Candidate: var late } ? Disagreement(glitch, late) : null,
        };
    }

    /// <summary>The time of an episode that has no owner, in ticks.</summary>
    private static long Unnamed(NamedEpisode episode) =>
        episode.Candidate.LatencyTicks - episode.Causes.Where(cause => cause.Name is not null).Sum(cause => cause.Ticks);

    private string OnTime(int number, RecordedGlitch glitch)
    {
        if (!_findings.Summary.Has.ContextSwitches)
        {
            return "Context switches were not recorded, so that nobody knows who was on time.";
        }

        string[] told =
        [
            .. Near(number, isWriter: true).Concat(Near(number, isWriter: false)).Select(Words),
        ];
        return told.Length == 0
            ? $"The trace holds no turn of {NameOf(glitch.Records[0].Process, glitch.Ticks) ?? "a thread"} around it."
            : string.Join("; ", told) + ".";

        IEnumerable<NearJob> Near(int of, bool isWriter) => _findings.Glitches?.Near(of, isWriter) is { } job ? [job] : [];

        string Words(NearJob job)
        {
            string owner = _findings.Facts.Threads.ProcessOf(job.Thread, glitch.Ticks) is { } process
                && NameOf(process, glitch.Ticks) is { } name ? $"{name}, tid " : "Thread ";
            string spare = job.SpareTicks switch
            {
                null => string.Empty,
                < 0 and long late => $", {Length(-late)} after its deadline",
                long early => $", {Length(early)} before its deadline",
            };
            return owner + job.Thread.ToString(CultureInfo.InvariantCulture)
                + $" was done {Length(job.ResponseTicks)} after it should have run{spare}, and lost {Length(job.LostTicks)} of that";
        }
    }

    private string? Disagreement(RecordedGlitch glitch, EpisodeCandidate late)
    {
        GlitchRecord? told = glitch.Records.Find(record => record.Kind.Use == GlitchUse.Glitch);
        if (told is null || glitch.IsMark || late.ThreadId is not { } thread)
        {
            return null;
        }

        if (told.DeadlineTicks is { } && told.Thread == thread && late.Delay.Job is { OverdueTicks: 0, DeadlineTicks: { } deadline } job)
        {
            return $"The record says that {told.Words}, but by the trace that thread was done {Length(deadline - job.EndTicks)} before it.";
        }

        // Both are told: the record judges by what it found, the trace by who was late.
        bool isOfWriter = _findings.Facts.Threads.ProcessOf(thread, late.ToTicks) == told.Process;
        return GlitchVictims.IsWritersSide(told) == isOfWriter
            ? null
            : $"The record says that {told.Words}, but by the trace the other side was late.";
    }

    private string? NameOf(uint process, long ticks) => _findings.Facts.Threads.NameOf(process, ticks);

    private string Length(long ticks) => ReadableDuration.Of(_findings.Length(ticks));
}
