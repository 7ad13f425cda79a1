using System.Numerics;
using Tracer.Analysis.Causes;

namespace Tracer.Analysis.Verdicts;

/// <summary>
/// Keeps one of several probes that measured the same delay. Where they overlap for one victim or one CPU, what explains a glitch goes
/// before all others, a wake-up before a job, a job before a thread, a thread before a level, a level before a gap.
/// </summary>
internal static class EpisodeSelection
{
    /// <summary>With less than this part of a wait a thread that lost time itself is not the hog that the others waited for.</summary>
    private const double PartOfAHog = 0.5;

    public static List<EpisodeCandidate> Select(IEnumerable<EpisodeCandidate> candidates)
    {
        List<EpisodeCandidate> kept = [];
        List<EpisodeCandidate> found = [.. candidates];
        Dictionary<int, KeptOfCpu> byCpu = found.GroupBy(candidate => candidate.Cpu)
            .ToDictionary(cpu => cpu.Key, cpu => new KeptOfCpu(cpu));
        KeptByTime all = new(found);
        Dictionary<uint, KeptByTime> byThread = found.Where(IsOfThread).GroupBy(candidate => candidate.ThreadId!.Value)
            .ToDictionary(thread => thread.Key, thread => new KeptByTime(thread));
        KeptByTime wholeMachine = new(found.Where(candidate => candidate.Gap is { IsWholeMachine: true }));
        foreach (EpisodeCandidate candidate in found.OrderBy(candidate => !candidate.IsOfGlitch).ThenBy(candidate => candidate.IsLateByBeat)
            .ThenBy(candidate => candidate.Probe).ThenBy(candidate => candidate.IsOfHog)
            .ThenByDescending(candidate => candidate.LatencyTicks).ThenBy(candidate => candidate.FromTicks)
            .ThenBy(candidate => candidate.Cpu).ThenBy(candidate => candidate.ThreadId))
        {
            KeptOfCpu here = byCpu[candidate.Cpu];
            if (candidate is { IsLateByBeat: true, IsOfGlitch: false } && IsToldOtherwise(candidate, byCpu, wholeMachine))
            {
                continue;
            }

            bool isWhole = candidate.Gap is { IsWholeMachine: true };
            if (here.HasSame(candidate, IsBehindAJob(candidate, byThread)) || wholeMachine.Overlaps(candidate)
                || (isWhole && all.Overlaps(candidate))
                || ((candidate.ThreadId ?? candidate.StoppedVictim) is { } victim
                    && byThread.TryGetValue(victim, out KeptByTime? own) && own.Overlaps(candidate)))
            {
                continue;
            }

            if (IsOfThread(candidate))
            {
                byThread[candidate.ThreadId!.Value].Add(candidate);
            }

            kept.Add(candidate);
            here.Add(candidate);
            all.Add(candidate);
            if (isWhole)
            {
                wholeMachine.Add(candidate);
            }
        }

        MarkVictims(kept, found);
        // A stable order: episodes that begin together on one CPU stay in the order of ranking, however many there are.
        return [.. kept.OrderBy(one => one.FromTicks).ThenBy(one => one.Cpu).ThenBy(one => one.ThreadId)];
    }

    /// <summary>
    /// Whether a kept episode that is nobody's wait already explains a thread that is late by its beat: of the thread's CPU, or of the one
    /// that served its timer, where it is what kept the thread. What other threads lost meanwhile is theirs.
    /// </summary>
    private static bool IsToldOtherwise(EpisodeCandidate late, Dictionary<int, KeptOfCpu> byCpu, KeptByTime wholeMachine) =>
        wholeMachine.Overlaps(late) || (byCpu.TryGetValue(late.Cpu, out KeptOfCpu? own) && own.IsKept(late))
        || (byCpu.TryGetValue(late.Delay.ReadyCpu, out KeptOfCpu? server) && server.IsKept(late));

    /// <summary>
    /// Marks the levels and gaps that have a victim after all: a thread was late by its beat meanwhile, on that CPU or with its timer
    /// served there.
    /// </summary>
    private static void MarkVictims(List<EpisodeCandidate> kept, List<EpisodeCandidate> found)
    {
        Dictionary<int, KeptByTime> lateOn = found.Where(candidate => candidate.IsLateByBeat)
            .SelectMany(late => new[] { late.Cpu, late.Delay.ReadyCpu }.Distinct(), (late, cpu) => (Late: late, Cpu: cpu))
            .GroupBy(one => one.Cpu, one => one.Late)
            .ToDictionary(cpu => cpu.Key, cpu => KeptByTime.OfAll([.. cpu]));
        foreach (EpisodeCandidate candidate in kept.Where(IsWithoutVictim))
        {
            candidate.HasLateThread = lateOn.TryGetValue(candidate.Cpu, out KeptByTime? late) && late.Overlaps(candidate);
        }
    }

    /// <summary>
    /// Whether a victim of a hog waited while that lost time in a job of its own: what it lost is not that of those behind it. Those that
    /// lost time must be the hog themselves (<see cref="PartOfAHog"/>); else the job tells already who kept both waiting.
    /// </summary>
    private static bool IsBehindAJob(EpisodeCandidate candidate, Dictionary<uint, KeptByTime> byThread) => candidate.IsOfHog
        && candidate.Causes.Where(cause => cause.Detail is ThreadRan ran
            && byThread.TryGetValue(ran.ThreadId, out KeptByTime? own) && own.Overlaps(candidate)).Sum(cause => cause.Ticks)
            >= PartOfAHog * candidate.LatencyTicks;

