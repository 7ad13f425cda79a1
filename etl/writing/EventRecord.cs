using System.Buffers.Binary;

namespace Tracer.Etl;

/// <summary>
/// Lays out one event record: header, extended items, counters and payload, in the places that <see cref="EventHeaderLayout"/> and
/// <see cref="MessageHeaderLayout"/> name. Allocates nothing.
/// </summary>
public static class EventRecord
{
    /// <summary>Size of a record in bytes, without the padding behind it.</summary>
    /// <param name="header">Its header.</param>
    /// <param name="payloadBytes">Length of its payload, counters included.</param>
    /// <param name="items">Its extended items; EVENT_HEADER kinds only.</param>
    /// <exception cref="ArgumentException">
    /// The record would be longer than 65,535 bytes, its kind has no known layout, it has items or counters that its kind cannot have, its
    /// version is wider than its kind's field, or the payload is shorter than the counters announced.
    /// </exception>
    public static int Measure(in EtlEventHeader header, int payloadBytes, ReadOnlySpan<EtlExtendedItem> items = default)
    {
        EtlHeaderKind kind = header.Kind;
        int bytes = kind == EtlHeaderKind.Message
            ? new MessageHeaderLayout((ushort)header.MessageFields).Payload
            : EventHeaderLayout.HeaderBytes(kind);
        if (bytes == 0)
        {
            throw new ArgumentException($"No layout is known for header kind {kind}.", nameof(header));
        }

        if (!items.IsEmpty && !IsEventHeader(kind))
        {
            throw new ArgumentException($"A {kind} header takes no extended items.", nameof(items));
        }

        CheckFields(header, payloadBytes);
        long total = (long)bytes + payloadBytes;
        foreach (ref readonly EtlExtendedItem item in items)
        {
            total += ItemBytes(item);
        }

        return total <= EventHeaderLayout.MaximumRecordBytes
            ? (int)total
            : throw new ArgumentException($"A record has at most {EventHeaderLayout.MaximumRecordBytes} bytes, not {total}.");
    }

    /// <summary>Writes a record.</summary>
    /// <param name="destination">Takes <see cref="Measure"/> bytes.</param>
    /// <param name="header">Its header.</param>
    /// <param name="payload">Its counters, if the header announces some, and its data.</param>
    /// <param name="items">Its extended items; EVENT_HEADER kinds only.</param>
    /// <returns>Bytes written.</returns>
    /// <exception cref="ArgumentException">As for <see cref="Measure"/>, or the destination is too short.</exception>
    public static int Write(
        Span<byte> destination, in EtlEventHeader header, ReadOnlySpan<byte> payload, ReadOnlySpan<EtlExtendedItem> items = default)
    {
        int bytes = Measure(header, payload.Length, items);
        if (destination.Length < bytes)
        {
            throw new ArgumentException($"The record has {bytes} bytes, the destination {destination.Length}.", nameof(destination));
        }

        WriteMeasured(destination[..bytes], header, payload, items);
        return bytes;
    }

    /// <summary>Writes a record that <see cref="Measure"/> accepted.</summary>
    /// <param name="header">Its header.</param>
    /// <param name="items">Its extended items.</param>
    /// <param name="record">Exactly as long as measured; what it holds is overwritten.</param>
    /// <param name="payload">Its counters and data.</param>
    internal static void WriteMeasured(
        Span<byte> record, in EtlEventHeader header, ReadOnlySpan<byte> payload, ReadOnlySpan<EtlExtendedItem> items)
    {
        payload.CopyTo(record[^payload.Length..]);
        if (header.Kind == EtlHeaderKind.Message)
        {
            WriteMessage(record, header);
            return;
        }

        record[EventHeaderLayout.KindByte] = (byte)header.Kind;
        record[EventHeaderLayout.MarkerFlags] = EventHeaderLayout.TraceHeaderMarker;
        Put(record, EventHeaderLayout.SizeOffset(header.Kind), (ushort)record.Length);
        switch (header.Kind)
        {
            case EtlHeaderKind.PerfInfo32 or EtlHeaderKind.PerfInfo64:
                WriteHook(record, header);
                Put(record, EventHeaderLayout.PerfInfoTime, header.TimestampTicks);
                break;
            case EtlHeaderKind.EventHeader32 or EtlHeaderKind.EventHeader64:
                WriteEventHeader(record, header, !items.IsEmpty);
                WriteItems(record[EventHeaderLayout.HeaderBytes(header.Kind)..], items);
                break;
            case EtlHeaderKind.Full32 or EtlHeaderKind.Full64 or EtlHeaderKind.Instance32 or EtlHeaderKind.Instance64:
                WriteFull(record, header);
                break;
            default:
                WriteHook(record, header);
                WriteThreadAndTime(record, header);
                if (header.Kind is EtlHeaderKind.System32 or EtlHeaderKind.System64)
                {
                    Put(record, EventHeaderLayout.SystemKernelTime, header.KernelTimeClockTicks);
                    Put(record, EventHeaderLayout.SystemKernelTime + 4, header.UserTimeClockTicks);
                }

                break;
        }
    }

