namespace Tracer.Simulator.Engine;

/// <summary>
/// Several probes see one delay; the contract keeps one: wake-up before job before thread before level before gap. Of threads below the
/// victims' priority that one hog kept waiting on one CPU, the one that waited longest stands for all. A stall that several busy CPUs saw
/// is one gap of no CPU.
/// </summary>
internal static class Overlaps
{
    /// <summary>The episodes that are kept, in order of their start.</summary>
    public static List<Candidate> Resolve(List<Candidate> candidates)
    {
        List<Candidate> kept = [.. candidates.Where(candidate => candidate.Probe == ProbeKind.Wakeup)];
        IEnumerable<Candidate> threads = candidates.Where(
            candidate => candidate.Probe == ProbeKind.Thread && !candidate.IsHogVictim && candidate.TimerCpu is null);
        Add(kept, candidates.Where(candidate => candidate.Probe == ProbeKind.Job), isOfOneVictim: true);
        Add(kept, threads.Where(candidate => candidate.IsMissedBeat), isOfOneVictim: true);
        Add(kept, threads.Where(candidate => !candidate.IsMissedBeat), isOfOneVictim: true);
        Add(kept, candidates.Where(candidate => candidate.IsHogVictim), isLongestFirst: true);
        Add(kept, candidates.Where(candidate => candidate.Probe == ProbeKind.Level));
        Add(kept, OnePerStall(candidates.Where(candidate => candidate.Probe == ProbeKind.Gap)));
        AddLate(kept, candidates.Where(candidate => candidate is { Probe: ProbeKind.Thread, TimerCpu: not null }));
        Rank(kept);
        return [.. Sorted(kept)];
    }

    /// <summary>That a thread missed its beat is told where nothing else tells of its CPU or of its timer's meanwhile.</summary>
    private static void AddLate(List<Candidate> kept, IEnumerable<Candidate> late)
    {
        foreach (Candidate candidate in late.OrderByDescending(candidate => candidate.LatencyNs)
            .ThenBy(candidate => candidate.StartNs))
        {
            List<Candidate> same = kept.FindAll(other => !other.IsHogVictim
                && candidate.StartNs < other.EndNs && other.StartNs < candidate.EndNs
                && (other.Cpu is null || other.Cpu == candidate.Cpu || other.Cpu == candidate.TimerCpu));
            same.ForEach(other => other.HasLateThread = true);
            if (same.Count == 0)
            {
                kept.Add(candidate);
            }
        }
    }

    /// <summary>
    /// Tells the second ranking from the first: of hogs' victims of ordinary priority and of CPUs that nobody waited for, where somebody
    /// waited at all; a blackout of the whole machine keeps everybody.
    /// </summary>
    private static void Rank(List<Candidate> kept)
    {
        List<Candidate> second = kept.FindAll(candidate => !candidate.HasLateThread && candidate.Probe switch
        {
            ProbeKind.Wakeup or ProbeKind.Job => false,
            ProbeKind.Thread => candidate.IsHogVictim,
            _ => !candidate.IsStall,
        });
        if (second.Count < kept.Count)
        {
            second.ForEach(candidate => candidate.IsSecondary = true);
        }
    }

    private static void Add(List<Candidate> kept, IEnumerable<Candidate> more, bool isOfOneVictim = false, bool isLongestFirst = false)
    {
        List<Candidate> before = isOfOneVictim ? [.. kept] : kept;
        IEnumerable<Candidate> sorted = Sorted(more);
        foreach (Candidate candidate in isLongestFirst ? sorted.OrderByDescending(candidate => candidate.LatencyNs) : sorted)
        {
            if (!before.Exists(other => isOfOneVictim ? candidate.IsOfSameVictim(other) : candidate.Overlaps(other)))
            {
                kept.Add(candidate);
            }
        }
    }

    private static List<Candidate> OnePerStall(IEnumerable<Candidate> gaps)
    {
        List<Candidate> result = [];
        Candidate? stall = null;
        foreach (Candidate gap in Sorted(gaps))
        {
            if (gap.IsStall && stall is not null && gap.StartNs < stall.EndNs)
            {
                stall.Cpu = null;
                continue;
            }

            stall = gap.IsStall ? gap : stall;
            result.Add(gap);
        }

        return result;
    }

    private static IEnumerable<Candidate> Sorted(IEnumerable<Candidate> candidates) => candidates
        .OrderBy(candidate => candidate.StartNs)
        .ThenByDescending(candidate => candidate.LatencyNs)
        .ThenBy(candidate => candidate.Cpu ?? -1)
        .ThenBy(candidate => candidate.Thread?.Id ?? 0);
}
