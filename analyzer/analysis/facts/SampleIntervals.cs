namespace Tracer.Analysis.Facts;

/// <summary>A change of the interval between profile samples.</summary>
/// <param name="Interval100ns">The interval from then on in units of 100 ns; 0 where sampling stopped.</param>
public readonly record struct SampleIntervalChange(long Ticks, long Interval100ns);

/// <summary>
/// The interval between profile samples over time: where it changes or sampling stops, missing samples prove nothing. Add events in any
/// order, call <see cref="Complete"/> once, then query. Memory is bounded.
/// </summary>
public sealed class SampleIntervals
{
    private const uint TimerSource = 0;
    private const int MaximumChanges = 1 << 16;
    private const ushort CollectionEnd = 0x0F4A;

    private readonly List<SampleIntervalChange> _changes = [];

    /// <summary>The changes in order of time, without those that repeat the interval.</summary>
    public IReadOnlyList<SampleIntervalChange> Changes => _changes;

    /// <summary>How many records were ignored because they were too short or too many.</summary>
    public long Dropped { get; private set; }

    /// <summary>Adds a kernel event; events that do not concern the sample interval are ignored.</summary>
    /// <param name="hookId">The event's hook id, also where it has a classic header.</param>
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

    public void Complete()
    {
        // At equal time stamps an end sorts before a begin.
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
    /// <param name="ticks">The time, in ticks. Before the first change its interval is assumed, unless that change stops sampling.</param>
    /// <returns>0 where no samples were taken; null where the trace does not tell.</returns>
    public long? At(long ticks)
    {
        int low = SortedSearch.FirstNot(0, _changes.Count, (_changes, ticks), static (at, i) => at._changes[i].Ticks <= at.ticks);

        return low > 0 ? _changes[low - 1].Interval100ns
            : _changes.Count > 0 && _changes[0].Interval100ns > 0 ? _changes[0].Interval100ns
            : null;
    }
}
