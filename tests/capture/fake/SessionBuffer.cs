using System.Buffers.Binary;

namespace Tracer.Capture.Tests;

/// <summary>One buffer of a session: WMI_BUFFER_HEADER (72 bytes) and records of one CPU.</summary>
internal sealed class SessionBuffer(int bytes)
{
    public const int HeaderBytes = 72;

    private const byte Filler = 0xFF;
    private const ushort ProcessorIndexFlag = 0x20;
    private const uint Flushed = 3;

    public byte[] Bytes { get; } = new byte[bytes];

    public int Filled { get; private set; } = HeaderBytes;

    public int Cpu { get; private set; }

    public long Sequence { get; private set; }

    public long LastTicks { get; private set; }

    public bool IsEmpty => Filled == HeaderBytes;

    public ReadOnlySpan<byte> Records => Bytes.AsSpan(HeaderBytes, Filled - HeaderBytes);

    /// <summary>Takes the buffer into use.</summary>
    public void Begin(int cpu, long sequence)
    {
        Cpu = cpu;
        Sequence = sequence;
        Filled = HeaderBytes;
    }

    /// <summary>Room for a record, at an 8-byte boundary, its padding zero; empty where there is none left.</summary>
    public Span<byte> Reserve(int recordBytes, long ticks)
    {
        int padded = (recordBytes + 7) & -8;
        if (Filled + padded > Bytes.Length)
        {
            return default;
        }

        Span<byte> room = Bytes.AsSpan(Filled, padded);
        room[recordBytes..].Clear();
        Filled += padded;
        LastTicks = ticks;
        return room[..recordBytes];
    }

    public ReadOnlySpan<byte> AsWritten(ushort loggerId)
    {
        Span<byte> header = Bytes.AsSpan(0, HeaderBytes);
        header.Clear();
        BinaryPrimitives.WriteUInt32LittleEndian(header, (uint)Bytes.Length);
        BinaryPrimitives.WriteUInt32LittleEndian(header[0x04..], (uint)Filled);
        BinaryPrimitives.WriteUInt32LittleEndian(header[0x08..], (uint)Filled);
        BinaryPrimitives.WriteInt64LittleEndian(header[0x10..], LastTicks);
        BinaryPrimitives.WriteInt64LittleEndian(header[0x18..], Sequence);
        BinaryPrimitives.WriteUInt16LittleEndian(header[0x28..], (ushort)Cpu);
        BinaryPrimitives.WriteUInt16LittleEndian(header[0x2A..], loggerId);
        BinaryPrimitives.WriteUInt32LittleEndian(header[0x2C..], Flushed);
        BinaryPrimitives.WriteUInt32LittleEndian(header[0x30..], (uint)Filled);
        BinaryPrimitives.WriteUInt16LittleEndian(header[0x34..], ProcessorIndexFlag);
        Bytes.AsSpan(Filled).Fill(Filler);
        return Bytes;
    }
}
