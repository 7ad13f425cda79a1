using Tracer.Analysis.Causes;

namespace Tracer.Analysis.Mechanisms;

/// <summary>
/// Many short ISRs and DPCs of one owner, each far below the threshold, that together take much of the time of the jobs that lose by them.
/// </summary>
/// <param name="PerSecond">How many of them come in a second of these jobs.</param>
/// <param name="Share">Their part of the jobs' time, 0 to 1.</param>
internal sealed record Storm(double PerSecond, double Share, long LongestTicks)
{
    /// <summary>
    /// From this rate on the number is named: devices that moderate their interrupts, and the clock, come at most so often.
    /// </summary>
    private const int LeastPerSecond = 1000;

    /// <summary>The part of the time of a job from which on the sum is named: a quarter.</summary>
    private const double LeastShare = 0.25;

    /// <summary>The storm of a suspect; null where its runs are few, or long, or take little of the time.</summary>
    public static Storm? Of(Suspect suspect, BlameFindings findings)
    {
        long runs = 0;
        long ticks = 0;
        long whole = 0;
        long longest = 0;
        foreach (NamedEpisode episode in suspect.Parts.Select(part => part.Episode)
            .Where(episode => episode.Candidate.Delay.Job is not null).Distinct())
        {
            whole += episode.Candidate.ToTicks - episode.Candidate.FromTicks;
            foreach (NamedCause cause in episode.Causes.Where(cause => cause.Mechanism is Mechanism.Isr or Mechanism.Dpc
                && string.Equals(cause.Name, suspect.Name, StringComparison.OrdinalIgnoreCase)))
            {
                ticks += cause.Ticks;
                if (cause.Share?.Detail is RoutineRan ran)
                {
                    runs += ran.Runs;
                    longest = Math.Max(longest, ran.LongestTicks);
                }
            }
        }

        double seconds = findings.Length(whole).Nanoseconds / 1e9;
        return whole > 0 && runs >= LeastPerSecond * seconds && ticks >= LeastShare * whole && longest < findings.ThresholdTicks
            ? new Storm(runs / seconds, ticks / (double)whole, longest)
            : null;
    }

    /// <summary>What happens, as a part of a sentence.</summary>
    public string Says(BlameFindings findings) => string.Create(
        CultureInfo.InvariantCulture,
        $"{PerSecond:N0} interrupts and DPCs a second that take {Share * 100:0} % of the time of these jobs, the longest of them ")
        + ReadableDuration.Of(findings.Length(LongestTicks));
}
