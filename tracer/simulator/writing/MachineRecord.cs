using Tracer.Etl;

namespace Tracer.Simulator;

/// <summary>A record about the machine, not about what happens on it.</summary>
/// <param name="Header">Its header, without a time.</param>
/// <param name="Payload">Its payload.</param>
/// <param name="SharesTime">Whether it has the time stamp of the record before it, to which it adds.</param>
internal readonly record struct MachineRecord(EtlEventHeader Header, byte[] Payload, bool SharesTime = false);

/// <summary>Who writes records about the machine: the program that controls the session, on a machine of one pointer width.</summary>
/// <param name="PointerBytes">Width of pointers in bytes.</param>
/// <param name="ProcessId">Process of the program.</param>
/// <param name="ThreadId">Thread of the program.</param>
internal readonly record struct SessionController(int PointerBytes, uint ProcessId, uint ThreadId)
{
    /// <summary>Lays out a payload.</summary>
    public delegate void Layout(ref PayloadSpan payload);

    private const int LargestPayload = 8 * 1024;

    /// <summary>A record that names the controlling thread.</summary>
    public MachineRecord System(ushort hook, byte version, Layout layout) =>
        new(EtlEventHeader.System(hook, version, 0, ProcessId, ThreadId, PointerBytes), Fill(layout));

    /// <summary>A record that names no thread.</summary>
    public MachineRecord PerfInfo(ushort hook, byte version, Layout layout) =>
        new(EtlEventHeader.PerfInfo(hook, version, 0, PointerBytes), Fill(layout));

    /// <summary>A classic record, as whoever merges files adds them.</summary>
    public MachineRecord Full(Guid classId, byte opcode, ushort version, uint processId, bool sharesTime, Layout layout) =>
        new(EtlEventHeader.Full(classId, opcode, version, 0, processId, uint.MaxValue, PointerBytes), Fill(layout), sharesTime);

    private byte[] Fill(Layout layout)
    {
        Span<byte> room = stackalloc byte[LargestPayload];
        var payload = new PayloadSpan(room, PointerBytes);
        layout(ref payload);
        return payload.Written.ToArray();
    }
}
