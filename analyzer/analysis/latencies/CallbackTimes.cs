using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Latencies;

/// <summary>
/// When real-time threads, and the threads of our driver and probe process, woke up: what the intervals between the callbacks of a periodic
/// thread are taken from. Memory is bounded: the first threads and the first wake-ups of each are kept.
/// </summary>
/// <param name="measured">The threads whose wake-ups our driver or probe process measured.</param>
internal sealed class CallbackTimes(IReadOnlySet<uint> measured)
{
    /// <summary>Most threads that are kept: few programs have as many real-time threads.</summary>
    public const int MostThreads = 256;

    /// <summary>Most wake-ups of a thread that are kept: sixteen seconds of one each millisecond, six times what the paper has.</summary>
    public const int MostWakeups = 1 << 14;

    /// <summary>Threads at this priority and above may have a timer of their own to keep (Jones &amp; Regehr use the highest).</summary>
    public const int LeastPriority = 16;

    private readonly Dictionary<uint, CallbackThread> _threads = [];

    /// <summary>The threads, those with most wake-ups first.</summary>
    public IEnumerable<CallbackThread> Threads =>
        _threads.Values.OrderByDescending(thread => thread.Ticks.Count).ThenBy(thread => thread.ThreadId);

    /// <summary>A thread woke up, as the records of the kernel tell.</summary>
    public void Woke(uint thread, int priority, long ticks, LatencySource source)
    {
        if (priority >= LeastPriority && !measured.Contains(thread) && ThreadOf(thread, source) is { } kept
            && kept.Ticks.Count < MostWakeups)
        {
            kept.Ticks.Add(ticks);
        }
    }

    /// <summary>A thread is done with what it woke up for.</summary>
    /// <param name="readyTicks">When it was made ready.</param>
    /// <param name="deadlineTicks">The deadline that it had set itself; null for none.</param>
    public void Done(uint thread, long readyTicks, long endTicks, long? deadlineTicks)
    {
        if (_threads.TryGetValue(thread, out CallbackThread? kept) && kept.Jobs.Count < MostWakeups)
        {
            kept.Jobs.Add((readyTicks, endTicks, deadlineTicks));
        }
    }

    public void Woke(in MeasuredWakeup wakeup, LatencySource source)
    {
        if (wakeup.ThreadTicks is { } ticks && ThreadOf(wakeup.ThreadId, source) is { } kept && kept.Ticks.Count < MostWakeups)
        {
            kept.Ticks.Add(ticks);
            kept.DueTicks.Add(wakeup.ExpectedTicks);
        }
    }

    private CallbackThread? ThreadOf(uint thread, LatencySource source)
    {
        if (!_threads.TryGetValue(thread, out CallbackThread? known) && _threads.Count < MostThreads)
        {
            known = new CallbackThread(thread, source);
            _threads.Add(thread, known);
        }

        return known;
    }
}

/// <summary>A thread and when it woke up.</summary>
internal sealed record CallbackThread(uint ThreadId, LatencySource Source)
{
    public List<long> Ticks { get; } = [];

    /// <summary>When it was made ready for a job, when that was done, and by when it wanted to be, in ticks.</summary>
    public List<(long ReadyTicks, long EndTicks, long? DeadlineTicks)> Jobs { get; } = [];

    /// <summary>When its timer was due, in ticks; empty where that is not known.</summary>
    public List<long> DueTicks { get; } = [];
}
