namespace Tracer.Analysis.Machine;

/// <summary>
/// Cuts a stretch of a CPU into slices, each with one innermost ISR or DPC or none. The innermost one is the one entered last, so that
/// routines that overlap without nesting (clock skew of a few ticks) are not counted twice.
/// </summary>
internal sealed class LevelSlices
{
    private readonly List<LevelSpan> _spans = [];
    private readonly List<LevelSlice> _slices = [];
    private readonly List<int> _open = [];
    private readonly List<long> _touching = [];

    /// <summary>The ISRs and DPCs that touch the stretch, sorted by start; slices refer to them by index.</summary>
    public IReadOnlyList<LevelSpan> Spans => _spans;

    /// <returns>The slices in order of time, without gaps; valid until the next call.</returns>
    public List<LevelSlice> Cut(CpuHistory cpu, long fromTicks, long toTicks)
    {
        _spans.Clear();
        _slices.Clear();
        _open.Clear();
        _touching.Clear();
        cpu.AddTouching(fromTicks, toTicks, _touching);
        foreach (long number in _touching)
        {
            _spans.Add(cpu.Spans[number]);
        }

        _spans.Sort(static (one, other) => one.StartTicks != other.StartTicks
            ? one.StartTicks.CompareTo(other.StartTicks)
            : other.EndTicks.CompareTo(one.EndTicks));
        long at = fromTicks;
        int next = 0;
        while (at < toTicks)
        {
            while (next < _spans.Count && _spans[next].StartTicks <= at)
            {
                _open.Add(next++);
            }

            while (_open.Count > 0 && _spans[_open[^1]].EndTicks <= at)
            {
                _open.RemoveAt(_open.Count - 1);
            }

            long until = next < _spans.Count ? Math.Min(toTicks, _spans[next].StartTicks) : toTicks;
            int inner = _open.Count > 0 ? _open[^1] : LevelSlice.NoSpan;
            if (inner >= 0)
            {
                until = Math.Min(until, _spans[inner].EndTicks);
            }

            _slices.Add(new LevelSlice(at, until, inner));
            at = until;
        }

        return _slices;
    }
}

/// <summary>A slice of a CPU's time.</summary>
/// <param name="Span">Index of the innermost ISR or DPC; <see cref="NoSpan"/> where there is none.</param>
internal readonly record struct LevelSlice(long FromTicks, long ToTicks, int Span)
{
    /// <summary>Stands for neither an ISR nor a DPC.</summary>
    public const int NoSpan = -1;
}
