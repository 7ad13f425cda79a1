using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Keeps the lanes of the worst episodes and of the worst of each cause, while the trace is read: those of all would not fit into memory.
/// </summary>
internal sealed class LaneKeeping(Func<CpuHistories, EpisodeCandidate, RawLanes> draw)
{
    /// <summary>How many of the worst are kept: four times as many as are shown, for some are the same delay measured twice.</summary>
    public const int MostOfAll = 1200;

    /// <summary>Spans and samples of the worst together. Where they are many, fewer of the worst are kept.</summary>
    public const int MostSpans = 400_000;

    /// <summary>How many of each cause are kept.</summary>
    public const int MostOfCause = 8;

    /// <summary>How many causes are told apart; those that come later have only the place among the worst of all.</summary>
    public const int MostCauses = 24;

    private readonly PriorityQueue<EpisodeCandidate, long> _worst = new();
    private readonly Dictionary<(Mechanism, LoadedImage?, uint), PriorityQueue<EpisodeCandidate, long>> _ofCause = [];

    /// <summary>Spans and samples of the worst.</summary>
    private long _spans;

    /// <summary>
    /// Some of the worst were dropped because their spans took too much memory: from then on only a longer episode is kept.
    /// </summary>
    private bool _isFull;

    /// <summary>Draws an episode if it is one of the worst so far; the lanes of another one may be dropped for it.</summary>
    public void Offer(CpuHistories cpus, EpisodeCandidate candidate)
    {
        PriorityQueue<EpisodeCandidate, long>? ofCause = QueueOf(candidate);
        bool isWorst = HasPlace(_worst, _isFull ? 0 : MostOfAll, candidate);
        bool isWorstOfCause = ofCause is not null && HasPlace(ofCause, MostOfCause, candidate);
        if (!isWorst && !isWorstOfCause)
        {
            return;
        }

        candidate.Lanes = draw(cpus, candidate);
        if (isWorst)
        {
            candidate.LanePlaces++;
            _worst.Enqueue(candidate, candidate.LatencyTicks);
            _spans += SizeOf(candidate);
            while (_worst.Count > MostOfAll || (_spans > MostSpans && _worst.Count > 1))
            {
                _isFull |= _spans > MostSpans;
                EpisodeCandidate last = _worst.Dequeue();
                _spans -= SizeOf(last);
                Leave(last);
            }
        }

        if (isWorstOfCause)
        {
            candidate.LanePlaces++;
            ofCause!.Enqueue(candidate, candidate.LatencyTicks);
            if (ofCause.Count > MostOfCause)
            {
                Leave(ofCause.Dequeue());
            }
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

    private static int SizeOf(EpisodeCandidate candidate) => candidate.Lanes!.Cpus.Sum(cpu => cpu.Spans.Count + cpu.Samples.Count);

    private static void Leave(EpisodeCandidate last)
    {
        if (--last.LanePlaces == 0)
        {
            last.Lanes = null;
        }
    }
}
