using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>
/// Keeps one of several probes that measured the same: wake-up before thread before level before gap, where they overlap for one victim
/// or one CPU.
/// </summary>
internal static class EpisodeSelection
{
    /// <summary>Selects.</summary>
    /// <param name="candidates">What was found.</param>
    /// <returns>What is kept, by start.</returns>
    public static List<EpisodeCandidate> Select(IEnumerable<EpisodeCandidate> candidates)
    {
        List<EpisodeCandidate> kept = [];
        Dictionary<int, KeptByTime> byCpu = [];
        KeptByTime all = new();
        KeptByTime wholeMachine = new();
        foreach (EpisodeCandidate candidate in candidates.OrderBy(candidate => candidate.Probe).ThenBy(candidate => candidate.IsOfHog)
            .ThenByDescending(candidate => candidate.LatencyTicks).ThenBy(candidate => candidate.FromTicks)
            .ThenBy(candidate => candidate.Cpu).ThenBy(candidate => candidate.ThreadId))
        {
            if (!byCpu.TryGetValue(candidate.Cpu, out KeptByTime? here))
            {
                byCpu.Add(candidate.Cpu, here = new KeptByTime());
            }

            bool isWhole = candidate.Gap is { IsWholeMachine: true };
            if (here.HasSame(candidate, AreSame) || wholeMachine.HasSame(candidate, AreSame)
                || (isWhole && all.HasSame(candidate, Overlap)))
            {
                continue;
            }

            kept.Add(candidate);
            here.Add(candidate);
            all.Add(candidate);
            if (isWhole)
            {
                wholeMachine.Add(candidate);
            }
        }

        kept.Sort(static (one, other) => one.FromTicks != other.FromTicks
            ? one.FromTicks.CompareTo(other.FromTicks)
            : one.Cpu != other.Cpu
                ? one.Cpu.CompareTo(other.Cpu)
                : Nullable.Compare(one.ThreadId, other.ThreadId));
        return kept;
    }

    private static bool AreSame(EpisodeCandidate candidate, EpisodeCandidate kept)
    {
        if (!Overlap(candidate, kept))
        {
            return false;
        }

        // Two threads that wait at the same time are two victims, unless one only tells of the hog that the other waits for.
        bool areTwoVictims = candidate.Probe == ProbeKind.Thread && kept.Probe == ProbeKind.Thread
            && candidate.ThreadId != kept.ThreadId && !candidate.IsOfHog;
        bool areTwoWakeups = candidate.Probe == ProbeKind.Wakeup && kept.Probe == ProbeKind.Wakeup;
        return !areTwoVictims && !areTwoWakeups;
    }

    private static bool Overlap(EpisodeCandidate one, EpisodeCandidate other) =>
        one.FromTicks < other.ToTicks && other.FromTicks < one.ToTicks;

    /// <summary>Episodes by start, to find those that overlap with another.</summary>
    private sealed class KeptByTime
    {
        private readonly List<EpisodeCandidate> _episodes = [];
        private long _longestTicks;

        public void Add(EpisodeCandidate episode)
        {
            _episodes.Insert(FirstFrom(episode.FromTicks), episode);
            _longestTicks = Math.Max(_longestTicks, episode.LatencyTicks);
        }

        public bool HasSame(EpisodeCandidate episode, Func<EpisodeCandidate, EpisodeCandidate, bool> isSame)
        {
            for (int i = FirstFrom(episode.ToTicks) - 1; i >= 0 && _episodes[i].FromTicks >= episode.FromTicks - _longestTicks; i--)
            {
                if (isSame(episode, _episodes[i]))
                {
                    return true;
                }
            }

            return false;
        }

        private int FirstFrom(long ticks)
        {
            int low = 0;
            int high = _episodes.Count;
            while (low < high)
            {
                int middle = (low + high) / 2;
                if (_episodes[middle].FromTicks < ticks)
                {
                    low = middle + 1;
                }
                else
                {
                    high = middle;
                }
            }

            return low;
        }
    }
}
