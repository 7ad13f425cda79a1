using System.Globalization;
using Tracer.Contract;
using Tracer.Etl;
using Tracer.Symbols;

namespace Tracer.Analysis;

/// <summary>
/// Gives the parts of episodes their owners' names, when all of the trace has been seen: what a run of a framework's routine did not show
/// may have shown in another.
/// </summary>
internal sealed class CauseNaming
{
    /// <summary>With so many samples that show the same a stack is as good as a record.</summary>
    private const int SamplesForCertain = 3;

    /// <summary>What takes so many times as long as usual was kept by something else.</summary>
    private const int TimesUsual = 5;

    /// <summary>Stands for a routine where a process's own runtime had stopped the victim.</summary>
    public const string GarbageCollection = "garbage collection";

    private readonly TraceFacts _facts;
    private readonly ModuleMap _modules;
    private readonly FrameworkOwners _behind;
    private readonly bool _hasLosses;
    private readonly LossMap _losses;
    private readonly ThreadOwners _threads;
    private readonly bool _hasHypervisor;
    private readonly PeriodicInterrupts _periodic;
    private readonly PowerHistory _power;
    private readonly List<(long FromTicks, long ToTicks)> _smis;
    private readonly long _thresholdTicks;
    private readonly long _leastBeyondTicks;
    private readonly LoadedImage? _kernel;
    private readonly Dictionary<(ulong Routine, bool IsIsr, long Speed), Slowdown?> _slowdowns = [];
    private readonly FirmwareMethodTimes _methods;
    private readonly IFunctionNames? _functions;

    /// <summary>Makes a naming.</summary>
    /// <param name="findings">What was found.</param>
    /// <param name="thresholdTicks">The threshold.</param>
    public CauseNaming(BlameFindings findings, long thresholdTicks)
    {
        TraceFacts facts = findings.Facts;
        _functions = findings.Request.Names;
        _facts = facts;
        _modules = findings.Modules;
        _behind = findings.Behind;
        _hasLosses = findings.HasLosses;
        _losses = findings.Machine.Losses;
        _threads = findings.Threads;
        _power = findings.Machine.Power;
        _thresholdTicks = thresholdTicks;
        _leastBeyondTicks = findings.Clock.TicksPerSecond / 10_000; // 100 us
        _smis = Smis(facts, findings.Clock);
        _kernel = facts.Images.Images.FirstOrDefault(image => Frameworks.IsKernelImage(image.Name));
        _hasHypervisor = facts.HasHypervisor == true;
        _periodic = findings.Periodic;
        _methods = new FirmwareMethodTimes(facts.AcpiMethods);
    }

    /// <summary>Names a part of an episode: its owner, or its owners where it is of several things.</summary>
    public IEnumerable<NamedCause> Name(CauseShare share)
    {
        if (share.Blackout is { IsTentative: true })
        {
            return share.Otherwise is { } instead ? Name(instead) : [];
        }

        if (share is { Otherwise: { } otherwise, Blackout: null, Pair: not { IsEstablished: true } })
        {
            return Name(otherwise);
        }

        if (share.IdleExit is { } exit && share.Mechanism == Mechanism.IdleExit)
        {
            NamedCause[]? split = BeyondUsual(share, exit);
            if (split is not null || exit.IsTooLight)
            {
                return split ?? [];
            }
        }

        NamedCause named = NameOne(share);
        if (StopInPeriodicInterrupt(share, named) is { } stop)
        {
            return stop;
        }

        if (share is not { Speed: { } speed, Mechanism: Mechanism.Isr or Mechanism.Dpc, SpanRoutine: not 0, Blackout: null }
            || named.Kind is null || SlowdownOf(share.SpanRoutine, share.Mechanism == Mechanism.Isr, speed) is not { } slow)
        {
            return [named];
        }

        // A routine that is short on a fast CPU is not to blame for the speed of a slow one.
        long own = (long)Math.Round(share.Ticks / slow.Times);
        long longest = (long)Math.Round(share.LongestTicks / slow.Times);
        return longest >= _thresholdTicks || own <= 0 || own >= share.Ticks
            ? [named]
            :
            [
                named with { Ticks = own },
                named with
                {
                    Kind = CulpritKind.Power,
                    Name = CulpritName.PowerManagement,
                    Ticks = share.Ticks - own,
                    Confidence = slow.Others > 0 ? Confidence.Likely : Confidence.Possible,
                    Through = [],
                    Image = null,
                    Slowdown = slow,
                    Waiter = named.Name,
                },
            ];
    }

