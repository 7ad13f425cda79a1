namespace Tracer.Adversary;

/// <summary>Sessions that log little and are flushed often: buffers of one event or two, stored as small as they are.</summary>
internal static class TinyBuffers
{
    private const int StoredBytes = 72 + 32;

    /// <summary>One event in each, by time, on one CPU after the other.</summary>
    public static byte[] InOrder(int bytes, int cpus) => AdversaryTrace.Written(cpus, compress: true, 64 * 1024, writer =>
    {
        for (int number = 0; number < bytes / StoredBytes; number++)
        {
            Write(writer, number % cpus, AdversaryTrace.FirstTicks + (1000L * number));
            writer.EndBuffer(number % cpus);
        }
    });

    /// <summary>Two events in each, the second ones behind all first ones, in one stream.</summary>
    public static byte[] Overlapping(int bytes) => AdversaryTrace.Written(1, compress: true, 64 * 1024, writer =>
    {
        int buffers = bytes / (StoredBytes + 32);
        for (int number = 0; number < buffers; number++)
        {
            Write(writer, 0, AdversaryTrace.FirstTicks + (1000L * number));
            Write(writer, 0, AdversaryTrace.FirstTicks + (1000L * (buffers + number)));
            writer.EndBuffer(0);
        }
    });

    private static void Write(EtlWriter writer, int cpu, long ticks) =>
        writer.Write(cpu, EtlEventHeader.PerfInfo(0x0F44, 2, ticks), AdversaryTrace.Payload(16, ticks - 20));
}
