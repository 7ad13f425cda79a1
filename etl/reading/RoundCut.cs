namespace Tracer.Etl.Reading;

/// <summary>
/// Cuts what was collected from open buffers into rounds of time: in each come the events of one CPU after those of another, each CPU's by
/// time. Nothing of a round is older than what came in the one before it.
/// </summary>
/// <param name="mostEvents">Most events of a CPU in one round, but where more share one time stamp; at least 1.</param>
internal sealed class RoundCut(int mostEvents)
{
    private readonly List<(int Cpu, int Next, int End)> _cpus = [];
    private MergeKey[] _merged = [];

    /// <summary>Orders a batch by rounds and notes where they end.</summary>
    /// <param name="batch">What was collected.</param>
    /// <param name="runs">The buffers that the batch's events come from, those of one CPU beside each other.</param>
    /// <param name="runEnds">Where the events of each buffer end.</param>
    /// <param name="untilTicks">The time before which all events have come with this batch, in ticks.</param>
    /// <returns>The first and the last time of the batch; null where it has no events.</returns>
    public (long FirstTicks, long LastTicks)? Order(MergeBatch batch, List<MergeCursor> runs, List<int> runEnds, long untilTicks)
    {
        Join(batch, runs, runEnds);
        long first = long.MaxValue;
        long last = long.MinValue;
        foreach ((_, int next, int end) in _cpus)
        {
            first = Math.Min(first, batch.Keys[next].Ticks);
            last = Math.Max(last, batch.Keys[end - 1].Ticks);
        }

        while (true)
        {
            long? cut = CutOf(batch.Keys);
            Place(batch, cut);
            batch.Rounds.Add((batch.Parts.Count, Math.Min(cut ?? untilTicks, untilTicks)));
            if (cut is null)
            {
                return batch.Count > 0 ? (first, last) : null;
            }
        }
    }

    /// <summary>Merges the buffers of each CPU.</summary>
    private void Join(MergeBatch batch, List<MergeCursor> runs, List<int> runEnds)
    {
        _cpus.Clear();
        int start = 0;
        for (int run = 0; run < runEnds.Count;)
        {
            int cpu = runs[run].CpuOrder;
            int end = runEnds[run++];
            for (; run < runEnds.Count && runs[run].CpuOrder == cpu; run++)
            {
                int middle = end;
                end = runEnds[run];
                if (middle > start && end > middle && batch.Keys[middle].Ticks < batch.Keys[middle - 1].Ticks)
                {
                    Span<MergeKey> both = batch.Keys.AsSpan(start, end - start);
                    MergeBatch.Fit(ref _merged, both.Length);
                    MergeKey.Merge(both, middle - start, _merged);
                    _merged.AsSpan(0, both.Length).CopyTo(both);
                }
            }

            if (end > start)
            {
                _cpus.Add((cpu, start, end));
            }

            start = end;
        }

        MergeBatch.Trim(ref _merged);
    }

    /// <summary>The time before which the next round ends; null where it takes all that is left.</summary>
    private long? CutOf(MergeKey[] keys)
    {
        long cut = long.MaxValue;
        long earliest = long.MaxValue;
        foreach ((_, int next, int end) in _cpus)
        {
            cut = end - next > mostEvents ? Math.Min(cut, keys[next + mostEvents].Ticks) : cut;
            earliest = Math.Min(earliest, keys[next].Ticks);
        }

        return cut == long.MaxValue ? null : Math.Max(cut, earliest + 1);
    }

    /// <summary>Adds what comes before a time to the round at hand: each CPU's events stay where they are.</summary>
    private void Place(MergeBatch batch, long? cut)
    {
        int left = 0;
        for (int i = 0; i < _cpus.Count; i++)
        {
            (int cpu, int next, int end) = _cpus[i];
            int to = cut is { } before
                ? SortedSearch.FirstNot(next, end, (batch.Keys, before), static (at, key) => at.Keys[key].Ticks < at.before)
                : end;
            if (to > next)
            {
                batch.Parts.Add(new MergeBatch.Part(cpu, next, to));
            }

            if (to < end)
            {
                _cpus[left++] = (cpu, to, end);
            }
        }

        _cpus.RemoveRange(left, _cpus.Count - left);
    }
}
