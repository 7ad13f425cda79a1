using System.Buffers.Binary;

namespace Tracer.Etl;

/// <summary>The kinds of extended data items of an EVENT_HEADER record (EVENT_HEADER_EXT_TYPE_* of evntcons.h).</summary>
public enum EtlExtendedItemKind : ushort
{
    /// <summary>Activity id of a related activity: GUID.</summary>
    RelatedActivityId = 1,

    /// <summary>Security identifier of the logging user.</summary>
    Sid = 2,

    /// <summary>Terminal session id: u32.</summary>
    TerminalSessionId = 3,

    /// <summary>Instance id, parent instance id, parent GUID.</summary>
    InstanceInfo = 4,

    /// <summary>Match id and 32-bit return addresses, innermost first.</summary>
    StackTrace32 = 5,

    /// <summary>Match id and 64-bit return addresses, innermost first.</summary>
    StackTrace64 = 6,

    /// <summary>PEBS index: u64.</summary>
    PebsIndex = 7,

    /// <summary>Performance counters: u64 each.</summary>
    Counters = 8,

    /// <summary>PSM key.</summary>
    PsmKey = 9,

    /// <summary>Event key: u64.</summary>
    EventKey = 10,

    /// <summary>TraceLogging schema: event name and fields (TraceLoggingProvider.h).</summary>
    TraceLoggingSchema = 11,

    /// <summary>Provider traits: provider name and group (Microsoft Learn, "Provider Traits").</summary>
    ProviderTraits = 12,

    /// <summary>Process start key: u64.</summary>
    ProcessStartKey = 13,

    /// <summary>Control GUID.</summary>
    ControlGuid = 14,

    /// <summary>QPC delta: i64.</summary>
    QpcDelta = 15,

    /// <summary>Container id.</summary>
    ContainerId = 16,

    /// <summary>Match id and a 32-bit key that stands for a stack, with 4 bytes of padding (public headers; seen in no file).</summary>
    StackKey32 = 17,

    /// <summary>Match id and a 64-bit key that stands for a stack (public headers; seen in no file).</summary>
    StackKey64 = 18,
}

/// <summary>One extended data item, to be written with an event.</summary>
/// <param name="Kind">What the data is.</param>
/// <param name="Data">The data, at most what the 65,535 bytes of an event leave; header and padding are the writer's.</param>
public readonly record struct EtlExtendedItem(EtlExtendedItemKind Kind, ReadOnlyMemory<byte> Data);

/// <summary>
/// Walks the extended data items of a record that was read; a <c>foreach</c> over <see cref="EtlEvent.ExtendedItems"/> uses it.
/// Allocates nothing.
/// </summary>
/// <remarks>
/// An item: u16 item size (header and padding included), u16 kind, u16 linkage (bit 0: another follows), u16 data size, data, padding.
/// </remarks>
public ref struct EtlExtendedItemEnumerator
{
    internal const int ItemHeaderBytes = 8;
    internal const int MoreFollow = 1;
    internal const int KindOffset = 2;
    internal const int LinkageOffset = 4;
    internal const int DataSizeOffset = 6;

    private ReadOnlySpan<byte> _rest;
    private ReadOnlySpan<byte> _data;
    private ushort _kind;
    private bool _more;

    internal EtlExtendedItemEnumerator(ReadOnlySpan<byte> items)
    {
        _rest = items;
        _more = !items.IsEmpty;
    }

    /// <summary>What the current item is; kinds that are not named yet keep their number.</summary>
    public readonly EtlExtendedItemKind Kind => (EtlExtendedItemKind)_kind;

    /// <summary>The current item's data.</summary>
    public readonly ReadOnlySpan<byte> Data => _data;

    /// <summary>The enumerator itself stands for the current item.</summary>
    public readonly EtlExtendedItemEnumerator Current => this;

    /// <summary>Goes to the next item.</summary>
    /// <returns>False after the last.</returns>
    public bool MoveNext() => _more && TryTake();

    /// <summary>Enumerates from the current place on.</summary>
    public readonly EtlExtendedItemEnumerator GetEnumerator() => this;

    /// <summary>Measures the items that a record starts its body with.</summary>
    /// <param name="body">The record from the end of its header on.</param>
    /// <param name="itemsBytes">The bytes of all items together.</param>
    /// <returns>False when an item is damaged: then the start of the payload is not known.</returns>
    internal static bool TryMeasure(ReadOnlySpan<byte> body, out int itemsBytes)
    {
        var items = new EtlExtendedItemEnumerator(body) { _more = true };
        while (items._more)
        {
            if (!items.TryTake())
            {
                itemsBytes = 0;
                return false;
            }
        }

        itemsBytes = body.Length - items._rest.Length;
        return true;
    }

    private bool TryTake()
    {
        if (_rest.Length < ItemHeaderBytes)
        {
            return false;
        }

        int itemBytes = BinaryPrimitives.ReadUInt16LittleEndian(_rest);
        int dataBytes = BinaryPrimitives.ReadUInt16LittleEndian(_rest[DataSizeOffset..]);
        if (itemBytes < ItemHeaderBytes + dataBytes || itemBytes > _rest.Length)
        {
            return false;
        }

        _kind = BinaryPrimitives.ReadUInt16LittleEndian(_rest[KindOffset..]);
        _more = (BinaryPrimitives.ReadUInt16LittleEndian(_rest[LinkageOffset..]) & MoreFollow) != 0;
        _data = _rest.Slice(ItemHeaderBytes, dataBytes);
        _rest = _rest[itemBytes..];
        return true;
    }
}
