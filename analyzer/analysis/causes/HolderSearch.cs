namespace Tracer.Analysis;

/// <summary>
/// Finds what another CPU did until a wait ended: a blackout, an ISR or a DPC, or a thread at raised IRQL. That it was raised shows in
/// what stood waiting on that CPU, a DPC or a thread, and was served at once when it ended.
/// </summary>
internal sealed class HolderSearch
{
    /// <summary>What was served stood waiting at least so long, in ns: it did not just come by chance.</summary>
    private const long LeastPendingNanoseconds = 20_000;

    /// <summary>So many ISRs and DPCs before a time are looked at.</summary>
    private const int MostSpans = 4096;

    private readonly WorkBudget _budget;
    private readonly CpuHistory?[] _cpus;
    private readonly Blackouts _blackouts;
    private readonly OwnerSearch _owners;
    private readonly ModuleMap _modules;
    private readonly WaitingRoutines _waiting;
    private readonly long _leastPendingTicks;
    private readonly List<long> _touching = [];

    /// <summary>Makes a search.</summary>
    /// <param name="machine">The machine's state.</param>
    /// <param name="blackouts">The blackouts found so far.</param>
    /// <param name="owners">Finds owners.</param>
    /// <param name="waiting">Tells code that waits.</param>
    /// <param name="budget">Limits the work.</param>
    public HolderSearch(MachineState machine, Blackouts blackouts, OwnersOfCode owners, WaitingRoutines waiting, WorkBudget budget)
    {
        _budget = budget;
        _cpus = machine.Cpus;
        _blackouts = blackouts;
        _owners = owners.Search;
        _modules = owners.Modules;
        _waiting = waiting;
        _leastPendingTicks = Math.Max(1, (long)((Int128)machine.TicksPerSecond * LeastPendingNanoseconds / 1_000_000_000));
    }

    /// <summary>The one thing that another CPU did until a wait ended; null for none or several.</summary>
    /// <param name="waiter">The CPU that waited.</param>
    /// <param name="startedBy">It had begun by then.</param>
    /// <param name="earliest">It ended at this time or later.</param>
    /// <param name="latest">It ended at this time or earlier.</param>
    /// <param name="kind">What was waited for, as far as it is known.</param>
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