    private NamedCause NameOne(CauseShare share)
    {
        NamedCause named = share.Mechanism switch
        {
            Mechanism.SpinWait => OfSpinWait(share),
            Mechanism.Scheduler => OfScheduler(share),
            Mechanism.IdleExit => OfIdleExit(share),
            Mechanism.TimerTick => OfNobody(share),
            Mechanism.Paging => OfPaging(share),
            Mechanism.DpcDeferred => OfDeferred(share),
            _ when share.Blackout is { } blackout => OfBlackout(share, blackout),
            Mechanism.Thread => OfThread(share),
            _ => OfCode(share, share.Owner!),
        };
        Confidence most = share.Pair is { IsRepeated: true } && share.AtMost == Confidence.Possible ? Confidence.Likely : share.AtMost;
        named = named.Confidence > most ? named with { Confidence = most } : named;
        bool isShaken = _hasLosses || _losses.OverlapsAny(share.AtTicks, share.AtTicks + share.Ticks);
        return isShaken && named.Confidence == Confidence.Certain ? named with { Confidence = Confidence.Likely } : named;
    }

    /// <summary>
    /// The function at an address with its module; module and offset where nothing names it; in hexadecimal where it lies in no image.
    /// </summary>
    public string Routine(ulong address, long ticks)
    {
        if (_modules.Find(address, ticks) is not { } image)
        {
            return string.Create(CultureInfo.InvariantCulture, $"0x{address:x}");
        }

        ulong offset = address - image.Base;
        return offset <= uint.MaxValue && _functions is not null && _functions.TryFind(image, (uint)offset, out NamedFunction function)
            ? $"{image.Name}!{function.Name}"
            : string.Create(CultureInfo.InvariantCulture, $"{image.Name}+0x{offset:x}");
    }

    private static Confidence OfSamples(OwnerFinding finding) => finding.TiedWith.Count > 0 ? Confidence.Possible
        : finding.Samples >= SamplesForCertain && finding.Samples * 10L >= finding.SamplesAsked * 7L ? Confidence.Certain
        : Confidence.Likely;

    private static NamedCause OfNobody(CauseShare share) => new()
    {
        Kind = null,
        Name = null,
        Mechanism = share.Mechanism,
        Ticks = share.Ticks,
        Proof = Proof.None,
        Confidence = Confidence.Possible,
    };

    private static NamedCause OfPaging(CauseShare share) => new()
    {
        Kind = CulpritKind.Kernel,
        Name = CulpritName.HardPageFaults,
        Mechanism = Mechanism.Paging,
        Ticks = share.Ticks,
        Proof = Proof.Switch,
        Confidence = share.IsInferred ? Confidence.Likely : Confidence.Certain,
        Fault = share.Fault,
        ThreadId = share.ThreadId,
    };

    private NamedCause OfDeferred(CauseShare share)
    {
        NamedCause named = OfCode(share, share.Owner!);
        bool isLess = share.IsInferred && named.Confidence == Confidence.Certain;
        return named with { Confidence = isLess ? Confidence.Likely : named.Confidence, Trail = share.Trail };
    }

    private static NamedCause OfPower(CauseShare share) => new()
    {
        Kind = CulpritKind.Power,
        Name = CulpritName.PowerManagement,
        Mechanism = share.Mechanism,
        Ticks = share.Ticks,
        Proof = Proof.Switch,
        Confidence = Confidence.Likely,
        IsParked = share.IsParked,
        IdleExit = share.IdleExit,
    };

    private static NamedCause OfIdleExit(CauseShare share) => OfPower(share);

    /// <summary>
    /// Splits the time of an idle CPU that took far longer to answer than leaving that state ever takes in this trace: something else kept
    /// it, and nothing tells what.
    /// </summary>
    /// <returns>Null where it is nothing out of the ordinary, or where too few other exits are known.</returns>
    private NamedCause[]? BeyondUsual(CauseShare share, IdleExit exit)
    {
        if (_power.UsualExit(exit.State) is not { } usual || share.Ticks < TimesUsual * usual || share.Ticks - usual < _leastBeyondTicks)
        {
            return null;
        }

        NamedCause stopped = OfStop(share, share.Ticks - usual) with { Proof = Proof.Switch, UsualExitTicks = usual };
        return [OfPower(share) with { Ticks = usual, Confidence = Confidence.Possible }, stopped];
    }

