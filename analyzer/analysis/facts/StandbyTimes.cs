namespace Tracer.Analysis.Facts;

/// <summary>
/// When the machine was in Modern Standby: its display off, its CPUs idle but for moments. Add events in any order, call
/// <see cref="Complete"/> once, then query. Memory is bounded.
/// </summary>
/// <remarks>
/// Microsoft-Windows-Kernel-Power 506 CsEnterReason and 507 CsExitReason (public lists of its manifest; not seen in a real file here).
/// Their fields are not read.
/// </remarks>
public sealed class StandbyTimes
{
    public const int MaximumChanges = 100_000;

    public const ushort Enter = 506;

    public const ushort Exit = 507;

    private readonly List<(long Ticks, bool IsExit)> _changes = [];
    /// <summary>In order of time, and apart; from the smallest or to the largest time where the trace began or ended in it.</summary>
    private readonly List<TickSpan> _all = [];

    /// <summary>GUID of Microsoft-Windows-Kernel-Power.</summary>
    public static Guid Provider { get; } = new("331c3b3a-2005-44c2-ac5e-77220c37d6b4");

    /// <summary>
    /// Whether the machine can sleep so, as its configuration tells (AoAc, "always on, always connected"): whenever it idles in standby,
    /// whether that was recorded or not.
    /// </summary>
    public bool IsPossible { get; private set; }

    /// <summary>Whether the trace tells of any.</summary>
    public bool IsKnown => _all.Count > 0;

    /// <summary>Events beyond the limit.</summary>
    public long Dropped { get; private set; }

    /// <summary>Whether an event tells that the machine enters or leaves it.</summary>
    public static bool IsChange(in EtlEvent traceEvent) =>
        traceEvent.IsEventHeader && traceEvent.Id is Enter or Exit && traceEvent.ProviderId == Provider;

    /// <summary>Adds a record of the machine's configuration; all but that of its sleep states are ignored.</summary>
    public void AddConfiguration(ushort hookId, in EtlEvent traceEvent)
    {
        const ushort PowerCapability = 0x0B10;
        const int AoAcAt = 5; // Behind the states S1 to S5, a byte each.
        IsPossible |= hookId == PowerCapability && traceEvent.Payload.Length > AoAcAt && traceEvent.Payload[AoAcAt] != 0;
    }

    /// <summary>Adds an event without a hook id; all others are ignored.</summary>
    public void Add(in EtlEvent traceEvent)
    {
        if (!IsChange(in traceEvent))
        {
            return;
        }

        if (_changes.Count >= MaximumChanges)
        {
            Dropped++;
            return;
        }

        _changes.Add((traceEvent.TimestampTicks, traceEvent.Id == Exit));
    }

    public void Complete()
    {
        _changes.Sort();
        long entered = long.MinValue;
        bool isIn = _changes is [{ IsExit: true }, ..];
        foreach ((long ticks, bool isExit) in _changes)
        {
            if (isExit && isIn)
            {
                _all.Add(new TickSpan(entered, ticks));
            }

            entered = isIn && !isExit ? entered : ticks;
            isIn = !isExit;
        }

        if (isIn)
        {
            _all.Add(new TickSpan(entered, long.MaxValue));
        }

        _changes.Clear();
    }

    /// <summary>Whether the machine was in it for the whole of a stretch, in ticks.</summary>
    public bool Covers(long fromTicks, long toTicks)
    {
        int first = SortedSearch.FirstNot(0, _all.Count, (_all, fromTicks), static (at, i) => at._all[i].EndTicks <= at.fromTicks);
        return first < _all.Count && _all[first].StartTicks <= fromTicks && _all[first].EndTicks >= toTicks;
    }
}
