using Tracer.Analysis.Causes;
using Tracer.Analysis.Contents;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Mechanisms;

namespace Tracer.Analysis.Verdicts;

/// <summary>
/// Joins the glitches that Windows recorded with the delays that explain them: what the thread lost whose turn it was, by the record's side
/// (<see cref="GlitchKind.Side"/>). A thread that has nothing to do with the record explains nothing, however late it was.
/// </summary>
internal static class GlitchVictims
{
    /// <summary>Most delays that are looked at for a glitch.</summary>
    private const int MostLookedAt = 2_000;

    /// <summary>A delay that goes on at a glitch is looked at for it where it ends within this, in seconds.</summary>
    public const int LongestSeconds = 1;

    /// <summary>Marks the delays that explain glitches, and leaves out those that only a glitch would have made one.</summary>
    /// <param name="candidates">All delays that were examined.</param>
    public static IReadOnlyList<EpisodeCandidate> Match(IReadOnlyList<EpisodeCandidate> candidates, BlameFindings findings)
    {
        if (findings.Glitches is not { } threads)
        {
            return candidates;
        }

        EpisodeCandidate[] byEnd = [.. candidates.Where(candidate => !candidate.IsOfHog).OrderBy(candidate => candidate.ToTicks)];
        Dictionary<EpisodeCandidate, List<int>> found = new(ReferenceEqualityComparer.Instance);
        foreach ((int number, RecordedGlitch glitch) in Asked(findings))
        {
            if (Explaining(byEnd, glitch, number, threads, findings) is { } explaining)
            {
                if (!found.TryGetValue(explaining, out List<int>? ofOne))
                {
                    found.Add(explaining, ofOne = []);
                }

                ofOne.Add(number);
            }
        }

        foreach ((EpisodeCandidate candidate, List<int> numbers) in found)
        {
            candidate.Glitches = numbers;
        }

        return [.. candidates.Where(candidate => candidate.IsOfGlitch || IsOfAnyway(candidate, findings))];
    }

    /// <summary>The glitches of the part of the trace that was asked about, each with its number.</summary>
    public static IEnumerable<(int Number, RecordedGlitch Glitch)> Asked(BlameFindings findings) => findings.Glitches is null
        ? []
        : findings.Glitches.All.Select((glitch, number) => (number, glitch)).Where(one => IsAsked(one.glitch, findings)
            && one.glitch.Ticks >= findings.Machine.Asked.FromTicks && one.glitch.Ticks <= findings.Machine.Asked.ToTicks);

    private static bool IsAsked(RecordedGlitch glitch, BlameFindings findings) =>
        findings.Request.Glitch is not { } only || only == glitch.Number;

    /// <summary>The turns near a glitch of those that its records are about: of who wrote them, and of the other end.</summary>
    public static IEnumerable<NearJob> Near(int number, BlameFindings findings)
    {
        NearJob?[] both = [findings.Glitches?.Near(number, isWriter: true), findings.Glitches?.Near(number, isWriter: false)];
        return both.OfType<NearJob>();
    }

    /// <summary>Whether the question may have left out a turn near a glitch.</summary>
    public static bool IsLeftOut(NearJob job, BlameFindings findings) =>
        findings.Request is not { Cpus: null, Process: null, Thread: null }
        || job.FromTicks < findings.Machine.Asked.FromTicks || job.FromTicks > findings.Machine.Asked.ToTicks;

    /// <summary>What the engine told of glitches in the asked part without their moments, where glitches are asked for.</summary>
    public static (long Counted, long TooMany) EngineCounts(BlameFindings findings)
    {
        (long from, long to) = (findings.Machine.Asked.FromTicks, findings.Machine.Asked.ToTicks);
        GlitchRecords records = findings.Facts.Glitches;
        return findings.Request is { Glitch: null, Probe: ProbeChoice.Auto or ProbeChoice.Glitch }
            ? (records.CountedIn(from, to), records.TooManyIn(from, to))
            : (0, 0);
    }

    /// <summary>Why nothing is known where no episode was found: Windows recorded that something was late; null where it did not.</summary>
    public static Unearned? Unexplained(BlameFindings findings) => Asked(findings).Count() switch
    {
        > 0 and int count => new Unearned(UnearnedKind.Glitch, Reason(count == 1 ? "the glitch" : "the glitches", findings)),
        _ when EngineCounts(findings) is not (0, 0) => new Unearned(
            UnearnedKind.Glitch,
            "no record in it tells when the glitches were that the audio engine reported"),
        _ when findings.Request.Probe == ProbeChoice.Glitch => new Unearned(
            UnearnedKind.Records, "Windows recorded no glitch in it; whether that was switched on is not known"),
        _ => null,
    };

    private static string Reason(string glitches, BlameFindings findings)
    {
        NearJob[] late = findings.Glitches is { } threads
            ? [.. Asked(findings).SelectMany(one => Near(one.Number, findings)).Where(threads.IsLate)]
            : [];
        return late.Length == 0 ? $"nothing that it holds was late when Windows recorded {glitches}"
            : Array.Exists(late, job => IsLeftOut(job, findings))
            ? $"the question leaves out what was late when Windows recorded {glitches}"
            : $"what was late when Windows recorded {glitches} was held up by nothing that it shows";
    }

