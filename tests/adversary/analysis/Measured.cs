using static Tracer.Adversary.KernelRecords;

namespace Tracer.Adversary;

/// <summary>Events of our own driver: the answer trusts them most.</summary>
internal static class Measured
{
    private const byte TimerMode = 1;
    private const byte Qpc = 1;
    private const int WakeupBytes = 216;

    private static readonly TraceLoggingEventSchema Start = TracerProvider.Start.Schema();
    private static readonly TraceLoggingEventSchema ClockSync = TracerProvider.ClockSync.Schema();
    private static readonly TraceLoggingEventSchema Wakeup = TracerProvider.WakeupVersion1.Schema();
    private static readonly TraceLoggingEventSchema PitSample = TracerProvider.PitSample.Schema();
    private static readonly TraceLoggingEventSchema EpisodeBegin = TracerProvider.EpisodeBegin.Schema();
    private static readonly TraceLoggingEventSchema EpisodeEnd = TracerProvider.EpisodeEnd.Schema();
    private static readonly TraceLoggingEventSchema CaptureWork = TracerProvider.CaptureWork.Schema();

    /// <summary>As many wake-ups that were due at the start as DPCs since.</summary>
    public static byte[] Wakeups(int bytes) => Written(writer =>
    {
        int count = bytes / (WakeupBytes + RoutineBytes);
        Span<byte> space = stackalloc byte[128];
        for (int number = 1; number <= count; number++)
        {
            long at = number * Millisecond;
            writer.Dpc(0, at - (900 * Microsecond), at - Microsecond, Code(2));
            var payload = new TraceLoggingPayload(space);
            payload.UInt64((ulong)number);
            payload.UInt16(0);
            payload.UInt8(TimerMode);
            payload.UInt64((ulong)Time(2));
            payload.UInt64(0);
            payload.UInt64((ulong)Time(at - 2));
            payload.UInt64((ulong)Time(at - 1));
            payload.UInt8(24);
            payload.UInt64(Code(0));
            payload.UInt16(0x10);
            writer.Write(0, Wakeup.Header(Time(at), 4, 16), payload.Bytes, Wakeup.Items);
        }
    });

    /// <summary>Episodes of one number, announced again and again, with samples, and stretches of our own work all over them.</summary>
    public static byte[] Episodes(int bytes) => Written(writer =>
    {
        int count = bytes / 600;
        Span<byte> space = stackalloc byte[256];
        ReadOnlySpan<ulong> frames = [Code(2), Code(3)];
        for (int number = 1; number <= count; number++)
        {
            long at = number * Millisecond;
            var work = new TraceLoggingPayload(space);
            work.UInt8(0);
            work.UInt64((ulong)Time(at - (500 * Microsecond)));
            work.UInt64((ulong)Time((at + (count * Millisecond)) / 2));
            writer.Write(0, CaptureWork.Header(Time(at), 4, 16), work.Bytes, CaptureWork.Items);
            var begin = new TraceLoggingPayload(space);
            begin.UInt32((uint)(number % 2));
            begin.UInt64(900_000);
            begin.UInt16(0);
            writer.Write(0, EpisodeBegin.Header(Time(at + 1), 4, 16), begin.Bytes, EpisodeBegin.Items);
            var sample = new TraceLoggingPayload(space);
            sample.UInt32((uint)(number % 2));
            sample.UInt32((uint)number);
            sample.UInt16(0);
            sample.UInt64(Code(2));
            sample.UInt16(0x10);
            sample.UInt64((ulong)Time(at - (300 * Microsecond)));
            sample.UInt64(2);
            sample.UInt8(1);
            sample.UInt64Array(frames);
            writer.Write(0, PitSample.Header(Time(at + 2), 4, 16), sample.Bytes, PitSample.Items);
            var end = new TraceLoggingPayload(space);
            end.UInt32((uint)(number % 2));
            end.UInt32(1);
            end.UInt64(0);
            end.UInt32((uint)number);
            writer.Write(0, EpisodeEnd.Header(Time(at + 3), 4, 16), end.Bytes, EpisodeEnd.Items);
            writer.Dpc(0, at + (100 * Microsecond), at + (900 * Microsecond), Code(2));
        }
    });

    private static byte[] Written(Action<EtlWriter> rest) => AdversaryTrace.Written(1, compress: false, 64 * 1024, writer =>
    {
        writer.Images(4);
        var start = new TraceLoggingPayload(stackalloc byte[128]);
        start.UInt8(TimerMode);
        start.UInt8(Qpc);
        start.UInt64(10_000_000);
        start.UInt64(500_000);
        start.UInt64(10_000_000);
        start.UInt64(20_000);
        start.UInt8Array([24]);
        start.UInt32(0);
        writer.Write(0, Start.Header(Time(0), 4, 16), start.Bytes, Start.Items);
        var sync = new TraceLoggingPayload(stackalloc byte[32]);
        sync.UInt64((ulong)Time(1));
        sync.UInt64((ulong)Time(1));
        writer.Write(0, ClockSync.Header(Time(1), 4, 16), sync.Bytes, ClockSync.Items);
        rest(writer);
    });
}
