using System.Runtime.CompilerServices;

namespace Tracer.Analysis.Contents;

/// <summary>
/// Counts kernel events by hook id and version. The first event of each kind is left to the caller, and so are those that share their
/// hook's place with another version, and all beyond the limit of kinds.
/// </summary>
internal sealed class KindCounts
{
    /// <summary>Most hook ids that are counted here: those that come first, which the frequent ones do.</summary>
    private const int MostKinds = byte.MaxValue;

    private readonly byte[] _slotOfHook = new byte[ushort.MaxValue + 1];
    private Slot[] _slots = new Slot[16];
    private int _used;

    /// <summary>Time stamp of the first counted event, in ticks.</summary>
    public long FirstTicks { get; private set; } = long.MaxValue;

    /// <summary>Time stamp of the last counted event, in ticks.</summary>
    public long LastTicks { get; private set; } = long.MinValue;

    public IEnumerable<(ushort HookId, EtlHeaderKind Kind, ushort Version, long Count, long Bytes)> All =>
        _slots.Take(_used).Where(slot => slot.Count > 0).Select(slot => (slot.HookId, slot.Kind, slot.Version, slot.Count, slot.Bytes));

    /// <returns>Whether it was counted; if not, the caller must look at it.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryCount(in EtlEvent traceEvent)
    {
        int number = _slotOfHook[traceEvent.HookId];
        if (number == 0)
        {
            Add(in traceEvent);
            return false;
        }

        ref Slot slot = ref _slots[number - 1];
        if (slot.Version != traceEvent.Version || slot.Kind != traceEvent.Kind)
        {
            return false;
        }

        slot.Count++;
        slot.Bytes += traceEvent.Record.Length;
        long ticks = traceEvent.TimestampTicks;
        if (ticks < FirstTicks)
        {
            FirstTicks = ticks;
        }

        if (ticks > LastTicks)
        {
            LastTicks = ticks;
        }

        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Add(in EtlEvent traceEvent)
    {
        // Only what the counts alone tell of: everything else must be seen by the caller each time.
        if (_used == MostKinds || !TraceRates.IsFrequent(traceEvent.HookId))
        {
            return;
        }

        if (_used == _slots.Length)
        {
            Array.Resize(ref _slots, 2 * _used);
        }

        _slots[_used++] = new Slot { HookId = traceEvent.HookId, Kind = traceEvent.Kind, Version = traceEvent.Version };
        _slotOfHook[traceEvent.HookId] = (byte)_used;
    }

    private struct Slot
    {
        public ushort HookId;
        public EtlHeaderKind Kind;
        public ushort Version;
        public long Count;
        public long Bytes;
    }
}
