namespace Tracer.Analysis;

/// <summary>What a silence of one CPU tells.</summary>
internal enum Darkness : byte
{
    /// <summary>Nothing: the CPU may have had nothing to log.</summary>
    None,

    /// <summary>
    /// A sample came late and the next was back on the old beat, but the CPU idled, or it was late by little: it counts where others tell
    /// the same.
    /// </summary>
    LateSample,

    /// <summary>Nothing was served on the CPU although something other than the idle thread ran.</summary>
    Dark,
}

/// <summary>
/// Tells what a silence of one CPU is worth: whether a sample was due in it that came late, whether the CPU was busy, whether one of its
/// own routines began inside.
/// </summary>
internal sealed class DarkTimes
{
    private readonly SampleClock?[] _clocks;
    private readonly bool _hasSwitches;
    private readonly bool _hasLevels;

    /// <summary>Makes one for the CPUs of a trace.</summary>
    /// <param name="clocks">When samples of each CPU are due.</param>
    /// <param name="hasSwitches">Whether context switches were recorded.</param>
    /// <param name="hasLevels">Whether ISRs and DPCs were recorded.</param>
    public DarkTimes(SampleClock?[] clocks, bool hasSwitches, bool hasLevels)
    {
        _clocks = clocks;
        _hasSwitches = hasSwitches;
        _hasLevels = hasLevels;
    }

    /// <summary>What a silence tells. It is cut at the routines that began inside: those become known only when they return.</summary>
    /// <param name="cpu">The CPU.</param>
    /// <param name="silence">The silence.</param>
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

    /// <summary>The innermost ISR or DPC that a stretch lies in; null for none.</summary>
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

            // Either part may have been dark; the one in which the sample was due counts.
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

    /// <summary>Whether nothing was served although something other than the idle thread ran.</summary>
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
    /// Whether one thread ran through the silence for longer than an interval: whatever beat the timer kept since the CPU left idling, a
    /// sample was due by then.
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

    /// <summary>While a CPU idles its profile timer may rest, and keeps another beat when it is set again.</summary>
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
    /// Whether the missing sample came late, as soon as the CPU served interrupts again, and the next kept the old beat: the timer had
    /// gone on, its interrupt was pending.
    /// </summary>
    private static bool IsSampledLate(CpuHistory cpu, SampleClock clock, in Silence silence)
    {
        // Late by less than the tolerance, it must be back on the beat more closely.
        long margin = silence.ToTicks - silence.DueTicks > clock.ToleranceTicks ? clock.ToleranceTicks : clock.JitterTicks;
        long late = cpu.FirstSampleFrom(silence.ToTicks);
        if (late >= cpu.Samples.Next || cpu.Samples[late].Ticks - silence.ToTicks > margin)
        {
            return false;
        }

        // A whole interval between them shows no delay: the timer may have been set anew, with the old beat by chance.
        return late + 1 < cpu.Samples.Next
            && cpu.Samples[late + 1].Ticks - cpu.Samples[late].Ticks <= clock.IntervalTicks - (margin / 2)
            && clock.IsOnBeat(cpu.Samples[late + 1].Ticks, silence.BeatTicks, margin);
    }

    /// <summary>Without switches only the samples at both ends tell that the CPU was not idle.</summary>
    private static bool IsBusyAtEdges(CpuHistory cpu, in Silence silence)
    {
        long after = cpu.FirstSampleFrom(silence.ToTicks);
        return after > cpu.Samples.First && after < cpu.Samples.Next
            && !cpu.Samples[after].IsIdle && !cpu.Samples[after - 1].IsIdle;
    }
}
