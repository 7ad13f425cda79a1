namespace Tracer.Analysis;

/// <summary>
/// Finds how long a CPU that had nothing to do needed to come out of its idle state once there was something: by the records of its
/// idling, else by the idle state that the switch from the idle thread names.
/// </summary>
internal sealed class IdleExitSearch
{
    /// <summary>A CPU that served an interrupt so lately has not gone to sleep again, in ns.</summary>
    private const long AwakeNanoseconds = 5_000;

    /// <summary>Leaving the lightest states takes a microsecond or two; what is shorter than this is no wait, in ns.</summary>
    private const long LeastNanoseconds = 10_000;

    /// <summary>Idle states above this are deep: C1 is the lightest that counts as one.</summary>
    private const uint LightestState = 1;

    /// <summary>A CPU that is awake takes up what there is to do in a few times that.</summary>
    private const int IdlesOnAfter = 10;

    private readonly PowerHistory _power;
    private readonly long _awakeTicks;
    private readonly long _leastTicks;

    /// <summary>Makes a search.</summary>
    /// <param name="power">What is known of the CPUs' idling.</param>
    /// <param name="ticksPerSecond">Ticks of a second.</param>
    public IdleExitSearch(PowerHistory power, long ticksPerSecond)
    {
        _power = power;
        _awakeTicks = Math.Max(1, (long)((Int128)ticksPerSecond * AwakeNanoseconds / 1_000_000_000));
        _leastTicks = Math.Max(1, (long)((Int128)ticksPerSecond * LeastNanoseconds / 1_000_000_000));
    }

    /// <summary>Finds it for a CPU that was to do something from a time on.</summary>
    /// <param name="cpu">The CPU.</param>
    /// <param name="fromTicks">Since when there was something to do.</param>
    /// <param name="toTicks">The end of what is looked at.</param>
    /// <returns>Null where it was awake, or nothing tells that it was not.</returns>
    public IdleExit? Find(CpuHistory cpu, long fromTicks, long toTicks)
    {
        long run = cpu.RunAt(fromTicks);
        if (run < 0 || !cpu.Runs[run].IsIdle)
        {
            return null;
        }

        bool isSwitched = run + 1 < cpu.Runs.Next && cpu.Runs[run + 1].StartTicks <= toTicks;
        long end = isSwitched ? cpu.Runs[run + 1].StartTicks : toTicks;
        // The switch behind what is looked at tells the state as well: up to there the CPU only served an interrupt.
        bool isNamed = run + 1 < cpu.Runs.Next && cpu.Runs[run + 1].StartTicks - toTicks <= IdlesOnAfter * _awakeTicks;
        bool isAwake = cpu.FirstEndingFrom(fromTicks - _awakeTicks + 1) is >= 0 and var lately && cpu.Spans[lately].EndTicks <= fromTicks;
        for (long number = cpu.FirstEndingFrom(fromTicks + 1); number >= 0; number = cpu.OuterOf(number))
        {
            LevelSpan span = cpu.Spans[number];
            isAwake |= span.StartTicks <= fromTicks;
            end = span.StartTicks > fromTicks ? Math.Min(end, span.StartTicks) : end;
        }

        long sample = cpu.FirstSampleFrom(fromTicks + 1);
        bool idlesOn = sample < cpu.Samples.Next && end - cpu.Samples[sample].Ticks > IdlesOnAfter * _awakeTicks;
        end = sample < cpu.Samples.Next ? Math.Min(end, cpu.Samples[sample].Ticks) : end;
        if (isAwake || end <= fromTicks)
        {
            return null;
        }

        // It was awake then and had still nothing to do: nobody had called it.
        return _power.IdleOf(cpu.Cpu) is { Count: > 0 } marks
            ? Recorded(marks, fromTicks, end, idlesOn)
            : isNamed && !idlesOn && cpu.Runs[run + 1].IdleStateBefore is >= (byte)LightestState and var state
                && end - fromTicks >= LeastOf(state)
                ? new IdleExit(fromTicks, end, state, IsRecorded: false)
                : null;
    }

    private long LeastOf(uint state) => state > LightestState ? 1 : _leastTicks;

    private IdleExit? Recorded(Ring<IdleMark> marks, long fromTicks, long endTicks, bool mustBeTold)
    {
        long next = marks.FirstAfter(fromTicks);
        bool isKnown = next > marks.First;
        if (isKnown && marks[next - 1].Kind != IdleMarkKind.Enter)
        {
            return null; // It had woken before.
        }

        uint? state = isKnown ? marks[next - 1].State : null;
        bool isMeasured = false;
        bool isTold = !mustBeTold;
        long exit = endTicks;
        for (long number = next; number < marks.Next && marks[number].Ticks <= endTicks; number++)
        {
            if (marks[number].Kind == IdleMarkKind.Enter)
            {
                break;
            }

            isTold = true;
            isMeasured |= marks[number].Kind == IdleMarkKind.Measured;
            state = Math.Max(state ?? 0, marks[number].State);
            exit = Math.Min(exit, marks[number].Ticks);
        }

        return isTold && (state >= LightestState || isMeasured) && exit - fromTicks >= LeastOf(state ?? 0)
            ? new IdleExit(fromTicks, exit, state ?? 0, IsRecorded: true)
            : null;
    }
}

/// <summary>The time that a CPU needed to leave its idle state; in ticks.</summary>
/// <param name="FromTicks">When there was something to do.</param>
/// <param name="ToTicks">When it was awake.</param>
/// <param name="State">The idle state.</param>
/// <param name="IsRecorded">Whether records of its idling tell, and not only the switch from the idle thread.</param>
internal sealed record IdleExit(long FromTicks, long ToTicks, uint State, bool IsRecorded) : CauseDetail
{
    /// <summary>Whether so deep a state takes long to leave.</summary>
    public bool IsDeep => State > 1;

    /// <summary>Whether a switch alone names a state so light that leaving it is no wait.</summary>
    public bool IsTooLight => !IsRecorded && !IsDeep;

    /// <summary>How much of it lies within a stretch, in ticks.</summary>
    public long TicksWithin(long fromTicks, long toTicks) => Math.Max(0, Math.Min(toTicks, ToTicks) - Math.Max(fromTicks, FromTicks));
}
