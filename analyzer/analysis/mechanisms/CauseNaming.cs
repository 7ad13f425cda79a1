using Tracer.Analysis.Causes;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;
using Tracer.Symbols;

namespace Tracer.Analysis.Mechanisms;

/// <summary>
/// Names the owners of the parts of episodes. This is done after the whole trace was read: where one run of a framework's routine did not
/// show its owner, another run may have.
/// </summary>
internal sealed class CauseNaming
{
    /// <summary>What takes less longer than usual, in ns, was held up by nobody.</summary>
    private const long LeastBeyondNanoseconds = 100_000;

    private readonly bool _hasLosses;
    private readonly LossMap _losses;
    private readonly List<(long FromTicks, long ToTicks)> _smis;
    private readonly Dictionary<(ulong Routine, bool IsIsr, long Speed), Slowdown?> _slowdowns = [];
    private readonly SlowTimes _slowTimes;
    private readonly AcpiFirmware _firmware;
    private readonly IFunctionNames? _functions;

    public CauseNaming(BlameFindings findings, long thresholdTicks)
    {
        TraceFacts facts = findings.Facts;
        _functions = findings.Request.Names;
        Facts = facts;
        Modules = findings.Modules;
        Behind = findings.Behind;
        _hasLosses = findings.HasLosses;
        _losses = findings.Machine.Losses;
        Threads = findings.Threads;
        Power = findings.Machine.Power;
        ThresholdTicks = thresholdTicks;
        LeastBeyondTicks = findings.Clock.TicksOf(LeastBeyondNanoseconds);
        _smis = Smis(facts, findings.Clock);
        Kernel = facts.Images.Images.FirstOrDefault(image => Frameworks.IsKernelImage(image.Name));
        HasHypervisor = facts.HasHypervisor == true;
        HasDpcs = facts.HasDpcs;
        HasIsrs = facts.Cpus.Any(cpu => cpu.Isrs > 0) || facts.WasOn(TraceFacts.InterruptGroup);
        Periodic = findings.Periodic;
        _slowTimes = new SlowTimes(findings.Machine.Routines, findings.Modules);
        _firmware = new AcpiFirmware(facts.AcpiMethods);
    }

    /// <summary>The results of the first pass over the trace.</summary>
    public TraceFacts Facts { get; }

    /// <summary>The image of each address.</summary>
    public ModuleMap Modules { get; }

    /// <summary>The drivers behind routines of frameworks.</summary>
    public FrameworkOwners Behind { get; }

    /// <summary>The drivers that the threads of the System process work for.</summary>
    public ThreadOwners Threads { get; }

    /// <summary>Whether the system ran on a hypervisor.</summary>
    public bool HasHypervisor { get; }

    /// <summary>Whether a DPC that ran would show.</summary>
    public bool HasDpcs { get; }

    /// <summary>Whether an ISR that ran would show.</summary>
    public bool HasIsrs { get; }

    /// <summary>The profile and clock interrupts, which no driver is to blame for.</summary>
    public PeriodicInterrupts Periodic { get; }

    /// <summary>Idle states and speeds of the CPUs.</summary>
    public PowerHistory Power { get; }

    public long ThresholdTicks { get; }

    /// <summary>How far a time must exceed the usual one to mean anything: 100 us, in ticks.</summary>
    public long LeastBeyondTicks { get; }

    /// <summary>The kernel's image; null where not known.</summary>
    public LoadedImage? Kernel { get; }

    /// <summary>Names the owners of the parts of an episode.</summary>
    public NamedEpisode Name(EpisodeCandidate episode) => new(
        episode,
        [.. episode.Causes.SelectMany(share => Name(share, episode).Select(cause => cause with { Share = share }))]);

    /// <summary>Names the owner of a part of an episode, or several owners where the part consists of several things.</summary>
    private IEnumerable<NamedCause> Name(CauseShare share, EpisodeCandidate episode)
    {
        if (share.Blackout is { IsTentative: true })
        {
            return share.Otherwise is { } instead ? Name(instead, episode) : [];
        }

        if (share is { Otherwise: { } otherwise, Blackout: null, Detail: not LockWait { Pair.IsEstablished: true } })
        {
            return Name(otherwise, episode);
        }

        MechanismPage page = MechanismPages.Of(share.Mechanism);
        IReadOnlyList<NamedCause> named =
            [
                .. (page.Instead(share, this) ?? [Capped(share, page.Name(share, this), page.AtMost(share, episode.IsOfHog))])
                    .SelectMany(cause => page.Split(share, cause, this)),
            ];
        return named.Select(cause => cause with { Detail = share.Detail });
    }

    private NamedCause Capped(CauseShare share, NamedCause named, Confidence most)
    {
        bool hasLosses = _hasLosses || _losses.OverlapsAny(share.AtTicks, share.AtTicks + share.Ticks);
        return named with { Confidence = named.Confidence.AtMost(most).AtMost(hasLosses ? CulpritConfidence.WithLosses : most) };
    }

    /// <summary>
    /// The function at an address as module!function; module and offset where no name is known; the bare address where it lies in no image.
    /// </summary>
    public string Routine(ulong address, long ticks)
    {
        if (Modules.Find(address, ticks) is not { } image)
        {
            return string.Create(CultureInfo.InvariantCulture, $"0x{address:x}");
        }

        ulong offset = address - image.Base;
        return offset <= uint.MaxValue && _functions is not null && _functions.TryFind(image, (uint)offset, out NamedFunction function)
            ? $"{image.Name}!{function.Name}"
            : string.Create(CultureInfo.InvariantCulture, $"{image.Name}+0x{offset:x}");
    }

