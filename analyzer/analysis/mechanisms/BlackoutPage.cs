using Tracer.Analysis.Beats;
using Tracer.Analysis.Causes;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Mechanisms;

/// <summary>
/// A CPU or the whole machine stopped and served nothing. The machine itself is to blame, unless the same code stands at the edges of most
/// blackouts.
/// </summary>
internal class BlackoutPage : MechanismPage
{
    /// <summary>An idle exit or periodic interrupt that takes this many times its usual length was held up by something else.</summary>
    private const int TimesUsual = 5;

    public override string Did => "interrupts were not served while its code ran, for";

    public override string? DidWhatever(Suspect suspect) => suspect.Kind switch
    {
        CulpritKind.Hardware when suspect.IsOfSingleCpus => suspect.IsOfSeveralCpus
            ? "single CPUs stopped, not the whole machine, for"
            : "one CPU stopped, not the whole machine, for",
        CulpritKind.Hardware => "the machine itself stopped for",
        _ when suspect.IsOfAllCpus => "all CPUs stopped while its code ran on one, for",
        _ => null,
    };

    public override NamedCause Name(CauseShare share, CauseNaming naming) =>
        share.Blackout is { } blackout ? Named(share, blackout, naming) : naming.OfCode(share, share.Owner!);

    public override void AddFirst(List<string> evidence, EvidenceCase about)
    {
        if (about.Main.Blackout is not null)
        {
            new BlackoutEvidence(about.Findings, about.Naming).Add(evidence, about.Main);
        }
    }

    public override void AddLast(List<string> evidence, EvidenceCase about)
    {
        NamedCause main = about.Main;
        string longest = about.Length(about.Suspect.Parts.Max(part => part.Cause.Ticks));
        if (main is { UsualExitTicks: { } usualExit, Detail: IdleExit exit })
        {
            evidence.Add(Text(
                $"The CPU idled in state {exit.State} and had work to do; it did not answer for up to {longest}, although leaving "
                + $"that state takes at most {about.Length(usualExit)} in 19 of 20 cases: the machine, or a hypervisor, kept it."));
        }
        else if (main.UsualRunTicks is { } usualRun)
        {
            evidence.Add(Text(
                $"{main.Routine}, an interrupt of the system that comes all the time and takes {about.Length(usualRun)} on average, took "
                + $"up to {longest} longer: it never has so much to do, so the machine, or a hypervisor, kept the CPU."));
        }
    }

    public override long SinceOf(in CauseStretch stretch) => stretch.FromTicks;

    /// <summary>Whether a time exceeds the usual one by so much that something else held the CPU.</summary>
    /// <param name="usual">The usual time, in ticks.</param>
    public static bool IsFarBeyond(long ticks, long usual, CauseNaming naming) =>
        ticks >= TimesUsual * usual && ticks - usual >= naming.LeastBeyondTicks;

    /// <summary>A driver's code that held off all interrupts, as its sample's flags show, is a blackout, however short.</summary>
    public static Mechanism MechanismOf(CauseShare share, CulpritKind kind) =>
        share.Detail is CodeSampled { IsMasked: true } && kind == CulpritKind.Driver ? Mechanism.Blackout : share.Mechanism;

    /// <summary>
    /// The part of a driver that masks interrupts as a blackout, where it was taken for raised IRQL and no interrupt was served meanwhile.
    /// </summary>
    /// <returns>The part; unchanged where it is no such part.</returns>
    public static NamedCause Silent(NamedCause cause) =>
        cause is { Detail: CodeSampled { IsSilent: true }, Kind: CulpritKind.Driver, Mechanism: Mechanism.RaisedIrql }
            ? cause with { Mechanism = Mechanism.Blackout, ThreadId = null, ProcessName = null }
            : cause;

    /// <summary>A blackout that only a beat shows, which many episodes keep whatever code ran meanwhile.</summary>
    /// <param name="episodes">How many episodes keep it.</param>
    /// <param name="why">The sentence that says why nobody else is to blame.</param>
    public static NamedCause OnBeat(long ticks, CauseShare? share, bool hasHypervisor, int episodes, Beat beat, string why) => new()
    {
        Kind = CulpritKind.Hardware,
        Name = hasHypervisor ? CulpritName.Hypervisor : CulpritName.HardwareOrFirmware,
        Mechanism = hasHypervisor ? Mechanism.Hypervisor : Mechanism.Blackout,
        Ticks = ticks,
        Proof = Proof.Edges,
        Confidence = CulpritConfidence.OfExternalBeat(episodes, beat, hasHypervisor),
        Share = share,
        Outside = why,
    };

    /// <summary>Time that nothing in the trace explains, taken for a blackout. In ticks.</summary>
    public static CauseShare Unseen(long fromTicks, long ticks) =>
        new() { Detail = NothingServed.Instance, Ticks = ticks, AtTicks = fromTicks };

