namespace Tracer.Etl;

/// <summary>
/// Offsets and flags of WMI_BUFFER_HEADER, the 72 bytes that every buffer starts with on 32- and 64-bit systems since Windows 7
/// (ntwmi.h, and ETW_BUFFER_HEADER of evntrace.h): the one home of these numbers, for reading and for writing. All integers are
/// little-endian.
/// </summary>
internal static class BufferHeaderLayout
{
    public const int Bytes = 72;

    /// <summary>u32: size of the buffer in the file, header included: the distance to the next one.</summary>
    public const int BufferSize = 0x00;

    /// <summary>u32: end of valid data as it was when saved; may be 0 or stale in the header buffer.</summary>
    public const int SavedOffset = 0x04;

    /// <summary>u32: the writer's reservation cursor, left over; never an extent.</summary>
    public const int CurrentOffset = 0x08;

    /// <summary>i32: 0 in files.</summary>
    public const int ReferenceCount = 0x0C;

    /// <summary>i64: flush time, in the session's clock or as FILETIME; not to be mixed with event times.</summary>
    public const int TimeStamp = 0x10;

    /// <summary>i64: 0 in the header buffer, then counting as buffers are taken into use.</summary>
    public const int SequenceNumber = 0x18;

    /// <summary>u64: clock of a debugger's buffer, else a left-over pointer.</summary>
    public const int ClockTypeOrPointer = 0x20;

    /// <summary>u16: CPU, 11 bits wide with <see cref="ProcessorIndexFlag"/>, else the low byte.</summary>
    public const int ProcessorIndex = 0x28;

    /// <summary>u16: session slot; 0 in relogged files.</summary>
    public const int LoggerId = 0x2A;

    /// <summary>u32: 3 (flushed) in files that were closed.</summary>
    public const int State = 0x2C;

    /// <summary>u32: end of valid data, header included, of the decompressed buffer; not always a multiple of 8.</summary>
    public const int Filled = 0x30;

    /// <summary>u16: see the flags below.</summary>
    public const int Flags = 0x34;

    /// <summary>u16: see <see cref="GenericType"/> and what follows it.</summary>
    public const int Type = 0x36;

    /// <summary>16 bytes: reference times of real-time backup files, else left-over pointers.</summary>
    public const int ReferenceTime = 0x38;

    public const ushort FlushMarkerFlag = 0x01;
    public const ushort EventsLostFlag = 0x02;
    public const ushort BufferLostFlag = 0x04;
    public const ushort ProcessorIndexFlag = 0x20;
    public const ushort CompressedFlag = 0x40;

    /// <summary>All flags that have a meaning; any other bit means that this is no buffer header.</summary>
    public const ushort KnownFlags = 0x7F;

    public const ushort ProcessorIndexMask = 0x07FF;

    /// <summary>
    /// Before Windows 8 the word of <see cref="ProcessorIndex"/> is a CPU of one byte and, in the high byte, the alignment of events
    /// (ETW_BUFFER_CONTEXT of the SDK's evntcons.h): this is that high byte, in place.
    /// </summary>
    public const ushort Windows7Alignment = EventAlignment << 8;

    public const ushort GenericType = 0;
    public const ushort ReferenceTimeType = 3;
    public const ushort HeaderType = 4;
    public const ushort EmptyMarkerType = 6;
    public const ushort DebugInfoType = 7;

    public const uint FlushedState = 3;
    public const uint CompressedState = 5;

    public const uint HighestState = 6;

    /// <summary>No session has larger buffers: ETW's own limit is 16 MiB.</summary>
    public const int MaximumBufferBytes = 16 * 1024 * 1024;

    /// <summary>Events start at multiples of this, counted from the buffer's start.</summary>
    public const int EventAlignment = 8;

    /// <summary>A length rounded up to where the next event starts.</summary>
    public static int Aligned(int bytes) => (bytes + EventAlignment - 1) & -EventAlignment;
}
