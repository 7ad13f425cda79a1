namespace Tracer.Etl;

/// <summary>
/// The buffer that the events of one CPU are gathered in. It is used again for the CPU's next buffer once it is in the file.
/// </summary>
internal sealed class StreamBuffer(int cpu, int bufferBytes)
{
    /// <summary>The image of the buffer, header included.</summary>
    public byte[] Bytes { get; } = new byte[bufferBytes];

    public int Cpu { get; } = cpu;

    /// <summary>End of the data in bytes, header included; 0 when no buffer is in use.</summary>
    public int FilledBytes { get; private set; }

    /// <summary>The number it got when it was taken into use.</summary>
    public long SequenceNumber { get; private set; }

    /// <summary>Losses to be told in this buffer's flags, or in the next one's when none is in use.</summary>
    public ushort LossFlags { get; set; }

    /// <summary>Time stamp of the CPU's last event that had one.</summary>
    public long LastTicks { get; set; }

    public bool InUse => FilledBytes != 0;

    /// <summary>Whether a record of so many bytes, with its padding, finds room behind the others.</summary>
    public bool HasRoom(int recordBytes) => FilledBytes + BufferHeaderLayout.Aligned(recordBytes) <= Bytes.Length;

    /// <summary>Takes an empty buffer into use.</summary>
    public void Take(long sequenceNumber)
    {
        SequenceNumber = sequenceNumber;
        FilledBytes = EtlBufferHeader.HeaderBytes;
    }

    /// <summary>Gives the place of the next record; its padding is zero already.</summary>
    public Span<byte> Append(int recordBytes)
    {
        int start = FilledBytes;
        FilledBytes += BufferHeaderLayout.Aligned(recordBytes);
        Bytes.AsSpan((start + recordBytes)..FilledBytes).Clear();
        return Bytes.AsSpan(start, recordBytes);
    }

    /// <summary>Gives the buffer back: it is in the file.</summary>
    public void Release()
    {
        FilledBytes = 0;
        LossFlags = 0;
    }
}
