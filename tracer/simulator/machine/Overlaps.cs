using Tracer.Contract;

namespace Tracer.Simulator;

/// <summary>
/// Several probes see one delay; the contract keeps one: wake-up before thread before level before gap. Of threads below the victims'
/// priority that one hog kept waiting on one CPU, the one that waited longest stands for all. A stall that several busy CPUs saw is one gap
/// of no CPU.
/// </summary>
internal static class Overlaps
{
    /// <summary>The episodes that are kept, in order of their start.</summary>
    public static List<Candidate> Resolve(List<Candidate> candidates)
    {
        List<Candidate> kept = [.. candidates.Where(candidate => candidate.Probe == ProbeKind.Wakeup)];
        IEnumerable<Candidate> threads = candidates.Where(candidate => candidate.Probe == ProbeKind.Thread && !candidate.IsHogVictim);
        Add(kept, threads, isOfOneVictim: true);
        Add(kept, candidates.Where(candidate => candidate.IsHogVictim), isLongestFirst: true);
        Add(kept, candidates.Where(candidate => candidate.Probe == ProbeKind.Level));
        Add(kept, OnePerStall(candidates.Where(candidate => candidate.Probe == ProbeKind.Gap)));
        return [.. Sorted(kept)];
    }

    private static void Add(List<Candidate> kept, IEnumerable<Candidate> more, bool isOfOneVictim = false, bool isLongestFirst = false)
    {
        List<Candidate> before = isOfOneVictim ? [.. kept] : kept;
        IEnumerable<Candidate> sorted = Sorted(more);
        foreach (Candidate candidate in isLongestFirst ? sorted.OrderByDescending(candidate => candidate.LatencyNs) : sorted)
        {
            if (!before.Exists(other => candidate.Overlaps(other) && (!isOfOneVictim || candidate.Thread == other.Thread)))
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
