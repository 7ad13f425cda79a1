using static Tracer.Adversary.KernelRecords;

namespace Tracer.Adversary;

/// <summary>More images, processes, threads and callers than machines have.</summary>
internal static class Crowds
{
    private const int ImageRecordBytes = 16 + 56 + (2 * 42);

    /// <summary>As many drivers as DPCs, each of which is too long.</summary>
    public static byte[] OfDrivers(int bytes) => AdversaryTrace.Written(1, compress: false, 64 * 1024, writer =>
    {
        int drivers = bytes / (ImageRecordBytes + RoutineBytes);
        writer.Images(drivers);
        for (int number = 0; number < drivers; number++)
        {
            long at = number * 2 * Millisecond;
            writer.Dpc(0, at, at + Millisecond, Code(2 + number));
        }
    });

    /// <summary>As many processes as waits, each with a thread.</summary>
    public static byte[] OfProcesses(int bytes) => AdversaryTrace.Written(1, compress: false, 64 * 1024, writer =>
    {
        int processes = bytes / (80 + 104 + ReadyBytes + SwitchBytes);
        writer.Images(2);
        for (int number = 1; number <= processes; number++)
        {
            writer.Process(4 * (uint)number, $"p{number}.exe");
            writer.Thread(4 * (uint)number, (4 * (uint)number) + 1, 24);
        }

        uint ran = 0;
        for (int number = 1; number <= processes; number++)
        {
            uint next = (4 * (uint)number) + 1;
            writer.Ready(0, number * Millisecond, next);
            writer.Switch(0, (number * Millisecond) + (900 * Microsecond), ran, 24, next, 24);
            ran = next;
        }
    });

    /// <summary>Samples in DPCs of a millisecond whose stacks are as deep as Windows records, all of them different.</summary>
    public static byte[] OfCallers(int bytes) => AdversaryTrace.Written(1, compress: false, 64 * 1024, writer =>
    {
        const int Depth = 192;
        const int Images = 200;
        var random = new Random(7);
        writer.Images(Images);
        writer.Interval(Millisecond);
        ulong[] frames = new ulong[Depth];
        int samples = bytes / (RoutineBytes + SampleBytes + StackBytes + (8 * Depth));
        for (int number = 0; number < samples; number++)
        {
            long at = number * Millisecond;
            for (int depth = 0; depth < Depth; depth++)
            {
                frames[depth] = Code(random.Next(Images), random.Next(0xE0000));
            }

            writer.Sample(0, at + (500 * Microsecond), frames[0], 0, 1);
            writer.Stack(0, at + (500 * Microsecond), 0, frames);
            writer.Dpc(0, at + (100 * Microsecond), at + (900 * Microsecond), Code(2 + (number % Images)));
        }
    });

    /// <summary>Threads that each wake on a beat of their own and are late at times.</summary>
    public static byte[] OfBeats(int bytes) => AdversaryTrace.Written(1, compress: false, 64 * 1024, writer =>
    {
        const int Wakes = 40;
        int threads = Math.Max(1, bytes / Wakes / (ReadyBytes + (2 * SwitchBytes)));
        long period = threads * 40 * Microsecond;
        writer.Images(2);
        for (int number = 0; number < Wakes * threads; number++)
        {
            uint thread = 8 + (uint)(number % threads);
            long late = number / threads % 20 == 19 ? Millisecond : 0;
            long at = (number / threads * period) + (number % threads * 40 * Microsecond) + late;
            writer.Ready(0, at, thread);
            writer.Switch(0, at + (10 * Microsecond), 0, 0, thread, 24);
            writer.Switch(0, at + (20 * Microsecond), thread, 24, 0, 0);
        }
    });

    /// <summary>Routines that each run on a beat of their own, too long each time.</summary>
    public static byte[] OfPeriodicRoutines(int bytes) => AdversaryTrace.Written(1, compress: false, 64 * 1024, writer =>
    {
        const int Runs = 20;
        int routines = Math.Max(1, bytes / Runs / (RoutineBytes - 8));
        writer.Images(200);
        for (int number = 0; number < Runs * routines; number++)
        {
            long at = number * Millisecond;
            writer.Dpc(0, at, at + (800 * Microsecond), Code(2 + (number % routines % 200), 16 * (number % routines / 200)));
        }
    });

    /// <summary>Names that are as long as a record may be, and late threads that have them.</summary>
    public static byte[] OfLongNames(int bytes) => AdversaryTrace.Written(1, compress: false, 128 * 1024, writer =>
    {
        const int Length = 30_000;
        const int Uses = 20;
        int names = Math.Max(1, bytes / (2 * Length));
        for (int number = 0; number < names; number++)
        {
            writer.Image(number, @"\" + new string('n', Length) + number.ToString(CultureInfo.InvariantCulture) + ".sys");
        }

        for (int number = 0; number < Uses * names; number++)
        {
            long at = number * 2 * Millisecond;
            writer.Dpc(0, at, at + Millisecond, Code(number % names));
        }
    });
}