    /// <summary>A blackout that no gap of the CPU proves: something took far longer than it ever does.</summary>
    public static NamedCause Unproven(CauseShare share, long ticks, CauseNaming naming) => CauseNaming.OfPower(share) with
    {
        Kind = CulpritKind.Hardware,
        Name = naming.HasHypervisor ? CulpritName.Hypervisor : CulpritName.HardwareOrFirmware,
        Mechanism = naming.HasHypervisor ? Mechanism.Hypervisor : Mechanism.Blackout,
        Ticks = ticks,
        Confidence = CulpritConfidence.BeyondUsual,
    };

    /// <summary>
    /// Splits an unusually long run of the profile or clock interrupt. Such a routine never has that much to do, and no other interrupt can
    /// run in between, so that the CPU must have stood still.
    /// </summary>
    /// <returns>The parts; null where it is no such interrupt, or took no longer than usual.</returns>
    public static NamedCause[]? InPeriodicInterrupt(CauseShare share, NamedCause interrupt, CauseNaming naming)
    {
        if (share is not { Mechanism: Mechanism.Isr, Detail: RoutineRan ran }
            || naming.Periodic.MeanOf(ran.Routine, ran.LongestTicks) is not { } usual || !IsFarBeyond(ran.LongestTicks, usual, naming))
        {
            return null;
        }

        long beyond = ran.LongestTicks - usual;
        NamedCause stopped = Unproven(share, beyond, naming) with
        {
            Proof = Proof.Routine,
            UsualRunTicks = usual,
            Routine = interrupt.Routine,
        };
        return [interrupt with { Ticks = share.Ticks - beyond }, stopped];
    }

    public static NamedCause Named(CauseShare share, Blackout blackout, CauseNaming naming)
    {
        OwnerFinding? span = share.Owner;
        OwnerFinding? edges = blackout.Owner;

        // A virtual processor that the hypervisor does not run stops within whatever code it ran. And that a blackout fell into a routine
        // is no proof: only code at the edges of most blackouts is to blame.
        bool isOwn = blackout.IsElsewhereAlive && !naming.HasHypervisor;
        bool isSpans = span?.Owner is not null && edges?.Owner?.Number == span.Owner.Number;
        if (span is not null && (isSpans || (span.Owner is null && isOwn && blackout.IsOfRoutine)))
        {
            NamedCause own = naming.OfCode(share with { Blackout = null }, span);
            Confidence most = CulpritConfidence.OfBlackedOutRoutine(span, edges, blackout, naming.HasHypervisor);
            return own with { Confidence = own.Confidence.AtMost(most), Blackout = blackout };
        }

        if (edges?.Owner is { } owner)
        {
            return new NamedCause
            {
                Kind = naming.KindOf(owner),
                Name = owner.Name,
                Mechanism = Mechanism.Blackout,
                Ticks = share.Ticks,
                Proof = Proof.Edges,
                Confidence = CulpritConfidence.OfEdges(
                    edges, isElses: naming.HasHypervisor || naming.HasSmi(blackout) || blackout.IsOfAllCpus),
                Through = CauseNaming.Names(edges.Through),
                Routine = naming.Routine(edges.Routine, blackout.ToTicks),
                Image = owner,
                Finding = edges,
                ProcessName = blackout.Caller is { } caller ? naming.Facts.Threads.NameOf(caller, blackout.ToTicks) : null,
                Blackout = blackout,
            };
        }

        if (isOwn && !blackout.IsLikeTheMachines && blackout.Edges.FirstOrDefault(edge => edge.IsOfUnknownCaller) is { } edge)
        {
            // The CPU resumed in kernel code whose caller is not known: a driver is as likely as the machine.
            return CauseNaming.OfNobody(share) with
            {
                Mechanism = Mechanism.Blackout,
                Routine = naming.Routine(edge.Owner!.Routine, blackout.ToTicks),
                Behind = edge.Owner.Behind!.Name,
                Blackout = blackout,
            };
        }

        bool isHypervisor = naming.HasHypervisor && !naming.HasSmi(blackout);
        return new NamedCause
        {
            Kind = CulpritKind.Hardware,
            Name = isHypervisor ? CulpritName.Hypervisor : CulpritName.HardwareOrFirmware,
            Mechanism = isHypervisor ? Mechanism.Hypervisor : Mechanism.Blackout,
            Ticks = share.Ticks,
            Proof = Proof.Edges,
            Confidence = CulpritConfidence.OfMachine(blackout, naming.HasHypervisor),
            Blackout = blackout,
        };
    }
}

/// <summary>The hypervisor did not run a virtual processor. Like a blackout, but with another owner.</summary>
internal sealed class HypervisorPage : BlackoutPage
{
    public override string Did => "a virtual processor did not run for";

    public override string DidWhatever(Suspect suspect) => Did;
}
