using static Tracer.Adversary.KernelRecords;

namespace Tracer.Adversary;

/// <summary>As many CPUs as a file can name.</summary>
internal static class ManyCpus
{
    private const int Cpus = EtlBufferHeader.MaximumProcessors;

    /// <summary>Each CPU has a DPC, a thread and a sample at times.</summary>
    public static byte[] Busy(int bytes) => AdversaryTrace.Written(Cpus, compress: true, 64 * 1024, writer =>
    {
        writer.Images(4);
        writer.Interval(Millisecond);
        for (int number = 0; number < bytes / 128; number++)
        {
            int cpu = number % Cpus;
            long at = (number / Cpus * 3 * Millisecond) + (cpu * Microsecond);
            writer.Ready(cpu, at, 8 + (uint)cpu);
            writer.Sample(cpu, at + 1, Code(2), 0, 1);
            writer.Dpc(cpu, at, at + Millisecond, Code(2));
            writer.Switch(cpu, at + (2 * Millisecond), 0, 0, 8 + (uint)cpu, 24);
        }
    });

    /// <summary>All CPUs are sampled, and all samples are late at once again and again.</summary>
    public static byte[] Stopped(int bytes) => AdversaryTrace.Written(256, compress: false, 64 * 1024, writer =>
    {
        writer.Images(4);
        writer.Interval(Millisecond);
        for (int number = 0; number < bytes / SampleBytes; number++)
        {
            long beat = number / 256;
            writer.Sample(number % 256, (beat * Millisecond) + (beat % 3 == 2 ? 900 * Microsecond : 0), Code(0), 0, 0);
        }
    });
}
