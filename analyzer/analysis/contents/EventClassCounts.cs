using System.Runtime.CompilerServices;

namespace Tracer.Analysis.Contents;

/// <summary>
/// Counts events by kind: provider, opcode or id, version, pointer width, and the name where the event describes itself. Memory is bounded:
/// events of kinds beyond <see cref="MaximumClasses"/> share one counter.
/// </summary>
internal sealed class EventClassCounts
{
    /// <summary>Most kinds that are told apart.</summary>
    public const int MaximumClasses = 1 << 16;

    /// <summary>Most bytes of first events that are kept: the kinds are named by them once the whole trace is known.</summary>
    private const long MaximumKeptBytes = 32 << 20;

    private readonly List<EventClassCount> _classes = [];

    /// <summary>Hash table of the kinds with linear probing, at most half full.</summary>
    private EventClassCount?[] _table = new EventClassCount?[1024];

    /// <summary>The kind under which each hook id was last counted: a hook id occurs in few versions.</summary>
    private readonly EventClassCount?[] _lastOfHook = new EventClassCount?[ushort.MaxValue + 1];
    private long _keptBytes;

    /// <summary>The kinds in the order in which they first occurred.</summary>
    public IReadOnlyList<EventClassCount> Classes => _classes;

    /// <summary>Number of events of kinds beyond the limit.</summary>
    public long Uncounted { get; private set; }

    /// <summary>Bytes of the events of kinds beyond the limit.</summary>
    public long UncountedBytes { get; private set; }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Add(in EtlEvent traceEvent)
    {
        if (traceEvent.IsKernelHook)
        {
            EventClassCount? last = _lastOfHook[traceEvent.HookId];
            if (last is not null && last.Version == traceEvent.Version && last.Kind == traceEvent.Kind)
            {
                last.Count++;
                last.Bytes += traceEvent.Record.Length;
                return;
            }

            _lastOfHook[traceEvent.HookId] = AddKind(in traceEvent, Guid.Empty, traceEvent.HookId, 0);
            return;
        }

        AddOther(in traceEvent);
    }

    /// <summary>Counts events of a hook id that has occurred before.</summary>
    public void Add(ushort hookId, EtlHeaderKind kind, ushort version, long count, long bytes)
    {
        foreach (EventClassCount known in _classes)
        {
            if (known.Number == hookId && known.Version == version && known.Kind == kind && known.Provider == Guid.Empty)
            {
                known.Count += count;
                known.Bytes += bytes;
                return;
            }
        }

        Uncounted += count;
        UncountedBytes += bytes;
    }

    private void AddOther(in EtlEvent traceEvent)
    {
        ulong schemaHash = 0;
        foreach (EtlExtendedItemEnumerator item in traceEvent.ExtendedItems)
        {
            if (item.Kind == EtlExtendedItemKind.TraceLoggingSchema)
            {
                // Self-describing events may share an id; their descriptions tell them apart.
                schemaHash = Hash(item.Data);
            }
        }

        bool isEvent = traceEvent.IsEventHeader || traceEvent.Kind == EtlHeaderKind.Message;
        AddKind(in traceEvent, traceEvent.ProviderId, isEvent ? traceEvent.Id : traceEvent.Opcode, schemaHash);
    }

    /// <summary>Counts an event under its kind, which is added if it is new.</summary>
    /// <returns>The kind; null where the limit is reached.</returns>
    private EventClassCount? AddKind(in EtlEvent traceEvent, in Guid provider, ushort number, ulong schemaHash)
    {
        ulong hash = schemaHash ^ (uint)provider.GetHashCode() ^ ((ulong)number << 32) ^ ((ulong)traceEvent.Version << 48)
            ^ ((ulong)traceEvent.Kind << 56);
        int at = Slot(hash);
        for (; _table[at] is { } known; at = (at + 1) & (_table.Length - 1))
        {
            if (known.Number == number
                && known.SchemaHash == schemaHash
                && known.Version == traceEvent.Version
                && known.Kind == traceEvent.Kind
                && known.Provider == provider)
            {
                known.Count++;
                known.Bytes += traceEvent.Record.Length;
                return known;
            }
        }

        if (_classes.Count == MaximumClasses)
        {
            Uncounted++;
            UncountedBytes += traceEvent.Record.Length;
            return null;
        }

        var added = new EventClassCount(traceEvent.Kind, traceEvent.Version, Kept(traceEvent.Record))
        {
            Provider = provider,
            Number = number,
            SchemaHash = schemaHash,
            TableHash = hash,
            Count = 1,
            Bytes = traceEvent.Record.Length,
        };
        _classes.Add(added);
        _table[at] = added;
        if (2 * _classes.Count > _table.Length)
        {
            Grow();
        }

        return added;
    }

    private void Grow()
    {
        _table = new EventClassCount?[2 * _table.Length];
        foreach (EventClassCount known in _classes)
        {
            int at = Slot(known.TableHash);
            while (_table[at] is not null)
            {
                at = (at + 1) & (_table.Length - 1);
            }

            _table[at] = known;
        }
    }

    private int Slot(ulong hash) => (int)((hash * 0x9E3779B97F4A7C15) >> 40) & (_table.Length - 1);

    private byte[] Kept(ReadOnlySpan<byte> record)
    {
        if (_keptBytes + record.Length > MaximumKeptBytes)
        {
            return [];
        }

        _keptBytes += record.Length;
        return record.ToArray();
    }

    /// <summary>FNV-1a hash, the same in every run.</summary>
    private static ulong Hash(ReadOnlySpan<byte> bytes)
    {
        ulong hash = 0xCBF29CE484222325;
        foreach (byte one in bytes)
        {
            hash = (hash ^ one) * 0x100000001B3;
        }

        return hash;
    }
}

/// <param name="first">The first event of the kind, byte for byte; empty where too many bytes were kept already.</param>
internal sealed class EventClassCount(EtlHeaderKind kind, ushort version, byte[] first)
{
    public EtlHeaderKind Kind { get; } = kind;

    public ushort Version { get; } = version;

    public byte[] First { get; } = first;

    /// <summary>The provider of an event without a hook id; empty for one with a hook id.</summary>
    public Guid Provider { get; init; }

    /// <summary>Hook id, event id, message number or opcode.</summary>
    public ushort Number { get; init; }

    /// <summary>Hash of the description that a self-describing event carries; 0 without one.</summary>
    public ulong SchemaHash { get; init; }

    public ulong TableHash { get; init; }

    public long Count { get; set; }

    public long Bytes { get; set; }
}
