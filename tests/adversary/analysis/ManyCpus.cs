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

    /// <summary>Each CPU logs once, as many as there are kilobytes; then one alone goes on, and misses samples every 60 ms.</summary>
    public static byte[] Silent(int bytes)
    {
        int cpus = Math.Clamp(bytes / 1024, 2, Cpus);
        return AdversaryTrace.Written(cpus, compress: true, 64 * 1024, writer =>
        {
            writer.Images(4);
            writer.Interval(Millisecond);
            for (int cpu = 0; cpu < cpus; cpu++)
            {
                writer.Switch(cpu, cpu, 0, 0, 8 + (uint)cpu, 24);
                writer.Sample(cpu, Millisecond, Code(2), 8 + (uint)cpu);
            }

            for (long number = 1; number <= bytes / (2 * SampleBytes); number++)
            {
                writer.Sample(0, number * 60 * Millisecond, Code(2), 8);
                writer.Sample(0, ((number * 60) + 1) * Millisecond, Code(2), 8);
            }
        });
    }

    /// <summary>Switches alone, and each CPU has none for seconds again and again: each time may be a hole in the trace.</summary>
    public static byte[] Sleeping(int bytes) => AdversaryTrace.Written(256, compress: true, 64 * 1024, writer =>
    {
        for (int number = 0; number < bytes / (2 * SwitchBytes); number++)
        {
            int cpu = number % 256;
            long at = (number / 256 * 5 * Second / 2) + (cpu * Microsecond);
            writer.Switch(cpu, at, 0, 0, 8 + (uint)cpu, 24);
            writer.Switch(cpu, at + 5, 8 + (uint)cpu, 24, 0, 0);
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

    /// <summary>
    /// Threads that one CPU makes ready run on another, half of them by a clock of their own; one in five whenever it likes, so that no
    /// moves of the clocks put all right.
    /// </summary>
    public static byte[] Apart(int bytes)
    {
        const int Cpus = 40;
        const uint Threads = 400;
        static long Ahead(int cpu) => cpu % 2 * cpu * 7 * Millisecond / 10;
        return AdversaryTrace.Written(Cpus, compress: false, 64 * 1024, writer =>
        {
            writer.Images(4);
            var random = new Random(8);
            for (int number = 0; number < bytes / (2 * (ReadyBytes + (2 * SwitchBytes))); number++)
            {
                (int by, int cpu) = (random.Next(Cpus), random.Next(Cpus));
                long early = random.Next(5) == 0 ? random.Next((int)(40 * Millisecond)) : 0;
                long at = (number * Millisecond / 2) + (Cpus * Millisecond);
                uint thread = 1000 + ((uint)number % Threads);
                writer.Ready(by, at + Ahead(by) + early, thread);
                writer.Switch(cpu, at + Ahead(cpu) + (3 * Microsecond), 0, 0, thread, 24);
                writer.Switch(cpu, at + Ahead(cpu) + (100 * Microsecond), thread, 24, 0, 0);

                // In between nothing contradicts, so that each contradiction is seen.
                long next = at + Ahead(cpu) + (100 * Millisecond);
                writer.Ready(cpu, next, thread);
                writer.Switch(cpu, next + (3 * Microsecond), 0, 0, thread, 24);
                writer.Switch(cpu, next + (100 * Microsecond), thread, 24, 0, 0);
            }
        });
    }
}