    /// <summary>Whether a delay counts without a glitch.</summary>
    private static bool IsOfAnyway(EpisodeCandidate candidate, BlameFindings findings) =>
        findings.Request.Probe != ProbeChoice.Glitch
        && candidate.FromTicks >= findings.Machine.Asked.FromTicks
        && candidate.Delay.Job is not { IsOverloaded: true }
        && (candidate.Probe is not (ProbeKind.Job or ProbeKind.Thread) || candidate.IsOfHog || findings.IsVictim(candidate));

    private static EpisodeCandidate? Explaining(
        EpisodeCandidate[] byEnd, RecordedGlitch glitch, int number, GlitchThreads threads, BlameFindings findings)
    {
        long from = glitch.Ticks - threads.ReachOf(glitch);
        long until = glitch.Ticks + findings.Clock.TicksOfSeconds(LongestSeconds);
        int first = SortedSearch.FirstNot(0, byEnd.Length, (byEnd, from), static (at, i) => at.byEnd[i].ToTicks < at.from);
        EpisodeCandidate? best = null;
        (int Rank, int Record) bestRank = (int.MaxValue, 0);
        for (int i = first; i < byEnd.Length && i < first + MostLookedAt && byEnd[i].ToTicks <= until; i++)
        {
            EpisodeCandidate candidate = byEnd[i];
            if (candidate.FromTicks <= glitch.Ticks && !WasInTimeSince(candidate)
                && RankOf(candidate, glitch, number, threads, findings) is { } rank
                && (rank.CompareTo(bestRank) < 0 || (rank == bestRank && IsBetter(candidate, best!, glitch.Ticks))))
            {
                (best, bestRank) = (candidate, rank);
            }
        }

        return best;

        // Its next turn was on time before the record: what is heard then is something else. A mark comes late, a frame is of many turns.
        bool WasInTimeSince(EpisodeCandidate candidate) => candidate.ToTicks < glitch.Ticks && candidate.ThreadId is { } thread
            && glitch is { IsMark: false, Records: [{ SinceTicks: null }, ..] } && threads.WasInTime(number, thread, candidate.ToTicks);
    }

    /// <summary>
    /// Of two delays of equal standing the job that missed its deadline while the glitch was recorded explains it: each turn of a storm is
    /// a glitch of its own. Else the longer explains more; of two of one length the job, which tells more.
    /// </summary>
    private static bool IsBetter(EpisodeCandidate one, EpisodeCandidate other, long ticks) =>
        (IsMissedAt(one, ticks), one.LatencyTicks, -(int)one.Probe, one.ToTicks)
            .CompareTo((IsMissedAt(other, ticks), other.LatencyTicks, -(int)other.Probe, other.ToTicks)) > 0;

    private static bool IsMissedAt(EpisodeCandidate candidate, long ticks) =>
        candidate.Delay.Job is { OverdueTicks: > 0 } job && ticks <= job.EndTicks;

    /// <summary>
    /// How closely a delay belongs to a glitch, 0 closest, and to which of its records: what was recorded later of one glitch mostly
    /// follows from what was recorded first. Null where it has nothing to do with it.
    /// </summary>
    private static (int Rank, int Record)? RankOf(
        EpisodeCandidate candidate, RecordedGlitch glitch, int number, GlitchThreads threads, BlameFindings findings)
    {
        if (candidate.ThreadId is not { } thread)
        {
            // The device's interrupt that was to wake the thread stood behind it; or whoever it was, it could not run.
            return threads.Near(number, isWriter: true) is { ReadyTicks: { } ready } job && job.ReadyCpu == candidate.Cpu
                    && candidate.FromTicks <= ready && ready <= candidate.ToTicks && glitch.Records.Exists(IsWritersSide) ? (1, 0)
                : candidate.Gap is { IsWholeMachine: true } ? (4, 0)
                : null;
        }

        if (candidate.Probe is not (ProbeKind.Job or ProbeKind.Thread))
        {
            return null; // A measured wake-up is Tracer's own thread.
        }

        if (glitch.IsMark)
        {
            return findings.IsOfPriority(candidate) ? (2, 0) : null;
        }

        (int Rank, int Record)? rank = null;
        uint? process = findings.Facts.Threads.ProcessOf(thread, candidate.ToTicks);
        for (int at = 0; at < glitch.Records.Count; at++)
        {
            GlitchRecord record = glitch.Records[at];
            bool isWritersSide = IsWritersSide(record);
            bool isPair = threads.ArePair(record.Thread, thread);
            int? own = thread == record.Thread ? (isWritersSide ? 0 : 3) // 3: the record tells another story, which the report says.
                : isPair && !isWritersSide && IsInHaste(candidate, findings) ? 0
                : process == record.Process ? (isWritersSide && findings.IsOfPriority(candidate) ? 1 : null)
                : !isWritersSide && !threads.HasOthers(record.Thread) && findings.IsOfPriority(candidate) ? 2
                : null;
            rank = own is { } known && !(rank?.Rank <= known) ? (known, at) : rank;
        }

        return rank;
    }

    /// <summary>Whether a record is about the side that wrote it.</summary>
    public static bool IsWritersSide(GlitchRecord record) => record.Kind.Side == GlitchSide.Client == record.Kind.IsByClient;

    /// <summary>Whether a thread that hands over to another has something to be in time for.</summary>
    private static bool IsInHaste(EpisodeCandidate candidate, BlameFindings findings) =>
        findings.IsOfPriority(candidate) || candidate.Delay is { Job.DeadlineTicks: not null } or { PeriodTicks: > 0 };
}
