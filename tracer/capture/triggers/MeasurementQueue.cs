using Tracer.Capture.Ground;

namespace Tracer.Capture.Triggers;

/// <summary>
/// Measurements on their way from the thread that reads them to the engine's, bounded: what finds it full is counted as lost. Allocates
/// nothing once it is there.
/// </summary>
internal sealed class MeasurementQueue
{
    /// <summary>So many wait at most.</summary>
    public const int Length = 1 << 14;

    private readonly TriggerMeasurement[] _queue = new TriggerMeasurement[Length];
    private readonly Lock _lock = new();
    private int _first;
    private int _count;
    private long _lost;

    public void Put(in TriggerMeasurement measurement)
    {
        lock (_lock)
        {
            if (_count == Length)
            {
                _lost++;
                return;
            }

            _queue[(_first + _count++) & (Length - 1)] = measurement;
        }
    }

    /// <summary>Counts what was lost before it came here.</summary>
    public void AddLost(long count)
    {
        lock (_lock)
        {
            _lost += count;
        }
    }

    /// <summary>What was lost since this was asked last.</summary>
    public long TakeLost()
    {
        lock (_lock)
        {
            (long lost, _lost) = (_lost, 0);
            return lost;
        }
    }

    /// <summary>Takes the oldest one out.</summary>
    /// <returns>False where there is none.</returns>
    public bool TryTake(out TriggerMeasurement measurement)
    {
        lock (_lock)
        {
            measurement = _queue[_first];
            if (_count == 0)
            {
                return false;
            }

            _first = (_first + 1) & (Length - 1);
            _count--;
            return true;
        }
    }

    /// <summary>Hands all to the engine, no more than the queue holds: who fills it as fast can't keep the engine here.</summary>
    public void Drain(ITriggerSink sink)
    {
        for (int i = 0; i < Length && TryTake(out TriggerMeasurement measurement); i++)
        {
            sink.OnMeasurement(in measurement);
        }
    }
}
