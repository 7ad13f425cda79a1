using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Tracer.Etl;

/// <summary>The header of one buffer, as it stands in the file (WMI_BUFFER_HEADER of ntwmi.h, 72 bytes).</summary>
/// <remarks>
/// <code>
///  0x00 u32 BufferSize     0x18 i64 SequenceNumber      0x30 u32 FilledBytes
///  0x04 u32 SavedOffset    0x20 u64 left-over pointer   0x34 u16 Flags
///  0x08 u32 CurrentOffset  0x28 u16 ProcessorIndex      0x36 u16 BufferType
///  0x0C i32 references     0x2A u16 LoggerId            0x38 16 bytes, reference times or left-over pointers
///  0x10 i64 TimeStamp      0x2C u32 State
/// </code>
/// </remarks>
public readonly record struct EtlBufferHeader
{
    /// <summary>Bytes of the header itself; events start behind it.</summary>
    public const int HeaderBytes = BufferHeaderLayout.Bytes;

    /// <summary>As many logical processors as the 11 bits of a buffer header can name.</summary>
    public const int MaximumProcessors = BufferHeaderLayout.ProcessorIndexMask + 1;

    /// <summary>Size of the buffer in the file in bytes, header included; where it is compressed, 72 and the compressed bytes.</summary>
    public required uint BufferSize { get; init; }

    /// <summary>End of valid data as saved; only <see cref="FilledBytes"/> delimits the data.</summary>
    public uint SavedOffset { get; init; }

    /// <summary>Cursor of the writer, left over.</summary>
    public uint CurrentOffset { get; init; }

    /// <summary>Reference count; 0 in files.</summary>
    public int ReferenceCount { get; init; }

    /// <summary>When the buffer was flushed: ticks of the session's clock, or a FILETIME in relogged files.</summary>
    public long TimeStamp { get; init; }

    /// <summary>Place in the order in which buffers were taken into use; 0 is the header buffer.</summary>
    public long SequenceNumber { get; init; }

    /// <summary>A left-over pointer, without meaning in files.</summary>
    public ulong LeftOverPointer { get; init; }

    /// <summary>The word that holds the CPU; see <see cref="Cpu"/>.</summary>
    public ushort ProcessorIndex { get; init; }

    /// <summary>Slot of the session; 0 in relogged files.</summary>
    public ushort LoggerId { get; init; }

    /// <summary>3 where the buffer was flushed as usual.</summary>
    public uint State { get; init; }

    /// <summary>
    /// End of valid data in bytes, header included, in the decompressed buffer. Mostly a multiple of 8, where the next event would start;
    /// but Windows 7 ends the first buffer of a merged file with its event (436 bytes).
    /// </summary>
    public required uint FilledBytes { get; init; }

    /// <summary>1 flush marker, 2 events lost, 4 buffer lost, 0x20 wide processor index, 0x40 compressed.</summary>
    public ushort Flags { get; init; }

    /// <summary>0 events, 4 the header buffer; 3, 6 and 7 hold no events.</summary>
    public ushort BufferType { get; init; }

    /// <summary>Reference times or left-over pointers, first half.</summary>
    public ulong ReferenceTime0 { get; init; }

    /// <summary>Reference times or left-over pointers, second half.</summary>
    public ulong ReferenceTime1 { get; init; }

    /// <summary>Logical processor whose events these are, 0 to 2047.</summary>
    public int Cpu => (Flags & BufferHeaderLayout.ProcessorIndexFlag) != 0
        ? ProcessorIndex & BufferHeaderLayout.ProcessorIndexMask
        : ProcessorIndex & 0xFF;

    /// <summary>Whether the bytes behind the header are XPRESS-compressed.</summary>
    public bool IsCompressed => (Flags & BufferHeaderLayout.CompressedFlag) != 0;

    /// <summary>Whether this is the file's first buffer.</summary>
    public bool IsHeaderBuffer => BufferType == BufferHeaderLayout.HeaderType;

    /// <summary>Whether this type of buffer holds events.</summary>
    public bool HoldsEvents => BufferType is not
        (BufferHeaderLayout.ReferenceTimeType or BufferHeaderLayout.EmptyMarkerType or BufferHeaderLayout.DebugInfoType);

    /// <summary>
    /// Whether it was flushed as usual. Where not (a memory dump, a copy of a live file), <see cref="FilledBytes"/> may be stale.
    /// </summary>
    public bool WasFlushed => IsHeaderBuffer || State is BufferHeaderLayout.FlushedState or BufferHeaderLayout.CompressedState;

    /// <summary>Reads the fields; says nothing about whether they make sense.</summary>
    /// <param name="bytes">At least 72 bytes.</param>
    public static EtlBufferHeader Read(ReadOnlySpan<byte> bytes)
    {
        bytes = bytes[..HeaderBytes];
        return new EtlBufferHeader
        {
            BufferSize = UInt32(bytes, BufferHeaderLayout.BufferSize),
            SavedOffset = UInt32(bytes, BufferHeaderLayout.SavedOffset),
            CurrentOffset = UInt32(bytes, BufferHeaderLayout.CurrentOffset),
            ReferenceCount = (int)UInt32(bytes, BufferHeaderLayout.ReferenceCount),
            TimeStamp = (long)UInt64(bytes, BufferHeaderLayout.TimeStamp),
            SequenceNumber = (long)UInt64(bytes, BufferHeaderLayout.SequenceNumber),
            LeftOverPointer = UInt64(bytes, BufferHeaderLayout.ClockTypeOrPointer),
            ProcessorIndex = UInt16(bytes, BufferHeaderLayout.ProcessorIndex),
            LoggerId = UInt16(bytes, BufferHeaderLayout.LoggerId),
            State = UInt32(bytes, BufferHeaderLayout.State),
            FilledBytes = UInt32(bytes, BufferHeaderLayout.Filled),
            Flags = UInt16(bytes, BufferHeaderLayout.Flags),
            BufferType = UInt16(bytes, BufferHeaderLayout.Type),
            ReferenceTime0 = UInt64(bytes, BufferHeaderLayout.ReferenceTime),
            ReferenceTime1 = UInt64(bytes, BufferHeaderLayout.ReferenceTime + 8),
        };
    }

    /// <summary>Writes the fields.</summary>
    /// <param name="bytes">At least 72 bytes.</param>
    public void Write(Span<byte> bytes)
    {
        bytes = bytes[..HeaderBytes];
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[BufferHeaderLayout.BufferSize..], BufferSize);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[BufferHeaderLayout.SavedOffset..], SavedOffset);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[BufferHeaderLayout.CurrentOffset..], CurrentOffset);
        BinaryPrimitives.WriteInt32LittleEndian(bytes[BufferHeaderLayout.ReferenceCount..], ReferenceCount);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[BufferHeaderLayout.TimeStamp..], TimeStamp);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[BufferHeaderLayout.SequenceNumber..], SequenceNumber);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes[BufferHeaderLayout.ClockTypeOrPointer..], LeftOverPointer);
        BinaryPrimitives.WriteUInt16LittleEndian(bytes[BufferHeaderLayout.ProcessorIndex..], ProcessorIndex);
        BinaryPrimitives.WriteUInt16LittleEndian(bytes[BufferHeaderLayout.LoggerId..], LoggerId);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[BufferHeaderLayout.State..], State);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[BufferHeaderLayout.Filled..], FilledBytes);
        BinaryPrimitives.WriteUInt16LittleEndian(bytes[BufferHeaderLayout.Flags..], Flags);
        BinaryPrimitives.WriteUInt16LittleEndian(bytes[BufferHeaderLayout.Type..], BufferType);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes[BufferHeaderLayout.ReferenceTime..], ReferenceTime0);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes[(BufferHeaderLayout.ReferenceTime + 8)..], ReferenceTime1);
    }

    /// <summary>
    /// End of the data of an uncompressed buffer as far as its header tells; of one that was not flushed an upper bound.
    /// </summary>
    /// <param name="storedBytes">What there is of it, at least the header.</param>
    internal int DataEndWithin(int storedBytes) => (int)Math.Clamp(
        WasFlushed ? FilledBytes : Math.Max(FilledBytes, CurrentOffset), HeaderBytes, (uint)storedBytes);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ushort UInt16(ReadOnlySpan<byte> bytes, int offset) => BinaryPrimitives.ReadUInt16LittleEndian(bytes[offset..]);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint UInt32(ReadOnlySpan<byte> bytes, int offset) => BinaryPrimitives.ReadUInt32LittleEndian(bytes[offset..]);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong UInt64(ReadOnlySpan<byte> bytes, int offset) => BinaryPrimitives.ReadUInt64LittleEndian(bytes[offset..]);
}
