using Tracer.Etl.Kernel;

namespace Tracer.Simulator.Writing;

/// <summary>A record about the machine, not about what happens on it.</summary>
/// <param name="Header">Its header, without a time.</param>
/// <param name="SharesTime">Whether it has the time stamp of the record before it, to which it adds.</param>
internal readonly record struct MachineRecord(EtlEventHeader Header, byte[] Payload, bool SharesTime = false);

/// <summary>Who writes records about the machine: the program that controls the session, on a machine of one pointer width.</summary>
internal readonly record struct SessionController(int PointerBytes, uint ProcessId, uint ThreadId)
{
    /// <summary>Lays out a payload.</summary>
    public delegate void Layout(ref PayloadSpan payload);

    /// <summary>Fills a record whose layout is a row of a table.</summary>
    public delegate void Filling(ref KernelRecordWriter record);

    private const int LargestPayload = 8 * 1024;

    public MachineRecord System(ushort hook, byte version, Layout layout) =>
        new(EtlEventHeader.System(hook, version, 0, ProcessId, ThreadId, PointerBytes), Fill(layout));

    /// <summary>A record of a known layout that names the controlling thread.</summary>
    public MachineRecord System(ushort hook, byte version, KernelLayout layout, Filling fill) =>
        new(EtlEventHeader.System(hook, version, 0, ProcessId, ThreadId, PointerBytes), Fill(layout, version, fill));

    /// <summary>A record that names no thread.</summary>
    public MachineRecord PerfInfo(ushort hook, byte version, Layout layout) =>
        new(EtlEventHeader.PerfInfo(hook, version, 0, PointerBytes), Fill(layout));

    /// <summary>A record of a known layout that names no thread.</summary>
    public MachineRecord PerfInfo(ushort hook, byte version, KernelLayout layout, Filling fill) =>
        new(EtlEventHeader.PerfInfo(hook, version, 0, PointerBytes), Fill(layout, version, fill));

    /// <summary>A classic record, as whoever merges files adds them.</summary>
    public MachineRecord Full(Guid classId, byte opcode, ushort version, uint processId, bool sharesTime, Layout layout) =>
        new(EtlEventHeader.Full(classId, opcode, version, 0, processId, uint.MaxValue, PointerBytes), Fill(layout), sharesTime);

    /// <summary>A classic record of a known layout.</summary>
    public MachineRecord Full(Guid classId, byte opcode, KernelLayout layout, Filling fill) =>
        new(EtlEventHeader.Full(classId, opcode, 0, 0, 0, uint.MaxValue, PointerBytes), Fill(layout, 0, fill));

    private byte[] Fill(KernelLayout layout, byte version, Filling fill)
    {
        Span<byte> room = stackalloc byte[LargestPayload];
        var record = new KernelRecordWriter(layout, version, PointerBytes, room);
        fill(ref record);
        return record.Written.ToArray();
    }

    private byte[] Fill(Layout layout)
    {
        Span<byte> room = stackalloc byte[LargestPayload];
        var payload = new PayloadSpan(room, PointerBytes);
        layout(ref payload);
        return payload.Written.ToArray();
    }
}
