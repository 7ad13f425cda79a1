namespace Tracer.Analysis.Contents;

/// <summary>
/// Adds up the idle time of one CPU from its context switches, in any order: the sum of the times at which the idle thread was switched
/// out, less the sum of those at which it was switched in. The sums may wrap around; their difference is right.
/// </summary>
internal sealed class IdleTime
{
    private long _buffer = -1;
    private uint _running;
    private long _entered;
    private long _left;
    private long _enteredSum;
    private long _leftSum;

    /// <summary>Number of context switches.</summary>
    public long Switches { get; private set; }

    /// <summary>
    /// Number of context switches within one buffer in which not the thread leaves that the switch before let in: some between are missing.
    /// </summary>
    public long Broken { get; private set; }

    public void Add(in ContextSwitchRecord contextSwitch, long timestampTicks, long buffer)
    {
        Switches++;
        Broken += buffer == _buffer && contextSwitch.OldThreadId != _running ? 1 : 0;
        (_buffer, _running) = (buffer, contextSwitch.NewThreadId);
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

    /// <summary>Adds what another instance has of other buffers of this CPU.</summary>
    public void Add(IdleTime other)
    {
        Switches += other.Switches;
        Broken += other.Broken;
        _entered += other._entered;
        _left += other._left;
        _enteredSum += other._enteredSum;
        _leftSum += other._leftSum;
    }

    /// <returns>Null where switches are missing, so that entering and leaving do not alternate.</returns>
    public long? Ticks(long firstTicks, long lastTicks)
    {
        long length = lastTicks - firstTicks;
        long? idle = (_left - _entered) switch
        {
            // The CPU was idle when the trace began: the idle thread was switched out once more than in.
            1 => _leftSum - _enteredSum - firstTicks,
            // The CPU was idle when the trace ended.
            -1 => _leftSum - _enteredSum + lastTicks,
            // The CPU was busy at both ends, or idle at both; in the latter case the sum is negative.
            0 => _leftSum - _enteredSum is >= 0 and long between ? between : _leftSum - _enteredSum + length,
            _ => null,
        };
        return idle is >= 0 && idle <= length ? idle : null;
    }
}
