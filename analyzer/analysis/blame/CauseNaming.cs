using System.Globalization;
using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>
/// Gives the parts of episodes their owners' names, when all of the trace has been seen: what a run of a framework's routine did not show
/// may have shown in another.
/// </summary>
internal sealed class CauseNaming
{
    /// <summary>With so many samples of one mind a stack is as good as a record.</summary>
    private const int SamplesForCertain = 3;

    private readonly TraceFacts _facts;
    private readonly ModuleMap _modules;
    private readonly FrameworkClients _clients;
    private readonly DriverDevices _devices;
    private readonly bool _hasLosses;
    private readonly bool _hasHypervisor;
    private readonly FirmwareMethodTimes _methods;
    private readonly IFunctionNames? _functions;

    /// <summary>Makes a naming.</summary>
    public CauseNaming(
        TraceFacts facts, ModuleMap modules, FrameworkClients clients, DriverDevices devices, bool hasLosses, IFunctionNames? functions)
    {
        _functions = functions;
        _facts = facts;
        _modules = modules;
        _clients = clients;
        _devices = devices;
        _hasLosses = hasLosses;
        _hasHypervisor = facts.HasHypervisor == true;
        _methods = new FirmwareMethodTimes(facts.AcpiMethods);
    }

    /// <summary>Names a part of an episode.</summary>
    public NamedCause Name(CauseShare share)
    {
        NamedCause named = share.Blackout is { } blackout
            ? OfBlackout(share, blackout)
            : share.Mechanism switch
            {
                Mechanism.Thread => OfThread(share),
                Mechanism.Scheduler => OfNobody(share),
                _ => OfCode(share, share.Owner!),
            };
        return _hasLosses && named.Confidence == Confidence.Certain ? named with { Confidence = Confidence.Likely } : named;
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

    private static Confidence OfSamples(OwnerFinding finding) =>
        finding.Samples >= SamplesForCertain && finding.Samples * 10L >= finding.SamplesAsked * 7L ? Confidence.Certain : Confidence.Likely;

    private static NamedCause OfNobody(CauseShare share) => new()
    {
        Kind = null,
        Name = null,
        Mechanism = share.Mechanism,
        Ticks = share.Ticks,
        Proof = Proof.None,
        Confidence = Confidence.Possible,
    };

    private NamedCause OfThread(CauseShare share)
    {
        uint thread = share.ThreadId ?? 0;
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
                Confidence = OfSamples(share.Owner),
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
            Confidence = Confidence.Certain,
            Routine = null,
            ProcessId = process,
            ThreadId = thread,
            ThreadPriority = share.ThreadPriority,
        };
    }

    private NamedCause OfBlackout(CauseShare share, Blackout blackout)
    {
        OwnerFinding? span = share.Owner;
        OwnerFinding? edges = blackout.Owner;
        bool isSpans = span?.Owner is not null && (edges?.Owner?.Number == span.Owner.Number || blackout.IsElsewhereAlive);
        if (span is not null && (isSpans || (span.Owner is null && blackout.IsElsewhereAlive)))
        {
            NamedCause own = OfCode(share with { Blackout = null }, span);

            // With no other CPU alive the machine may have stopped each time it ran: firmware can't be excluded. And other runs of a
            // framework's routine, in which samples were served, tell little of who is behind one in which none was.
            Confidence most = span.Owner is null ? Confidence.Possible
                : blackout.IsElsewhereAlive ? Confidence.Certain
                : _hasHypervisor ? Confidence.Possible : Confidence.Likely;
            return own.Confidence > most ? own with { Confidence = most } : own;
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
                Confidence = _hasHypervisor || edges.SamplesAsked < 2 ? Confidence.Possible : Confidence.Likely,
                Through = Names(edges.Through),
                Routine = Routine(edges.Routine, blackout.ToTicks),
                Image = owner,
                Finding = edges,
                Blackout = blackout,
            };
        }

        if (blackout.IsElsewhereAlive && blackout.Edges.FirstOrDefault(IsOfUnknownCaller) is { } edge)
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