    internal static EtlEventHeader HeaderOf(in EtlEvent read)
    {
        ReadOnlySpan<byte> record = read.Record;
        var header = new EtlEventHeader
        {
            Kind = read.Kind,
            TimestampTicks = read.TimestampTicks,
            Version = read.Version,
            Level = read.Level,
            ThreadId = read.ThreadId,
            ProcessId = read.ProcessId,
            KernelTimeClockTicks = read.KernelTimeClockTicks,
            UserTimeClockTicks = read.UserTimeClockTicks,
        };
        if (read.IsKernelHook)
        {
            int versionWord = UInt16(record, EventHeaderLayout.VersionWord);
            return header with
            {
                HookId = read.HookId,
                HasPebsIndex = (versionWord & EventHeaderLayout.PebsIndexFlag) != 0,
                CounterCount = (byte)((versionWord & EventHeaderLayout.CounterCountMask) >> EventHeaderLayout.CounterCountShift),
            };
        }

        header = header with { ProviderId = read.ProviderId, Opcode = read.Opcode, Id = read.Id };
        if (read.IsEventHeader)
        {
            return header with
            {
                EventFlags = (ushort)(UInt16(record, EventHeaderLayout.EventFlags) & ~EventHeaderLayout.ExtendedInfo),
                EventProperty = UInt16(record, EventHeaderLayout.EventProperty),
                Channel = read.Channel,
                Task = read.Task,
                Keyword = read.Keyword,
                ActivityId = read.ActivityId,
            };
        }

        if (read.Kind is EtlHeaderKind.Instance32 or EtlHeaderKind.Instance64)
        {
            return header with
            {
                InstanceId = UInt32(record, EventHeaderLayout.InstanceId),
                ParentInstanceId = UInt32(record, EventHeaderLayout.InstanceId + 4),
                ParentClassId = new Guid(record.Slice(EventHeaderLayout.InstanceParentGuid, 16)),
            };
        }

        if (read.Kind != EtlHeaderKind.Message)
        {
            return header;
        }

        ushort flags = UInt16(record, MessageHeaderLayout.Flags);
        var message = new MessageHeaderLayout(flags);
        return header with
        {
            MessageFields = (EtlMessageFields)flags,
            MessageSequence = message.Sequence < 0 ? 0 : UInt32(record, message.Sequence),
            ComponentId = message.Component < 0 ? 0 : UInt32(record, message.Component),
        };
    }

    private static bool IsEventHeader(EtlHeaderKind kind) => kind is EtlHeaderKind.EventHeader32 or EtlHeaderKind.EventHeader64;

    private static int CounterBytes(in EtlEventHeader header) => 8 * (header.CounterCount + (header.HasPebsIndex ? 1 : 0));

    private static int ItemBytes(in EtlExtendedItem item) =>
        BufferHeaderLayout.Aligned(EtlExtendedItemEnumerator.ItemHeaderBytes + item.Data.Length);

    private static void CheckFields(in EtlEventHeader header, int payloadBytes)
    {
        bool hasHook = EventHeaderLayout.HasHookId(header.Kind);
        int counterBytes = CounterBytes(header);
        if (counterBytes != 0 && (!hasHook || header.CounterCount > 7 || payloadBytes < counterBytes))
        {
            throw new ArgumentException(
                $"{header.CounterCount} counters do not fit a {header.Kind} header and a payload of {payloadBytes} bytes.", nameof(header));
        }

        if (header.Version > byte.MaxValue && (hasHook || IsEventHeader(header.Kind)))
        {
            throw new ArgumentException($"Version {header.Version} does not fit a {header.Kind} header.", nameof(header));
        }
    }

    private static void WriteHook(Span<byte> record, in EtlEventHeader header)
    {
        int versionWord = header.Version | (header.CounterCount << EventHeaderLayout.CounterCountShift);
        versionWord |= header.HasPebsIndex ? EventHeaderLayout.PebsIndexFlag : 0;
        Put(record, EventHeaderLayout.VersionWord, (ushort)versionWord);
        Put(record, EventHeaderLayout.HookOpcode, header.HookId);
    }

    private static void WriteThreadAndTime(Span<byte> record, in EtlEventHeader header)
    {
        Put(record, EventHeaderLayout.ThreadId, header.ThreadId);
        Put(record, EventHeaderLayout.ProcessId, header.ProcessId);
        Put(record, EventHeaderLayout.Time, header.TimestampTicks);
    }

