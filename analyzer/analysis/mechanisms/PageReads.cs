using Tracer.Analysis.Causes;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Mechanisms;

/// <summary>The victim waited for a page to be read from disk.</summary>
internal sealed class PageReads : MechanismPage
{
    public override string Did => "pages had to be read from disk for";

    public override bool BeginsWithVictim => true;

    public override NamedCause Name(CauseShare share, CauseNaming naming) => new()
    {
        Kind = CulpritKind.Kernel,
        Name = CulpritName.HardPageFaults,
        Mechanism = Mechanism.Paging,
        Ticks = share.Ticks,
        Proof = Proof.Switch,
        Confidence = CulpritConfidence.OfRecord(share.IsInferred),
        ThreadId = (share.Detail as PageRead)?.ThreadId,
    };

    public override void AddFirst(List<string> evidence, EvidenceCase about)
    {
        List<NamedCause> faults = [.. about.Causes.Where(cause => cause.Mechanism == Mechanism.Paging)];
        string longest = about.Length(faults.Max(fault => fault.Ticks));
        List<HardFault> recorded = [.. faults.Select(fault => (fault.Detail as PageRead)?.Fault).OfType<HardFault>()];
        if (recorded.Count == 0)
        {
            evidence.Add(Text(
                $"Context switches say that the victims waited for pages {EvidenceCase.Times(faults.Count)}, for up to {longest}: record "
                + $"HARD_FAULTS to know which."));
            return;
        }

        long bytes = recorded.Sum(fault => (long)fault.Bytes);
        evidence.Add(Text(
            $"Records of hard faults of the victims' own threads: {recorded.Count:N0}, the longest {longest}, {bytes:N0} bytes read in "
            + $"all. Memory that must not wait has to be locked, or touched before."));
    }
}
