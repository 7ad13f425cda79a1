using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Finds how long an idle CPU needed to leave its idle state once it had work. It uses the records of the CPU's idle states; without these,
/// the idle state that the context switch from the idle thread names.
/// </summary>
internal sealed class IdleExitSearch
{
    /// <summary>
    /// A CPU that served an interrupt this recently, in ns, has not entered an idle state again, so that it has none to leave.
    /// </summary>
    private const long AwakeNanoseconds = 5_000;

    /// <summary>A shorter exit from the lightest idle state is no wait, in ns: leaving it takes a microsecond or two.</summary>
    private const long LeastNanoseconds = 10_000;

    /// <summary>The lightest idle state that counts as one: C1. Deeper states have higher numbers.</summary>
    private const uint LightestState = 1;

    /// <summary>
    /// An idle CPU that was sampled awake takes up pending work within this many times <see cref="AwakeNanoseconds"/>, 50 us. If it stays
    /// idle for longer, it had no work yet.
    /// </summary>
    private const int IdlesOnAfter = 10;

    private readonly long _awakeTicks;
    private readonly long _leastTicks;

    /// <param name="ticksPerSecond">Clock ticks per second.</param>
    public IdleExitSearch(long ticksPerSecond)
    {
        _awakeTicks = Math.Max(1, TickRate.TicksOf(AwakeNanoseconds, ticksPerSecond));
        _leastTicks = Math.Max(1, TickRate.TicksOf(LeastNanoseconds, ticksPerSecond));
    }

    /// <returns>The idle exit; null where the CPU was awake, or where nothing shows that it was not.</returns>
    public IdleExit? Find(CpuHistory cpu, long fromTicks, long toTicks)
    {
        long run = cpu.RunAt(fromTicks);
        if (run < 0 || !cpu.Runs[run].IsIdle)
        {
            return null;
        }

        bool isSwitched = run + 1 < cpu.Runs.Next && cpu.Runs[run + 1].StartTicks <= toTicks;
        long end = isSwitched ? cpu.Runs[run + 1].StartTicks : toTicks;
        // A context switch shortly after the stretch names the state as well: until then the CPU only served an interrupt.
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
        if (isAwake)
        {
            return null;
        }

        // If the CPU was awake at that sample and stayed idle, it had no work yet: nothing had called it.
        return cpu.IdleEvents.Count > 0
            ? Recorded(cpu.IdleEvents, fromTicks, end, idlesOn)
            : isNamed && !idlesOn && cpu.Runs[run + 1].IdleStateBefore is >= (byte)LightestState and var state
                && end - fromTicks >= LeastOf(state)
                ? new IdleExit(fromTicks, end, state, IsRecorded: false)
                : null;
    }

    private long LeastOf(uint state) => state > LightestState ? 1 : _leastTicks;

    private IdleExit? Recorded(Ring<IdleEvent> events, long fromTicks, long endTicks, bool mustBeTold)
    {
        long next = events.FirstAfter(fromTicks);
        bool isKnown = next > events.First;
        if (isKnown && events[next - 1].Kind != IdleEventKind.Enter)
        {
            return null; // The CPU had left its idle state before.
        }

        uint? state = isKnown ? events[next - 1].State : null;
        bool isMeasured = false;
        bool isTold = !mustBeTold;
        long exit = endTicks;
        for (long number = next; number < events.Next && events[number].Ticks <= endTicks; number++)
        {
            if (events[number].Kind == IdleEventKind.Enter)
            {
                break;
            }

            isTold = true;
            isMeasured |= events[number].Kind == IdleEventKind.Measured;
            state = Math.Max(state ?? 0, events[number].State);
            exit = Math.Min(exit, events[number].Ticks);
        }

        return isTold && (state >= LightestState || isMeasured) && exit - fromTicks >= LeastOf(state ?? 0)
            ? new IdleExit(fromTicks, exit, state ?? 0, IsRecorded: true)
            : null;
    }
}

/// <summary>The time that a CPU needed to leave its idle state, in ticks.</summary>
/// <param name="IsRecorded">Whether records of the CPU's idle states show it, and not only the context switch from the idle thread.</param>
internal sealed record IdleExit(long FromTicks, long ToTicks, uint State, bool IsRecorded) : CauseDetail
{
    public override Mechanism Mechanism => Mechanism.IdleExit;

    /// <summary>Whether the state is deeper than C1, so that leaving it takes long.</summary>
    public bool IsDeep => State > 1;

    /// <summary>Whether only a context switch names the state, and the state is so light that leaving it is no wait.</summary>
    public bool IsTooLight => !IsRecorded && !IsDeep;

    /// <summary>How much of the exit lies within a stretch, in ticks.</summary>
    public long TicksWithin(long fromTicks, long toTicks) => Math.Max(0, Math.Min(toTicks, ToTicks) - Math.Max(fromTicks, FromTicks));
}
