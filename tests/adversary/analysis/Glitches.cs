using System.Buffers.Binary;
using static Tracer.Adversary.KernelRecords;

namespace Tracer.Adversary;

/// <summary>Windows' own records that something was late: what they are joined with may be as many.</summary>
internal static class Glitches
{
    private const uint Process = 100;
    private const uint Thread = 104;
    private const sbyte RealTime = 26;
    private const int EventHeaderBytes = 80;
    private const int MissedBytes = 16;

    /// <summary>An engine that each 0.6 ms is kept by a DPC, and says so: 100,000 times a minute.</summary>
    public static byte[] OfEngine(int bytes)
    {
        const long Interval = 600 * Microsecond;
        int passes = bytes / (ReadyBytes + (2 * SwitchBytes) + RoutineBytes + EventHeaderBytes + MissedBytes);
        return Written(writer =>
        {
            for (int number = 1; number <= passes; number++)
            {
                long at = number * Interval;
                writer.Ready(0, at, Thread);
                writer.Dpc(0, at + Microsecond, at + (550 * Microsecond), Code(2 + (number % 4)));
                writer.Switch(0, at + (551 * Microsecond), 0, 0, Thread, RealTime);
                writer.Missed(at + (570 * Microsecond), Thread, at + (10 * Microsecond));
                writer.Switch(0, at + (580 * Microsecond), Thread, RealTime, 0, 0);
            }
        });
    }

    /// <summary>All within one moment, and no two alike.</summary>
    public static byte[] Together(int bytes)
    {
        int records = bytes / (EventHeaderBytes + MissedBytes);
        return Written(writer =>
        {
            writer.Ready(0, 0, Thread);
            writer.Switch(0, 10 * Millisecond, 0, 0, Thread, RealTime);
            for (int number = 0; number < records; number++)
            {
                writer.Missed((20 * Millisecond) + (number % 1000), Thread + (uint)number, 10 * Millisecond);
            }

            writer.Switch(0, 30 * Millisecond, Thread, RealTime, 0, 0);
        });
    }

    private static void Missed(this EtlWriter writer, long at, uint thread, long deadline)
    {
        Span<byte> payload = stackalloc byte[MissedBytes];
        BinaryPrimitives.WriteUInt64LittleEndian(payload, 0x0000_01C5_3A20_4410);
        BinaryPrimitives.WriteInt64LittleEndian(payload[8..], Time(deadline));
        writer.Write(0, EtlEventHeader.Event(GlitchKind.Audio, GlitchKind.MissedDeadline, 0, Time(at), Process, thread, 8), payload);
    }

    private static byte[] Written(Action<EtlWriter> rest) => AdversaryTrace.Written(1, compress: false, 64 * 1024, writer =>
    {
        writer.Images(4);
        writer.Process(Process, "audiodg.exe");
        writer.Thread(Process, Thread, 26);
        rest(writer);
    });
}
