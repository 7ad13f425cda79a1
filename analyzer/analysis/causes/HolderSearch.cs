using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Finds what another CPU did until a spin wait ended: a blackout, an ISR or DPC, or a thread at raised IRQL. IRQL was raised if a DPC or
/// thread was pending on that CPU and ran as soon as the code ended.
/// </summary>
internal sealed class HolderSearch
{
    /// <summary>
    /// A DPC or thread shows that IRQL was raised if it was pending for at least this time, in ns. One that was pending for less may have
    /// come at that moment by chance.
    /// </summary>
    private const long LeastPendingNanoseconds = 20_000;

    /// <summary>How many ISRs and DPCs before a time are examined. It bounds the work per wait.</summary>
    private const int MostSpans = 4096;

    private readonly WorkBudget _budget;
    private readonly CpuHistories _cpus;
    private readonly Blackouts _blackouts;
    private readonly DpcQueues _queues;
    private readonly ReadyTimes _readyTimes;
    private readonly OwnerSearch _owners;
    private readonly ModuleMap _modules;
    private readonly WaitingRoutines _waiting;
    private readonly long _leastPendingTicks;
    private readonly List<long> _touching = [];

    /// <param name="blackouts">The blackouts found so far.</param>
    public HolderSearch(MachineState machine, Blackouts blackouts, OwnersOfCode owners, WaitingRoutines waiting, WorkBudget budget)
    {
        _budget = budget;
        _cpus = machine.IsOneCpuOnly ? new CpuHistories() : machine.Cpus;
        _queues = machine.Queues;
        _readyTimes = machine.ReadyTimes;
        _blackouts = blackouts;
        _owners = owners.Search;
        _modules = owners.Modules;
        _waiting = waiting;
        _leastPendingTicks = Math.Max(1, TickRate.TicksOf(LeastPendingNanoseconds, machine.TicksPerSecond));
    }

    /// <summary>What another CPU did until the wait ended; null where there is nothing, or several things of the same rank.</summary>
    /// <param name="startedBy">The work must have begun by this time, in ticks.</param>
    /// <param name="earliest">The work must not have ended before this time, in ticks.</param>
    /// <param name="latest">The work must have ended by this time, in ticks.</param>
    public HolderStretch? Find(CpuHistory waiter, long startedBy, long earliest, long latest, WaitKind kind)
    {
        HolderStretch? only = null;
        bool isAmbiguous = false;
        foreach (CpuHistory? cpu in _cpus)
        {
            if (cpu is null || cpu == waiter || !_budget.TrySpend(cpu.RecordsBetween(startedBy, latest))
                || On(cpu, startedBy, earliest, latest, kind) is not { } here)
            {
                continue;
            }

            if (only is null || here.Rank > only.Rank)
            {
                only = here;
                isAmbiguous = false;
            }
            else
            {
                isAmbiguous |= here.Rank == only.Rank;
            }
        }

        return isAmbiguous ? null : only;
    }

    private HolderStretch? On(CpuHistory cpu, long startedBy, long earliest, long latest, WaitKind kind)
    {
        HolderStretch? here = null;
        foreach (Blackout blackout in _blackouts.Touching(cpu.Cpu, startedBy, latest))
        {
            if (!blackout.IsWholeMachine && blackout.Cpu == cpu.Cpu && blackout.FromTicks <= startedBy
                && blackout.ToTicks >= earliest && blackout.ToTicks <= latest)
            {
                here = new HolderStretch(blackout.FromTicks, blackout.ToTicks, null, blackout, IsOwnCode: true, IsEndSeen: true);
            }
        }

        // A CPU that runs a DPC, a thread or a device's ISR still serves inter-processor interrupts, so that these cannot hold them off.
        return here is not null || kind == WaitKind.Processors
            ? here
            : SpanThatEnds(cpu, startedBy, earliest, latest) ?? ThreadThatEnds(cpu, startedBy, earliest, latest);
    }

    private HolderStretch? SpanThatEnds(CpuHistory cpu, long startedBy, long earliest, long latest)
    {
        for (long number = cpu.FirstSpanEndingAfter(earliest - 1);
            number < cpu.Spans.Next && cpu.Spans[number].EndTicks <= latest; number++)
        {
            LevelSpan span = cpu.Spans[number];
            if (span.StartTicks <= startedBy && !IsWaitingItself(cpu, in span)
                && _owners.OfSpan(cpu, in span) is { IsSomebodys: true } found
                && (found.Owner is not { } owner || _modules.RoleOf(owner) != ModuleRole.Kernel))
            {
                return new HolderStretch(span.StartTicks, span.EndTicks, found, null, IsOwnCode: true, IsEndSeen: true);
            }
        }

        return null;
    }

