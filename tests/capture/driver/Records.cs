using System.Runtime.CompilerServices;

namespace Tracer.Capture.Tests;

internal static class Records
{
    public static DriverRecordHeader Header<TRecord>(DriverRecordType type, ushort cpu = 0) =>
        new() { Type = type, Size = (ushort)Unsafe.SizeOf<TRecord>(), Cpu = cpu };

    public static ClockSyncRecord Sync(ulong clock, ulong qpc) =>
        new() { Header = Header<ClockSyncRecord>(DriverRecordType.ClockSync), Clock = clock, Qpc = qpc };
}