        // A CPU that runs a DPC, a thread or an ISR of a device takes the interrupts by which CPUs call each other.
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
                && _owners.OfSpan(cpu, in span) is { Owner: { } owner } found && _modules.RoleOf(owner) != ModuleRole.Kernel)
            {
                return new HolderStretch(span.StartTicks, span.EndTicks, found, null, IsOwnCode: true, IsEndSeen: true);
            }
        }

        return null;
    }

    /// <summary>Whether most samples of a routine show nothing but the kernel's code: it may be one more that waits.</summary>
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

    /// <summary>A thread that ran one driver's kernel code, neither switched nor interrupted by a DPC until the wait ended.</summary>
    private HolderStretch? ThreadThatEnds(CpuHistory cpu, long startedBy, long earliest, long latest)
    {
        long? seen = EndOfRaised(cpu, earliest, latest);
        long end = seen ?? earliest;
        long run = cpu.RunAt(end - 1);
        if (run < 0 || cpu.Runs[run] is not { IsKnown: true, IsIdle: false } stretch || stretch.StartTicks > startedBy)
        {
            return null;
        }

        // The last DPC before the wait began may have run before the thread raised itself; none may run between.
        long from = stretch.StartTicks;
        long last = cpu.Spans.FirstAfter(end) - 1;
        for (long number = last; number >= Math.Max(cpu.Spans.First, last - MostSpans) && cpu.Spans[number].EndTicks > from; number--)
        {
            if (cpu.Spans[number].IsIsr)
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
            SampleMark sample = cpu.Samples[number];
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

    /// <summary>Whether the next sample shows the same driver at work, and nothing else was let in before: then nothing ended.</summary>
    private bool GoesOn(CpuHistory cpu, OwnerFinding holder, long earliest, long latest)
    {
        long number = cpu.FirstSampleFrom(latest);
        if (number >= cpu.Samples.Next)
        {
            return false;
        }

        SampleMark next = cpu.Samples[number];
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
    /// When a CPU let in what had stood waiting for a while, a DPC or a thread; null where it did not. What came just then could come at
    /// any level, and shows nothing.
    /// </summary>
    private long? EndOfRaised(CpuHistory cpu, long earliest, long latest)
    {
        long? end = null;
        foreach (long number in Touching(cpu, earliest, latest + 1))
        {
            LevelSpan span = cpu.Spans[number];
            if (span.Kind == LevelKind.Dpc && span.StartTicks >= earliest && span.StartTicks <= Math.Min(latest, end ?? latest)
                && WasPending(cpu, in span))
            {
                end = span.StartTicks;
            }
        }

        for (long run = Math.Max(cpu.RunAt(earliest), cpu.Runs.First); run < cpu.Runs.Next && cpu.Runs[run].StartTicks <= latest; run++)
        {
            RunStretch next = cpu.Runs[run];
            if (next.StartTicks >= earliest && next.StartTicks < (end ?? long.MaxValue) && next.IsKnown && !next.IsIdle
                && next.ReadyTicks != long.MinValue && next.StartTicks - next.ReadyTicks >= _leastPendingTicks)
            {
                end = next.StartTicks;
            }
        }

        // It was let in behind DPCs that tell nothing by themselves, such as those of timers: the first of them ran once it could.
        foreach (long number in end is null ? [] : Touching(cpu, earliest, latest + 1))
        {
            LevelSpan span = cpu.Spans[number];
            end = !span.IsIsr && span.StartTicks >= earliest && span.StartTicks < end ? span.StartTicks : end;
        }

        return end;
    }

    private bool WasPending(CpuHistory cpu, in LevelSpan dpc)
    {
        long start = cpu.DpcStarts.FirstAfter(dpc.StartTicks - _leastPendingTicks);
        for (; start < cpu.DpcStarts.Next && cpu.DpcStarts[start].Ticks <= dpc.StartTicks; start++)
        {
            if (cpu.DpcStarts[start].Routine == dpc.Routine)
            {
                return dpc.StartTicks - cpu.DpcStarts[start].Queued.Ticks >= _leastPendingTicks;
            }
        }

        // Without a record of its queue: an ISR right before it may have queued it just then.
        for (long number = cpu.FirstSpanEndingAfter(dpc.StartTicks - _leastPendingTicks); number < cpu.Spans.Next; number++)
        {
            LevelSpan span = cpu.Spans[number];
            if (span.IsIsr && span.EndTicks <= dpc.StartTicks)
            {
                return false;
            }

            if (span.EndTicks > dpc.EndTicks)
            {
                break;
            }
        }

        return true;
    }

    /// <summary>Whether a time lies in an ISR or DPC that was entered at another time or later.</summary>
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

/// <summary>What another CPU did until a wait ended. Times in ticks.</summary>
/// <param name="FromTicks">Its start, as early as it may be.</param>
/// <param name="ToTicks">Its end.</param>
/// <param name="Owner">Whose code it was; null for a blackout.</param>
/// <param name="Blackout">The blackout; null for none.</param>
/// <param name="IsOwnCode">Whether it surely was not itself waiting in the kernel's code.</param>
/// <param name="IsEndSeen">Whether something shows when it ended; else it may have ended when the wait did, or at another time.</param>
internal sealed record HolderStretch(
    long FromTicks, long ToTicks, OwnerFinding? Owner, Blackout? Blackout, bool IsOwnCode, bool IsEndSeen)
{
    /// <summary>Of two the one of higher rank is more likely the holder: code of its own is more than the kernel's.</summary>
    public int Rank => (IsEndSeen ? 2 : 0) + (IsOwnCode ? 1 : 0);
}
