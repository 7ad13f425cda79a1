using System.Buffers.Binary;
using System.Text;

namespace Tracer.Etl.Tests.Decoding;

/// <summary>Records typed from the format reference, for what the corpus lacks.</summary>
internal static class EventBytes
{
    public static byte[] Hex(params string[] parts) =>
        Convert.FromHexString(string.Concat(parts).Replace(" ", "", StringComparison.Ordinal));

    public static byte[] Utf16(string text) => Encoding.Unicode.GetBytes(text);

    /// <summary>An EVENT_HEADER64 record (evntcons.h) with extended items.</summary>
    public static byte[] Event(
        Guid provider,
        ushort id,
        byte[] payload,
        uint process = 1,
        byte version = 0,
        byte opcode = 0,
        params (ushort Kind, byte[] Data)[] items)
    {
        using var body = new MemoryStream();
        for (int i = 0; i < items.Length; i++)
        {
            int itemBytes = (8 + items[i].Data.Length + 7) & ~7;
            byte[] item = new byte[itemBytes];
            BinaryPrimitives.WriteUInt16LittleEndian(item, (ushort)itemBytes);
            BinaryPrimitives.WriteUInt16LittleEndian(item.AsSpan(2), items[i].Kind);
            item[4] = i + 1 < items.Length ? (byte)1 : (byte)0;
            BinaryPrimitives.WriteUInt16LittleEndian(item.AsSpan(6), (ushort)items[i].Data.Length);
            items[i].Data.CopyTo(item, 8);
            body.Write(item);
        }

        body.Write(payload);
        byte[] record = [.. new byte[80], .. body.ToArray()];
        BinaryPrimitives.WriteUInt16LittleEndian(record, (ushort)record.Length);
        record[2] = 0x13;
        record[3] = 0xC0;
        record[4] = items.Length > 0 ? (byte)1 : (byte)0;
        BinaryPrimitives.WriteUInt32LittleEndian(record.AsSpan(0x0C), process);
        provider.TryWriteBytes(record.AsSpan(0x18));
        BinaryPrimitives.WriteUInt16LittleEndian(record.AsSpan(0x28), id);
        record[0x2A] = version;
        record[0x2D] = opcode;
        return record;
    }

    /// <summary>A FULL_HEADER64 record (EVENT_TRACE_HEADER of evntrace.h).</summary>
    public static byte[] Classic(Guid classId, byte opcode, byte[] payload)
    {
        byte[] record = [.. new byte[48], .. payload];
        BinaryPrimitives.WriteUInt16LittleEndian(record, (ushort)record.Length);
        record[2] = 20;
        record[3] = 0xC0;
        record[4] = opcode;
        classId.TryWriteBytes(record.AsSpan(0x18));
        return record;
    }

    /// <summary>A message record with GUID, thread id and 64-bit pointers.</summary>
    public static byte[] Message(Guid id, ushort number, byte[] payload)
    {
        byte[] record = [.. new byte[32], .. payload];
        BinaryPrimitives.WriteUInt16LittleEndian(record, (ushort)record.Length);
        record[3] = 0x90;
        BinaryPrimitives.WriteUInt16LittleEndian(record.AsSpan(4), number);
        record[6] = 0x02 | 0x20 | 0x80;
        id.TryWriteBytes(record.AsSpan(8));
        BinaryPrimitives.WriteUInt32LittleEndian(record.AsSpan(24), 77);
        BinaryPrimitives.WriteUInt32LittleEndian(record.AsSpan(28), 88);
        return record;
    }

    public static EtlEvent Read(byte[] record)
    {
        Assert.True(EtlEvent.TryRead(record, 0, 0, out EtlEvent traceEvent));
        return traceEvent;
    }
}
