using Tracer.Analysis.Causes;

namespace Tracer.Analysis.Mechanisms;

/// <summary>An episode whose parts have names.</summary>
/// <param name="Causes">Its parts, in no particular order.</param>
internal sealed record NamedEpisode(EpisodeCandidate Candidate, IReadOnlyList<NamedCause> Causes)
{
    /// <summary>How long the victim waited for the clock tick that serves its timer, in ticks.</summary>
    public long TimerTicks => Causes.Where(cause => cause.Mechanism == Mechanism.TimerTick).Sum(cause => cause.Ticks);
}
