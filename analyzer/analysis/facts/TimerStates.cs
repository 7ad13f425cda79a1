namespace Tracer.Analysis.Facts;

/// <summary>
/// What our driver told of its timer of all CPUs, and of its own cost. Each run tells it several times, the numbers growing: the last of a
/// run counts. Add states in any order, call <see cref="Complete"/> once, then ask.
/// </summary>
public sealed class TimerStates
{
    /// <summary>Most states that are kept; a run tells its own when it starts, stops, and when the clock's ticks change.</summary>
    private const int MostStates = 1 << 12;

    private readonly List<TimerState> _states = [];

    /// <summary>The last state of each run, by time.</summary>
    public IReadOnlyList<TimerState> OfRuns { get; private set; } = [];

    /// <summary>CPU time that the runs' own callbacks, DPCs and threads took on all CPUs, in nanoseconds.</summary>
    public double OwnNanoseconds => OfRuns.Sum(state => (double)state.OwnNs);

    /// <summary>How long the runs were on, in nanoseconds.</summary>
    public double RunNanoseconds => OfRuns.Sum(state => (double)state.RunNs);

    /// <returns>False where the payload is too short.</returns>
    public bool Add(long loggedTicks, ReadOnlySpan<byte> payload)
    {
        if (!ProviderPayload.TryRead(payload, out TimerStateEvent state))
        {
            return false;
        }

        if (_states.Count < MostStates)
        {
            _states.Add(new TimerState
            {
                LoggedTicks = loggedTicks,
                FloorNs = state.FloorNs,
                TickNs = state.TickNs,
                OwnNs = state.OwnNs,
                RunNs = state.RunNs,
                LateTimers = state.LateTimers,
                Discarded = state.Discarded,
                UnmeasuredCpus = state.UnmeasuredCpus,
            });
        }

        return true;
    }

    /// <summary>Finds the last state of each run: where the time that a run has been on goes back, another one has begun.</summary>
    public void Complete()
    {
        _states.Sort(static (one, other) => one.LoggedTicks != other.LoggedTicks
            ? one.LoggedTicks.CompareTo(other.LoggedTicks)
            : one.RunNs.CompareTo(other.RunNs));
        List<TimerState> last = [];
        foreach (TimerState state in _states)
        {
            if (last.Count > 0 && state.RunNs >= last[^1].RunNs && state.OwnNs >= last[^1].OwnNs)
            {
                last[^1] = state;
            }
            else
            {
                last.Add(state);
            }
        }

        OfRuns = last;
    }
}

/// <summary>How the driver's timer of all CPUs was doing at one moment.</summary>
public readonly record struct TimerState
{
    /// <summary>When it was told, in ticks of the trace's clock.</summary>
    public required long LoggedTicks { get; init; }

    /// <summary>Latency when nothing is wrong, in nanoseconds; 0 where it is not known.</summary>
    public required ulong FloorNs { get; init; }

    /// <summary>From one clock tick to the next, in nanoseconds; 0 where there are none, or they are not known.</summary>
    public required ulong TickNs { get; init; }

    /// <summary>CPU time of the run's callbacks, DPCs and threads so far, in nanoseconds.</summary>
    public required ulong OwnNs { get; init; }

    /// <summary>How long the run has been on, in nanoseconds, without what it was paused for.</summary>
    public required ulong RunNs { get; init; }

    /// <summary>Callbacks at or above the threshold behind their tick.</summary>
    public required ulong LateTimers { get; init; }

    /// <summary>Wake-ups that a change of the power state spoilt.</summary>
    public required ulong Discarded { get; init; }

    /// <summary>Logical processors that came after the run began.</summary>
    public required ushort UnmeasuredCpus { get; init; }
}
