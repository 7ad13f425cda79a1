namespace Tracer.Analysis.Machine;

/// <summary>
/// Cuts a stretch of a CPU into segments, each with one innermost ISR or DPC or none. The innermost one is the one entered last, so that
/// routines that overlap without nesting (clock skew of a few ticks) are not counted twice.
/// </summary>
internal sealed class LevelSegments
{
    private readonly List<LevelSpan> _spans = [];
    private readonly List<LevelSegment> _segments = [];
    private readonly List<int> _open = [];
    private readonly List<long> _touching = [];

    /// <summary>The ISRs and DPCs that touch the stretch, sorted by start; segments refer to them by index.</summary>
    public IReadOnlyList<LevelSpan> Spans => _spans;

    /// <returns>The segments in order of time, without gaps; valid until the next call.</returns>
    public List<LevelSegment> Cut(CpuHistory cpu, long fromTicks, long toTicks)
    {
        _spans.Clear();
        _segments.Clear();
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
            int inner = _open.Count > 0 ? _open[^1] : LevelSegment.NoSpan;
            if (inner >= 0)
            {
                until = Math.Min(until, _spans[inner].EndTicks);
            }

            _segments.Add(new LevelSegment(at, until, inner));
            at = until;
        }

        return _segments;
    }
}

/// <summary>A segment of a CPU's time.</summary>
/// <param name="Span">Index of the innermost ISR or DPC; <see cref="NoSpan"/> where there is none.</param>
internal readonly record struct LevelSegment(long FromTicks, long ToTicks, int Span)
{
    /// <summary>Stands for neither an ISR nor a DPC.</summary>
    public const int NoSpan = -1;
}
