using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>Judges threads that came later than their own beat: whether somebody kept them, or they chose to sleep longer.</summary>
/// <param name="findings">What was found.</param>
internal sealed class LateByBeat(BlameFindings findings)
{
    /// <summary>What the CPU of its timer did must explain so much of the lateness of a thread that did not return to its beat.</summary>
    private const double MostlyExplained = 0.8;

    /// <summary>The same of one that did: it had not chosen to sleep longer.</summary>
    private const double ExplainedOfBack = 0.5;

    /// <summary>The system's clock ticks so often unless a program asks for finer ticks, in ns.</summary>
    private const long UsualTickNanoseconds = 15_625_000;

    /// <summary>Programs that ask for finer ticks get one each 1 ms as a rule; a timer may miss one, in ns.</summary>
    private const long FineTicksNanoseconds = 2_000_000;

    /// <summary>
    /// Whether a thread whose wake-up came later than its beat was kept waiting: what the CPU of its timer did explains the time. It needs
    /// less where the next wake-up was back on the old beat: else the thread may have chosen to sleep longer. That a sample of an idle CPU
    /// came late explains nothing by itself: the thread may have waited for the next tick of the clock.
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

    /// <summary>How often a thread was late by its own beat, and nothing shows why.</summary>
    public int Missed() => findings.Causes.Episodes.Count(candidate => candidate.IsLateByBeat && IsBackOnBeat(candidate)
        && !IsLate(candidate) && candidate.ReadyTicks - candidate.FromTicks > GranularityOf(candidate.Delay.PeriodTicks));

    /// <summary>
    /// By how much timers of a beat may be late without anybody's doing, in ticks: they are served by the system's clock, which ticks every
    /// 15.625 ms. A beat that is no multiple of that shows that a program asked for finer ticks, of a millisecond as a rule.
    /// </summary>
    private long GranularityOf(long periodTicks)
    {
        long usual = findings.Ticks(new Duration(UsualTickNanoseconds));
        long tolerance = findings.ThresholdTicks / 4;
        long past = usual > 0 ? periodTicks % usual : 0;
        return tolerance + (Math.Min(past, usual - past) <= tolerance ? usual : findings.Ticks(new Duration(FineTicksNanoseconds)));
    }
}
