using Tracer.Analysis.Causes;
using Tracer.Analysis.Mechanisms;

namespace Tracer.Analysis.Verdicts;

/// <summary>
/// Real-time threads that do what they are there for: they work within their period, and are late only where others keep them. Threads of
/// ordinary priority give way to them by design, so that nobody is accused of that.
/// </summary>
internal sealed class PunctualThreads
{
    private readonly HashSet<uint> _threads;
    private readonly long _thresholdTicks;

    public PunctualThreads(BlameFindings findings)
    {
        _thresholdTicks = findings.ThresholdTicks;
        _threads = [.. findings.Delays.Punctual];
    }

    /// <summary>Whether an episode is the wait of an ordinary thread, and no other hog than such threads would have made it one.</summary>
    public bool Excuse(EpisodeCandidate candidate) => candidate.IsOfHog && _threads.Count > 0
        && candidate.Causes.Any(cause => cause.Detail switch
        {
            ThreadRan ran => _threads.Contains(ran.ThreadId),
            NotChosen behind => _threads.Contains(behind.ThreadId),
            _ => false,
        })
        && !EpisodeAnalysis.HasHog(candidate, _thresholdTicks, except: _threads);
}
