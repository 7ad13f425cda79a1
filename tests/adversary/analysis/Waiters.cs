using static Tracer.Adversary.KernelRecords;

namespace Tracer.Adversary;

/// <summary>
/// Real-time threads of one CPU that all wait from the start until the end: each wait asks about everything that ran meanwhile.
/// </summary>
internal static class Waiters
{
    private const uint FirstThread = 1000;
    private const sbyte RealTime = 24;
    private const int Cpus = 4;
    private const int WaitBytes = ReadyBytes + SwitchBytes;

    /// <summary>What Windows itself writes of an interrupt storm: 50,000 a second, with 40 threads that wait.</summary>
    public static byte[] InStorm(int bytes)
    {
        const int Waiters = 40;
        const long Interval = 20 * Microsecond;
        int interrupts = (bytes - (Waiters * WaitBytes)) / (RoutineBytes + RoutineBytes - 8);
        return Written(Waiters, interrupts * Interval, writer =>
        {
            for (int number = 0; number < interrupts; number++)
            {
                long at = number * Interval;
                writer.Isr(0, at, at + (3 * Microsecond), Code(2));
                writer.Dpc(0, at + (4 * Microsecond), at + (18 * Microsecond), Code(3));
                if (number % 50 == 49)
                {
                    writer.Sample(0, at + (19 * Microsecond), Code(3, 0x40), 0, 1);
                }
            }
        });
    }

    /// <summary>As many DPCs as waits.</summary>
    public static byte[] BehindDpcs(int bytes)
    {
        const long Interval = 100 * Microsecond;
        int waits = bytes / (WaitBytes + RoutineBytes - 8);
        return Written(waits, waits * Interval, writer =>
        {
            for (int number = 0; number < waits; number++)
            {
                writer.Dpc(0, number * Interval, (number * Interval) + (90 * Microsecond), Code(2 + (number % 8), 16 * number % 4096));
            }
        });
    }

    /// <summary>As many runs of threads of a higher priority as waits.</summary>
    public static byte[] BehindThreads(int bytes)
    {
        const long Interval = 100 * Microsecond;
        const uint FirstOther = 1_000_000;
        int waits = bytes / (WaitBytes + SwitchBytes);
        return Written(waits, waits * Interval, writer =>
        {
            uint ran = 0;
            for (int number = 0; number < waits; number++)
            {
                uint next = FirstOther + (uint)number;
                writer.Switch(0, number * Interval, ran, 31, next, 31);
                ran = next;
            }

            writer.Switch(0, waits * Interval, ran, 31, 0, 0);
        });
    }

    /// <summary>As many samples with stacks as waits, in a thread of a low priority that does not give way.</summary>
    public static byte[] BehindSamples(int bytes)
    {
        const long Interval = Millisecond;
        const uint Low = 900_000;
        int waits = bytes / (WaitBytes + SampleBytes + StackBytes + 32);
        return Written(waits, waits * Interval, writer =>
        {
            writer.Switch(0, 0, 0, 0, Low, 8);
            for (int number = 0; number < waits; number++)
            {
                long at = (number * Interval) + 1;
                writer.Sample(0, at, Code(2 + (number % 8), number % 4096), Low);
                writer.Stack(0, at, Low, [Code(2 + (number % 8), number % 4096), Code(0), Code(3), Code(0, 64)]);
            }

            writer.Switch(0, waits * Interval, Low, 8, 0, 0);
        });
    }

    /// <summary>As many times as threads wait, all CPUs stop for 5 ms.</summary>
    public static byte[] BehindBlackouts(int bytes)
    {
        const int SamplesOfBlackout = 4;
        int waits = bytes / (WaitBytes + (Cpus * SamplesOfBlackout * SampleBytes));
        return Written(waits, waits * 10 * Millisecond, writer =>
        {
            for (int number = 0; number < waits * SamplesOfBlackout; number++)
            {
                long at = ((number / SamplesOfBlackout * 10) + (number % SamplesOfBlackout)) * Millisecond;
                for (int cpu = 0; cpu < Cpus; cpu++)
                {
                    writer.Sample(cpu, at + cpu, Code(0), 0, 0);
                }
            }
        });
    }

    /// <summary>As many times as threads wait, another CPU that they may use idles, and is parked.</summary>
    public static byte[] BesideParked(int bytes)
    {
        const long Interval = Millisecond;
        const uint Other = 900_000;
        const int ThreadBytes = 104;
        const int ParkBytes = 96;
        int waits = bytes / (WaitBytes + ThreadBytes + (2 * SwitchBytes) + (2 * ParkBytes));
        return Written(waits, waits * Interval, writer =>
        {
            for (int number = 0; number < waits; number++)
            {
                writer.Thread(4, FirstThread + (uint)number, (byte)RealTime);
            }

            for (int number = 0; number < waits; number++)
            {
                long at = number * Interval;
                writer.Switch(1, at + Microsecond, 0, 0, Other, 31);
                writer.Switch(1, at + (10 * Microsecond), Other, 31, 0, 0);
                writer.Park(1, at + (300 * Microsecond), isParked: true);
                writer.Park(1, at + (600 * Microsecond), isParked: false);
            }
        });
    }

    /// <summary>As many times as threads wait, another CPU holds a lock that ours spins for.</summary>
    public static byte[] BehindLocks(int bytes)
    {
        const long Interval = Millisecond;
        int waits = bytes / (WaitBytes + RoutineBytes - 8 + (2 * 72));
        return Written(waits, waits * Interval, writer =>
        {
            for (int number = 0; number < waits; number++)
            {
                long at = number * Interval;
                ulong address = 0xFFFF_A000_0000_0000 + (64ul * (ulong)(number % 64));
                writer.SpinLock(1, at, at + (700 * Microsecond), address, Code(2), 0, 0);
                writer.SpinLock(0, at + (701 * Microsecond), at + (702 * Microsecond), address, Code(3), 0, 2_000_000);
                writer.Dpc(0, at + (10 * Microsecond), at + (800 * Microsecond), Code(3));
            }
        });
    }

    private static byte[] Written(int waits, long end, Action<EtlWriter> meanwhile) =>
        AdversaryTrace.Written(Cpus, compress: false, 64 * 1024, writer =>
        {
            writer.Images(8);
            writer.Interval(Millisecond);
            for (int cpu = 1; cpu < Cpus; cpu++)
            {
                writer.Dpc(cpu, 0, Microsecond, Code(3)); // None that logs nothing: a thread might have been there.
            }

            for (int number = 0; number < waits; number++)
            {
                writer.Ready(0, 0, FirstThread + (uint)number);
            }

            meanwhile(writer);
            uint ran = 0;
            for (int number = 0; number < waits; number++)
            {
                uint next = FirstThread + (uint)number;
                writer.Switch(0, end + (number * Microsecond), ran, RealTime, next, RealTime);
                ran = next;
            }
        });
}
