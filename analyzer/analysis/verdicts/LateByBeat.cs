using Tracer.Analysis.Causes;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Mechanisms;

namespace Tracer.Analysis.Verdicts;

/// <summary>Judges threads that came later than their own beat: whether something delayed them, or they chose to sleep longer.</summary>
internal sealed class LateByBeat(BlameFindings findings)
{
    /// <summary>
    /// For a thread that did not return to its old beat, this part of the lateness must be explained by what the CPU of its timer did.
    /// Otherwise the thread may have chosen to sleep longer.
    /// </summary>
    private const double MostlyExplained = 0.8;

    /// <summary>
    /// The same for a thread that did return to its old beat. It needs less, because that thread did not choose to sleep longer.
    /// </summary>
    private const double ExplainedOfBack = 0.5;

    /// <summary>The period of the system clock unless a program asks for finer ticks, in ns: 64 ticks per second.</summary>
    private const long UsualTickNanoseconds = 15_625_000;

    /// <summary>
    /// How late a timer may be where a program asked for finer ticks, in ns: usually these come every 1 ms, and a timer may miss one.
    /// </summary>
    private const long FineTicksNanoseconds = 2_000_000;

    /// <summary>
    /// Whether a thread that woke up later than its beat was kept waiting: what those did who should have made it ready explains the time.
    /// Where the next wake-up was back on the old beat, the thread had not chosen to sleep longer: then it was late also where nothing
    /// explains it, unless by no more than timers may be. A late sample of an idle CPU explains nothing by itself: the thread may have
    /// waited for the next clock tick.
    /// </summary>
    /// <param name="candidate">A delay by the beat, or a job that began with one.</param>
    public bool IsLate(EpisodeCandidate candidate)
    {
        Delay late = LateOf(candidate);
        long lateness = LatenessOf(candidate);
        bool isBack = findings.Delays.Back.Contains(late);
        return Explained(candidate, isBack) >= (isBack ? ExplainedOfBack : MostlyExplained) * lateness
            || (isBack && lateness > GranularityOf(late.PeriodTicks));
    }

    /// <summary>
    /// Whether a thread was late because it had changed from its beat to the clock's usual ticks, and not because of what others did. The
    /// first of those ticks may be that of the wake-up itself.
    /// </summary>
    /// <param name="candidate">A delay by the beat, or a job that began with one.</param>
    public bool IsByTicks(EpisodeCandidate candidate) =>
        findings.Delays.Changes.Any(change => change.Thread == candidate.ThreadId
            && candidate.FromTicks + LatenessOf(candidate) >= change.AtTicks)
        && Explained(candidate, isBack: false) < MostlyExplained * LatenessOf(candidate);

    private static Delay LateOf(EpisodeCandidate candidate) => candidate.Delay.Job?.Late ?? candidate.Delay;

    private static long LatenessOf(EpisodeCandidate candidate) =>
        (LateOf(candidate).Wake?.ReadyTicks ?? candidate.ReadyTicks) - candidate.FromTicks;

    private static long Explained(EpisodeCandidate candidate, bool isBack) => candidate.Before
        .Where(share => share.Blackout is not { IsTentative: true })
        .Where(share => isBack || share.Mechanism is Mechanism.Isr or Mechanism.Dpc or Mechanism.Blackout
            || share.Chain is [.., { Why: ChainWhy.Ready or ChainWhy.Interrupted }])
        .Sum(share => share.Ticks);

    /// <summary>
    /// How late timers of a beat may be with nobody to blame, in ticks. The system clock serves timers and ticks every 15.625 ms. A beat
    /// that is no multiple of that shows that a program asked for finer ticks, usually of a millisecond.
    /// </summary>
    private long GranularityOf(long periodTicks)
    {
        long usual = findings.Ticks(new Duration(UsualTickNanoseconds));
        long tolerance = findings.ThresholdTicks / 4;
        long past = usual > 0 ? periodTicks % usual : 0;
        return tolerance + (Math.Min(past, usual - past) <= tolerance ? usual : findings.Ticks(new Duration(FineTicksNanoseconds)));
    }
}
