using System.Runtime.InteropServices;

namespace Tracer.Analysis.Clocks;

/// <summary>
/// Finds CPUs that seem to need about the same, long time for every thread that another CPU makes ready, although they idle or run what it
/// preempts. A CPU takes such a thread within microseconds, now and then at least: where none of many wake-ups took less, while those the
/// other way did, the two clocks disagree. Nothing contradicts itself then, since wake-ups come on a beat that is longer than the clocks
/// are apart.
/// </summary>
internal static class ClockWakeups
{
    /// <summary>The events are looked at in so many stretches, by their number: clocks may be set while the trace runs.</summary>
    private const int Stretches = 16;

    /// <summary>So many wake-ups of a stretch tell how long they take.</summary>
    private const int Least = 24;

    /// <summary>The shortest counts, but for so many that may be paired wrongly.</summary>
    private const int Passed = 2;

    /// <summary>Half of them are no longer than the shortest and this part of it.</summary>
    private const int WidthPart = 4;

    /// <summary>How many wake-ups were late as one clock is, in how many ticks at least, and which CPUs most of them are with.</summary>
    /// <param name="events">What happened to threads, in any order.</param>
    /// <param name="ahead">By how many ticks the clocks of CPUs are ahead, as far as is known.</param>
    public static (int Count, long Ticks, IReadOnlyList<int> Cpus) Of(
        ReadOnlySpan<ClockEvent> events, ClockRules rules, IReadOnlyDictionary<int, long> ahead)
    {
        var late = new Dictionary<(int From, int To), (int Count, long Ticks)>();
        ClockEvent[] sorted = ClockRules.InOrder(events, ahead);
        int size = Math.Max(1, (sorted.Length + Stretches - 1) / Stretches);
        for (int from = 0; from < sorted.Length; from += size)
        {
            Dictionary<(int From, int To), List<long>> waits = Waits(sorted.AsSpan(from, Math.Min(size, sorted.Length - from)));
            foreach (((int From, int To) pair, List<long> ticks) in waits)
            {
                // Leaving an idle state takes as long on the way back.
                if (IsLate(ticks, rules) && !(waits.TryGetValue((pair.To, pair.From), out List<long>? back) && IsLate(back, rules)))
                {
                    ref (int Count, long Ticks) known = ref CollectionsMarshal.GetValueRefOrAddDefault(late, pair, out bool isKnown);
                    known = (known.Count + ticks.Count, Math.Min(isKnown ? known.Ticks : long.MaxValue, ticks[Passed]));
                }
            }
        }

        if (late.Count == 0)
        {
            return (0, 0, []);
        }

        int count = late.Values.Sum(one => one.Count);
        long shortest = late.Values.Min(one => one.Ticks);
        return (count, shortest, ClockOverlaps.Involved(late.Keys, least: 1));
    }

    /// <summary>How long CPUs that were free for them needed for threads that others made ready, by the two CPUs.</summary>
    private static Dictionary<(int From, int To), List<long>> Waits(ReadOnlySpan<ClockEvent> sorted)
    {
        var waits = new Dictionary<(int From, int To), List<long>>();
        var ready = new Dictionary<uint, ClockEvent>();
        foreach (ref readonly ClockEvent one in sorted)
        {
            switch (one.Kind)
            {
                case ClockEventKind.Cut:
                    ready.Clear();
                    break;
                case ClockEventKind.Ready:
                    ready[one.Thread] = one;
                    break;
                case ClockEventKind.Run:
                    if (ready.Remove(one.Thread, out ClockEvent by) && by.Cpu != one.Cpu && one.Ticks - by.Ticks <= one.FreeTicks)
                    {
                        ref List<long>? of = ref CollectionsMarshal.GetValueRefOrAddDefault(waits, (by.Cpu, one.Cpu), out _);
                        (of ??= []).Add(one.Ticks - by.Ticks);
                    }

                    break;
                default:
                    break;
            }
        }

        foreach (List<long> of in waits.Values)
        {
            of.Sort();
        }

        return waits;
    }

    private static bool IsLate(List<long> sorted, ClockRules rules) => sorted.Count >= Least && sorted[Passed] is var shortest
        && shortest >= rules.LateTicks && sorted[sorted.Count / 2] - shortest <= Math.Max(rules.WidthTicks, shortest / WidthPart);
}
