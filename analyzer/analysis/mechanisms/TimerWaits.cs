using Tracer.Analysis.Causes;

namespace Tracer.Analysis.Mechanisms;

/// <summary>The victim waits for the clock tick that serves its timer. Nobody is to blame.</summary>
internal sealed class TimerWaits : MechanismPage
{
    public override string Did => "it took";

    public override bool IsSomebodys => false;

    public override NamedCause Name(CauseShare share, CauseNaming naming) => CauseNaming.OfNobody(share);
}

/// <summary>Nothing in the trace shows what kept the victim waiting.</summary>
internal sealed class UnexplainedTime : MechanismPage
{
    public override string Did => "it took";

    public override bool IsSomebodys => false;

    public override NamedCause Name(CauseShare share, CauseNaming naming) => naming.OfCode(share, share.Owner!);
}
