using Tracer.Analysis.Delays;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Accounts for the time in which a thread was not ready although it should have been: it belongs to whoever should have made it ready.
/// Follows the one that did, what that one did and waited for meanwhile, and so on, to the end of the chain.
/// </summary>
/// <param name="waited">Accounts for the time in which a thread of the chain was ready and did not run.</param>
/// <param name="hasHardFaults">Whether hard page faults were recorded, if there were any.</param>
internal sealed class ThreadChains(
    MachineState machine, Accounting accounting, WaitedCpu waited, ModuleMap modules, long levelGapTicks, bool hasHardFaults)
{
    /// <summary>Most threads of a chain. A longer one, or one that comes back to itself, is not known to its end.</summary>
    private const int MostLinks = 8;

    /// <summary>Most stays on CPUs of one thread of a chain that are looked at.</summary>
    private const int MostVisits = 256;

    /// <summary>
    /// An interrupt that comes within so many level gaps behind a stretch at the level of ISRs and DPCs, or behind a blackout, was held off
    /// by it: to leave one routine and enter the next takes a few microseconds on a hypervisor, and few interrupts come so soon by chance.
    /// </summary>
    private const int HeldLevelGaps = 5;

    private readonly List<ChainStep> _path = [];
    private readonly List<UnknownLink> _unknown = [];

    /// <summary>The links that could not be followed since this was asked last.</summary>
    public IReadOnlyList<UnknownLink> TakeUnknown()
    {
        if (_unknown.Count == 0)
        {
            return [];
        }

        UnknownLink[] taken = [.. _unknown];
        _unknown.Clear();
        return taken;
    }

    /// <summary>Notes that nothing tells what a thread waited for; nobody is accused of it.</summary>
    public void AddUnknown(uint thread, ChainEnd why, long fromTicks, long toTicks)
    {
        if (fromTicks < toTicks)
        {
            _unknown.Add(new UnknownLink(thread, why, fromTicks, toTicks));
        }
    }

    /// <summary>Accounts for the time until a thread was made ready.</summary>
    /// <param name="wake">The thread's stay on a CPU that began then, or what is known of it.</param>
    /// <param name="fromTicks">When it should have been ready, or began to wait.</param>
    /// <param name="wasDue">
    /// Whether its timer should have served it then. Otherwise it waited for whatever came, and only what directly held off the one who
    /// made it ready counts.
    /// </param>
    /// <param name="heldFromTicks">Since when something can have kept the thread from being ready.</param>
    public List<CauseShare> UntilReady(in ThreadVisit wake, long fromTicks, bool wasDue, out long heldFromTicks)
    {
        _path.Clear();
        _path.Add(new ChainStep(wake.Thread, fromTicks, ChainWhy.Waited));
        List<CauseShare> shares = [];
        heldFromTicks = AddUntilReady(in wake, fromTicks, wasDue, shares);
        return shares;
    }

    /// <returns>Since when something can have kept the thread from being ready, in ticks.</returns>
    private long AddUntilReady(in ThreadVisit wake, long fromTicks, bool wasDue, List<CauseShare> shares)
    {
        long ready = wake.ReadyTicks;
        if (machine.Cpu(wake.ReadyCpu) is not { } cpu || ready <= fromTicks)
        {
            return fromTicks;
        }

        if (machine.Losses.Overlaps(wake.ReadyCpu, fromTicks, ready))
        {
            AddUnknown(wake.Thread, ChainEnd.Lost, fromTicks, ready);
            return fromTicks;
        }

        long span = SpanAt(cpu, ready);
        if (span >= 0 || wake.IsFromDpc)
        {
            long from = fromTicks;
            if (!wasDue || (span >= 0 && !IsOfTimer(cpu, span)))
            {
                long since = LevelSince(cpu, span, ready);
                from = Math.Max(fromTicks, Math.Min(since, InterruptOf(cpu, span, since, fromTicks)));
                if (_path.Count > 1)
                {
                    AddUnknown(wake.Thread, ChainEnd.Device, fromTicks, from);
                }
            }

            Add(shares, accounting.Of(
                cpu, from, ready, WaitedCpu.AboveThreads, cpu.SampleIntervalAt(ready), victim: null, isAwake: true), ChainWhy.Waited);
            return from;
        }

        if (RunningBefore(cpu, ready) is { } running)
        {
            AddThread(running, fromTicks, ready, shares);
        }
        else if (wasDue)
        {
            Add(shares, accounting.Of(
                cpu, fromTicks, ready, WaitedCpu.AboveThreads, cpu.SampleIntervalAt(ready), victim: null, isAwake: true), ChainWhy.Waited);
        }

        return fromTicks;
    }

    /// <summary>The ISR or DPC that a CPU was in when it made a thread ready; -1 for none.</summary>
    private static long SpanAt(CpuHistory cpu, long ready)
    {
        long span = cpu.FirstEndingFrom(ready);
        while (span >= 0 && cpu.Spans[span].StartTicks > ready)
        {
            span = cpu.OuterOf(span);
        }

        return span;
    }

    /// <summary>
    /// The thread that a CPU ran when it made another ready; null for none. It ran before: a switch in the same tick, to that one or
    /// because this one waits now, comes after it.
    /// </summary>
    private static uint? RunningBefore(CpuHistory cpu, long ready) =>
        cpu.RunAt(ready - 1) is >= 0 and var run && cpu.Runs[run] is { IsKnown: true, ThreadId: not 0 } running ? running.ThreadId : null;

    /// <summary>
    /// Whether a thread that waited for a page got it from another thread, out of memory: no hard fault of it was recorded, and no routine
    /// of an interrupt made it ready. Where hard faults are not recorded, a thread of the system may hand over what a disk brought.
    /// </summary>
    /// <param name="wake">When and where it was made ready.</param>
    /// <param name="fromTicks">Since when it waited.</param>
    public bool IsPageOfThread(in ThreadVisit wake, long fromTicks) =>
        machine.Faults.Find(wake.Thread, fromTicks) is null && !wake.IsFromDpc && machine.Cpu(wake.ReadyCpu) is { } cpu
        && !machine.Losses.Overlaps(wake.ReadyCpu, fromTicks, wake.ReadyTicks) && SpanAt(cpu, wake.ReadyTicks) < 0
        && RunningBefore(cpu, wake.ReadyTicks) is { } thread
        && (hasHardFaults || !accounting.IsOfSystem(thread, wake.ReadyTicks));

    /// <summary>Whether the DPC that made a thread ready serves the timers: it is a timer's, or the kernel's own.</summary>
    private bool IsOfTimer(CpuHistory cpu, long span)
    {
        LevelSpan ran = cpu.Spans[span];
        return ran.Kind == LevelKind.TimerDpc
            || (modules.Find(ran.Routine, ran.EndTicks) is { } image && modules.RoleOf(image) == ModuleRole.Kernel);
    }

    /// <summary>
    /// When the interrupt came that a DPC is of, where its own driver's ISR ran before it: from then on the device was not late, and
    /// whatever kept the CPU above DPCs kept the DPC. No time at all where that is not seen, or where the CPU served other DPCs or threads
    /// since: then the driver had not queued it yet.
    /// </summary>
    /// <param name="since">Since when the CPU had been at the level of ISRs and DPCs when it ran.</param>
    private long InterruptOf(CpuHistory cpu, long span, long since, long fromTicks)
    {
        if (span < 0 || cpu.Spans[span].IsIsr || modules.Find(cpu.Spans[span].Routine, cpu.Spans[span].EndTicks) is not { } image
            || cpu.RunAt(since) is not (>= 0 and var run)
            || cpu.Runs[run] is not { IsKnown: true, IsIdle: false, StartTicks: var switched })
        {
            return long.MaxValue;
        }

        for (long before = span - 1; before >= cpu.Spans.First && cpu.Spans[before].EndTicks >= fromTicks - HeldGapTicks; before--)
        {
            LevelSpan ran = cpu.Spans[before];
            if (ran.EndTicks > cpu.Spans[span].StartTicks)
            {
                continue;
            }

            bool isOfDriver = modules.Find(ran.Routine, ran.EndTicks)?.Number == image.Number;
            if (ran.IsIsr ? isOfDriver : isOfDriver || ran.EndTicks < since)
            {
                return ran.IsIsr && switched <= ran.EndTicks ? ran.StartTicks : long.MaxValue;
            }
        }

        return long.MaxValue;
    }

    private long HeldGapTicks => HeldLevelGaps * levelGapTicks;

    /// <summary>Since when a CPU had been at the level of ISRs and DPCs, or stood still, without a break.</summary>
    private long LevelSince(CpuHistory cpu, long span, long ticks)
    {
        long since = ticks;
        for (long outer = span; outer >= 0; outer = cpu.OuterOf(outer))
        {
            since = Math.Min(since, cpu.Spans[outer].StartTicks);
        }

        for (long before = cpu.FirstEndingFrom(since + 1) is >= 0 and var next ? next - 1 : cpu.Spans.Next - 1;
            before >= cpu.Spans.First && since - cpu.Spans[before].EndTicks <= HeldGapTicks; before--)
        {
            since = Math.Min(since, cpu.Spans[before].StartTicks);
        }

        // A blackout of the CPU held off the interrupt as well, where that came when it ended.
        long held = since;
        for (long number = cpu.SampleGaps.Next - 1;
            number >= cpu.SampleGaps.First && cpu.SampleGaps[number].ToTicks >= held - HeldGapTicks; number--)
        {
            since = cpu.SampleGaps[number].ToTicks <= ticks ? Math.Min(since, cpu.SampleGaps[number].FromTicks) : since;
        }

        return since;
    }

    /// <summary>What a thread did while another waited for it.</summary>
    private void AddThread(uint thread, long fromTicks, long toTicks, List<CauseShare> shares)
    {
        if (_path.Count > MostLinks || _path.Exists(step => step.ThreadId == thread))
        {
            AddUnknown(thread, ChainEnd.Astray, fromTicks, toTicks);
            return;
        }

        _path.Add(new ChainStep(thread, fromTicks, ChainWhy.Ran));
        (int first, int known) = (shares.Count, _unknown.Count);
        Walk(thread, fromTicks, toTicks, shares, isBefore: false);
        if (_unknown.Skip(known).Any(link => link.ThreadId == thread && link.Why is (ChainEnd.NoReadyThread or ChainEnd.Lost)))
        {
            // What kept it is not known: whether it did its work late of its own accord is not, either.
            shares.RemoveAll(IsItsWork);
        }
        else
        {
            MoveWork(thread, fromTicks, first, shares);
        }

        _path.RemoveAt(_path.Count - 1);
    }

    /// <summary>What a thread did in a stretch of time.</summary>
    /// <param name="isBefore">Whether only what kept it from the work of the turn at hand counts.</param>
    private void Walk(uint thread, long fromTicks, long toTicks, List<CauseShare> shares, bool isBefore)
    {
        List<long> numbers = [];
        ThreadVisits visits = machine.Visits;
        for (long number = visits.LastOf(thread); number >= 0 && numbers.Count < MostVisits; number = visits.Before(number))
        {
            if (visits[number].InTicks >= toTicks)
            {
                numbers.Clear(); // Of what came later only the first tells, of the wait for it.
            }

            numbers.Add(number);
            if (visits[number].InTicks <= fromTicks)
            {
                break;
            }
        }

        numbers.Reverse();
        ThreadVisit left = default;
        foreach (long number in numbers)
        {
            ThreadVisit visit = visits[number];
            AddBetween(in left, in visit, fromTicks, toTicks, shares, isBefore);
            AddRun(in visit, Math.Max(fromTicks, visit.InTicks), Math.Min(toTicks, visit.OutTicks), shares, isBefore);
            left = visit;
        }
    }

    /// <summary>
    /// What a thread of the chain had to do it did late because it had been kept from it before: then its own work is not what made the
    /// others wait. What kept it is put in the place of as much of the work.
    /// </summary>
    /// <param name="first">Where its parts begin.</param>
    private void MoveWork(uint thread, long fromTicks, int first, List<CauseShare> shares)
    {
        long work = 0;
        for (int i = first; i < shares.Count; i++)
        {
            work += IsItsWork(shares[i]) ? shares[i].Ticks : 0;
        }

        if (work == 0)
        {
            return;
        }

        List<CauseShare> earlier = [];
        Walk(thread, fromTicks - work, fromTicks, earlier, isBefore: true);
        for (int i = first; i < shares.Count && earlier.Count > 0; i++)
        {
            if (!IsItsWork(shares[i]))
            {
                continue;
            }

            CauseShare own = shares[i];
            CauseShare instead = earlier[^1];
            long ticks = Math.Min(own.Ticks, instead.Ticks);
            earlier.RemoveAt(earlier.Count - 1);
            shares[i] = instead with { Ticks = ticks, AtTicks = own.AtTicks, Stretches = [] };
            if (ticks < own.Ticks)
            {
                shares.Insert(i + 1, own with { Ticks = own.Ticks - ticks, AtTicks = own.AtTicks + ticks, Stretches = [] });
            }
        }
    }

    private bool IsItsWork(CauseShare share) => share.Chain is [.., { Why: ChainWhy.Ran } last] && last.ThreadId == _path[^1].ThreadId;

    private void AddRun(in ThreadVisit visit, long fromTicks, long toTicks, List<CauseShare> shares, bool isBefore)
    {
        if (fromTicks >= toTicks || machine.Cpu(visit.Cpu) is not { } cpu)
        {
            return;
        }

        if (machine.Losses.Overlaps(visit.Cpu, fromTicks, toTicks))
        {
            AddUnknown(visit.Thread, ChainEnd.Lost, fromTicks, toTicks);
            return;
        }

        List<CauseShare> interrupted = accounting.Of(
            cpu, fromTicks, toTicks, WaitedCpu.AboveThreads, cpu.SampleIntervalAt(toTicks), visit.Thread);
        Add(shares, interrupted, ChainWhy.Interrupted);
        if (isBefore)
        {
            return;
        }

        long ran = toTicks - fromTicks - CauseShare.Sum(interrupted);
        if (accounting.OwnWork(cpu, in visit, fromTicks, toTicks, interrupted) is { } own)
        {
            Add(shares, [own], ChainWhy.Ran);
            ran -= own.Ticks;
        }

        AddUnknown(visit.Thread, ChainEnd.Uninterrupted, toTicks - ran, toTicks);
    }

    /// <summary>What kept a thread of the chain between two of its stays on a CPU.</summary>
    /// <param name="left">The first of them; nothing where that is not known.</param>
    /// <param name="isBefore">Whether only what kept it from the work of the turn at hand counts.</param>
    private void AddBetween(in ThreadVisit left, in ThreadVisit next, long fromTicks, long toTicks, List<CauseShare> shares, bool isBefore)
    {
        long from = Math.Max(fromTicks, left.OutTicks);
        long to = Math.Min(toTicks, next.InTicks);
        long ready = left.WasPreempted ? left.OutTicks : next.ReadyTicks;
        if (from >= to || (isBefore && left.IsDone))
        {
            return;
        }

        if (ready == long.MinValue)
        {
            AddUnknown(next.Thread, ChainEnd.NoReadyThread, from, to);
            return;
        }

        if (ready > from && ready <= to && left.HasLeftToWait && !isBefore)
        {
            AddWait(in left, in next, from, shares);
        }

        Add(shares, UntilRun(in left, in next, Math.Max(from, ready), to), ChainWhy.Ready);
    }

    /// <summary>What kept a thread that had left its CPU to wait.</summary>
    private void AddWait(in ThreadVisit left, in ThreadVisit next, long fromTicks, List<CauseShare> shares)
    {
        if (HoldOf(in left, in next, fromTicks) is { } held)
        {
            Add(shares, [held], left.IsPaused ? ChainWhy.Waited : ChainWhy.Page);
            return;
        }

        ChainStep step = _path[^1];
        _path[^1] = step with { Why = ChainWhy.Waited };
        AddUntilReady(in next, fromTicks, wasDue: false, shares);
        _path[^1] = step;
    }

    /// <summary>
    /// The page, or the end of its runtime's pause, that a thread waited for between two stays on a CPU; null where it did not, or where
    /// another thread had the page.
    /// </summary>
    /// <param name="fromTicks">From when on that counts.</param>
    public CauseShare? HoldOf(in ThreadVisit left, in ThreadVisit next, long fromTicks)
    {
        HardFault? fault = left.IsPaused ? null : machine.Faults.Find(left.Thread, left.OutTicks);
        if (fault is null && !left.IsPaused
            && (left.Reason is not (WaitReason.PageIn or WaitReason.WrPageIn) || IsPageOfThread(in next, left.OutTicks)))
        {
            return null;
        }

        long until = next.ReadyTicks == long.MinValue ? next.InTicks : next.ReadyTicks;
        return new CauseShare
        {
            Ticks = until - fromTicks,
            AtTicks = fromTicks,
            IsInferred = fault is null,
            Detail = left.IsPaused
                ? new ThreadRan(left.Thread, left.Priority, IsOwnPause: true)
                : new PageRead(left.Thread, fault),
        };
    }

    /// <summary>What kept a thread that was ready from running.</summary>
    /// <param name="left">Its stay on a CPU before.</param>
    /// <param name="next">The stay that it waited for.</param>
    /// <param name="toTicks">Up to when that counts, at most when it ran.</param>
    public IReadOnlyList<CauseShare> UntilRun(in ThreadVisit left, in ThreadVisit next, long readyTicks, long toTicks)
    {
        if (readyTicks >= toTicks || machine.Cpu(next.Cpu) is not { } cpu)
        {
            return [];
        }

        if (machine.Losses.Overlaps(next.Cpu, readyTicks, toTicks))
        {
            AddUnknown(next.Thread, ChainEnd.Lost, readyTicks, toTicks);
            return [];
        }

        var wait = new EpisodeCandidate(new Delay
        {
            Probe = ProbeKind.Thread,
            FromTicks = readyTicks,
            ToTicks = toTicks,
            Cpu = next.Cpu,
            ThreadId = next.Thread,
            Priority = next.Priority,
            ReadyCpu = next.ReadyTicks == readyTicks || left.HasLeftToWait ? next.ReadyCpu : -1,
            LastCpu = left.Thread == next.Thread ? left.Cpu : -1,
        });
        waited.Find(cpu, wait);
        return wait.Causes;
    }

    /// <summary>Adds parts, with the chain that leads to them.</summary>
    private void Add(List<CauseShare> shares, IReadOnlyList<CauseShare> parts, ChainWhy why)
    {
        if (_path.Count > 1 && parts.Count > 0)
        {
            List<ChainStep> chain = _path[1..];
            chain[^1] = chain[^1] with { Why = why };
            parts = [.. parts.Select(part => part with { Chain = chain })];
        }

        shares.AddRange(parts);
    }
}