    /// <summary>A part without a known owner.</summary>
    public static NamedCause OfNobody(CauseShare share) => new()
    {
        Kind = null,
        Name = null,
        Mechanism = share.Mechanism,
        Ticks = share.Ticks,
        Proof = Proof.None,
        Confidence = CulpritConfidence.Nobody,
    };

    /// <summary>A part that power management is responsible for.</summary>
    public static NamedCause OfPower(CauseShare share) => new()
    {
        Kind = CulpritKind.Power,
        Name = CulpritName.PowerManagement,
        Mechanism = share.Mechanism,
        Ticks = share.Ticks,
        Proof = Proof.Switch,
        Confidence = CulpritConfidence.PowerManagement,
    };

    /// <summary>
    /// How much slower a routine is at the CPU's speed than at others, or where no record shows that, how much slower than usual others
    /// were near by; null where the trace does not show it.
    /// </summary>
    /// <param name="atTicks">When it ran, in ticks.</param>
    public Slowdown? SlowdownOf(RoutineRan ran, long atTicks) =>
        (ran.Speed is { } speed ? SlowdownOf(ran.Routine, ran.IsIsr, speed) : null) ?? _slowTimes.Of(ran, atTicks);

    private Slowdown? SlowdownOf(ulong routine, bool isIsr, long speed)
    {
        var key = (routine, isIsr, speed);
        if (!_slowdowns.TryGetValue(key, out Slowdown? slow))
        {
            _slowdowns.Add(key, slow = Power.SlowdownOf(routine, isIsr, speed));
        }

        return slow;
    }

    /// <summary>Whether Tracer's own driver counted an SMI during this blackout.</summary>
    public bool HasSmi(Blackout blackout)
    {
        // Each SMI is reported after it ended, so that they are in the order of their ends.
        int next = _smis.FindIndex(smi => smi.ToTicks >= blackout.FromTicks);
        return next >= 0 && !blackout.IsElsewhereAlive && _smis[next].FromTicks <= blackout.ToTicks;
    }

    private static List<(long FromTicks, long ToTicks)> Smis(TraceFacts facts, TraceClock clock)
    {
        const int MostKept = 1000;
        return [.. facts.Tracer.Episodes.Where(episode => episode.SmiCount > 0).Take(MostKept).Select(episode => (
            episode.Ticks - clock.TicksOf((long)Math.Min(episode.LatencyNanoseconds, long.MaxValue)),
            episode.Ticks))];
    }

    /// <summary>A part in which code of a module ran.</summary>
    public NamedCause OfCode(CauseShare share, OwnerFinding found)
    {
        OwnerFinding finding = found.IsOpen ? Behind.Of(found, found.Behind ?? found.Owner!) : found;
        if (finding.Owner is not { } owner)
        {
            return OfNobody(share) with
            {
                Routine = Routine(finding.Routine, share.AtTicks),
                Behind = finding.Behind?.Name,
                Finding = finding,
            };
        }

        if (Periodic.NameOf(finding.Routine) is { } periodic)
        {
            return OfNobody(share) with
            {
                Kind = CulpritKind.Kernel,
                Name = periodic,
                Proof = Proof.Routine,
                Confidence = CulpritConfidence.PeriodicInterrupt,
                Routine = Routine(finding.Routine, share.AtTicks),
                Finding = finding,
            };
        }

        ModuleRole role = Modules.RoleOf(owner);
        bool isRaised = share.Mechanism == Mechanism.RaisedIrql;
        bool mayHaveWaited = finding.Proof == Proof.Stack && isRaised && (MayWait(owner, finding.Routine)
            || (share.Detail is CodeSampled sampled && 2 * sampled.Unnamed > finding.Samples));
        var named = new NamedCause
        {
            Kind = KindOf(owner),
            Name = owner.Name,
            Mechanism = BlackoutPage.MechanismOf(share, KindOf(owner)),
            Ticks = share.Ticks,
            Proof = finding.Proof,
            Confidence = CulpritConfidence.OfCode(finding, role, mayHaveWaited),
            Through = Names(finding.Through),
            Routine = Routine(finding.Routine, share.AtTicks),
            Image = owner,
            Finding = finding,
            ThreadId = isRaised ? (share.Detail as CodeSampled)?.ThreadId : null,
            ProcessName = isRaised ? ProcessNameOf(share) : null,
        };
        return _firmware.MethodIn(role, share.AtTicks, share.AtTicks + share.Ticks) is { } method
            ? AcpiFirmware.Told(named, method)
            : named;
    }

    /// <summary>Whether kernel code may only have waited for another thread or CPU: no function name shows what it did.</summary>
    private bool MayWait(LoadedImage image, ulong address) => Modules.RoleOf(image) == ModuleRole.Kernel
        && !(address - image.Base <= uint.MaxValue && _functions is not null
            && _functions.TryFind(image, (uint)(address - image.Base), out NamedFunction function) && function.Proof != SymbolProof.Pdata);

    private string? ProcessNameOf(CauseShare share) =>
        share.Detail is CodeSampled { ThreadId: var thread }
        && Facts.Threads.ProcessOf(thread, share.AtTicks) is { } process and not ThreadTable.SystemProcess
            ? Facts.Threads.NameOf(process, share.AtTicks)
            : null;

    public CulpritKind KindOf(LoadedImage image) =>
        Modules.RoleOf(image) == ModuleRole.Kernel ? CulpritKind.Kernel : CulpritKind.Driver;

    public static List<string> Names(IReadOnlyList<LoadedImage> images) => [.. images.Select(image => image.Name)];
}
