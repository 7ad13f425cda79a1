using System.Buffers.Binary;

namespace Tracer.Capture.Tests;

/// <summary>Time stamps inside records.</summary>
internal static class RecordTime
{
    private const int TypeOffset = 2;
    private const byte PerfInfo32 = 16;
    private const byte PerfInfo64 = 17;
    private const int PerfInfoTime = 8;
    private const int UsualTime = 16;

    /// <summary>Gives a record another time stamp.</summary>
    public static void Set(Span<byte> record, long ticks)
    {
        int offset = record[TypeOffset] is PerfInfo32 or PerfInfo64 ? PerfInfoTime : UsualTime;
        BinaryPrimitives.WriteInt64LittleEndian(record[offset..], ticks);
    }

    /// <summary>Moves a time in a record; 0 is no time and stays.</summary>
    public static void Shift(Span<byte> record, int offset, long ticks)
    {
        long time = BinaryPrimitives.ReadInt64LittleEndian(record[offset..]);
        BinaryPrimitives.WriteInt64LittleEndian(record[offset..], time == 0 ? 0 : time + ticks);
    }
}
