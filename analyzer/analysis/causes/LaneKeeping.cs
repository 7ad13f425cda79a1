using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>
/// Keeps the lanes of the worst episodes and of the worst of each cause, while the trace is read: those of all would not fit into memory.
/// </summary>
/// <param name="drawing">Draws them.</param>
internal sealed class LaneKeeping(LaneDrawing drawing)
{
    /// <summary>How many of the worst are kept. Some may turn out to be the same delay measured twice.</summary>
    public const int MostOfAll = 300;

    /// <summary>How many of each cause are kept.</summary>
    public const int MostOfCause = 8;

    /// <summary>How many causes are told apart; those that come later have only the place among the worst of all.</summary>
    public const int MostCauses = 24;

    private readonly PriorityQueue<EpisodeCandidate, long> _worst = new();
    private readonly Dictionary<(Mechanism, LoadedImage?, uint), PriorityQueue<EpisodeCandidate, long>> _ofCause = [];

    /// <summary>Draws an episode where it is one of the worst so far; another one may lose its lanes then.</summary>
    public void Offer(CpuHistory?[] cpus, EpisodeCandidate candidate)
    {
        PriorityQueue<EpisodeCandidate, long>? ofCause = QueueOf(candidate);
        bool isWorst = HasPlace(_worst, MostOfAll, candidate);
        bool isWorstOfCause = ofCause is not null && HasPlace(ofCause, MostOfCause, candidate);
        if (!isWorst && !isWorstOfCause)
        {
            return;
        }

        candidate.Lanes = drawing.Draw(cpus, candidate);
        if (isWorst)
        {
            Keep(_worst, MostOfAll, candidate);
        }

        if (isWorstOfCause)
        {
            Keep(ofCause!, MostOfCause, candidate);
        }
    }

    private PriorityQueue<EpisodeCandidate, long>? QueueOf(EpisodeCandidate candidate)
    {
        CauseShare? main = candidate.Causes.MaxBy(cause => cause.Ticks);
        uint thread = main?.Detail is ThreadRan ran ? ran.ThreadId : 0;
        var key = (main?.Mechanism ?? Mechanism.Unexplained, main?.Owner?.Owner ?? main?.Owner?.Behind, thread);
        if (!_ofCause.TryGetValue(key, out PriorityQueue<EpisodeCandidate, long>? queue) && _ofCause.Count < MostCauses)
        {
            _ofCause.Add(key, queue = new());
        }

        return queue;
    }

    private static bool HasPlace(PriorityQueue<EpisodeCandidate, long> queue, int most, EpisodeCandidate candidate) =>
        queue.Count < most || queue.Peek().LatencyTicks < candidate.LatencyTicks;

    private static void Keep(PriorityQueue<EpisodeCandidate, long> queue, int most, EpisodeCandidate candidate)
    {
        candidate.LanePlaces++;
        queue.Enqueue(candidate, candidate.LatencyTicks);
        if (queue.Count > most && queue.Dequeue() is { } last && --last.LanePlaces == 0)
        {
            last.Lanes = null;
        }
    }
}
