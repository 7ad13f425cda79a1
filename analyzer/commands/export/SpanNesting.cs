using Tracer.Analysis.Facts;

namespace Tracer.AnalyzerCommand.Commands.Export;

/// <summary>
/// Puts the spans of one CPU in order. The record of an ISR or DPC comes at its end, so what lies around it is known only when the CPU
/// switches threads, which it does not do in between; until then they are kept, up to a limit.
/// </summary>
internal sealed class SpanNesting(int cpu, ExportWindow window, ImageTable modules, FlowNumbers flows)
{
    /// <summary>Most routines, and most ends of flows, that are kept between two context switches.</summary>
    public const int MostKept = 1 << 14;

    private readonly List<CpuSpan> _routines = [];
    private readonly List<Edge> _edges = [];
    private readonly Stack<CpuSpan> _open = [];
    private long _writtenTicks = long.MinValue;

    /// <summary>How many ends of flows found no place.</summary>
    public long EndsLeftOut { get; private set; }

    /// <summary>How many routines were cut at their start, because what lies there was written before they were known.</summary>
    public long RoutinesCut { get; private set; }

    /// <summary>The thread that runs, from when on; null where it is not known, or idle.</summary>
    public CpuSpan? Run { get; private set; }

    public void Add(CpuSpan routine, IScheduleWriter writer)
    {
        if (_routines.Count >= MostKept)
        {
            // No switch for so long: what was kept is written, with the thread beneath cut in two.
            Flush(routine.StartTicks > _writtenTicks ? routine.StartTicks : _routines.Max(one => one.EndTicks), writer);
        }

        if (routine.StartTicks < _writtenTicks)
        {
            routine.StartTicks = Math.Min(_writtenTicks, routine.EndTicks);
            RoutinesCut++;
        }

        _routines.Add(routine);
    }

    /// <summary>A flow leaves, or reaches, what runs at a time.</summary>
    public void Add(long ticks, ulong flow, bool isEnd)
    {
        if (_edges.Count < MostKept)
        {
            _edges.Add(new Edge(ticks, flow, isEnd));
        }
        else
        {
            EndsLeftOut++;
        }
    }

    /// <summary>The CPU switches threads: all before is known.</summary>
    /// <param name="next">What runs from then on; null where it is idle or not known.</param>
    public void Switch(long ticks, CpuSpan? next, IScheduleWriter writer)
    {
        Flush(ticks, writer);
        Run = next;
    }

    /// <summary>Writes all that ended before a time.</summary>
    private void Flush(long ticks, IScheduleWriter writer)
    {
        List<CpuSpan> all = _routines;
        if (Run is { } run)
        {
            run.EndTicks = ticks;
            run.StartTicks = Math.Max(run.StartTicks, _writtenTicks);
            all.Add(run);
            foreach (CpuSpan routine in all)
            {
                routine.ThreadId = run.ThreadId;
                if (!routine.IsRaised && routine.StartTicks < run.StartTicks)
                {
                    routine.StartTicks = Math.Min(run.StartTicks, routine.EndTicks);
                }
            }
        }

        all.Sort(ByNesting);
        Attach(all);
        foreach (CpuSpan span in all)
        {
            Write(span, writer);
        }

        while (_open.TryPop(out CpuSpan? last))
        {
            writer.Close(last);
        }

        all.Clear();
        _edges.Clear();
        _writtenTicks = Math.Max(_writtenTicks, ticks);
        Run = Run is { } before
            ? new CpuSpan
            {
                Kind = CpuSpanKind.Thread,
                Cpu = cpu,
                StartTicks = ticks,
                EndTicks = ticks,
                ThreadId = before.ThreadId,
                Priority = before.Priority,
            }
            : null;
    }

    /// <summary>What begins first comes first; of what begins together, what lies around the other.</summary>
    private static int ByNesting(CpuSpan one, CpuSpan other)
    {
        int order = one.StartTicks.CompareTo(other.StartTicks);
        order = order != 0 ? order : other.EndTicks.CompareTo(one.EndTicks);
        return order != 0 ? order : one.Kind.CompareTo(other.Kind);
    }

    private void Write(CpuSpan span, IScheduleWriter writer)
    {
        while (_open.TryPeek(out CpuSpan? around) && around.EndTicks <= span.StartTicks && around.StartTicks < span.StartTicks)
        {
            writer.Close(_open.Pop());
        }

        span.StartTicks = Math.Max(span.StartTicks, window.FromTicks);
        span.EndTicks = Math.Min(span.EndTicks, window.ToTicks);
        if (_open.TryPeek(out CpuSpan? outer) && span.EndTicks > outer.EndTicks)
        {
            span.EndTicks = outer.EndTicks; // Records that contradict each other.
        }

        if (span.EndTicks >= span.StartTicks)
        {
            writer.Open(span);
            _open.Push(span);
        }
    }

    /// <summary>Gives each flow to the innermost span at its time, and a DPC that nobody was seen to queue to the ISR before it.</summary>
    private void Attach(List<CpuSpan> ordered)
    {
        _edges.Sort(static (one, other) => one.Ticks.CompareTo(other.Ticks));
        List<CpuSpan> around = [];
        int next = 0;
        foreach (Edge edge in _edges)
        {
            while (next < ordered.Count && ordered[next].StartTicks <= edge.Ticks)
            {
                around.RemoveAll(one => one.EndTicks < ordered[next].StartTicks);
                around.Add(ordered[next++]);
            }

            // The queue tells the start of a DPC a little before its run begins, too.
            CpuSpan? inner = around.FindLast(one => one.EndTicks >= edge.Ticks);
            CpuSpan? meant = edge.IsEnd
                ? inner is { Kind: CpuSpanKind.Dpc or CpuSpanKind.TimerDpc } ? inner : NextDpc(ordered, next)
                : inner;
            if (edge.IsEnd)
            {
                meant?.Arrive(edge.Flow);
                EndsLeftOut += meant is null ? 1 : 0;
            }
            else
            {
                meant?.Leave(edge.Flow); // Where nothing is known to run, the flow begins at the wake-up itself.
            }
        }

        CpuSpan? isr = null;
        foreach (CpuSpan span in ordered)
        {
            if (span.Kind == CpuSpanKind.Isr)
            {
                isr = span;
            }
            else if (span.Kind == CpuSpanKind.Dpc && span.FlowsIn is null && isr is not null && isr.EndTicks <= span.StartTicks
                && IsOfSameImage(isr, span))
            {
                ulong flow = flows.Next();
                isr.Leave(flow);
                span.Arrive(flow);
                isr = null;
            }
        }
    }

    private static CpuSpan? NextDpc(List<CpuSpan> ordered, int next) =>
        next < ordered.Count && ordered[next].Kind is CpuSpanKind.Dpc or CpuSpanKind.TimerDpc ? ordered[next] : null;

    private bool IsOfSameImage(CpuSpan one, CpuSpan other) =>
        modules.Find(one.Routine, one.StartTicks) is { } image && image == modules.Find(other.Routine, other.StartTicks);

    private readonly record struct Edge(long Ticks, ulong Flow, bool IsEnd);
}

/// <summary>Numbers flows from 1 on, in the order in which they are met.</summary>
internal sealed class FlowNumbers
{
    private ulong _last;

    public ulong Next() => ++_last;
}
