using Tracer.Etl;
using Tracer.Etl.Kernel;

namespace Tracer.Analysis;

/// <summary>The interval between timer-driven samples changed.</summary>
/// <param name="Ticks">When, in ticks.</param>
/// <param name="Interval100ns">The interval from then on in units of 100 ns; 0 where the collection of samples ended.</param>
public readonly record struct SampleIntervalChange(long Ticks, long Interval100ns);

/// <summary>
/// How often the timer took samples, over time: where it changes or ends, missing samples prove nothing. Takes events in any order; then
/// <see cref="Complete"/> once; then it is asked. Memory is bounded.
/// </summary>
public sealed class SampleIntervals
{
    private const uint TimerSource = 0;
    private const int MaximumChanges = 1 << 16;
    private const ushort CollectionEnd = 0x0F4A;

    private readonly List<SampleIntervalChange> _changes = [];

    /// <summary>The changes by time; what only repeats the interval is left out.</summary>
    public IReadOnlyList<SampleIntervalChange> Changes => _changes;

    /// <summary>How many records were left out, because they were too short or too many.</summary>
    public long Dropped { get; private set; }

    /// <summary>Takes a kernel event; those that tell nothing of the interval are passed over.</summary>
    /// <param name="hookId">Its hook id, also where a classic header stands for it.</param>
    /// <param name="traceEvent">The event.</param>
    public void Add(ushort hookId, in EtlEvent traceEvent)
    {
        if (hookId is not (KernelHook.SetInterval or KernelHook.CollectionStart or CollectionEnd))
        {
            return;
        }

        if (!SampleIntervalRecord.TryRead(in traceEvent, out SampleIntervalRecord record) || _changes.Count == MaximumChanges)
        {
            Dropped++;
        }
        else if (record.Source == TimerSource)
        {
            _changes.Add(new SampleIntervalChange(traceEvent.TimestampTicks, hookId == CollectionEnd ? 0 : record.NewInterval));
        }
    }

    /// <summary>Sorts what was taken.</summary>
    public void Complete()
    {
        // At one time stamp what ends comes before what begins.
        _changes.Sort((first, second) => first.Ticks != second.Ticks
            ? first.Ticks.CompareTo(second.Ticks)
            : first.Interval100ns.CompareTo(second.Interval100ns));
        int kept = 0;
        for (int i = 0; i < _changes.Count; i++)
        {
            if (kept == 0 || _changes[i].Interval100ns != _changes[kept - 1].Interval100ns)
            {
                _changes[kept++] = _changes[i];
            }
        }

        _changes.RemoveRange(kept, _changes.Count - kept);
    }

    /// <summary>The interval at a time in units of 100 ns.</summary>
    /// <param name="ticks">When, in ticks; before the first change that one counts, unless it ends the collection.</param>
    /// <returns>0 where no samples were collected; null where the trace does not tell.</returns>
    public long? At(long ticks)
    {
        int low = SortedSearch.FirstNot(0, _changes.Count, (_changes, ticks), static (at, i) => at._changes[i].Ticks <= at.ticks);

        return low > 0 ? _changes[low - 1].Interval100ns
            : _changes.Count > 0 && _changes[0].Interval100ns > 0 ? _changes[0].Interval100ns
            : null;
    }
}
