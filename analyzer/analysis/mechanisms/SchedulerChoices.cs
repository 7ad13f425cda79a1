using Tracer.Analysis.Causes;

namespace Tracer.Analysis.Mechanisms;

/// <summary>
/// The victim was not dispatched to an idle CPU, either by the scheduler's choice or because power management had parked that CPU.
/// </summary>
internal sealed class SchedulerChoices : MechanismPage
{
    public override string Did => "a CPU was free for the victims and not given to them for";

    public override string Kept(Culprit culprit, int cpu) =>
        Text($"another CPU was free for an ordinary thread that waited on CPU {cpu}, and not given to it,");

    public override bool BeginsWithVictim => true;

    public override bool IsSomebodys => false;

    public override string DidWhatever(Suspect suspect) =>
        suspect.Kind == CulpritKind.Power ? "CPUs that were free were parked for" : Did;

    public override NamedCause Name(CauseShare share, CauseNaming naming)
    {
        if (share.Detail is NotChosen { IsParked: true })
        {
            return CauseNaming.OfPower(share);
        }

        return naming.Kernel is { } kernel
            ? CauseNaming.OfNobody(share) with
            {
                Kind = CulpritKind.Kernel,
                Name = kernel.Name,
                Proof = Proof.Switch,
                Image = kernel,
                Confidence = CulpritConfidence.OfScheduler(naming.Facts.Parked.IsKnown),
            }
            : CauseNaming.OfNobody(share);
    }

    public override void AddLast(List<string> evidence, EvidenceCase about)
    {
        evidence.Add("The victims were ready, a CPU that they may use idled, and yet they were not dispatched there but waited behind "
            + "another thread.");
        if (about.Main.Detail is NotChosen { IsParked: true })
        {
            evidence.Add("Power records say that all CPUs that idled were parked: look at core parking in the power plan.");
        }
        else if (!about.Findings.Facts.Parked.IsKnown)
        {
            evidence.Add("Whether that CPU was parked is not recorded: add the provider Microsoft-Windows-Kernel-Processor-Power.");
        }
    }
}
