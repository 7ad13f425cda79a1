namespace Tracer.Analysis.Machine;

/// <summary>
/// The longest runs of each thread that ran for long, including what interrupted them. Reused thread ids are not told apart.
/// </summary>
/// <param name="thresholdTicks">Least latency of an episode, in ticks.</param>
internal sealed class ThreadRuns(long thresholdTicks)
{
    /// <summary>Most threads that are tracked.</summary>
    private const int MostThreads = 4096;

    /// <summary>A run is long if it takes at least the threshold divided by this.</summary>
    private const int LongPartOf = 4;

    private readonly Dictionary<uint, LongestRuns> _runs = [];

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
    public IReadOnlyList<LongRun> Of(uint thread) => _runs.TryGetValue(thread, out LongestRuns? runs) ? runs.All : [];
}
