namespace Tracer.Analysis.Machine;

/// <summary>What a silence of one CPU proves.</summary>
internal enum Darkness : byte
{
    /// <summary>Nothing: the CPU may have had nothing to log.</summary>
    None,

    /// <summary>
    /// A sample came late and the next one was back on the old beat, but the CPU was idle, or the sample was only a little late. This
    /// counts only where other CPUs show the same.
    /// </summary>
    LateSample,

    /// <summary>The CPU served no interrupts although it was running something other than the idle thread.</summary>
    Dark,
}

/// <summary>
/// Judges a silence of one CPU: whether a sample was due in it and came late, whether the CPU was busy, whether a routine of that CPU began
/// within it.
/// </summary>
internal sealed class DarkTimes
{
    private readonly SampleClock?[] _clocks;
    private readonly bool _hasSwitches;
    private readonly bool _hasLevels;

    /// <summary>Creates a judge for the CPUs of a trace.</summary>
    public DarkTimes(SampleClock?[] clocks, bool hasSwitches, bool hasLevels)
    {
        _clocks = clocks;
        _hasSwitches = hasSwitches;
        _hasLevels = hasLevels;
    }

    /// <summary>Judges a silence, and cuts it at the routines that began within it: these become known only when they return.</summary>
    public Darkness Of(CpuHistory cpu, ref Silence silence)
    {
        Cut(cpu, ref silence);
        long lateness = silence.ToTicks - silence.DueTicks;
        if (_clocks[cpu.Cpu] is not { } clock || lateness <= clock.JitterTicks)
        {
            return Darkness.None;
        }

        if (lateness > clock.ToleranceTicks && IsDark(cpu, clock, ref silence))
        {
            return Darkness.Dark;
        }

        return IsSampledLate(cpu, clock, in silence) ? Darkness.LateSample : Darkness.None;
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

    private static void Cut(CpuHistory cpu, ref Silence silence)
    {
        for (long number = cpu.FirstEndingFrom(silence.ToTicks); number >= 0; number = cpu.OuterOf(number))
        {
            long start = cpu.Spans[number].StartTicks;
            if (start <= silence.FromTicks || start >= silence.ToTicks)
            {
                continue;
            }

            // Interrupts may have been blocked in either part; the part in which the sample was due counts.
            if (start <= silence.DueTicks)
            {
                silence.FromTicks = start;
            }
            else
            {
                silence.ToTicks = start;
            }
        }
    }

    /// <summary>Whether no interrupt was served although the CPU was running something other than the idle thread.</summary>
    private bool IsDark(CpuHistory cpu, SampleClock clock, ref Silence silence)
    {
        if (!_hasSwitches)
        {
            return _hasLevels && IsBusyAtEdges(cpu, in silence) && IsSampledLate(cpu, clock, in silence);
        }

        long run = cpu.RunAt(silence.FromTicks);
        if (run < 0 || !cpu.Runs[run].IsKnown
            || (cpu.Runs[run].IsIdle && SpanAround(cpu, silence.FromTicks, silence.ToTicks) is null))
        {
            return false;
        }

        return IsBusySince(cpu, silence.BeatTicks, silence.ToTicks) || IsSampledLate(cpu, clock, in silence)
            || IsBusyForInterval(cpu, clock, run, ref silence);
    }

    /// <summary>
    /// Whether one thread ran through the silence for longer than a sample interval: whatever beat the timer took on when the CPU left
    /// idle, a sample was due by then.
    /// </summary>
    private static bool IsBusyForInterval(CpuHistory cpu, SampleClock clock, long run, ref Silence silence)
    {
        if (clock.IntervalTicks <= 0 || cpu.Runs[run].IsIdle
            || (run + 1 < cpu.Runs.Next && cpu.Runs[run + 1].StartTicks < silence.ToTicks))
        {
            return false;
        }

        long due = silence.FromTicks + clock.IntervalTicks;
        if (silence.ToTicks - due <= clock.ToleranceTicks)
        {
            return false;
        }

        silence.DueTicks = Math.Max(silence.DueTicks, due);
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
    private static bool IsSampledLate(CpuHistory cpu, SampleClock clock, in Silence silence)
    {
        // If the sample was late by less than the tolerance, the next one must match the beat more closely.
        long margin = silence.ToTicks - silence.DueTicks > clock.ToleranceTicks ? clock.ToleranceTicks : clock.JitterTicks;
        long late = cpu.FirstSampleFrom(silence.ToTicks);
        if (late >= cpu.Samples.Next || cpu.Samples[late].Ticks - silence.ToTicks > margin)
        {
            return false;
        }

        // A whole interval between the two shows no delay: the timer may have been restarted and match the old beat by chance.
        return late + 1 < cpu.Samples.Next
            && cpu.Samples[late + 1].Ticks - cpu.Samples[late].Ticks <= clock.IntervalTicks - (margin / 2)
            && clock.IsOnBeat(cpu.Samples[late + 1].Ticks, silence.BeatTicks, margin);
    }

    /// <summary>Whether the samples at both ends show that the CPU was busy; without context switches there is no other evidence.</summary>
    private static bool IsBusyAtEdges(CpuHistory cpu, in Silence silence)
    {
        long after = cpu.FirstSampleFrom(silence.ToTicks);
        return after > cpu.Samples.First && after < cpu.Samples.Next
            && !cpu.Samples[after].IsIdle && !cpu.Samples[after - 1].IsIdle;
    }
}
