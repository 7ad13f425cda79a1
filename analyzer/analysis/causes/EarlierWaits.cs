using Tracer.Analysis.Delays;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Accounts for the time before the victim finally became ready: while its DPC was queued and ran, and while the victim was held after it
/// had already run (a page fault, a suspension by its runtime).
/// </summary>
internal sealed class EarlierWaits
{
    private readonly MachineState _machine;
    private readonly Accounting _accounting;
    private readonly OwnerSearch _owners;
    private readonly ModuleMap _modules;
    private readonly ThreadChains _chains;

    public EarlierWaits(MachineState machine, Accounting accounting, OwnerSearch owners, ModuleMap modules, ThreadChains chains)
    {
        _chains = chains;
        _machine = machine;
        _accounting = accounting;
        _owners = owners;
        _modules = modules;
    }

    /// <summary>
    /// Sets what kept the victim before it finally became ready. Where the episode's start was only a guess and no DPC was found, the
    /// episode is shortened.
    /// </summary>
    public void Fill(EpisodeCandidate candidate)
    {
        if (candidate.Delay.Wake is not { } wake)
        {
            return;
        }

        List<CauseShare> shares = [];
        if (candidate.IsLateByBeat)
        {
            shares.AddRange(_chains.UntilReady(
                VisitOf(candidate.ThreadId ?? 0, in wake),
                candidate.FromTicks,
                wasDue: true,
                out long held));
            candidate.HeldFromTicks = held;
        }
        else if (candidate.Delay.Holds.Count == 0)
        {
            candidate.Path = WakeupPaths.Find(_machine.Cpus, in wake);
            if (candidate.Path is null)
            {
                candidate.FromTicks = wake.ReadyTicks;
            }
            else
            {
                AddQueued(candidate.Path, shares);
            }
        }
        else
        {
            AddHolds(candidate, shares);
        }

        candidate.Before = shares;
        candidate.UnknownLinks = _chains.TakeUnknown();
    }

    /// <summary>Accounts for the time from the DPC's enqueue until the DPC made the thread ready.</summary>
    private void AddQueued(WakeupPath path, List<CauseShare> shares)
    {
        if (_machine.Cpus[path.DpcCpu] is not { } cpu)
        {
            return;
        }

        long queued = path.Queued.Ticks;
        long start = path.Dpc.StartTicks;
        List<CauseShare> waited = _accounting.Of(
            cpu, queued, start, WaitedCpu.AboveThreads, cpu.SampleIntervalAt(start), victim: null);
        if (path.Queued.MayWaitOn(cpu.Cpu))
        {
            // A DPC of this importance may wait while threads run, so that thread code is not what delayed it.
            waited.RemoveAll(share => share.Mechanism == Mechanism.RaisedIrql);
            long left = start - queued - waited.Sum(share => share.Ticks);
            if (left > 0)
            {
                waited.Add(new CauseShare
                {
                    Ticks = left,
                    AtTicks = queued,
                    Owner = _owners.OfSpan(cpu, path.Dpc),
                    IsInferred = !WasBelowDpcs(cpu, queued, start),
                    Detail = new LeftInQueue(path),
                });
            }
        }

        shares.AddRange(waited);
        shares.AddRange(_accounting.Of(
            cpu, start, path.ReadyTicks, WaitedCpu.AboveThreads, cpu.SampleIntervalAt(path.ReadyTicks), victim: null));
    }

    /// <summary>
    /// Whether a CPU surely was below DISPATCH_LEVEL at some time of a stretch, and so could have run a DPC: it was idle, switched threads
    /// or ran user-mode code.
    /// </summary>
    private bool WasBelowDpcs(CpuHistory cpu, long fromTicks, long toTicks)
    {
        long run = cpu.RunAt(toTicks - 1);
        if (run >= 0 && (cpu.Runs[run].StartTicks > fromTicks || cpu.Runs[run].IsIdle))
        {
            return true;
        }

        for (long number = cpu.FirstSampleFrom(fromTicks); number < cpu.Samples.Next && cpu.Samples[number].Ticks <= toTicks; number++)
        {
            if (!_modules.Images.IsKernelAddress(cpu.Samples[number].Instruction))
            {
                return true;
            }
        }

        return false;
    }

    private void AddHolds(EpisodeCandidate candidate, List<CauseShare> shares)
    {
        uint victim = candidate.ThreadId ?? 0;
        HeldStretch first = candidate.Delay.Holds[0];
        if (candidate.FromTicks < first.FromTicks)
        {
            // The victim ran at once and was held only then. How it came to run counts, too.
            Wake wake = first.Served.Wake;
            WakeupPath? path = WakeupPaths.Find(_machine.Cpus, in wake);
            candidate.Path = path;
            if (path is null)
            {
                candidate.FromTicks = wake.ReadyTicks;
            }
            else
            {
                AddQueued(path, shares);
            }

            AddWait(first.Served.Cpu, wake.ReadyTicks, first.Served.Ticks, candidate.Priority, victim, shares);
        }

        for (int i = 0; i < candidate.Delay.Holds.Count; i++)
        {
            HeldStretch hold = candidate.Delay.Holds[i];
            HardFault? fault = hold.Kind == HoldKind.Page ? _machine.Faults.Find(victim, hold.FromTicks) : null;
            long from = fault is { } known ? Math.Max(known.StartTicks, hold.Served.Ticks) : hold.FromTicks;
            if (candidate.FromTicks == first.FromTicks && i == 0)
            {
                candidate.FromTicks = from;
            }

            if (hold is { Kind: HoldKind.Page, Wake: { } wake } && VisitOf(victim, in wake) is var visit
                && _chains.IsPageOfThread(in visit, from))
            {
                shares.AddRange(_chains.UntilReady(in visit, from, wasDue: false, out _));
            }
            else
            {
                shares.Add(new CauseShare
                {
                    Ticks = hold.UntilTicks - from,
                    AtTicks = from,
                    IsInferred = fault is null,
                    Detail = hold.Kind == HoldKind.Page
                        ? new PageRead(victim, fault)
                        : new ThreadRan(victim, candidate.Priority, IsOwnPause: true),
                });
            }

            if (i + 1 < candidate.Delay.Holds.Count)
            {
                ServedWake next = candidate.Delay.Holds[i + 1].Served;
                AddWait(next.Cpu, hold.UntilTicks, next.Ticks, candidate.Priority, victim, shares);
            }
        }
    }

    /// <summary>What is known of a thread's stay on a CPU when it is made ready for it.</summary>
    private static ThreadVisit VisitOf(uint thread, in Wake wake) => new()
    {
        Thread = thread,
        ReadyTicks = wake.ReadyTicks,
        ReadyCpu = (short)wake.Cpu,
        IsFromDpc = wake.IsFromDpc,
    };

    private void AddWait(int number, long fromTicks, long toTicks, int priority, uint victim, List<CauseShare> shares)
    {
        if (_machine.Cpus[number] is { } cpu && toTicks > fromTicks)
        {
            shares.AddRange(_accounting.Of(cpu, fromTicks, toTicks, priority, cpu.SampleIntervalAt(toTicks), victim));
        }
    }
}