    private static void WriteFull(Span<byte> record, in EtlEventHeader header)
    {
        WriteThreadAndTime(record, header);
        record[EventHeaderLayout.FullOpcode] = header.Opcode;
        record[EventHeaderLayout.FullLevel] = header.Level;
        Put(record, EventHeaderLayout.FullVersion, header.Version);
        header.ProviderId.TryWriteBytes(record[EventHeaderLayout.ClassGuid..]);
        Put(record, EventHeaderLayout.FullKernelTime, header.KernelTimeClockTicks);
        Put(record, EventHeaderLayout.FullKernelTime + 4, header.UserTimeClockTicks);
        if (header.Kind is EtlHeaderKind.Instance32 or EtlHeaderKind.Instance64)
        {
            Put(record, EventHeaderLayout.InstanceId, header.InstanceId);
            Put(record, EventHeaderLayout.InstanceId + 4, header.ParentInstanceId);
            header.ParentClassId.TryWriteBytes(record[EventHeaderLayout.InstanceParentGuid..]);
        }
    }

    private static void WriteEventHeader(Span<byte> record, in EtlEventHeader header, bool hasItems)
    {
        WriteThreadAndTime(record, header);
        int flags = (header.EventFlags & ~EventHeaderLayout.ExtendedInfo) | (hasItems ? EventHeaderLayout.ExtendedInfo : 0);
        Put(record, EventHeaderLayout.EventFlags, (ushort)flags);
        Put(record, EventHeaderLayout.EventProperty, header.EventProperty);
        header.ProviderId.TryWriteBytes(record[EventHeaderLayout.ClassGuid..]);
        Put(record, EventHeaderLayout.EventId, header.Id);
        record[EventHeaderLayout.EventVersion] = (byte)header.Version;
        record[EventHeaderLayout.EventChannel] = header.Channel;
        record[EventHeaderLayout.EventLevel] = header.Level;
        record[EventHeaderLayout.EventOpcode] = header.Opcode;
        Put(record, EventHeaderLayout.EventTask, header.Task);
        Put(record, EventHeaderLayout.EventKeyword, (long)header.Keyword);
        Put(record, EventHeaderLayout.EventKernelTime, header.KernelTimeClockTicks);
        Put(record, EventHeaderLayout.EventKernelTime + 4, header.UserTimeClockTicks);
        header.ActivityId.TryWriteBytes(record[EventHeaderLayout.EventActivityId..]);
    }

    private static void WriteItems(Span<byte> body, ReadOnlySpan<EtlExtendedItem> items)
    {
        for (int i = 0; i < items.Length; i++)
        {
            Span<byte> item = body[..ItemBytes(items[i])];
            ReadOnlySpan<byte> data = items[i].Data.Span;
            Put(item, 0, (ushort)item.Length);
            Put(item, EtlExtendedItemEnumerator.KindOffset, (ushort)items[i].Kind);
            int linkage = i + 1 < items.Length ? EtlExtendedItemEnumerator.MoreFollow : 0;
            Put(item, EtlExtendedItemEnumerator.LinkageOffset, (ushort)linkage);
            Put(item, EtlExtendedItemEnumerator.DataSizeOffset, (ushort)data.Length);
            data.CopyTo(item[EtlExtendedItemEnumerator.ItemHeaderBytes..]);
            item[(EtlExtendedItemEnumerator.ItemHeaderBytes + data.Length)..].Clear();
            body = body[item.Length..];
        }
    }

    private static void WriteMessage(Span<byte> record, in EtlEventHeader header)
    {
        var message = new MessageHeaderLayout((ushort)header.MessageFields);
        Put(record, 0, (ushort)record.Length);
        record[EventHeaderLayout.KindByte] = 0;
        record[EventHeaderLayout.MarkerFlags] = EventHeaderLayout.MessageMarker;
        Put(record, MessageHeaderLayout.Number, header.Id);
        Put(record, MessageHeaderLayout.Flags, (ushort)header.MessageFields);
        if (message.Sequence >= 0)
        {
            Put(record, message.Sequence, header.MessageSequence);
        }

        if (message.Component >= 0)
        {
            Put(record, message.Component, header.ComponentId);
        }

        if (message.Guid >= 0)
        {
            header.ProviderId.TryWriteBytes(record[message.Guid..]);
        }

        if (message.Time >= 0)
        {
            Put(record, message.Time, header.TimestampTicks);
        }

        if (message.ThreadId >= 0)
        {
            Put(record, message.ThreadId, header.ThreadId);
            Put(record, message.ThreadId + 4, header.ProcessId);
        }
    }

    private static ushort UInt16(ReadOnlySpan<byte> record, int offset) => BinaryPrimitives.ReadUInt16LittleEndian(record[offset..]);

    private static uint UInt32(ReadOnlySpan<byte> record, int offset) => BinaryPrimitives.ReadUInt32LittleEndian(record[offset..]);

    private static void Put(Span<byte> record, int offset, ushort value) =>
        BinaryPrimitives.WriteUInt16LittleEndian(record[offset..], value);

    private static void Put(Span<byte> record, int offset, uint value) =>
        BinaryPrimitives.WriteUInt32LittleEndian(record[offset..], value);

    private static void Put(Span<byte> record, int offset, long value) =>
        BinaryPrimitives.WriteInt64LittleEndian(record[offset..], value);
}
