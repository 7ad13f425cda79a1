using static Tracer.Adversary.KernelRecords;

namespace Tracer.Adversary;

/// <summary>Kernel records of all kinds that have nothing to do with each other.</summary>
internal static class RandomKernel
{
    private const int Cpus = 4;
    private const uint Threads = 200;

    /// <summary>Kinds that the analysis follows, without those that have a method of their own.</summary>
    private static readonly ushort[] Others =
    [
        KernelHook.ClockInterrupt, KernelHook.WdfDpc, KernelHook.WdfIsr, KernelHook.DpcEnqueue, KernelHook.DpcExecution,
        KernelHook.HardFault, KernelHook.IdleEnter, KernelHook.IdleExit, KernelHook.IdleExitLatency, KernelHook.PerformanceStateChange,
        KernelHook.NmiSample, KernelHook.PassiveIsr, KernelHook.ThreadedDpc, KernelHook.TimerDpc, KernelHook.IsrMessageSignalled,
    ];

    /// <summary>Their times are without order.</summary>
    public static byte[] AtAnyTime(int bytes) => Of(bytes, (random, _) => random.NextInt64(3600 * Second));

    /// <summary>They come one after the other.</summary>
    public static byte[] InOrder(int bytes) => Of(bytes, (_, number) => number * 20 * Microsecond);

    private static byte[] Of(int bytes, Func<Random, long, long> time) => AdversaryTrace.Written(Cpus, compress: false, 64 * 1024, writer =>
    {
        var random = new Random(7);
        writer.Images(16);
        writer.Interval(Millisecond);
        for (int number = 0; number < bytes / 40; number++)
        {
            Write(writer, random, random.Next(Cpus), time(random, number));
        }
    });

    private static void Write(EtlWriter writer, Random random, int cpu, long at)
    {
        long length = random.Next(4) == 0 ? random.NextInt64(20 * Millisecond) : random.NextInt64(100 * Microsecond);
        uint thread = 8 + (uint)random.Next((int)Threads);
        ulong code = Code(random.Next(18), 16 * random.Next(256));
        switch (random.Next(10))
        {
            case 0:
                writer.Isr(cpu, at - length, at, code);
                break;
            case 1 or 2:
                writer.Dpc(cpu, at - length, at, code);
                break;
            case 3 or 4:
                writer.Ready(cpu, at, thread);
                break;
            case 5 or 6:
                writer.Switch(cpu, at, 8 + (uint)random.Next((int)Threads), (sbyte)random.Next(32), thread, (sbyte)random.Next(32));
                break;
            case 7:
                writer.Sample(cpu, at, code, thread, (byte)random.Next(256));
                writer.Stack(cpu, at, thread, [code, Code(random.Next(18)), Code(random.Next(18))]);
                break;
            case 8:
                writer.SpinLock(
                    cpu, at - length, at, 0xFFFF_A000_0000_0000 + (ulong)random.Next(8), code, thread, (uint)random.Next(3_000_000));
                break;
            default:
                ulong first = random.Next(2) == 0 ? code : (ulong)Time(at - length);
                writer.Numbers(
                    cpu, Others[random.Next(Others.Length)], 2, at, first, (ulong)random.Next(8), code, thread, (ulong)random.Next(4096));
                break;
        }
    }
}