    /// <summary>
    /// Splits a run of the profile's or the clock's interrupt that took far longer than it does: such a routine has nothing to do for so
    /// long, and nothing of the system could interrupt it, so that the CPU stood still.
    /// </summary>
    /// <returns>Null where it is no such interrupt, or took no longer than it may.</returns>
    private NamedCause[]? StopInPeriodicInterrupt(CauseShare share, NamedCause interrupt)
    {
        if (share.Mechanism != Mechanism.Isr || _periodic.MeanOf(share.SpanRoutine, share.LongestTicks) is not { } usual
            || share.LongestTicks < TimesUsual * usual || share.LongestTicks - usual < _leastBeyondTicks)
        {
            return null;
        }

        long beyond = share.LongestTicks - usual;
        NamedCause stopped = OfStop(share, beyond) with { Proof = Proof.Routine, UsualRunTicks = usual, Routine = interrupt.Routine };
        return [interrupt with { Ticks = share.Ticks - beyond }, stopped];
    }

    private NamedCause OfStop(CauseShare share, long ticks) => OfPower(share) with
    {
        Kind = CulpritKind.Hardware,
        Name = _hasHypervisor ? CulpritName.Hypervisor : CulpritName.HardwareOrFirmware,
        Mechanism = _hasHypervisor ? Mechanism.Hypervisor : Mechanism.Blackout,
        Ticks = ticks,
        Confidence = Confidence.Possible,
    };

    /// <summary>A CPU that idled was not chosen: by the kernel's scheduler, or because power management had parked it.</summary>
    private NamedCause OfScheduler(CauseShare share)
    {
        if (share.IsParked)
        {
            return OfPower(share);
        }

        return _kernel is { } kernel
            ? OfNobody(share) with
            {
                Kind = CulpritKind.Kernel,
                Name = kernel.Name,
                Proof = Proof.Switch,
                Image = kernel,
                // Where parking was not recorded a parked CPU looks the same.
                Confidence = _facts.Parked.IsKnown ? Confidence.Likely : Confidence.Possible,
            }
            : OfNobody(share);
    }

    /// <summary>Who kept the code waiting: the holder of the lock, or whoever kept the other CPU from its interrupts.</summary>
    private NamedCause OfSpinWait(CauseShare share)
    {
        NamedCause named = share.Blackout is { } blackout
            ? OfBlackout(share with { Owner = null }, blackout) with { Mechanism = Mechanism.SpinWait, Blackout = null }
            : share.Owner is { } holder ? OfCode(share, holder) : OfNobody(share);
        return named with
        {
            IsLockRecorded = share.IsLockRecorded,
            Pair = share.Pair,
            Waiter = share.Waiter?.Owner is { } waiter && _modules.RoleOf(waiter) != ModuleRole.Kernel
                && !string.Equals(waiter.Name, named.Name, StringComparison.OrdinalIgnoreCase)
                ? waiter.Name
                : null,
        };
    }

    private Slowdown? SlowdownOf(ulong routine, bool isIsr, long speed)
    {
        var key = (routine, isIsr, speed);
        if (!_slowdowns.TryGetValue(key, out Slowdown? slow))
        {
            _slowdowns.Add(key, slow = _power.SlowdownOf(routine, isIsr, speed));
        }

        return slow;
    }

    private NamedCause OfThread(CauseShare share)
    {
        uint thread = share.ThreadId ?? 0;
        bool isSystems = _facts.Threads.ProcessOf(thread, share.AtTicks) == ThreadTable.SystemProcess;
        if (share.Owner?.Owner is null && isSystems && !share.IsOwnPause && _threads.Of(thread, share.AtTicks) is { } whose)
        {
            OwnerFinding found = whose is { Owner: null, Behind: { } framework } ? _behind.Of(whose, framework) : whose;
            if (found.Owner is null)
            {
                return OfCode(share, found) with { ThreadId = thread, ThreadPriority = share.ThreadPriority };
            }

            // Nothing was sampled in this stretch: it is the thread's, and the thread is the driver's.
            NamedCause own = OfThread(share with { Owner = found });
            return own with { Confidence = own.Confidence > Confidence.Likely ? Confidence.Likely : own.Confidence, IsOfThread = true };
        }

        if (share.Owner?.Owner is { } driver)
        {
            // A thread of the system that runs a driver's code.
            return new NamedCause
            {
                Kind = KindOf(driver),
                Name = driver.Name,
                Mechanism = Mechanism.Thread,
                Ticks = share.Ticks,
                Proof = share.Owner.Proof,
                Confidence = share.Owner.Proof is Proof.Routine or Proof.WdfEvent ? Confidence.Certain : OfSamples(share.Owner),
                Through = Names(share.Owner.Through),
                Routine = Routine(share.Owner.Routine, share.AtTicks),
                Image = driver,
                Finding = share.Owner,
                ThreadId = thread,
                ThreadPriority = share.ThreadPriority,
            };
        }

        uint? process = _facts.Threads.ProcessOf(thread, share.AtTicks);
        string? name = process is { } id
            ? _facts.Threads.NameOf(id, share.AtTicks) ?? string.Create(CultureInfo.InvariantCulture, $"process {id}")
            : null;
        return new NamedCause
        {
            Kind = name is null ? null : CulpritKind.Process,
            Name = name,
            Mechanism = Mechanism.Thread,
            Ticks = share.Ticks,
            Proof = Proof.Switch,
            // The kernel's own process runs the threads of drivers, too.
            Confidence = isSystems && !share.IsOwnPause ? Confidence.Possible : share.IsInferred ? Confidence.Likely : Confidence.Certain,
            Routine = share.IsOwnPause ? GarbageCollection : null,
            IsOwnPause = share.IsOwnPause,
            ProcessId = process,
            ThreadId = thread,
            ThreadPriority = share.ThreadPriority,
        };
    }

