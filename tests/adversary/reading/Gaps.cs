namespace Tracer.Adversary;

/// <summary>Numbers of buffers that are missing, any of which each of many CPUs may have had.</summary>
internal static class Gaps
{
    private const int Cpus = 2048;

    /// <summary>One buffer of each CPU, then a buffer of CPU 0 after each number that a lost one had.</summary>
    public static byte[] Of(int bytes) => AdversaryTrace.Written(Cpus, compress: true, 64 * 1024, writer =>
    {
        int buffers = bytes / 104;
        for (int number = 0; number < buffers; number++)
        {
            int cpu = number < Cpus && number < buffers / 2 ? number : 0;
            if (number >= Cpus || number >= buffers / 2)
            {
                writer.AddLostBuffers(0, 1);
            }

            long ticks = AdversaryTrace.FirstTicks + (1000L * number);
            writer.Write(cpu, EtlEventHeader.PerfInfo(0x0F44, 2, ticks), AdversaryTrace.Payload(16, ticks - 20));
            writer.EndBuffer(cpu);
        }
    });
}