    /// <summary>Whether no more than half of a routine's samples show code of its own. Then it may be waiting itself.</summary>
    private bool IsWaitingItself(CpuHistory cpu, in LevelSpan span)
    {
        int asked = 0;
        int working = 0;
        for (long number = cpu.FirstSampleFrom(span.StartTicks + 1);
            number < cpu.Samples.Next && cpu.Samples[number].Ticks < span.EndTicks; number++)
        {
            if (!IsInSpan(cpu, cpu.Samples[number].Ticks, span.StartTicks + 1))
            {
                asked++;
                working += _waiting.Of(cpu, in cpu.Samples[number], out bool isKernels) == WaitKind.None && !isKernels ? 1 : 0;
            }
        }

        return asked > 0 && 2 * working <= asked;
    }

    /// <summary>
    /// The thread that ran kernel code of one driver until the wait ended, with neither a context switch nor a DPC in between.
    /// </summary>
    private HolderStretch? ThreadThatEnds(CpuHistory cpu, long startedBy, long earliest, long latest)
    {
        long? seen = EndOfRaised(cpu, earliest, latest);
        long end = seen ?? earliest;
        long run = cpu.RunAt(end - 1);
        if (run < 0 || cpu.Runs[run] is not { IsKnown: true, IsIdle: false } stretch || stretch.StartTicks > startedBy)
        {
            return null;
        }

        // The last DPC before the wait may have run before the thread raised its IRQL; none may run after that.
        long from = stretch.StartTicks;
        long last = cpu.Spans.FirstAfter(end) - 1;
        for (long number = last; number >= Math.Max(cpu.Spans.First, last - MostSpans) && cpu.Spans[number].EndTicks > from; number--)
        {
            if (cpu.Spans[number].IsIsr || cpu.Spans[number].StartTicks >= end)
            {
                continue;
            }

            if (cpu.Spans[number].EndTicks > startedBy)
            {
                return null;
            }

            from = cpu.Spans[number].EndTicks;
        }

        for (long number = cpu.FirstEndingFrom(end + 1); number >= 0; number = cpu.OuterOf(number))
        {
            if (!cpu.Spans[number].IsIsr && cpu.Spans[number].StartTicks < end)
            {
                return null;
            }
        }

        OwnerFinding? holder = null;
        bool isOwnCode = false;
        for (long number = cpu.FirstSampleFrom(startedBy); number < cpu.Samples.Next && cpu.Samples[number].Ticks < end; number++)
        {
            CpuSample sample = cpu.Samples[number];
            if (IsInSpan(cpu, sample.Ticks, long.MinValue))
            {
                continue;
            }

            if (sample.ThreadId != stretch.ThreadId || !_modules.Images.IsKernelAddress(sample.Instruction)
                || _owners.OfThreadSample(cpu, in sample) is not { Owner: { } owner } found || _modules.RoleOf(owner) == ModuleRole.Kernel
                || (holder is not null && holder.Owner!.Number != owner.Number))
            {
                return null;
            }

            isOwnCode |= _waiting.Of(cpu, in sample, out bool isKernels) == WaitKind.None && !isKernels;
            holder = holder is null
                ? found
                : holder with { Samples = holder.Samples + found.Samples, SamplesAsked = holder.SamplesAsked + found.SamplesAsked };
        }

        if (holder is null || (seen is null && (!isOwnCode || GoesOn(cpu, holder, earliest, latest))))
        {
            return null;
        }

        return new HolderStretch(from, seen ?? latest, holder, null, isOwnCode, IsEndSeen: seen is not null);
    }

