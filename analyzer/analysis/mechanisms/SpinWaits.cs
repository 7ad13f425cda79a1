using Tracer.Analysis.Causes;
using Tracer.Analysis.Modules;

namespace Tracer.Analysis.Mechanisms;

/// <summary>
/// Code on the victim's CPU only waited for a lock or for another CPU. To blame is whoever caused the wait: the holder of the lock, or
/// whoever kept the other CPU from serving interrupts.
/// </summary>
internal sealed class SpinWaits : MechanismPage
{
    public override string Did => "others waited for a lock that it held, or for a CPU that it kept, for";

    public override string DidWhatever(Suspect suspect) => Did;

    public override NamedCause Name(CauseShare share, CauseNaming naming)
    {
        NamedCause named = share.Blackout is { } blackout
            ? BlackoutPage.Named(share with { Owner = null }, blackout, naming) with { Mechanism = Mechanism.SpinWait, Blackout = null }
            : share.Owner is { } holder ? naming.OfCode(share, holder) : CauseNaming.OfNobody(share);
        return named with
        {
            Waiter = share.Detail is LockWait { Waiter.Owner: { } waiter } && naming.Modules.RoleOf(waiter) != ModuleRole.Kernel
                && !string.Equals(waiter.Name, named.Name, StringComparison.OrdinalIgnoreCase)
                ? waiter.Name
                : null,
        };
    }

    public override Confidence AtMost(CauseShare share, bool isOfHog) => share.Detail is LockWait wait
        ? CulpritConfidence.OfLock(wait.ShownBy, wait.Pair is { IsRepeated: true })
        : base.AtMost(share, isOfHog);

    public override void AddLast(List<string> evidence, EvidenceCase about)
    {
        NamedCause main = about.Main;
        string[] waiters = [.. about.Causes.Where(cause => cause.Waiter is not null).Select(cause => cause.Waiter!)
            .Distinct(StringComparer.OrdinalIgnoreCase).Order(StringComparer.OrdinalIgnoreCase).Take(3)];
        var wait = main.Detail as LockWait;
        if (wait?.IsLockRecorded == true && main.Routine is not null)
        {
            evidence.Add(Text($"Records of the lock show who held it: {main.Routine}."));
        }

        string who = waiters.Length > 0 ? string.Join(", ", waiters) : "The code on the victim's CPU";
        evidence.Add(Text($"{who} waited meanwhile, in the kernel's code, for a lock or another CPU that {main.Name} kept."));
        if (wait?.Pair is { IsRepeated: true } pair)
        {
            evidence.Add(Text(
                $"It ended on its CPU when the wait did {pair.Times} times or more, the same two each time: "
                + $"chance does not explain that."));
        }
        else if (main.Confidence == Confidence.Possible)
        {
            evidence.Add(wait?.Pair is { Times: 0 }
                ? "That its code ran on another CPU through all of the wait is all that ties them together."
                : "That it ended on its CPU when the wait did is all that ties them together.");
        }
    }

    public override long SinceOf(in CauseStretch stretch) => stretch.FromTicks;
}
