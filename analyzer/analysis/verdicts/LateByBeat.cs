using Tracer.Analysis.Causes;
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
    /// Whether a thread that woke up later than its beat was kept waiting: the work of its timer's CPU explains the time. It takes less
    /// where the next wake-up was back on the old beat; otherwise the thread may have chosen to sleep longer. A late sample of an idle CPU
    /// explains nothing by itself: the thread may have waited for the next clock tick.
    /// </summary>
    public bool IsLate(EpisodeCandidate candidate)
    {
        long explained = candidate.Before
            .Where(share => share.Blackout is not { IsTentative: true })
            .Where(share => IsBackOnBeat(candidate) || share.Mechanism is Mechanism.Isr or Mechanism.Dpc or Mechanism.Blackout)
            .Sum(share => share.Ticks);
        return explained >= (IsBackOnBeat(candidate) ? ExplainedOfBack : MostlyExplained) * (candidate.ReadyTicks - candidate.FromTicks);
    }

    private bool IsBackOnBeat(EpisodeCandidate late) => findings.Delays.Back.Contains(late.Delay);

    /// <summary>How often a thread was late by its own beat and nothing shows why.</summary>
    public int Missed() => findings.Causes.Episodes.Count(candidate => candidate.IsLateByBeat && IsBackOnBeat(candidate)
        && !IsLate(candidate) && candidate.ReadyTicks - candidate.FromTicks > GranularityOf(candidate.Delay.PeriodTicks));

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
