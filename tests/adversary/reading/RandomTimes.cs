namespace Tracer.Adversary;

/// <summary>Time stamps without any order.</summary>
internal static class RandomTimes
{
    /// <summary>DPCs on four CPUs at any time of an hour.</summary>
    public static byte[] Of(int bytes) => AdversaryTrace.Written(4, compress: false, 64 * 1024, writer =>
    {
        var random = new Random(7);
        for (int number = 0; number < bytes / 32; number++)
        {
            long ticks = AdversaryTrace.FirstTicks + random.NextInt64(36_000_000_000);
            writer.Write(number % 4, EtlEventHeader.PerfInfo(0x0F44, 2, ticks), AdversaryTrace.Payload(16, ticks - random.Next(50_000)));
        }
    });
}
