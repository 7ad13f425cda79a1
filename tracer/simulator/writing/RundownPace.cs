using System.Diagnostics.CodeAnalysis;
using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Writing;

/// <summary>Gives the records of a rundown their times: one behind the other, a fraction of a microsecond apart.</summary>
internal sealed class RundownPace
{
    private const long LeastGapNs = 120;
    private const long MostGapNs = 700;

    private readonly Queue<MachineRecord> _records;
    private readonly SessionClock _clock;
    private readonly RandomSequence _random;
    private long _dueNs;
    private long _dueTicks;

    public RundownPace(IEnumerable<MachineRecord> records, SessionClock clock, long startNs, RandomSequence random)
    {
        _records = new(records);
        _clock = clock;
        _random = random;
        _dueNs = startNs;
        _dueTicks = clock.TicksAt(startNs);
    }

    /// <summary>Takes the next record if its time has come.</summary>
    /// <param name="ticks">Now; a time stamp.</param>
    /// <returns>False when there is none, or it comes later.</returns>
    public bool TryTake(long ticks, [NotNullWhen(true)] out MachineRecord record, out long recordTicks)
    {
        recordTicks = _dueTicks;
        if (_dueTicks > ticks || !_records.TryDequeue(out record))
        {
            record = default;
            return false;
        }

        if (_records.TryPeek(out MachineRecord next) && !next.SharesTime)
        {
            _dueNs += _random.Between(LeastGapNs, MostGapNs);
            _dueTicks = _clock.TicksAt(_dueNs);
        }

        return true;
    }
}