    private static bool IsOfThread(EpisodeCandidate candidate) =>
        candidate is { Probe: ProbeKind.Job or ProbeKind.Thread, ThreadId: not null } and ({ IsLateByBeat: false } or { IsOfGlitch: true });

    private static bool IsWithoutVictim(EpisodeCandidate candidate) => candidate.Probe is ProbeKind.Level or ProbeKind.Gap;

    private sealed class KeptOfCpu
    {
        private readonly KeptByTime _jobs;
        private readonly KeptByTime _waits;
        private readonly KeptByTime _wakeups;
        private readonly KeptByTime _glitches;
        private readonly KeptByTime _others;

        public KeptOfCpu(IEnumerable<EpisodeCandidate> episodes)
        {
            List<EpisodeCandidate> found = [.. episodes];
            _jobs = new KeptByTime(found.Where(episode => episode.Probe == ProbeKind.Job));
            _waits = new KeptByTime(found.Where(episode => !IsWithoutVictim(episode) && episode.Probe != ProbeKind.Job));
            _wakeups = new KeptByTime(found.Where(episode => episode.Probe == ProbeKind.Wakeup));
            _glitches = new KeptByTime(found.Where(episode => episode.IsOfGlitch));
            _others = new KeptByTime(found.Where(IsWithoutVictim));
        }

        public void Add(EpisodeCandidate episode)
        {
            if (episode.IsOfGlitch)
            {
                _glitches.Add(episode);
            }

            if (IsWithoutVictim(episode))
            {
                _others.Add(episode);
            }
            else if (episode.Probe == ProbeKind.Job)
            {
                _jobs.Add(episode);
            }
            else
            {
                _waits.Add(episode);
                if (episode.Probe == ProbeKind.Wakeup)
                {
                    _wakeups.Add(episode);
                }
            }
        }

        /// <summary>Whether a kept episode that is no thread's, or that was measured, overlaps another.</summary>
        public bool IsKept(EpisodeCandidate episode) => _wakeups.Overlaps(episode) || _others.Overlaps(episode);

        /// <summary>Whether a kept episode overlaps another and measures the same.</summary>
        /// <param name="isBehindAJob">Whether its hog lost time in a job of its own meanwhile.</param>
        /// <remarks>
        /// Two threads that wait at the same time are two victims, unless one wait only shows the hog that the other waits for. Two
        /// wake-ups are two victims as well. The time that a hog loses itself is not that of those whom it keeps
        /// waiting.
        /// </remarks>
        public bool HasSame(EpisodeCandidate episode, bool isBehindAJob) => episode switch
        {
            { IsOfGlitch: true } => false, // Glitches are selected first.
            { Probe: ProbeKind.Wakeup } => _glitches.Overlaps(episode), // Then wake-ups.
            { Probe: ProbeKind.Job or ProbeKind.Thread, IsOfHog: false, IsLateByBeat: false } =>
                _wakeups.Overlaps(episode) || _others.Overlaps(episode),
            { IsLateByBeat: true } => IsKept(episode),
            _ => _waits.Overlaps(episode) || _others.Overlaps(episode) || (!isBehindAJob && _jobs.Overlaps(episode)),
        };
    }

    /// <summary>
    /// Kept episodes, to find those that overlap another one. A tree over all episodes by start, in which each node has the latest end of
    /// the kept episodes below it.
    /// </summary>
    private sealed class KeptByTime
    {
        private readonly List<EpisodeCandidate> _sorted;
        private readonly Dictionary<EpisodeCandidate, int> _places;
        private readonly long[] _latest;
        private readonly int _leaves;

        public KeptByTime(IEnumerable<EpisodeCandidate> episodes)
        {
            _sorted = [.. episodes.OrderBy(episode => episode.HeldFromTicks)];
            _places = new Dictionary<EpisodeCandidate, int>(_sorted.Count, ReferenceEqualityComparer.Instance);
            for (int place = 0; place < _sorted.Count; place++)
            {
                _places.Add(_sorted[place], place);
            }

            _leaves = (int)BitOperations.RoundUpToPowerOf2((uint)Math.Max(1, _sorted.Count));
            _latest = new long[2 * _leaves];
            Array.Fill(_latest, long.MinValue);
        }

        public static KeptByTime OfAll(IReadOnlyList<EpisodeCandidate> episodes)
        {
            var kept = new KeptByTime(episodes);
            foreach (EpisodeCandidate episode in episodes)
            {
                kept.Add(episode);
            }

            return kept;
        }

        public void Add(EpisodeCandidate episode)
        {
            for (int node = _leaves + _places[episode]; node > 0; node /= 2)
            {
                _latest[node] = Math.Max(_latest[node], episode.ToTicks);
            }
        }

        public bool Overlaps(EpisodeCandidate episode) => HasAny(1, 0, _leaves, FirstFrom(episode.ToTicks), episode.HeldFromTicks);

        private bool HasAny(int node, int first, int count, int before, long endingAfter) =>
            first < before && _latest[node] > endingAfter
            && (count == 1
                || HasAny(2 * node, first, count / 2, before, endingAfter)
                || HasAny((2 * node) + 1, first + (count / 2), count / 2, before, endingAfter));

        private int FirstFrom(long ticks)
        {
            int low = SortedSearch.FirstNot(0, _sorted.Count, (_sorted, ticks), static (at, i) => at._sorted[i].HeldFromTicks < at.ticks);

            return low;
        }
    }
}
