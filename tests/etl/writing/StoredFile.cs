using System.Buffers.Binary;

namespace Tracer.Etl.Tests.Writing;

/// <summary>One event of a stored file: where it stood, its whole record, and the bytes up to where the next may start.</summary>
internal sealed record StoredEvent(int Cpu, long SequenceNumber, byte[] Record, byte[] Padding);

/// <summary>One buffer of a stored file, as the offsets of WMI_BUFFER_HEADER show it.</summary>
internal sealed record StoredBuffer(int At, byte[] Bytes)
{
    public int Size => BinaryPrimitives.ReadInt32LittleEndian(Bytes);

    public int SavedOffset => BinaryPrimitives.ReadInt32LittleEndian(Bytes.AsSpan(0x04));

    public int CurrentOffset => BinaryPrimitives.ReadInt32LittleEndian(Bytes.AsSpan(0x08));

    public long TimeStamp => BinaryPrimitives.ReadInt64LittleEndian(Bytes.AsSpan(0x10));

    public long SequenceNumber => BinaryPrimitives.ReadInt64LittleEndian(Bytes.AsSpan(0x18));

    public int Filled => BinaryPrimitives.ReadInt32LittleEndian(Bytes.AsSpan(0x30));

    public int Flags => BinaryPrimitives.ReadUInt16LittleEndian(Bytes.AsSpan(0x34));

    public int Type => BinaryPrimitives.ReadUInt16LittleEndian(Bytes.AsSpan(0x36));

    public int Cpu
    {
        get
        {
            int word = BinaryPrimitives.ReadUInt16LittleEndian(Bytes.AsSpan(0x28));
            return (Flags & 0x20) != 0 ? word & 0x7FF : word & 0xFF;
        }
    }

    public bool IsCompressed => (Flags & 0x40) != 0;

    /// <summary>The events' bytes, decompressed.</summary>
    public byte[] Contents => field ??= IsCompressed ? SlowXpress.Decode(Bytes.AsSpan(72), Filled - 72) : Bytes[72..Filled];

    public IEnumerable<StoredEvent> Events()
    {
        byte[] contents = Contents;
        for (int at = 0; at < contents.Length;)
        {
            int bytes = RecordBytes(contents.AsSpan(at));
            Assert.InRange(bytes, 8, contents.Length - at);
            int next = (at + bytes + 7) / 8 * 8;
            yield return new StoredEvent(Cpu, SequenceNumber, contents[at..(at + bytes)], contents[(at + bytes)..next]);
            at = next;
        }
    }

    private static int RecordBytes(ReadOnlySpan<byte> record)
    {
        bool sizeSecond = record[3] == 0xC0 && record[2] is (>= 1 and <= 4) or 16 or 17;
        Assert.True(record[3] is 0xC0 or 0x90);
        return BinaryPrimitives.ReadUInt16LittleEndian(record[(sizeSecond ? 4 : 0)..]);
    }
}

/// <summary>A small reader of sound files that shares nothing with the product's, but for the event's own view.</summary>
internal static class StoredFile
{
    public static List<StoredBuffer> Buffers(byte[] file)
    {
        List<StoredBuffer> buffers = [];
        for (int at = 0; at < file.Length;)
        {
            int size = BinaryPrimitives.ReadInt32LittleEndian(file.AsSpan(at));
            Assert.InRange(size, 72, file.Length - at);
            buffers.Add(new StoredBuffer(at, file[at..(at + size)]));
            at += size;
        }

        return buffers;
    }

    /// <summary>The events behind the header buffer, those of a CPU in the order of their buffers' numbers.</summary>
    public static List<StoredEvent> Events(byte[] file, int cpu) => Events(Buffers(file), cpu);

    public static List<StoredEvent> Events(List<StoredBuffer> buffers, int cpu) =>
    [
        .. buffers.Where(buffer => buffer.Type == 0 && buffer.Cpu == cpu)
            .OrderBy(buffer => buffer.SequenceNumber)
            .SelectMany(buffer => buffer.Events()),
    ];

    public static EtlFileHeader Header(byte[] file)
    {
        Assert.True(EtlEvent.TryRead(file.AsSpan(72), 0, 0, out EtlEvent first));
        Assert.True(LogFileHeaderEvent.TryParse(first, out EtlFileHeader? header));
        return header;
    }
}
