using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Tracer.Etl;

namespace Tracer.Analysis;

/// <summary>
/// Counts events by kind: provider, opcode or id, version and width of pointers, and by name where the event names itself. Bounded: what
/// comes after <see cref="MaximumClasses"/> kinds is counted as one.
/// </summary>
internal sealed class EventClassCounts
{
    /// <summary>So many kinds are told apart.</summary>
    public const int MaximumClasses = 1 << 16;

    /// <summary>So many bytes of first events are kept, to name their kinds when the whole trace is known.</summary>
    private const long MaximumKeptBytes = 32 << 20;

    private readonly List<EventClassCount> _classes = [];
    private readonly Dictionary<Key, int> _byKey = [];
    private readonly Dictionary<(ushort Hook, ushort Version, EtlHeaderKind Kind), int> _byHook = [];

    /// <summary>The kind that a hook id was last counted under: hook ids come in few versions.</summary>
    private readonly int[] _lastOfHook = new int[ushort.MaxValue + 1];
    private long _keptBytes;

    /// <summary>The kinds met so far, in the order they were met.</summary>
    public IReadOnlyList<EventClassCount> Classes => _classes;

    /// <summary>Events of kinds beyond the limit.</summary>
    public long Uncounted { get; private set; }

    /// <summary>Counts an event.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Add(in EtlEvent traceEvent)
    {
        if (traceEvent.IsKernelHook)
        {
            int last = _lastOfHook[traceEvent.HookId] - 1;
            if (last >= 0)
            {
                EventClassCount known = CollectionsMarshal.AsSpan(_classes)[last];
                if (known.Version == traceEvent.Version && known.Kind == traceEvent.Kind)
                {
                    known.Count++;
                    known.Bytes += traceEvent.Record.Length;
                    return;
                }
            }

            AddHook(in traceEvent);
            return;
        }

        AddOther(in traceEvent);
    }

    private void AddHook(in EtlEvent traceEvent)
    {
        ref int which = ref CollectionsMarshal.GetValueRefOrAddDefault(
            _byHook, (traceEvent.HookId, traceEvent.Version, traceEvent.Kind), out bool exists);
        if (!exists)
        {
            which = NewClass(in traceEvent);
        }

        _lastOfHook[traceEvent.HookId] = which + 1;
        Count(which, in traceEvent);
    }

    private void AddOther(in EtlEvent traceEvent)
    {
        ulong schemaHash = 0;
        foreach (EtlExtendedItemEnumerator item in traceEvent.ExtendedItems)
        {
            if (item.Kind == EtlExtendedItemKind.TraceLoggingSchema)
            {
                // Events that describe themselves share an id; the description tells them apart.
                schemaHash = Hash(item.Data);
            }
        }

        bool isEvent = traceEvent.IsEventHeader || traceEvent.Kind == EtlHeaderKind.Message;
        var key = new Key(
            traceEvent.ProviderId, isEvent ? traceEvent.Id : traceEvent.Opcode, traceEvent.Version, traceEvent.Kind, schemaHash);
        ref int which = ref CollectionsMarshal.GetValueRefOrAddDefault(_byKey, key, out bool exists);
        if (!exists)
        {
            which = NewClass(in traceEvent);
        }

        Count(which, in traceEvent);
    }

    private void Count(int which, in EtlEvent traceEvent)
    {
        if (which < 0)
        {
            Uncounted++;
            return;
        }

        _classes[which].Count++;
        _classes[which].Bytes += traceEvent.Record.Length;
    }

    private int NewClass(in EtlEvent traceEvent)
    {
        if (_classes.Count == MaximumClasses)
        {
            return -1;
        }

        byte[] first = [];
        if (_keptBytes + traceEvent.Record.Length <= MaximumKeptBytes)
        {
            first = traceEvent.Record.ToArray();
            _keptBytes += first.Length;
        }

        _classes.Add(new EventClassCount(traceEvent.Kind, traceEvent.Version, first));
        return _classes.Count - 1;
    }

    /// <summary>FNV-1a, the same in every run.</summary>
    private static ulong Hash(ReadOnlySpan<byte> bytes)
    {
        ulong hash = 0xCBF29CE484222325;
        foreach (byte one in bytes)
        {
            hash = (hash ^ one) * 0x100000001B3;
        }

        return hash;
    }

    private readonly record struct Key(Guid Provider, ushort IdOrOpcode, ushort Version, EtlHeaderKind Kind, ulong SchemaHash);
}

/// <summary>How many events of one kind there are.</summary>
/// <param name="kind">Kind of their headers.</param>
/// <param name="version">Version of their layout.</param>
/// <param name="first">The first of them, byte for byte; empty where too many were kept.</param>
internal sealed class EventClassCount(EtlHeaderKind kind, ushort version, byte[] first)
{
    public EtlHeaderKind Kind { get; } = kind;

    public ushort Version { get; } = version;

    public byte[] First { get; } = first;

    public long Count { get; set; }

    public long Bytes { get; set; }
}
