using System.Runtime.InteropServices;
using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>
/// The stack of an earlier event, whole or one part of it: kernel and user parts are separate unless one record holds both.
/// </summary>
/// <remarks>
/// Hook 0x1820. Source: STACK_WALK_EVENT_DATA of ntwmi.h, MOF StackWalk_Event, real files. It belongs to the event with the same
/// time stamp and thread; frames are innermost first.
/// <code>
/// @8    @4    type       field
/// 0     0     time       EventTimeStamp
/// 8     8     u32        ProcessId
/// 12    12    u32        ThreadId
/// 16    16    ptr[n]     Frames, to the end of the payload
/// </code>
/// </remarks>
public readonly ref struct StackRecord : IKernelRecord<StackRecord>
{
    private const int FramesOffset = 16;

    private readonly RecordPayload _payload;

    private StackRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Time stamp of the event it belongs to, in ticks of the trace's clock.</summary>
    public long EventTimeStamp => _payload.Int64(0);

    /// <summary>Process of that event.</summary>
    public uint ProcessId => _payload.UInt32(8);

    /// <summary>Thread of that event; for a DPC or ISR the interrupted one.</summary>
    public uint ThreadId => _payload.UInt32(12);

    /// <summary>How many frames there are.</summary>
    public int FrameCount => (_payload.Length - FramesOffset) / _payload.PointerBytes;

    /// <summary>Address of a frame, 0 the innermost.</summary>
    /// <param name="index">0 to <see cref="FrameCount"/> - 1.</param>
    public ulong Frame(int index) => _payload.Pointer(FramesOffset + (_payload.PointerBytes * index));

    /// <summary>Copies the frames, the innermost first.</summary>
    /// <param name="frames">Takes as many as fit.</param>
    /// <returns>How many.</returns>
    public int CopyFrames(Span<ulong> frames)
    {
        ReadOnlySpan<ulong> all = Frames(frames);
        all.CopyTo(frames);
        return all.Length;
    }

    /// <summary>The frames, the innermost first: in the record itself where they lie there as they are wanted.</summary>
    /// <param name="room">Takes them where they do not; its length is the most that are given.</param>
    /// <returns>The frames, valid as long as the event and <paramref name="room"/>.</returns>
    public ReadOnlySpan<ulong> Frames(Span<ulong> room)
    {
        int count = Math.Min(FrameCount, room.Length);
        if (_payload.PointerBytes == sizeof(ulong) && BitConverter.IsLittleEndian)
        {
            return MemoryMarshal.Cast<byte, ulong>(_payload.Bytes[FramesOffset..])[..count];
        }

        for (int i = 0; i < count; i++)
        {
            room[i] = Frame(i);
        }

        return room[..count];
    }

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out StackRecord record)
    {
        record = new StackRecord(in traceEvent);
        return record._payload.Length >= FramesOffset;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("EventTimeStamp", FieldValue.Ticks(EventTimeStamp));
        fields.Field("ProcessId", FieldValue.Unsigned(ProcessId));
        fields.Field("ThreadId", FieldValue.Unsigned(ThreadId));
        fields.BeginArray("Frames");
        for (int i = 0; i < FrameCount; i++)
        {
            fields.Field("", FieldValue.CodePointer(Frame(i)));
        }

        fields.EndArray();
    }
}

/// <summary>The frames that a stack key stands for, in <see cref="StackKeyRecord"/>s up to this record.</summary>
/// <remarks>
/// Hooks 0x1822 create, 0x1823 delete, 0x1824 rundown. Source: real files, which have no create.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        Key
/// 8     4     ptr[n]     Frames, to the end of the payload
/// </code>
/// </remarks>
public readonly ref struct StackKeyDefinitionRecord : IKernelRecord<StackKeyDefinitionRecord>
{
    private readonly RecordPayload _payload;

    private StackKeyDefinitionRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>The key.</summary>
    public ulong Key => _payload.Pointer(0);

    /// <summary>How many frames there are.</summary>
    public int FrameCount => (_payload.Length / _payload.PointerBytes) - 1;

    /// <summary>Address of a frame, 0 the innermost.</summary>
    /// <param name="index">0 to <see cref="FrameCount"/> - 1.</param>
    public ulong Frame(int index) => _payload.Pointer(_payload.PointerBytes * (index + 1));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out StackKeyDefinitionRecord record)
    {
        record = new StackKeyDefinitionRecord(in traceEvent);
        return record._payload.Length >= record._payload.PointerBytes;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Key", FieldValue.Pointer(Key));
        fields.BeginArray("Frames");
        for (int i = 0; i < FrameCount; i++)
        {
            fields.Field("", FieldValue.CodePointer(Frame(i)));
        }

        fields.EndArray();
    }
}
