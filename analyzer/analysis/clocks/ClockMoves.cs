namespace Tracer.Analysis.Clocks;

/// <summary>
/// Looks for the offsets of clocks that make threads run when they were made ready, and not before: the clock of one CPU after the other is
/// moved by what its contradictions have in common, or by what most of its wake-ups take, as long as that leaves fewer of them.
/// </summary>
internal sealed class ClockMoves
{
    /// <summary>So many moves are tried at each step, those that the most contradictions ask for.</summary>
    private const int Tried = 12;

    /// <summary>So many lengths that contradictions have in common are looked at for each CPU.</summary>
    private const int LengthsOfCpu = 3;

    /// <summary>Fewer contradictions ask for nothing.</summary>
    private const int LeastAsking = 4;

    /// <summary>A step must make one contradiction in so many vanish.</summary>
    private const int LeastGain = 50;

    /// <summary>Clocks are moved so often at most: as often as there are CPUs on a large machine.</summary>
    private const int MostSteps = 64;

    /// <summary>The shortest wait counts, but for so many that may be paired wrongly.</summary>
    private const int WaitsPassed = 2;

    private readonly ClockRules _rules;
    private readonly ClockEvent[] _events;
    private readonly Dictionary<int, long> _ahead = [];

    /// <summary>What most wake-ups between two CPUs seem to take, as moves that other CPUs ask of one.</summary>
    private readonly List<(int Cpu, long Ticks, int Count)> _usual;

    private ClockMoves(ClockRules rules, ClockEvent[] events, bool byLags)
    {
        (_rules, _events) = (rules, events);
        _usual = byLags ? [.. ClockLags.Of(events, rules)] : [];
    }

    /// <summary>By how many ticks clocks are ahead of most others; none where nothing makes contradictions vanish.</summary>
    /// <param name="events">What happened to threads, in any order.</param>
    /// <param name="byLags">Whether what most wake-ups take may move them too: for where contradictions have nothing in common.</param>
    public static Dictionary<int, long> Find(ClockRules rules, ReadOnlySpan<ClockEvent> events, bool byLags)
    {
        var moves = new ClockMoves(rules, events.ToArray(), byLags);
        ClockPairs pairs = rules.Pairs(moves._events, moves._ahead);
        for (int step = 0; step < MostSteps && pairs.Reversed > 0 && moves.Step(pairs) is { } better; step++)
        {
            pairs = better;
        }

        moves.Refine(pairs);
        return moves.Relative();
    }

    private ClockPairs? Step(ClockPairs pairs)
    {
        ClockPairs? best = null;
        (int Cpu, long Ticks) move = default;
        foreach ((int cpu, long ticks, _) in Asked(pairs).Concat(_usual)
            .OrderByDescending(one => one.Count).ThenBy(one => one.Cpu).Take(Tried))
        {
            if (!_rules.TryMove(_events.Length))
            {
                break;
            }

            long before = _ahead.GetValueOrDefault(cpu);
            _ahead[cpu] = before + ticks;
            ClockPairs moved = _rules.Pairs(_events, _ahead);
            _ahead[cpu] = before;
            if ((pairs.Reversed - moved.Reversed) * LeastGain >= pairs.Reversed && (best is null || moved.Reversed < best.Reversed))
            {
                (best, move) = (moved, (cpu, ticks));
            }
        }

        if (best is not null)
        {
            _ahead[move.Cpu] = _ahead.GetValueOrDefault(move.Cpu) + move.Ticks;
        }

        return best;
    }

    /// <summary>By how much each CPU's contradictions ask it to be ahead, and how many do.</summary>
    private IEnumerable<(int Cpu, long Ticks, int Count)> Asked(ClockPairs pairs)
    {
        var byCpu = new Dictionary<int, List<long>>();
        foreach (ClockPair pair in pairs.All)
        {
            // What a CPU made ready ran so much earlier elsewhere: it is ahead of there.
            ListOf(pair.From).AddRange(pair.Reversed);
            ListOf(pair.To).AddRange(pair.Reversed.Select(ticks => -ticks));
        }

        foreach ((int cpu, List<long> lengths) in byCpu)
        {
            lengths.Sort();
            for (int i = 0; i < LengthsOfCpu && MostCommon(lengths) is ( >= 0 and int first, >= LeastAsking and int count); i++)
            {
                // The longest of them: it waited a little, too.
                yield return (cpu, lengths[first] > 0 ? lengths[first + count - 1] : lengths[first], count);
                lengths.RemoveRange(first, count);
            }
        }

        List<long> ListOf(int cpu) => byCpu.TryGetValue(cpu, out List<long>? known) ? known : byCpu[cpu] = [];
    }

    /// <summary>Which of sorted lengths are the most that lie near each other.</summary>
    private (int First, int Count) MostCommon(List<long> sorted)
    {
        (int First, int Count) most = (-1, 0);
        int start = 0;
        for (int end = 0; end < sorted.Count; end++)
        {
            while (sorted[end] - sorted[start] > _rules.WidthTicks)
            {
                start++;
            }

            most = end - start + 1 > most.Count ? (start, end - start + 1) : most;
        }

        return most;
    }

    /// <summary>Moves the clocks so that the shortest waits are as long from a CPU as to it.</summary>
    private void Refine(ClockPairs pairs)
    {
        foreach (int cpu in _ahead.Keys.ToArray())
        {
            if (Shortest(pairs.All.Where(pair => pair.To == cpu && !_ahead.ContainsKey(pair.From))) is { } to
                && Shortest(pairs.All.Where(pair => pair.From == cpu && !_ahead.ContainsKey(pair.To))) is { } from
                && Math.Abs(to - from) <= _rules.WidthTicks)
            {
                _ahead[cpu] += (to - from) / 2;
            }
        }
    }

    private static long? Shortest(IEnumerable<ClockPair> pairs)
    {
        long[] waits = [.. pairs.SelectMany(pair => pair.Waits).Order().Take(WaitsPassed + 1)];
        return waits.Length > WaitsPassed ? waits[WaitsPassed] : null;
    }

    /// <summary>Offsets from what most CPUs have in common; those that are too small for one are left out.</summary>
    private Dictionary<int, long> Relative()
    {
        int[] cpus = [.. _events.Select(one => (int)one.Cpu).Distinct()];
        List<long> all = [.. cpus.Select(cpu => _ahead.GetValueOrDefault(cpu)).Order()];
        (int first, int count) = MostCommon(all);
        int still = all.Count(ticks => Math.Abs(ticks) < _rules.LeastTicks);
        long usual = first < 0 || still >= count ? 0 : all[first + (count / 2)];
        return cpus.Select(cpu => (cpu, Ticks: _ahead.GetValueOrDefault(cpu) - usual))
            .Where(one => Math.Abs(one.Ticks) >= _rules.LeastTicks)
            .ToDictionary(one => one.cpu, one => one.Ticks);
    }
}
