using System.Runtime.CompilerServices;
using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>
/// An interrupt service routine that has returned: the event's time stamp is the exit, <see cref="InitialTime"/> the entry, both in
/// ticks of the trace's clock.
/// </summary>
/// <remarks>
/// Hooks 0x0F43 line-based, 0x0F5F passive level, 0x0F32 message-signalled. Source: the ISR and
/// ISR-MSI classes of the kernel's MOF; version 2 of both was confirmed on a real trace of Windows 7, the rest was not.
/// <code>
/// @8    @4    type       field
/// 0     0     time       InitialTime
/// 8     8     ptr        Routine
/// 16    12    u8         ReturnValue (version 1: u32)
/// 17    13    u16        Vector (version 2 on)
/// 19    15    u8         reserved
/// 20    16    u32        MessageNumber (0x0F32 only)
/// </code>
/// </remarks>
public readonly ref struct IsrRecord : IKernelRecord<IsrRecord>
{
    private const byte MessageSignalled = 0x32;

    private readonly RecordPayload _payload;
    private readonly bool _hasVector;
    private readonly bool _hasMessage;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private IsrRecord(in EtlEvent traceEvent)
    {
        _payload = new RecordPayload(in traceEvent);
        _hasVector = traceEvent.Version >= 2;
        _hasMessage = traceEvent.Opcode == MessageSignalled;
    }

    /// <summary>Entry: ticks of the trace's clock.</summary>
    public long InitialTime => _payload.Int64(0);

    /// <summary>Address of the routine.</summary>
    public ulong Routine => _payload.Pointer(8);

    /// <summary>What the routine returned: 1 where it claimed the interrupt, 0 where the line is shared and it was another's.</summary>
    public uint ReturnValue => _hasVector ? _payload.UInt8(_payload.At(16, 12)) : _payload.UInt32(_payload.At(16, 12));

    /// <summary>Vector in the interrupt descriptor table; null before version 2.</summary>
    public ushort? Vector => _hasVector ? _payload.UInt16(_payload.At(17, 13)) : null;

    /// <summary>Number of the message; null for other than message-signalled interrupts.</summary>
    public uint? MessageNumber => _hasMessage ? _payload.UInt32(_payload.At(20, 16)) : null;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryRead(in EtlEvent traceEvent, out IsrRecord record)
    {
        record = new IsrRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(20, 16) + (record._hasMessage ? 4 : 0);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("InitialTime", FieldValue.Ticks(InitialTime));
        fields.Field("Routine", FieldValue.CodePointer(Routine));
        fields.Field("ReturnValue", FieldValue.Unsigned(ReturnValue));
        if (Vector is ushort vector)
        {
            fields.Field("Vector", FieldValue.Hexadecimal(vector));
        }

        if (MessageNumber is uint message)
        {
            fields.Field("MessageNumber", FieldValue.Unsigned(message));
        }
    }
}
