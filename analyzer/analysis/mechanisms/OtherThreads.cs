using Tracer.Analysis.Causes;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Mechanisms;

/// <summary>A thread of the victim's priority or higher ran in its place, or the victim's own runtime had suspended it.</summary>
internal sealed class OtherThreads : MechanismPage
{
    /// <summary>The routine's name where the runtime of the victim's process had suspended the victim.</summary>
    public const string GarbageCollection = "garbage collection";

    public override string Did => "its code ran in a thread instead of the victims for";

    public override NamedCause Name(CauseShare share, CauseNaming naming) =>
        share.Blackout is { } blackout ? BlackoutPage.Named(share, blackout, naming) : Ran(share, naming);

    public override string? DidWhatever(Suspect suspect) =>
        suspect.IsWaitedFor ? "the victims waited for what its threads did, for" : null;

    public override Confidence AtMost(CauseShare share, bool isOfHog) => isOfHog && share.Detail is ThreadRan ran
        ? CulpritConfidence.OfOrdinaryWait(ran.Priority)
        : base.AtMost(share, isOfHog);

    public override void AddFirst(List<string> evidence, EvidenceCase about)
    {
        if (about.Main.Detail is ThreadRan { IsOwnPause: true })
        {
            List<NamedCause> pauses = [.. about.Causes.Where(cause => cause.Detail is ThreadRan { IsOwnPause: true })];
            evidence.Add(Text(
                $"The events of its .NET runtime say that it had stopped its threads to collect garbage, "
                + $"{EvidenceCase.Times(pauses.Count)}, for up to {about.Length(pauses.Max(pause => pause.Ticks))} of a wait: "
                + $"the victim is one of them."));
        }
        else if (about.Main.Detail is ThreadRan { IsOwnWork: true })
        {
            List<NamedCause> works = [.. about.Causes.Where(cause => cause.Detail is ThreadRan { IsOwnWork: true })];
            evidence.Add(Text(
                $"Context switches show that its thread {about.Main.ThreadId} worked past its deadline itself, "
                + $"{EvidenceCase.Times(works.Count)}, for up to {about.Length(works.Max(work => work.Ticks))} of a turn, when Windows "
                + $"recorded a glitch{(about.Main.Confidence == Confidence.Certain ? ": nothing held it" : ", as far as samples show")}."));
        }
        else if (about.Main.Proof == Proof.Switch)
        {
            AddSwitches(evidence, about);
        }
    }

    public override long SinceOf(in CauseStretch stretch) => stretch.SinceTicks;

    private static void AddSwitches(List<string> evidence, EvidenceCase about)
    {
        string threads = string.Join(", ", about.Suspect.Parts.Where(part => part.Cause.ThreadId is not null)
            .GroupBy(part => part.Cause.ThreadId!.Value).OrderByDescending(thread => thread.Sum(part => part.Cause.Ticks))
            .ThenBy(thread => thread.Key).Take(3)
            .Select(thread => Text(
                $"{thread.Key} (priority {thread.Max(part => (part.Cause.Detail as ThreadRan)?.Priority ?? 0)}, "
                + $"{about.Length(thread.Sum(part => part.Cause.Ticks))})")));
        evidence.Add(Text(
            $"Context switches show its threads {(about.Suspect.IsWaitedFor ? "at work" : "on the CPU that the victims waited for")}: "
            + $"process {about.Main.ProcessId}, thread {threads}."));
    }

    private static NamedCause Ran(CauseShare share, CauseNaming naming)
    {
        (uint thread, bool isOwnPause, bool isOwnWork) = share.Detail is ThreadRan ran
            ? (ran.ThreadId, ran.IsOwnPause, ran.IsOwnWork)
            : (0, false, false);
        bool isSystems = naming.Facts.Threads.ProcessOf(thread, share.AtTicks) == ThreadTable.SystemProcess;
        if (share.Owner?.Owner is null && isSystems && !isOwnPause && naming.Threads.Of(thread, share.AtTicks) is { } whose)
        {
            OwnerFinding found = whose is { Owner: null, Behind: { } framework } ? naming.Behind.Of(whose, framework) : whose;
            if (found.Owner is null)
            {
                return naming.OfCode(share, found) with { ThreadId = thread };
            }

            // No sample lies in this stretch. The thread ran in it, and other samples show that the thread is the driver's.
            NamedCause own = Ran(share with { Owner = found }, naming);
            return own with { Confidence = own.Confidence.AtMost(CulpritConfidence.ThreadSampledElsewhere), IsOfThread = true };
        }

        if (share.Owner?.Owner is { } driver)
        {
            // A thread of the System process that runs a driver's code.
            return new NamedCause
            {
                Kind = naming.KindOf(driver),
                Name = driver.Name,
                Mechanism = Mechanism.Thread,
                Ticks = share.Ticks,
                Proof = share.Owner.Proof,
                Confidence = CulpritConfidence.OfDriversThread(share.Owner),
                Through = CauseNaming.Names(share.Owner.Through),
                Routine = naming.Routine(share.Owner.Routine, share.AtTicks),
                Image = driver,
                Finding = share.Owner,
                ThreadId = thread,
            };
        }

        uint? process = naming.Facts.Threads.ProcessOf(thread, share.AtTicks);
        string? name = process is { } id
            ? naming.Facts.Threads.NameOf(id, share.AtTicks) ?? string.Create(CultureInfo.InvariantCulture, $"process {id}")
            : null;
        return new NamedCause
        {
            Kind = name is null ? null : CulpritKind.Process,
            Name = name,
            Mechanism = Mechanism.Thread,
            Ticks = share.Ticks,
            Proof = Proof.Switch,
            Confidence = CulpritConfidence.OfThread(isSystems && !isOwnPause, share.IsInferred),
            Routine = isOwnPause ? GarbageCollection : isOwnWork ? Culprit.OwnWork : null,
            ProcessId = process,
            ThreadId = thread,
        };
    }
}
