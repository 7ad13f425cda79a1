using Tracer.Analysis.Causes;

namespace Tracer.Analysis.Mechanisms;

/// <summary>Kernel code of a lower-priority thread held the CPU at raised IRQL.</summary>
internal sealed class RaisedCode : MechanismPage
{
    public override string Did => "its code kept a CPU at raised IRQL for";

    public override NamedCause Name(CauseShare share, CauseNaming naming) =>
        share.Blackout is { } blackout ? BlackoutPage.Named(share, blackout, naming) : naming.OfCode(share, share.Owner!);

    public override void AddLast(List<string> evidence, EvidenceCase about) =>
        evidence.Add("Samples hit this kernel code of a thread of lower priority while the victim was ready on the same CPU: it kept "
            + "the CPU at raised IRQL.");

    public override long SinceOf(in CauseStretch stretch) => stretch.FromTicks;
}
