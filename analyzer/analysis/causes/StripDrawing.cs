using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Causes;

/// <summary>Keeps what ran during an episode, on its CPU and on the other CPUs that were active.</summary>
internal sealed class StripDrawing
{
    /// <summary>CPUs kept per episode. It bounds memory and the size of the drawing.</summary>
    private const int MostCpus = 16;

    /// <summary>Stretches kept per CPU. It bounds memory.</summary>
    private const int UsualSpans = 2000;

    /// <summary>Stretches kept per CPU once the limit on kept parts per trace is reached. It bounds memory.</summary>
    private const int MostSpansOfMany = 4;

    /// <summary>This many stretches count as one kept part: they are that much smaller.</summary>
    private const int SpansOfPart = 8;

    private readonly Blackouts _blackouts;
    private readonly OwnerSearch _owners;
    private readonly WorkBudget _budget;
    private readonly LevelSegments _segments = new();
    private readonly int _mostSpans;
    private readonly List<RawStripSpan> _spans = [];
    private readonly Dictionary<(LoadedImage?, LoadedImage?, RunTraits?, Proof, ulong), OwnerFinding> _found = [];

    /// <param name="blackouts">The blackouts found so far.</param>
    public StripDrawing(Blackouts blackouts, OwnerSearch owners, WorkBudget budget, int mostSpans = UsualSpans)
    {
        _mostSpans = mostSpans;
        _budget = budget;
        _blackouts = blackouts;
        _owners = owners;
    }

    /// <summary>Draws the strips of an episode, the victim's CPU first.</summary>
    public List<RawStrip> Draw(CpuHistories cpus, EpisodeCandidate candidate)
    {
        List<RawStrip> strips = [];
        if (cpus[candidate.Cpu] is { } own)
        {
            strips.Add(new RawStrip(own.Cpu, SpansOf(own, candidate.FromTicks, candidate.ToTicks)));
        }

        foreach (CpuHistory? cpu in cpus)
        {
            if (cpu is null || cpu.Cpu == candidate.Cpu || strips.Count >= MostCpus)
            {
                continue;
            }

            RawStripSpan[] spans = SpansOf(cpu, candidate.FromTicks, candidate.ToTicks);
            if (spans.Length > 0)
            {
                strips.Add(new RawStrip(cpu.Cpu, spans));
            }
        }

        return strips;
    }

    /// <summary>What ran on a CPU from one time to another.</summary>
    public RawStripSpan[] SpansOf(CpuHistory cpu, long fromTicks, long toTicks)
    {
        List<RawStripSpan> spans = _spans;
        spans.Clear();
        if (!_budget.TrySpend(cpu.RecordsBetween(fromTicks, toTicks)))
        {
            return [];
        }

        List<Blackout> blackouts = [.. _blackouts.Touching(cpu.Cpu, fromTicks, toTicks).Where(blackout => !blackout.IsTentative)];
        foreach (LevelSegment segment in _segments.Cut(cpu, fromTicks, toTicks))
        {
            long at = segment.FromTicks;
            if (spans.Count >= _mostSpans || !_budget.TrySpend(1 + blackouts.Count))
            {
                break;
            }

            while (at < segment.ToTicks && spans.Count < _mostSpans)
            {
                long until = segment.ToTicks;
                bool isDark = false;
                foreach (Blackout blackout in blackouts)
                {
                    bool isInside = blackout.FromTicks <= at && at < blackout.ToTicks;
                    isDark |= isInside;
                    long edge = isInside ? blackout.ToTicks : blackout.FromTicks;
                    until = edge > at ? Math.Min(until, edge) : until;
                }

                if (segment.Span < 0 && !isDark)
                {
                    until = AddThread(cpu, at, until, spans);
                }
                else
                {
                    LevelSpan? ran = segment.Span < 0 ? null : _segments.Spans[segment.Span];
                    StripKind kind = isDark ? StripKind.Blackout : ran is { IsIsr: true } ? StripKind.Isr : StripKind.Dpc;
                    Add(spans, new RawStripSpan(
                        at, until, kind, ran?.Routine ?? 0, ran is { } span && !isDark ? OwnerOf(cpu, in span) : null, 0));
                }

                at = until;
            }
        }

        if (spans.Count > MostSpansOfMany && !_budget.TryKeep(spans.Count / SpansOfPart))
        {
            spans.RemoveRange(MostSpansOfMany, spans.Count - MostSpansOfMany);
        }

        return [.. spans];
    }

    /// <summary>The owner of a run: one object for all runs that would be labelled alike, as there may be millions.</summary>
    private OwnerFinding OwnerOf(CpuHistory cpu, in LevelSpan span)
    {
        OwnerFinding found = _owners.OfSpan(cpu, in span);
        var label = (found.Owner, found.Behind, found.Unseen, found.Proof, found.Routine);
        if (_found.TryGetValue(label, out OwnerFinding? same))
        {
            return same;
        }

        _found.Add(label, found);
        return found;
    }

    private static long AddThread(CpuHistory cpu, long at, long until, List<RawStripSpan> spans)
    {
        long run = cpu.RunAt(at);
        long next = run >= 0 ? run + 1 : cpu.Runs.First;
        until = next < cpu.Runs.Next && cpu.Runs[next].StartTicks > at ? Math.Min(until, cpu.Runs[next].StartTicks) : until;
        if (run >= 0 && cpu.Runs[run].IsKnown)
        {
            RunStretch stretch = cpu.Runs[run];
            Add(spans, new RawStripSpan(at, until, stretch.IsIdle ? StripKind.Idle : StripKind.Thread, 0, null, stretch.ThreadId));
        }

        return until;
    }

    private static void Add(List<RawStripSpan> spans, RawStripSpan span)
    {
        if (spans.Count > 0 && spans[^1].ToTicks == span.FromTicks && spans[^1].Kind == span.Kind
            && spans[^1].Routine == span.Routine && spans[^1].ThreadId == span.ThreadId)
        {
            spans[^1] = spans[^1] with { ToTicks = span.ToTicks };
        }
        else
        {
            spans.Add(span);
        }
    }
}
