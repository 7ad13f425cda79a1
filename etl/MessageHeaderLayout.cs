namespace Tracer.Etl;

/// <summary>
/// Where the optional fields of a WPP message record stand (MESSAGE_TRACE_HEADER of ntwmi.h): 8 fixed bytes (size, 0, 0x90, message
/// number, flags), then in this order what the flags announce. A field that is absent has offset -1.
/// </summary>
/// <remarks>
/// <code>
///  flag   field                bytes
///  0x01   sequence number      4
///  0x04   component id         4      (wins over 0x02)
///  0x02   message GUID         16
///  0x08   time stamp           8
///  0x20   thread, process id   4 + 4
///  0x40 / 0x80                 32-bit / 64-bit pointers in the arguments
/// </code>
/// </remarks>
internal readonly struct MessageHeaderLayout
{
    public const int Number = 4;
    public const int Flags = 6;
    public const int FixedBytes = 8;

    public MessageHeaderLayout(ushort flags)
    {
        var present = (EtlMessageFields)flags;
        int next = FixedBytes;
        Sequence = Take((present & EtlMessageFields.Sequence) != 0, 4, ref next);
        Component = Take((present & EtlMessageFields.ComponentId) != 0, 4, ref next);
        Guid = Take((present & (EtlMessageFields.Guid | EtlMessageFields.ComponentId)) == EtlMessageFields.Guid, 16, ref next);
        Time = Take((present & EtlMessageFields.Time) != 0, 8, ref next);
        ThreadId = Take((present & EtlMessageFields.ThreadAndProcess) != 0, 8, ref next);
        Payload = next;
        PointerBytes = (present & EtlMessageFields.Pointers64) != 0 ? 8 : 4;
    }

    public int Sequence { get; }

    public int Component { get; }

    public int Guid { get; }

    public int Time { get; }

    public int ThreadId { get; }

    public int Payload { get; }

    public int PointerBytes { get; }

    private static int Take(bool present, int bytes, ref int next)
    {
        int offset = present ? next : -1;
        next += present ? bytes : 0;
        return offset;
    }
}
