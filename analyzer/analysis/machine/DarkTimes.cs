namespace Tracer.Analysis.Machine;

/// <summary>What a gap of one CPU proves.</summary>
internal enum Darkness : byte
{
    /// <summary>Nothing: the CPU may have had nothing to log.</summary>
    None,

    /// <summary>
    /// A sample came late and the next one was back on the old beat, but the CPU was idle, or the sample was only a little late. This
    /// counts only where other CPUs show the same.
    /// </summary>
    LateSample,

    /// <summary>
    /// As if the CPU had served no interrupts, but right between two buffers of the file, and no sample that was due came as soon as it
    /// served any again: buffers are missing there.
    /// </summary>
    Hole,

    /// <summary>The CPU served no interrupts although it was running something other than the idle thread.</summary>
    Dark,
}

/// <summary>
/// Judges a gap of one CPU: whether a sample was due in it and came late, whether the CPU was busy, whether a routine of that CPU began
/// within it.
/// </summary>
internal sealed class DarkTimes
{
    /// <summary>A busy CPU may be due a sample in so many gaps before one comes; beyond that it takes none.</summary>
    private const int MostGaps = 4;

    /// <summary>So many gaps before and behind one are looked at.</summary>
    private const int GapsLookedAt = 64;

    private readonly bool _hasSwitches;
    private readonly bool _hasLevels;

    /// <summary>Creates a judge for the CPUs of a trace.</summary>
    public DarkTimes(bool hasSwitches, bool hasLevels)
    {
        _hasSwitches = hasSwitches;
        _hasLevels = hasLevels;
    }

    /// <summary>Judges a gap, and cuts it at the routines that began within it: these become known only when they return.</summary>
    public Darkness Of(CpuHistory cpu, ref SampleGap gap)
    {
        Cut(cpu, ref gap);
        long lateness = gap.ToTicks - gap.DueTicks;
        if (lateness <= gap.JitterTicks)
        {
            return Darkness.None;
        }

        if (lateness > gap.ToleranceTicks && IsDark(cpu, ref gap) && IsSampling(cpu, in gap))
        {
            return gap.IsBetweenBuffers && !IsSampledLate(cpu, in gap) ? Darkness.Hole : Darkness.Dark;
        }

        return IsSampledLate(cpu, in gap) ? Darkness.LateSample : Darkness.None;
    }

    /// <summary>The innermost ISR or DPC that contains a stretch; null where there is none.</summary>
    public static LevelSpan? SpanAround(CpuHistory cpu, long fromTicks, long toTicks)
    {
        for (long number = cpu.SpanAt(toTicks); number >= 0; number = cpu.OuterOf(number))
        {
            LevelSpan span = cpu.Spans[number];
            if (span.StartTicks <= fromTicks && !span.IsProfile)
            {
                return span;
            }
        }

        return null;
    }

    private static void Cut(CpuHistory cpu, ref SampleGap gap)
    {
        for (long number = cpu.FirstEndingFrom(gap.ToTicks); number >= 0; number = cpu.OuterOf(number))
        {
            long start = cpu.Spans[number].StartTicks;
            if (start <= gap.FromTicks || start >= gap.ToTicks)
            {
                continue;
            }

            // Interrupts may have been blocked in either part; the part in which the sample was due counts.
            if (start <= gap.DueTicks)
            {
                gap.FromTicks = start;
            }
            else
            {
                gap.ToTicks = start;
            }
        }
    }

    /// <summary>Whether no interrupt was served although the CPU was running something other than the idle thread.</summary>
    private bool IsDark(CpuHistory cpu, ref SampleGap gap)
    {
        if (!_hasSwitches)
        {
            return _hasLevels && IsBusyAtEdges(cpu, in gap) && IsSampledLate(cpu, in gap);
        }

        long run = cpu.RunAt(gap.FromTicks);
        if (run < 0 || !cpu.Runs[run].IsKnown
            || (cpu.Runs[run].IsIdle && SpanAround(cpu, gap.FromTicks, gap.ToTicks) is null))
        {
            return false;
        }

        return IsBusySince(cpu, gap.BeatTicks, gap.ToTicks) || IsSampledLate(cpu, in gap)
            || IsBusyForInterval(cpu, run, ref gap);
    }

