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
    /// <summary>Deadlines of one job that differ by less are one, in ns: a record's times are rounded.</summary>
    private const long DeadlinesAlikeNanoseconds = 100_000;

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
        (long counted, long tooMany) = GlitchVictims.EngineCounts(_findings);
        return All.Count == 0 && counted + tooMany == 0
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
                More = _findings.Facts.Glitches.More,
                CountedByEngine = counted,
                TooMany = tooMany,
            };
    }

    /// <summary>The beginning of the conclusion: how many, and by whom; empty where there is none.</summary>
    public string Headline(GlitchCounts? counts, Duration? length)
    {
        if (counts is not { All: > 0 })
        {
            return counts is null ? string.Empty : $"The audio engine {GlitchCounts.EngineWords(counts.CountedByEngine, counts.TooMany)}. ";
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
            ByTrace = explained is { Episode.Candidate: var late } ? DoneBefore(number, glitch, late) : ByTrace(number, glitch),
            Disagrees = Disagreement(number, glitch, explained?.Episode.Candidate),
        };
    }

    /// <summary>The time of an episode that has no owner, in ticks.</summary>
    private static long Unnamed(NamedEpisode episode) =>
        episode.Candidate.LatencyTicks - episode.Causes.Where(cause => cause.Name is not null).Sum(cause => cause.Ticks);

    private string? OnTime(int number, RecordedGlitch glitch) => _findings.Glitches is { } threads
        ? Sentence(GlitchVictims.Near(number, _findings).Where(threads.IsOnTime).Select(job => Words(job, glitch)))
        : null;

    /// <summary>What is to be told of those who were not on time, or of whom that is not known; null for nothing.</summary>
    private string? ByTrace(int number, RecordedGlitch glitch)
    {
        if (!_findings.Summary.Has.ContextSwitches)
        {
            return "Context switches were not recorded, so nobody knows who was on time.";
        }

        NearJob[] near = [.. GlitchVictims.Near(number, _findings)];
        if (near.Length == 0)
        {
            return NameOf(glitch.Records[0].Process, glitch.Ticks) is not { } whose
                ? "Who wrote the record is not known, so nobody knows whose turn it was."
                : _findings.Request is { Process: null, Thread: null }
                ? $"The trace holds no turn of {whose} around it."
                : $"No turn of {whose} was looked at: the question leaves that out.";
        }

        GlitchThreads threads = _findings.Glitches!;
        string? told = Sentence(near.Where(job => !threads.IsOnTime(job)).Select(job => Words(job, glitch)));
        return near.Any(job => threads.IsLate(job) && GlitchVictims.IsLeftOut(job, _findings))
            ? told + " The question leaves that out."
            : told;
    }

    /// <summary>How long before the first record the one who explains it was done; null where it was not done by then.</summary>
    private string? DoneBefore(int number, RecordedGlitch glitch, EpisodeCandidate late)
    {
        if (late.ThreadId is not { } thread || glitch is not { IsMark: false, Records: [{ SinceTicks: null }, ..] })
        {
            return null;
        }

        // A wait ends with the first instruction; what the thread did then is its turn.
        long? end = late.Delay.Job?.EndTicks ?? GlitchVictims.Near(number, _findings).Where(job => job.Thread == thread)
            .Select(job => (long?)job.EndTicks).FirstOrDefault();
        return end < glitch.Ticks
            ? Sentence([$"{OwnerOf(thread, glitch.Ticks)} was done {Length(glitch.Ticks - end.Value)} before the record"])
            : null;
    }

    private static string? Sentence(IEnumerable<string> parts) => string.Join("; ", parts) is { Length: > 0 } all ? all + "." : null;

    private string OwnerOf(uint thread, long ticks) => (_findings.Facts.Threads.ProcessOf(thread, ticks) is { } process
        && NameOf(process, ticks) is { } name ? $"{name}, tid " : "Thread ") + thread.ToString(CultureInfo.InvariantCulture);

    private string Words(NearJob job, RecordedGlitch glitch)
    {
        string ready = job.ReadyTicks switch
        {
            { } at when job.DueTicks is { } due => $"made ready {Length(at - due)} late, ",
            { } at when at > job.DeadlineTicks => $"made ready {Length(at - job.DeadlineTicks.Value)} after its deadline, ",
            _ => string.Empty,
        };
        string spare = job.SpareTicks switch
        {
            null => string.Empty,
            < 0 and long late => $", {Length(-late)} after its deadline",
            long early => $", {Length(early)} before its deadline",
        };
        string before = job.EndTicks < glitch.Ticks && _findings.Glitches!.IsLate(job)
            ? $", {Length(glitch.Ticks - job.EndTicks)} before the record"
            : string.Empty;
        string unknown = job.SpareTicks is null && !_findings.Glitches!.IsOnTime(job)
            ? "; by when it should have been done is not known"
            : string.Empty;
        return $"{OwnerOf(job.Thread, glitch.Ticks)} was {ready}done {Length(job.ResponseTicks)} after it should have run{spare}{before}, "
            + $"and lost {Length(job.LostTicks)} of that{unknown}";
    }

    private string? Disagreement(int number, RecordedGlitch glitch, EpisodeCandidate? late)
    {
        if (glitch.IsMark)
        {
            return null;
        }

        return glitch.Records.Find(record => record.Kind.IsMissedDeadline) is { } missed && OfDeadline(number, missed, late) is { } said
            ? said
            : late is { ThreadId: { } thread } ? OfSide(glitch, thread, late.ToTicks) : null;
    }

    /// <summary>Where the trace has another deadline of the engine's job than the record has, or the job kept it.</summary>
    private string? OfDeadline(int number, GlitchRecord missed, EpisodeCandidate? late)
    {
        (long EndTicks, long? DeadlineTicks)? job = late is { Delay.Job: { } own } && late.ThreadId == missed.Thread
            ? (own.EndTicks, own.DeadlineTicks)
            : _findings.Glitches?.Near(number, isWriter: true) is { } near && near.Thread == missed.Thread
            ? (near.EndTicks, near.DeadlineTicks)
            : null;
        if (_findings.Request.Deadline is not null || missed.DeadlineTicks is not { } told
            || job is not { DeadlineTicks: { } deadline, EndTicks: var end })
        {
            return null;
        }

        string record = $"The record says that {missed.Words}, but by the trace that thread was done";
        return deadline >= end ? $"{record} {Length(deadline - end)} before it."
            : Math.Abs(deadline - told) < _findings.Clock.TicksOf(DeadlinesAlikeNanoseconds) ? null
            : $"{record} {Length(end - deadline)} after it.";
    }

    /// <summary>Where the trace shows the other side late than all records tell of: each judges by what it found.</summary>
    private string? OfSide(RecordedGlitch glitch, uint thread, long ticks)
    {
        GlitchRecord? told = glitch.Records.Find(record => record.Kind.Use == GlitchUse.Glitch);
        if (told is null || NameOf(told.Process, glitch.Ticks) is null)
        {
            return null;
        }

        bool isOfWriter = _findings.Facts.Threads.ProcessOf(thread, ticks) == told.Process;
        return glitch.Records.Exists(record => record.Kind.Use == GlitchUse.Glitch && GlitchVictims.IsWritersSide(record) == isOfWriter)
            ? null
            : $"The record says that {told.Words}, but by the trace the other side was late.";
    }

    private string? NameOf(uint process, long ticks) => _findings.Facts.Threads.NameOf(process, ticks);

    private string Length(long ticks) => ReadableDuration.Of(_findings.Length(ticks));
}
