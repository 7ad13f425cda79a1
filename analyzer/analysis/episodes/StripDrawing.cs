namespace Tracer.Analysis;

/// <summary>Keeps, for an episode, what ran on its CPU and on the others that had anything to do.</summary>
internal sealed class StripDrawing
{
    private const int MostCpus = 16;
    private const int MostSpans = 2000;

    private readonly BlackoutSearch _blackouts;
    private readonly LevelSlices _slices = new();

    /// <summary>Draws.</summary>
    public StripDrawing(BlackoutSearch blackouts) => _blackouts = blackouts;

    /// <summary>Draws the strips of an episode, its own CPU first.</summary>
    public List<RawStrip> Draw(CpuHistory?[] cpus, EpisodeCandidate candidate)
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

            List<RawStripSpan> spans = SpansOf(cpu, candidate.FromTicks, candidate.ToTicks);
            if (spans.Count > 0)
            {
                strips.Add(new RawStrip(cpu.Cpu, spans));
            }
        }

        return strips;
    }

    private List<RawStripSpan> SpansOf(CpuHistory cpu, long fromTicks, long toTicks)
    {
        List<RawStripSpan> spans = [];
        List<Blackout> blackouts = [.. _blackouts.Touching(cpu.Cpu, fromTicks, toTicks)];
        foreach (LevelSlice slice in _slices.Cut(cpu, fromTicks, toTicks))
        {
            long at = slice.FromTicks;
            while (at < slice.ToTicks && spans.Count < MostSpans)
            {
                long until = slice.ToTicks;
                bool isDark = false;
                foreach (Blackout blackout in blackouts)
                {
                    bool isInside = blackout.FromTicks <= at && at < blackout.ToTicks;
                    isDark |= isInside;
                    long edge = isInside ? blackout.ToTicks : blackout.FromTicks;
                    until = edge > at ? Math.Min(until, edge) : until;
                }

                if (slice.Span < 0 && !isDark)
                {
                    until = AddThread(cpu, at, until, spans);
                }
                else
                {
                    StripKind kind = isDark ? StripKind.Blackout : _slices.Spans[slice.Span].IsIsr ? StripKind.Isr : StripKind.Dpc;
                    Add(spans, new RawStripSpan(at, until, kind, slice.Span < 0 ? 0 : _slices.Spans[slice.Span].Routine, 0));
                }

                at = until;
            }
        }

        return spans;
    }

    private static long AddThread(CpuHistory cpu, long at, long until, List<RawStripSpan> spans)
    {
        long run = cpu.RunAt(at);
        long next = run >= 0 ? run + 1 : cpu.Runs.First;
        until = next < cpu.Runs.Next && cpu.Runs[next].StartTicks > at ? Math.Min(until, cpu.Runs[next].StartTicks) : until;
        if (run >= 0 && cpu.Runs[run].IsKnown)
        {
            RunStretch stretch = cpu.Runs[run];
            Add(spans, new RawStripSpan(at, until, stretch.IsIdle ? StripKind.Idle : StripKind.Thread, 0, stretch.ThreadId));
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