    /// <summary>
    /// Whether one thread ran through the gap for longer than a sample interval: whatever beat the timer took on when the CPU left
    /// idle, a sample was due by then.
    /// </summary>
    private static bool IsBusyForInterval(CpuHistory cpu, long run, ref SampleGap gap)
    {
        if (gap.IntervalTicks <= 0 || cpu.Runs[run].IsIdle
            || (run + 1 < cpu.Runs.Next && cpu.Runs[run + 1].StartTicks < gap.ToTicks))
        {
            return false;
        }

        long due = gap.FromTicks + gap.IntervalTicks;
        if (gap.ToTicks - due <= gap.ToleranceTicks)
        {
            return false;
        }

        gap.DueTicks = Math.Max(gap.DueTicks, due);
        return true;
    }

    /// <summary>
    /// Whether the CPU has been busy since a time. While a CPU idles its profile timer may stop, and it keeps another beat after it is
    /// restarted.
    /// </summary>
    private static bool IsBusySince(CpuHistory cpu, long fromTicks, long toTicks)
    {
        for (long run = cpu.RunAt(toTicks - 1); run >= cpu.Runs.First; run--)
        {
            if (!cpu.Runs[run].IsKnown || cpu.Runs[run].IsIdle)
            {
                return false;
            }

            if (cpu.Runs[run].StartTicks <= fromTicks)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>
    /// Whether the missing sample came late, as soon as the CPU served interrupts again, and the next one kept the old beat: then the timer
    /// had kept running and its interrupt had been pending.
    /// </summary>
    private static bool IsSampledLate(CpuHistory cpu, in SampleGap gap)
    {
        // If the sample was late by less than the tolerance, the next one must match the beat more closely.
        long margin = gap.ToTicks - gap.DueTicks > gap.ToleranceTicks ? gap.ToleranceTicks : gap.JitterTicks;
        long late = cpu.FirstSampleFrom(gap.ToTicks);
        if (late >= cpu.Samples.Next || cpu.Samples[late].Ticks - gap.ToTicks > margin)
        {
            return false;
        }

        // A whole interval between the two shows no delay: the timer may have been restarted and match the old beat by chance.
        return late + 1 < cpu.Samples.Next
            && cpu.Samples[late + 1].Ticks - cpu.Samples[late].Ticks <= gap.IntervalTicks - (margin / 2)
            && SampleClock.IsOnBeat(cpu.Samples[late + 1].Ticks, gap.BeatTicks, gap.IntervalTicks, margin);
    }

    /// <summary>
    /// Whether samples were taken around a gap at all. A sample that is due while nothing is served comes as soon as that ends; so a busy
    /// CPU that logs other records on and on without a sample is not sampled there, however long it is silent in between.
    /// </summary>
    private static bool IsSampling(CpuHistory cpu, in SampleGap gap)
    {
        long next = cpu.FirstSampleFrom(gap.ToTicks);
        long after = next < cpu.Samples.Next ? cpu.Samples[next].Ticks : long.MaxValue;
        long until = gap.ToTicks + gap.IntervalTicks + gap.ToleranceTicks;
        if (after > until && until <= cpu.LatestTicks && IsBusySince(cpu, gap.ToTicks, until))
        {
            return false;
        }

        long before = next > cpu.Samples.First ? cpu.Samples[next - 1].Ticks : long.MinValue;
        int busy = 0;
        long here = cpu.SampleGaps.FirstAfter(gap.FromTicks);
        for (long number = here - 1; number >= cpu.SampleGaps.First && here - number <= GapsLookedAt
            && cpu.SampleGaps[number].FromTicks >= before; number--)
        {
            busy += IsBusyAt(cpu, cpu.SampleGaps[number].FromTicks) ? 1 : 0;
        }

        for (long number = here; number < cpu.SampleGaps.Next && number - here < GapsLookedAt
            && cpu.SampleGaps[number].ToTicks <= after; number++)
        {
            busy += IsBusyAt(cpu, cpu.SampleGaps[number].FromTicks) ? 1 : 0;
        }

        return busy <= MostGaps;
    }

    private static bool IsBusyAt(CpuHistory cpu, long ticks) =>
        cpu.RunAt(ticks) is >= 0 and var run && cpu.Runs[run] is { IsKnown: true, IsIdle: false };

    /// <summary>Whether the samples at both ends show that the CPU was busy; without context switches there is no other evidence.</summary>
    private static bool IsBusyAtEdges(CpuHistory cpu, in SampleGap gap)
    {
        long after = cpu.FirstSampleFrom(gap.ToTicks);
        return after > cpu.Samples.First && after < cpu.Samples.Next
            && !cpu.Samples[after].IsIdle && !cpu.Samples[after - 1].IsIdle;
    }
}
