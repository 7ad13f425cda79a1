using Tracer.Analysis.Causes;

namespace Tracer.Analysis.Mechanisms;

/// <summary>
/// A CPU first had to leave an idle state. Power management is responsible for that, unless it took longer than leaving that state ever
/// takes.
/// </summary>
internal sealed class IdleExits : MechanismPage
{
    public override string Did => "leaving an idle state took";

    public override bool BeginsWithVictim => true;

    public override bool IsSomebodys => false;

    public override string DidWhatever(Suspect suspect) => Did;

    public override NamedCause Name(CauseShare share, CauseNaming naming) => CauseNaming.OfPower(share);

    public override Confidence AtMost(CauseShare share, bool isOfHog) =>
        share.Detail is IdleExit exit ? CulpritConfidence.OfIdleExit(exit) : base.AtMost(share, isOfHog);

    public override IReadOnlyList<NamedCause>? Instead(CauseShare share, CauseNaming naming)
    {
        if (share.Detail is not IdleExit exit)
        {
            return null;
        }

        NamedCause[]? split = BeyondUsual(share, exit, naming);
        return split is not null || exit.IsTooLight ? split ?? [] : null;
    }

    public override void AddLast(List<string> evidence, EvidenceCase about)
    {
        if (about.Main.Detail is not IdleExit exit)
        {
            return;
        }

        long longest = about.Causes.Where(cause => cause.Detail is IdleExit).Max(cause => cause.Ticks);
        string source = exit.IsRecorded ? "Records of its idle states say" : "The context switch from the idle thread says";
        evidence.Add(Text(
            $"{source} that the CPU was in idle state {exit.State} when there was work for it; it took up to "
            + $"{about.Length(longest)} to come out, and no record shows that anything ran on it meanwhile."));
    }

    /// <summary>
    /// Splits the time of an idle CPU that took far longer to respond than leaving its state usually takes in this trace: something that
    /// the trace does not show held it.
    /// </summary>
    /// <returns>The parts; null where the time is not unusual, or where too few other exits are known.</returns>
    private static NamedCause[]? BeyondUsual(CauseShare share, IdleExit exit, CauseNaming naming)
    {
        if (naming.Power.UsualExit(exit.State) is not { } usual || !BlackoutPage.IsFarBeyond(share.Ticks, usual, naming))
        {
            return null;
        }

        if (!(naming.HasDpcs && naming.HasIsrs) && !exit.IsRecorded)
        {
            return []; // An ISR or DPC may have run, and nothing would show it.
        }

        NamedCause stopped = BlackoutPage.Unproven(share, share.Ticks - usual, naming) with
        {
            Proof = Proof.Switch,
            UsualExitTicks = usual,
        };
        return [CauseNaming.OfPower(share) with { Ticks = usual, Confidence = CulpritConfidence.BeyondUsual }, stopped];
    }
}
