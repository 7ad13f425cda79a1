namespace Tracer.Analysis;

/// <summary>The longest runs of each thread that ran for long, with what interrupted them. Ids of threads may be used again.</summary>
/// <param name="thresholdTicks">From which latency on a wait is an episode, in ticks.</param>
internal sealed class ThreadRuns(long thresholdTicks)
{
    /// <summary>So many threads are told apart.</summary>
    private const int MostThreads = 4096;

    /// <summary>A run of this part of the threshold is long.</summary>
    private const int LongPartOf = 4;

    private readonly Dictionary<uint, LongestRuns> _runs = [];

    /// <summary>Takes a run.</summary>
    /// <param name="thread">The thread's id.</param>
    /// <param name="run">From switch to switch.</param>
    public void Add(uint thread, in LongRun run)
    {
        if (run.NetTicks < thresholdTicks / LongPartOf)
        {
            return;
        }

        if (!_runs.TryGetValue(thread, out LongestRuns? runs))
        {
            if (_runs.Count == MostThreads)
            {
                return;
            }

            _runs.Add(thread, runs = new LongestRuns());
        }

        runs.Add(in run);
    }

    /// <summary>The runs of a thread, in no order.</summary>
    /// <param name="thread">Its id.</param>
    public IReadOnlyList<LongRun> Of(uint thread) => _runs.TryGetValue(thread, out LongestRuns? runs) ? runs.All : [];
}
