using Tracer.Analysis.Beats;
using Tracer.Analysis.Causes;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Mechanisms;

/// <summary>
/// How sure a culprit is called, by what shows it, and how sure it may be called at most. All degrees and caps are here, each with its
/// reason: the pages of the mechanisms ask, and no other step has one of its own.
/// </summary>
internal static class CulpritConfidence
{
    /// <summary>
    /// Profile samples showing the same owner that make it certain, like a record. Three: for code that has a fifth of the CPU's time, the
    /// chance that three samples all hit it is below one in a hundred.
    /// </summary>
    public const int SamplesForCertain = 3;

    /// <summary>
    /// Of ten samples inside a run, this many must show the owner for it to be certain. With fewer, another module could have a third of
    /// them.
    /// </summary>
    public const int CertainOfTen = 7;

    /// <summary>
    /// Samples of other runs that must show an owner for its part of those without one to be likely: of ten samples of which most are its,
    /// at least a quarter of all are (95 of 100).
    /// </summary>
    public const int SampledForLikely = 10;

    /// <summary>
    /// A culprit's confidence is the highest level that this part of its time reaches. So most of its time is as sure as the report says.
    /// </summary>
    public const double SureOfTime = 0.5;

    /// <summary>
    /// Episodes on an external beat from which hardware or firmware is likely, together with <see cref="LikelyCoverage"/>; with fewer it is
    /// only possible.
    /// </summary>
    public const int LikelyEpisodes = 10;

    /// <summary>
    /// The part of an external beat's beats that must have an episode for hardware or firmware to be likely. A cause from outside misses
    /// few beats.
    /// </summary>
    public const double LikelyCoverage = 0.8;

    /// <summary>The cap where what is known of the part doubts nothing: there is none.</summary>
    public const Confidence Uncapped = Confidence.Certain;

    /// <summary>The cap where events were lost: an event that would show another owner may be among them.</summary>
    public const Confidence WithLosses = Confidence.Likely;

    /// <summary>The cap where the trace shows that something happened, but not that it took all of the time.</summary>
    public const Confidence Inferred = Confidence.Likely;

    /// <summary>
    /// The cap for a thread that is a driver's by samples of other stretches: in this one it may have worked for another.
    /// </summary>
    public const Confidence ThreadSampledElsewhere = Confidence.Likely;

    /// <summary>A part without an owner: what the trace shows of it fits several.</summary>
    public const Confidence Nobody = Confidence.Possible;

    /// <summary>Power management, where records show what it does: which setting asks for it is in no trace.</summary>
    public const Confidence PowerManagement = Confidence.Likely;

    /// <summary>The profile or the clock interrupt, whose routine is known and does nothing else.</summary>
    public const Confidence PeriodicInterrupt = Confidence.Certain;

    /// <summary>What is over the usual time, and the usual time itself: where one ends and the other begins no record says.</summary>
    public const Confidence BeyondUsual = Confidence.Possible;

    /// <summary>A confidence, or its cap where that is lower.</summary>
    public static Confidence AtMost(this Confidence confidence, Confidence most) => confidence > most ? most : confidence;

    /// <summary>What was recorded, unless that it took all of the time is inferred.</summary>
    public static Confidence OfRecord(bool isInferred) => isInferred ? Inferred : Confidence.Certain;

    /// <summary>The process of a thread that ran. The System process also runs drivers' threads.</summary>
    public static Confidence OfThread(bool isSystems, bool isInferred) => isSystems ? Confidence.Possible : OfRecord(isInferred);

    /// <summary>The driver whose code a thread of the System process runs: by its routine, or by samples.</summary>
    public static Confidence OfDriversThread(OwnerFinding finding) =>
        finding.Proof is Proof.Routine or Proof.WdfEvent ? Confidence.Certain : OfSamples(finding);

    /// <summary>The scheduler, which left a CPU idle. Where parking was not recorded, a parked CPU looks the same.</summary>
    public static Confidence OfScheduler(bool isParkingKnown) => isParkingKnown ? Confidence.Likely : Confidence.Possible;

    /// <summary>
    /// A slow CPU: the routine may have had more to do at that speed, unless others were slow there as well. Where no record tells speeds,
    /// a virtual processor may have been slow because others had its time.
    /// </summary>
    public static Confidence OfSlowdown(Slowdown slow, bool hasHypervisor) =>
        slow.Others == 0 || (hasHypervisor && slow.Meanwhile.Count > 0) ? Confidence.Possible : Confidence.Likely;

    /// <summary>An owner that samples inside the run show.</summary>
    public static Confidence OfSamples(OwnerFinding finding) => finding.TiedWith.Count > 0 ? Confidence.Possible
        : finding.Samples >= SamplesForCertain && finding.Samples * 10L >= finding.SamplesAsked * (long)CertainOfTen ? Confidence.Certain
        : Confidence.Likely;

    /// <summary>
    /// An owner whom the samples of other runs show: likely by nearly all of them, or by enough of which most are its; fewer may be chance,
    /// and runs that other interrupts queued may be another device's.
    /// </summary>
    public static Confidence OfVote(OwnerFinding finding) =>
        !finding.IsVotedByOthers && (Ballot.IsNearlyAll(finding.Samples, finding.SamplesAsked)
            || (finding.Samples >= SampledForLikely && 2 * finding.Samples >= finding.SamplesAsked))
            ? Confidence.Likely
            : Confidence.Possible;