    private NamedCause OfBlackout(CauseShare share, Blackout blackout)
    {
        OwnerFinding? span = share.Owner;
        OwnerFinding? edges = blackout.Owner;

        // A virtual processor that does not run stands still within whatever it ran. And that a stop fell into a routine is no guilt: only
        // one that stands where most of them happen is to blame.
        bool isOwn = blackout.IsElsewhereAlive && !_hasHypervisor;
        bool isSpans = span?.Owner is not null && edges?.Owner?.Number == span.Owner.Number;
        if (span is not null && (isSpans || (span.Owner is null && isOwn && blackout.IsOfRoutine)))
        {
            NamedCause own = OfCode(share with { Blackout = null }, span);

            // With no other CPU alive the machine may have stopped each time it ran: firmware can't be excluded. And other runs of a
            // framework's routine, in which samples were served, tell little of who is behind one in which none was.
            Confidence most = span.Owner is null || edges!.SamplesAsked < 2 ? Confidence.Possible
                : blackout.IsElsewhereAlive && edges.Samples >= SamplesForCertain ? Confidence.Certain
                : _hasHypervisor ? Confidence.Possible : Confidence.Likely;
            return own with { Confidence = own.Confidence > most ? most : own.Confidence, Blackout = blackout };
        }

        if (edges?.Owner is { } owner)
        {
            return new NamedCause
            {
                Kind = KindOf(owner),
                Name = owner.Name,
                Mechanism = Mechanism.Blackout,
                Ticks = share.Ticks,
                Proof = Proof.Edges,
                Confidence = _hasHypervisor || edges.SamplesAsked < 2 || HasSmi(blackout) ? Confidence.Possible : Confidence.Likely,
                Through = Names(edges.Through),
                Routine = Routine(edges.Routine, blackout.ToTicks),
                Image = owner,
                Finding = edges,
                Blackout = blackout,
            };
        }

        if (isOwn && !blackout.IsLikeTheMachines && blackout.Edges.FirstOrDefault(edge => edge.IsOfUnknownCaller) is { } edge)
        {
            // The kernel's code was at the end, for whoever had called it: as likely a driver as the machine.
            return new NamedCause
            {
                Kind = null,
                Name = null,
                Mechanism = Mechanism.Blackout,
                Ticks = share.Ticks,
                Proof = Proof.None,
                Confidence = Confidence.Possible,
                Routine = Routine(edge.Owner!.Routine, blackout.ToTicks),
                Behind = edge.Owner.Behind!.Name,
                Blackout = blackout,
            };
        }

        bool isHypervisor = _hasHypervisor && !HasSmi(blackout);
        return new NamedCause
        {
            Kind = CulpritKind.Hardware,
            Name = isHypervisor ? CulpritName.Hypervisor : CulpritName.HardwareOrFirmware,
            Mechanism = isHypervisor ? Mechanism.Hypervisor : Mechanism.Blackout,
            Ticks = share.Ticks,
            Proof = Proof.Edges,
            Confidence = _hasHypervisor ? Confidence.Possible : blackout.IsWholeMachine ? Confidence.Likely : Confidence.Possible,
            Blackout = blackout,
        };
    }

    /// <summary>Whether our own driver, which counts them, saw the firmware take the machine in this blackout.</summary>
    private bool HasSmi(Blackout blackout)
    {
        // Each is announced when it is over: they stand in the order of their ends.
        int next = _smis.FindIndex(smi => smi.ToTicks >= blackout.FromTicks);
        return next >= 0 && !blackout.IsElsewhereAlive && _smis[next].FromTicks <= blackout.ToTicks;
    }

