using static Tracer.Adversary.KernelRecords;

namespace Tracer.Adversary;

/// <summary>ISRs and DPCs whose times no single CPU could have.</summary>
internal static class Spans
{
    /// <summary>Each begins in half of those before it and ends behind all of them.</summary>
    public static byte[] Overlapping(int bytes) => Of(bytes, (number, count) => (number - (count / 2), number));

    /// <summary>Each ends before it begins.</summary>
    public static byte[] Reversed(int bytes) => Of(bytes, (number, count) => (number + (count / 2), number));

    /// <summary>Each contains all those before it.</summary>
    public static byte[] Nested(int bytes) => Of(bytes, (number, count) => (count - number, count + number));

    /// <summary>Each contains all those before it, and threads that were waiting run in between.</summary>
    public static byte[] NestedWaits(int bytes) => AdversaryTrace.Written(1, compress: false, 64 * 1024, writer =>
    {
        writer.Images(4);
        int count = bytes / (RoutineBytes + ReadyBytes + SwitchBytes);
        for (int number = 1; number < count; number++)
        {
            long at = (count + number) * 100 * Microsecond;
            writer.Ready(0, at - (90 * Microsecond), (uint)number);
            Write(writer, number, (count - number) * 100 * Microsecond, at);
            writer.Switch(0, at + 1, (uint)number - 1, 24, (uint)number, 24);
        }
    });

    private static byte[] Of(int bytes, Func<int, int, (int From, int To)> span) =>
        AdversaryTrace.Written(1, compress: false, 64 * 1024, writer =>
        {
            writer.Images(4);
            int count = bytes / (RoutineBytes - 4);
            for (int number = 1; number < count; number++)
            {
                (int from, int to) = span(number, count);
                Write(writer, number, from * Microsecond, to * Microsecond);
            }
        });

    private static void Write(EtlWriter writer, int number, long from, long to)
    {
        if (number % 2 == 0)
        {
            writer.Isr(0, from, to, Code(2));
        }
        else
        {
            writer.Dpc(0, from, to, Code(3));
        }
    }
}
