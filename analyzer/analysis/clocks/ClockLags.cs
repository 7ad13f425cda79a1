using System.Runtime.InteropServices;

namespace Tracer.Analysis.Clocks;

/// <summary>
/// How long threads that one CPU made ready most often take to run on another, whichever of their next runs, or of those before, is meant.
/// Where wake-ups come on a beat, one clock that is off by about that beat pairs each of them with its neighbour, and no two contradictions
/// have a length in common. But only by the right offset do nearly all wake-ups take the same: beats vary, CPUs take a thread at once.
/// </summary>
internal static class ClockLags
{
    /// <summary>Runs that are looked at before and behind each time that a thread was made ready.</summary>
    private const int Neighbours = 32;

    /// <summary>Fewer wake-ups between two CPUs tell nothing.</summary>
    private const int Least = 16;

    /// <summary>So many wake-ups are looked at, evenly spread: what most of them take shows in these.</summary>
    private const int MostReadies = 1 << 14;

    /// <summary>So many parts of <see cref="ClockRules.WidthTicks"/> are told apart: 2 us.</summary>
    private const int PartsOfWidth = 20;

    /// <summary>By how much each CPU seems to be ahead, by what its wake-ups with another take, and how many take that.</summary>
    /// <param name="events">What happened to threads, in any order.</param>
    public static IEnumerable<(int Cpu, long Ticks, int Count)> Of(ReadOnlySpan<ClockEvent> events, ClockRules rules)
    {
        long width = Math.Max(1, rules.WidthTicks / PartsOfWidth);
        var counts = new Dictionary<(int From, int To), Dictionary<long, int>>();
        ClockEvent[] sorted = events.ToArray();
        Array.Sort(sorted, static (first, second) => first.Thread != second.Thread
            ? first.Thread.CompareTo(second.Thread)
            : first.Ticks.CompareTo(second.Ticks));
        var runs = new List<ClockEvent>();
        int step = 1 + (sorted.Count(static one => one.Kind == ClockEventKind.Ready) / MostReadies);
        int readies = 0;
        for (int from = 0; from < sorted.Length;)
        {
            int to = from;
            runs.Clear();
            for (; to < sorted.Length && sorted[to].Thread == sorted[from].Thread; to++)
            {
                if (sorted[to].Kind == ClockEventKind.Run)
                {
                    runs.Add(sorted[to]);
                }
            }

            int next = 0;
            for (int i = from; i < to; i++)
            {
                next += sorted[i].Kind == ClockEventKind.Run ? 1 : 0;
                if (sorted[i].Kind == ClockEventKind.Ready && readies++ % step == 0)
                {
                    Add(in sorted[i], next);
                }
            }

            from = to;
        }

        var moves = new Dictionary<(int Cpu, long Ticks), int>();
        foreach (((int From, int To) pair, Dictionary<long, int> lags) in counts)
        {
            (long lag, int count) = lags.OrderByDescending(one => one.Value).ThenBy(one => one.Key).First();
            long ticks = lag * width;
            if (count >= Least && Math.Abs(ticks) >= rules.LeastTicks)
            {
                // The one is as much ahead as the other is behind.
                CollectionsMarshal.GetValueRefOrAddDefault(moves, (pair.To, Rounded(ticks)), out _) += count;
                CollectionsMarshal.GetValueRefOrAddDefault(moves, (pair.From, -Rounded(ticks)), out _) += count;
            }
        }

        return moves.Select(move => (move.Key.Cpu, move.Key.Ticks, move.Value));

        long Rounded(long ticks) => ticks / rules.EarlyTicks * rules.EarlyTicks;

        void Add(in ClockEvent ready, int at)
        {
            for (int i = Math.Max(0, at - Neighbours); i < Math.Min(runs.Count, at + Neighbours); i++)
            {
                long lag = runs[i].Ticks - ready.Ticks;
                if (runs[i].Cpu != ready.Cpu && Math.Abs(lag) <= rules.LongestTicks)
                {
                    ref Dictionary<long, int>? lags =
                        ref CollectionsMarshal.GetValueRefOrAddDefault(counts, (ready.Cpu, runs[i].Cpu), out _);
                    CollectionsMarshal.GetValueRefOrAddDefault(
                        lags ??= [], (long)Math.Floor((double)lag / width), out _)++;
                }
            }
        }
    }
}
