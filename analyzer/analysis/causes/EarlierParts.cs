using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>
/// Accounts for what lies before a victim was ready at last: its DPC in the queue and at work, and what held it after it had been served
/// already (a hard page fault, a stop of its runtime).
/// </summary>
internal sealed class EarlierParts
{
    private readonly MachineState _machine;
    private readonly Accounting _accounting;
    private readonly OwnerSearch _owners;
    private readonly ModuleMap _modules;

    /// <summary>Takes what it asks.</summary>
    public EarlierParts(MachineState machine, Accounting accounting, OwnerSearch owners, ModuleMap modules)
    {
        _machine = machine;
        _accounting = accounting;
        _owners = owners;
        _modules = modules;
    }

    /// <summary>Sets what is known of the time before a victim was ready at last. An episode that rested on a guess is cut.</summary>
    public void Fill(EpisodeCandidate candidate)
    {
        if (candidate.Delay.Wake is not { } wake)
        {
            return;
        }

        List<CauseShare> shares = [];
        if (candidate.IsLateByBeat)
        {
            AddUntilReady(candidate, in wake, shares);
        }
        else if (candidate.Delay.Holds.Count == 0)
        {
            candidate.Trail = WakeupTrails.Find(_machine.Cpus, in wake);
            if (candidate.Trail is null)
            {
                candidate.FromTicks = wake.ReadyTicks;
            }
            else
            {
                AddQueued(candidate.Trail, shares);
            }
        }
        else
        {
            AddHolds(candidate, shares);
        }

        candidate.Before = shares;
    }

    /// <summary>
    /// From when the thread was due until the CPU that serves its timer made it ready. That this CPU idled explains nothing: nobody knows
    /// when the tick of the clock came that was to wake it.
    /// </summary>
    private void AddUntilReady(EpisodeCandidate candidate, in Wake wake, List<CauseShare> shares)
    {
        if (_machine.Cpus[wake.Cpu] is { } cpu && wake.ReadyTicks > candidate.FromTicks)
        {
            shares.AddRange(_accounting.Of(
                cpu,
                candidate.FromTicks,
                wake.ReadyTicks,
                EpisodeInquiry.AboveThreads,
                _machine.SampleIntervalOf(cpu),
                victim: null,
                isAwake: true));
        }
    }

    /// <summary>From the enqueue of the DPC until it made the thread ready.</summary>
    private void AddQueued(WakeupTrail trail, List<CauseShare> shares)
    {
        if (_machine.Cpus[trail.DpcCpu] is not { } cpu)
        {
            return;
        }

        long queued = trail.Queued.Ticks;
        long start = trail.Dpc.StartTicks;
        List<CauseShare> waited = _accounting.Of(
            cpu, queued, start, EpisodeInquiry.AboveThreads, _machine.SampleIntervalOf(cpu), victim: null);
        if (trail.Queued.MayWaitOn(cpu.Cpu))
        {
            // That threads ran meanwhile, whatever they did, is what its importance allows.
            waited.RemoveAll(share => share.Mechanism == Mechanism.RaisedIrql);
            long left = start - queued - waited.Sum(share => share.Ticks);
            if (left > 0)
            {
                waited.Add(new CauseShare
                {
                    Mechanism = Mechanism.DpcDeferred,
                    Ticks = left,
                    AtTicks = queued,
                    Owner = _owners.OfSpan(cpu, trail.Dpc),
                    IsInferred = !WasBelowDpcs(cpu, queued, start),
                    Detail = new LeftInQueue(trail),
                });
            }
        }

        shares.AddRange(waited);
        shares.AddRange(_accounting.Of(
            cpu, start, trail.ReadyTicks, EpisodeInquiry.AboveThreads, _machine.SampleIntervalOf(cpu), victim: null));
    }

    /// <summary>
    /// Whether a CPU surely could have run a DPC at some time of a stretch: it idled, switched threads or ran code of a process.
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
            // It was served at once, and only then held: how it came to be served counts too.
            Wake wake = first.Served.Wake;
            WakeupTrail? trail = WakeupTrails.Find(_machine.Cpus, in wake);
            candidate.Trail = trail;
            if (trail is null)
            {
                candidate.FromTicks = wake.ReadyTicks;
            }
            else
            {
                AddQueued(trail, shares);
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

            shares.Add(new CauseShare
            {
                Mechanism = hold.Kind == HoldKind.Page ? Mechanism.Paging : Mechanism.Thread,
                Ticks = hold.UntilTicks - from,
                AtTicks = from,
                IsInferred = fault is null,
                Detail = hold.Kind == HoldKind.Page
                    ? new PageRead(victim, fault)
                    : new ThreadRan(victim, candidate.Priority, IsOwnPause: true),
            });
            if (i + 1 < candidate.Delay.Holds.Count)
            {
                ServedWake next = candidate.Delay.Holds[i + 1].Served;
                AddWait(next.Cpu, hold.UntilTicks, next.Ticks, candidate.Priority, victim, shares);
            }
        }
    }

    private void AddWait(int number, long fromTicks, long toTicks, int priority, uint victim, List<CauseShare> shares)
    {
        if (_machine.Cpus[number] is { } cpu && toTicks > fromTicks)
        {
            shares.AddRange(_accounting.Of(cpu, fromTicks, toTicks, priority, _machine.SampleIntervalOf(cpu), victim));
        }
    }
}