    private static List<(long FromTicks, long ToTicks)> Smis(TraceFacts facts, TraceClock clock)
    {
        const int MostKept = 1000;
        return [.. facts.Tracer.Episodes.Where(episode => episode.SmiCount > 0).Take(MostKept).Select(episode => (
            episode.Ticks - (long)((UInt128)episode.LatencyNanoseconds * (ulong)clock.TicksPerSecond / 1_000_000_000),
            episode.Ticks))];
    }

    private NamedCause OfCode(CauseShare share, OwnerFinding found)
    {
        OwnerFinding finding = found switch
        {
            { Owner: null, Behind: { } framework } => _behind.Of(found, framework),
            { TiedWith.Count: > 0 } => _behind.Settled(found, share.SpanRoutine),
            _ => found,
        };
        if (finding.Owner is not { } owner)
        {
            return OfNobody(share) with
            {
                Routine = Routine(finding.Routine, share.AtTicks),
                Behind = finding.Behind?.Name,
                Finding = finding,
            };
        }

        if (_periodic.NameOf(finding.Routine) is { } periodic)
        {
            return OfNobody(share) with
            {
                Kind = CulpritKind.Kernel,
                Name = periodic,
                Proof = Proof.Routine,
                Confidence = Confidence.Certain,
                Routine = Routine(finding.Routine, share.AtTicks),
                Finding = finding,
            };
        }

        ModuleRole role = _modules.RoleOf(owner);
        string? method = role == ModuleRole.Firmware ? _methods.RunningIn(share.AtTicks, share.AtTicks + share.Ticks) : null;
        bool isFirmware = method is not null;
        Confidence confidence = finding.Proof switch
        {
            // A routine of the kernel may only have called a driver: its timer's callback, its work.
            Proof.Routine when role == ModuleRole.Kernel => finding.Samples == 0 ? Confidence.Possible
                : finding.Samples < SamplesForCertain ? Confidence.Likely : Confidence.Certain,
            Proof.Routine when finding.Inner is not null => Confidence.Likely,
            Proof.Routine or Proof.WdfEvent => Confidence.Certain,
            Proof.Stack when role is ModuleRole.Framework => Confidence.Possible,
            Proof.Stack when share.Mechanism == Mechanism.RaisedIrql && MayWait(owner, finding.Routine) => Confidence.Likely,
            Proof.Stack => OfSamples(finding),
            Proof.Sample => finding.TiedWith.Count > 0 ? Confidence.Possible : Confidence.Likely,
            Proof.Vector => Confidence.Likely,
            _ => Confidence.Possible,
        };
        return new NamedCause
        {
            Kind = isFirmware ? CulpritKind.Hardware : KindOf(owner),
            Name = isFirmware ? CulpritName.HardwareOrFirmware : owner.Name,
            Mechanism = share.IsMasked && KindOf(owner) == CulpritKind.Driver ? Mechanism.Blackout : share.Mechanism,
            Ticks = share.Ticks,
            Proof = finding.Proof,
            Confidence = confidence,
            Through = isFirmware ? [owner.Name, .. Names(finding.Through)] : Names(finding.Through),
            Routine = Routine(finding.Routine, share.AtTicks),
            Image = isFirmware ? null : owner,
            Finding = finding,
            ThreadId = share.Mechanism == Mechanism.RaisedIrql ? share.ThreadId : null,
            ProcessName = share.Mechanism == Mechanism.RaisedIrql ? ProcessNameOf(share) : null,
            Method = method,
            IsSilent = share.IsSilent,
        };
    }

    /// <summary>Whether code of the kernel may have waited for somebody else: no name says what it did.</summary>
    private bool MayWait(LoadedImage image, ulong address) => _modules.RoleOf(image) == ModuleRole.Kernel
        && !(address - image.Base <= uint.MaxValue && _functions is not null
            && _functions.TryFind(image, (uint)(address - image.Base), out NamedFunction function) && function.Proof != SymbolProof.Pdata);

    private string? ProcessNameOf(CauseShare share) =>
        share.ThreadId is { } thread && _facts.Threads.ProcessOf(thread, share.AtTicks) is { } process and not ThreadTable.SystemProcess
            ? _facts.Threads.NameOf(process, share.AtTicks)
            : null;

    private CulpritKind KindOf(LoadedImage image) =>
        _modules.RoleOf(image) == ModuleRole.Kernel ? CulpritKind.Kernel : CulpritKind.Driver;

    private static List<string> Names(IReadOnlyList<LoadedImage> images) => [.. images.Select(image => image.Name)];
}
