using Tracer.Etl.Kernel;

namespace Tracer.Analysis;

/// <summary>
/// Adds up how long one CPU was idle from its context switches, whatever order they come in: the moments at which the idle thread was
/// left, less the moments at which it was entered. Sums wrap around; their difference does not.
/// </summary>
internal sealed class IdleTime
{
    private long _entered;
    private long _left;
    private long _enteredSum;
    private long _leftSum;

    /// <summary>Takes a context switch of this CPU.</summary>
    public void Add(in ContextSwitchRecord contextSwitch, long timestampTicks)
    {
        bool toIdle = contextSwitch.NewThreadId == 0;
        bool fromIdle = contextSwitch.OldThreadId == 0;
        if (toIdle == fromIdle)
        {
            return;
        }

        if (toIdle)
        {
            _entered++;
            _enteredSum += timestampTicks;
        }
        else
        {
            _left++;
            _leftSum += timestampTicks;
        }
    }

    /// <summary>How long the CPU was idle, in ticks.</summary>
    /// <param name="firstTicks">Start of the trace.</param>
    /// <param name="lastTicks">End of the trace.</param>
    /// <returns>Null where switches are missing, so that entering and leaving do not alternate.</returns>
    public long? Ticks(long firstTicks, long lastTicks)
    {
        long length = lastTicks - firstTicks;
        long? idle = (_left - _entered) switch
        {
            // Idle when the trace began, and left once more than entered.
            1 => _leftSum - _enteredSum - firstTicks,
            // Idle when the trace ended.
            -1 => _leftSum - _enteredSum + lastTicks,
            // Busy at both ends or idle at both: then leaving comes first and the sum is negative.
            0 => _leftSum - _enteredSum is >= 0 and long between ? between : _leftSum - _enteredSum + length,
            _ => null,
        };
        return idle is >= 0 && idle <= length ? idle : null;
    }
}