        return new NamedCause
        {
            Kind = CulpritKind.Hardware,
            Name = CulpritName.HardwareOrFirmware,
            Mechanism = Mechanism.Blackout,
            Ticks = share.Ticks,
            Proof = Proof.Edges,
            Confidence = _hasHypervisor ? Confidence.Possible : blackout.IsWholeMachine ? Confidence.Likely : Confidence.Possible,
            Blackout = blackout,
        };
    }

    private static bool IsOfUnknownCaller(BlackoutEdge edge) => edge is { IsAfter: true, Owner: { Owner: null, Behind: not null } };

    private NamedCause OfCode(CauseShare share, OwnerFinding found)
    {
        OwnerFinding finding = found.Owner is null && found.Behind is { } framework ? BehindOf(found, framework) : found;
        if (finding.Owner is not { } owner)
        {
            return new NamedCause
            {
                Kind = null,
                Name = null,
                Mechanism = share.Mechanism,
                Ticks = share.Ticks,
                Proof = Proof.None,
                Confidence = Confidence.Possible,
                Routine = Routine(finding.Routine, share.AtTicks),
                Behind = finding.Behind?.Name,
                Finding = finding,
            };
        }

        ModuleRole role = _modules.RoleOf(owner);
        string? method = role == ModuleRole.Firmware ? _methods.RunningIn(share.AtTicks, share.AtTicks + share.Ticks) : null;
        bool isFirmware = method is not null;
        Confidence confidence = finding.Proof switch
        {
            Proof.Routine or Proof.WdfEvent => Confidence.Certain,
            Proof.Stack => role is ModuleRole.Framework ? Confidence.Possible : OfSamples(finding),
            Proof.Sample or Proof.Vector => Confidence.Likely,
            _ => Confidence.Possible,
        };
        return new NamedCause
        {
            Kind = isFirmware ? CulpritKind.Hardware : KindOf(owner),
            Name = isFirmware ? CulpritName.HardwareOrFirmware : owner.Name,
            Mechanism = share.Mechanism,
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
        };
    }

    private string? ProcessNameOf(CauseShare share) =>
        share.ThreadId is { } thread && _facts.Threads.ProcessOf(thread, share.AtTicks) is { } process and not ThreadTable.SystemProcess
            ? _facts.Threads.NameOf(process, share.AtTicks)
            : null;

    /// <summary>Nothing was seen inside this run: what other runs show, the ISR before, the only candidate.</summary>
    private OwnerFinding BehindOf(OwnerFinding found, LoadedImage framework)
    {
        if (_clients.BySamples(found.Routine) is { Owner: not null } bySamples)
        {
            return bySamples with { Samples = 0, SamplesAsked = 0 };
        }

        if (_clients.ByIsr(found.Routine) is { } byIsr)
        {
            return found with { Owner = byIsr, Behind = null, Proof = Proof.Vector, Through = [framework] };
        }

        return OnlyCandidate(framework) is { } only
            ? found with { Owner = only, Behind = null, Proof = Proof.OnlyCandidate, Through = [framework] }
            : found;
    }

    private LoadedImage? OnlyCandidate(LoadedImage framework)
    {
        List<LoadedImage> candidates = CandidatesBehind(framework.Name);
        return candidates.Count == 1 ? candidates[0] : null;
    }

    /// <summary>The loaded drivers of the devices that a framework serves.</summary>
    public List<LoadedImage> CandidatesBehind(string framework)
    {
        List<LoadedImage> candidates = [];
        foreach (Guid deviceClass in Frameworks.ClientClassesOf(framework))
        {
            foreach (string service in _devices.ServicesOfClass(deviceClass))
            {
                if (_facts.Images.TryFindByName(service + ".sys", out LoadedImage? image)
                    && _modules.RoleOf(image) == ModuleRole.Driver
                    && !candidates.Exists(known => string.Equals(known.Name, image.Name, StringComparison.OrdinalIgnoreCase)))
                {
                    candidates.Add(image);
                }
            }
        }

        return candidates;
    }

    private CulpritKind KindOf(LoadedImage image) =>
        _modules.RoleOf(image) == ModuleRole.Kernel ? CulpritKind.Kernel : CulpritKind.Driver;

    private static List<string> Names(IReadOnlyList<LoadedImage> images) => [.. images.Select(image => image.Name)];
}
