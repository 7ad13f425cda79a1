using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;

namespace Tracer.Analysis.Report;

/// <summary>
/// Tells what is too short to matter from what matters: what is shorter than every usual buffer of sound, and seldom, is told as that.
/// Whoever asks for less than the default threshold has deadlines of his own, and is told everything alike.
/// </summary>
internal static class Proportion
{
    /// <summary>Seldom is at most this part of the time.</summary>
    private const double SeldomPart = 0.01;

    /// <summary>The sentence that says so.</summary>
    public static string Sentence { get; } =
        " All of it is shorter than the smallest usual sound buffer "
        + $"({Defaults.SmallestBufferSamples.ToString(CultureInfo.InvariantCulture)} samples at "
        + $"{(Defaults.SampleRate / 1000).ToString(CultureInfo.InvariantCulture)} kHz, "
        + $"{ReadableDuration.Of(Defaults.SmallestBuffer)}), and rare: no reason for alarm.";

    /// <param name="episodes">All episodes, the secondary ones too.</param>
    public static bool IsShort(BlameFindings findings, IReadOnlyList<NamedEpisode> episodes)
    {
        RecordedTimes recorded = findings.Machine.Recorded;
        TracePart asked = findings.Machine.Asked;
        long ticks = Math.Min(recorded.LastTicks ?? 0, asked.ToTicks) - Math.Max(recorded.FirstTicks ?? 0, asked.FromTicks);
        return findings.Request.Threshold >= Defaults.Threshold
            && episodes.All(episode => findings.Length(episode.Candidate.LatencyTicks) < Defaults.SmallestBuffer)
            && episodes.Sum(episode => episode.Candidate.LatencyTicks) <= SeldomPart * ticks;
    }
}