    /// <summary>
    /// Whether the next sample shows the same driver's code and no DPC ran before it: then the work went on beyond the end of the wait.
    /// </summary>
    private bool GoesOn(CpuHistory cpu, OwnerFinding holder, long earliest, long latest)
    {
        long number = cpu.FirstSampleFrom(latest);
        if (number >= cpu.Samples.Next)
        {
            return false;
        }

        CpuSample next = cpu.Samples[number];
        long run = cpu.RunAt(next.Ticks);
        foreach (long dpc in Touching(cpu, earliest, next.Ticks))
        {
            LevelSpan span = cpu.Spans[dpc];
            if (!span.IsIsr && span.StartTicks >= earliest && span.StartTicks < next.Ticks)
            {
                return false;
            }
        }

        return run >= 0 && cpu.Runs[run].StartTicks < earliest && _modules.Images.IsKernelAddress(next.Instruction)
            && _owners.OfThreadSample(cpu, in next).Owner?.Number == holder.Owner!.Number;
    }

    /// <summary>
    /// When the CPU first ran a DPC or thread that had been pending for a while; null if it ran none. One that was not pending shows
    /// nothing: it can come at any IRQL.
    /// </summary>
    private long? EndOfRaised(CpuHistory cpu, long earliest, long latest)
    {
        long? end = null;
        foreach (long number in Touching(cpu, earliest, latest + 1))
        {
            LevelSpan span = cpu.Spans[number];
            if (span.Kind == LevelKind.Dpc && span.StartTicks >= earliest && WasPending(cpu, in span))
            {
                end = span.StartTicks;
            }
        }

        for (long run = cpu.Runs.FirstAfter(earliest - 1); run < cpu.Runs.Next && cpu.Runs[run].StartTicks <= latest; run++)
        {
            RunStretch next = cpu.Runs[run];
            if (next.IsKnown && !next.IsIdle
                && _readyTimes.Of(cpu.Cpu, run) is > long.MinValue and var ready && next.StartTicks - ready >= _leastPendingTicks)
            {
                end = Math.Min(end ?? next.StartTicks, next.StartTicks);
            }
        }

        // Other DPCs may run ahead of the pending work, such as those of timers. The first of them ran as soon as IRQL dropped.
        foreach (long number in end is null ? [] : Touching(cpu, earliest, latest + 1))
        {
            LevelSpan span = cpu.Spans[number];
            end = !span.IsIsr && span.StartTicks >= earliest ? Math.Min(end!.Value, span.StartTicks) : end;
        }

        return end;
    }

    private bool WasPending(CpuHistory cpu, in LevelSpan dpc)
    {
        if (_queues.WasPending(cpu.Cpu, in dpc, _leastPendingTicks) is { } wasPending)
        {
            return wasPending;
        }

        // Without a record of the enqueue: if an ISR ran right before, it may have just queued the DPC.
        for (long number = cpu.FirstSpanEndingAfter(dpc.StartTicks - _leastPendingTicks);
            number < cpu.Spans.Next && cpu.Spans[number].EndTicks <= dpc.StartTicks; number++)
        {
            if (cpu.Spans[number].IsIsr)
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Whether a time lies within an ISR or DPC that was entered at <c>enteredFrom</c> or later.</summary>
    private static bool IsInSpan(CpuHistory cpu, long ticks, long enteredFrom)
    {
        for (long number = cpu.FirstEndingFrom(ticks + 1); number >= 0; number = cpu.OuterOf(number))
        {
            LevelSpan span = cpu.Spans[number];
            if (!span.IsProfile && span.StartTicks < ticks && span.StartTicks >= enteredFrom)
            {
                return true;
            }
        }

        return false;
    }

    private List<long> Touching(CpuHistory cpu, long fromTicks, long toTicks)
    {
        _touching.Clear();
        cpu.AddTouching(fromTicks, toTicks, _touching);
        return _touching;
    }
}

/// <summary>What another CPU did until the wait ended. Times in ticks.</summary>
/// <param name="FromTicks">Its start; the earliest where not known.</param>
/// <param name="Owner">The module whose code ran; null for a blackout.</param>
/// <param name="Blackout">The blackout; null for none.</param>
/// <param name="IsOwnCode">Whether the code was surely the owner's own, and not itself waiting in the kernel.</param>
/// <param name="IsEndSeen">
/// Whether a record shows when the work ended. Otherwise it may have ended when the wait did, or at another time.
/// </param>
internal sealed record HolderStretch(
    long FromTicks, long ToTicks, OwnerFinding? Owner, Blackout? Blackout, bool IsOwnCode, bool IsEndSeen)
{
    /// <summary>The likelier holder has the higher rank: a visible end counts more than code of its own.</summary>
    public int Rank => (IsEndSeen ? 2 : 0) + (IsOwnCode ? 1 : 0);
}
