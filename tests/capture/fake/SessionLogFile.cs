using System.Buffers.Binary;

namespace Tracer.Capture.Tests;

/// <summary>
/// Writes the buffers of a session into an .etl as they are, behind a header buffer with the header event and the group masks.
/// Times, mode and counts of the header event are put in by offset: a snapshot of a ring says what the session is.
/// </summary>
internal static class SessionLogFile
{
    private const int HeaderEventPayload = SessionBuffer.HeaderBytes + 32;
    private const int EndTime = HeaderEventPayload + 0x10;
    private const int LogFileMode = HeaderEventPayload + 0x20;
    private const int BuffersWritten = HeaderEventPayload + 0x24;
    private const int EventsLost = HeaderEventPayload + 0x30;
    private const ushort Extension = 0x0005;
    private const ushort LoggerId = 7;

    /// <param name="machine">The machine's header.</param>
    /// <param name="mostBytes">What the disk takes.</param>
    /// <returns>False where the disk was full.</returns>
    public static bool Write(
        string path, FakeSession session, EtlFileHeader machine, long nowTicks, IReadOnlyList<SessionBuffer> buffers, long mostBytes)
    {
        byte[] header = HeaderBuffer(session, machine, path);
        BinaryPrimitives.WriteInt64LittleEndian(header.AsSpan(EndTime), machine.Clock.FileTimeAt(nowTicks) ?? 0);
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(LogFileMode), session.Mode);
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(BuffersWritten), (uint)buffers.Count + 1);
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(EventsLost), session.EventsLost);
        using var file = new FileStream(path, FileMode.Create, FileAccess.Write, FileShare.Read, bufferSize: 0);
        file.Write(header);
        foreach (SessionBuffer buffer in buffers)
        {
            if (file.Length + buffer.Bytes.Length > mostBytes)
            {
                return false;
            }

            file.Write(buffer.AsWritten(LoggerId));
        }

        return true;
    }

    private static byte[] HeaderBuffer(FakeSession session, EtlFileHeader machine, string path)
    {
        EtlFileHeader header = machine with
        {
            Clock = new TraceClock(
                TraceClockKind.Qpc,
                machine.Clock.TicksPerSecond,
                session.StartTicks,
                machine.Clock.FileTimeAt(session.StartTicks) ?? 0),
            BufferBytes = session.BufferBytes,
            Mode = EtlLogFileMode.Sequential,
            SessionName = session.Name,
            FileName = path,
            EventsLost = 0,
            BuffersLost = 0,
        };
        using var stream = new MemoryStream();
        using (EtlWriter writer = EtlWriter.Create(stream, header, new EtlWriterOptions { LoggerId = LoggerId }, leaveOpen: true))
        {
            byte[] masks = new byte[36];
            Buffer.BlockCopy(session.Masks, 0, masks, 0, 32);
            masks[32] = 70; // Version of the kernel's event set.
            writer.WriteToHeaderBuffer(
                EtlEventHeader.System(Extension, 2, session.StartTicks, 0, 0, sizeof(ulong)), masks);
            writer.Complete(header.Clock.StartFileTime);
        }

        return stream.ToArray();
    }
}