    /// <param name="mayHaveWaited">Whether the code may only have waited for another thread or CPU.</param>
    public static Confidence OfCode(OwnerFinding finding, ModuleRole role, bool mayHaveWaited) => finding.Proof switch
    {
        _ when finding.VotedBy is not null => OfVote(finding),
        _ when finding.Carrier is not null && finding.Proof != Proof.Vector => Confidence.Possible,
        // A kernel routine may only have called a driver: a timer callback, a work item.
        Proof.Routine when role == ModuleRole.Kernel => finding.Samples == 0 ? Confidence.Possible
            : finding.Samples < SamplesForCertain ? Confidence.Likely : Confidence.Certain,
        Proof.Routine when finding.Inner is not null => Confidence.Likely,
        Proof.Routine or Proof.WdfEvent => Confidence.Certain,
        Proof.Stack when role is ModuleRole.Framework => Confidence.Possible,
        Proof.Stack when mayHaveWaited || finding.Announced is not null => Confidence.Likely,
        Proof.Stack => OfSamples(finding),
        Proof.Sample => finding.TiedWith.Count > 0 ? Confidence.Possible : Confidence.Likely,
        Proof.Vector => Confidence.Likely,
        _ => Confidence.Possible,
    };

    /// <summary>The cap for who held a lock, or kept another CPU, that code only waited for.</summary>
    /// <param name="isRepeated">Whether the same two ended together more often than chance explains.</param>
    public static Confidence OfLock(LockEvidence evidence, bool isRepeated) => evidence switch
    {
        LockEvidence.HoldAndWait => Confidence.Certain,
        LockEvidence.Hold or LockEvidence.CommonEnd => Confidence.Likely,
        _ => isRepeated ? Confidence.Likely : Confidence.Possible,
    };

    /// <summary>
    /// The cap for a thread that ran in the place of one of ordinary priority. That it ran is recorded; whether that harmed anybody is not:
    /// ordinary threads give way to real-time ones by design, and take turns with their equals.
    /// </summary>
    /// <param name="priority">That of the thread that ran.</param>
    public static Confidence OfOrdinaryWait(int priority) =>
        priority >= EpisodeAnalysis.HogPriority ? Confidence.Likely : Confidence.Possible;

    /// <summary>The cap for an idle exit: a light state is left sooner than that, and without records its begin is not known.</summary>
    public static Confidence OfIdleExit(IdleExit exit) =>
        exit is { IsRecorded: true, IsDeep: true } ? Confidence.Likely : Confidence.Possible;

    /// <summary>The cap for the owner of a routine in which its CPU stopped.</summary>
    /// <param name="edges">The code at the edges of the blackouts; null where it is not the same.</param>
    /// <remarks>
    /// If no other CPU was alive, the machine may have stopped each time the routine ran: firmware can't be excluded, and is as likely
    /// where several CPUs stopped, which no routine of one CPU can do. And other runs of a framework's routine, with samples, say little
    /// about the driver behind a run without samples.
    /// </remarks>
    public static Confidence OfBlackedOutRoutine(OwnerFinding routine, OwnerFinding? edges, Blackout blackout, bool hasHypervisor) =>
        routine.Owner is null || edges!.SamplesAsked < 2 ? Confidence.Possible
        : blackout.IsElsewhereAlive && edges.Samples >= SamplesForCertain ? Confidence.Certain
        : hasHypervisor || blackout.IsOfAllCpus ? Confidence.Possible
        : Confidence.Likely;

    /// <summary>The module whose code stands at the edges of most blackouts.</summary>
    /// <param name="isElses">
    /// Whether a hypervisor, or an SMI that was counted, may have stopped the CPU, or several CPUs stopped, which firmware can do and code
    /// of one CPU can't.
    /// </param>
    public static Confidence OfEdges(OwnerFinding edges, bool isElses) =>
        isElses || edges.SamplesAsked < 2 ? Confidence.Possible : Confidence.Likely;

    /// <summary>The machine itself, where a blackout has no other owner: that of a single CPU has more causes than that of all.</summary>
    public static Confidence OfMachine(Blackout blackout, bool hasHypervisor) =>
        !hasHypervisor && blackout is { IsWholeMachine: true, IsContested: false } ? Confidence.Likely : Confidence.Possible;

    /// <summary>Hardware or firmware, where many episodes keep a beat that none of the code keeps that ran meanwhile.</summary>
    public static Confidence OfExternalBeat(int episodes, Beat beat, bool hasHypervisor) =>
        !hasHypervisor && episodes >= LikelyEpisodes && beat.Coverage >= LikelyCoverage ? Confidence.Likely : Confidence.Possible;

    /// <summary>A culprit as a whole: the highest level that <see cref="SureOfTime"/> of its time reaches.</summary>
    public static Confidence OfAll(IReadOnlyCollection<NamedCause> causes)
    {
        long all = causes.Sum(cause => cause.Ticks);
        long sure = 0;
        foreach (IGrouping<Confidence, long> level in causes.GroupBy(cause => cause.Confidence, cause => cause.Ticks)
            .OrderByDescending(level => level.Key))
        {
            sure += level.Sum();
            if (sure >= SureOfTime * all)
            {
                return level.Key;
            }
        }

        return Confidence.Possible;
    }
}
