using System.Buffers.Binary;
using Tracer.Analysis.Modules;

namespace Tracer.Commands.Tests.Blame;

/// <summary>
/// A trace whose ISRs and DPCs have the histograms of a table, and its times by CPU and by second as nearly as whole runs allow.
/// </summary>
internal sealed class UsageTrace(LevelUsage usage)
{
    private const long TicksPerSecond = 10_000_000;
    private const long TicksPerMicro = 10;
    private const long Start = 7_000_000_000;
    private const long StartFileTime = 134_000_000_000_000_000;
    private const ulong FirstImage = 0xFFFFF800_30000000;
    private const uint ImageBytes = 0x10000;

    private readonly string[] _images =
        [.. usage.Dpcs.Concat(usage.Isrs).Select(module => module.Name).OfType<string>().Distinct(StringComparer.OrdinalIgnoreCase)];

    /// <returns>Its path.</returns>
    public string WriteTo(string path)
    {
        var header = new EtlFileHeader
        {
            Clock = new TraceClock(TraceClockKind.Qpc, TicksPerSecond, Start, StartFileTime),
            ProcessorCount = usage.Cpus,
            BufferBytes = 1 << 17,
            SessionName = "usage",
        };
        using var writer = EtlWriter.Create(path, header, new EtlWriterOptions());
        byte[] payload = new byte[1024];
        for (int i = 0; i < _images.Length; i++)
        {
            var image = new KernelImage(FirstImage + ((ulong)i * ImageBytes), ImageBytes, 0, 0x66000000, @"\SystemRoot\" + _images[i]);
            int bytes = KernelPayloadWriter.WriteImage(payload, image);
            writer.Write(0, EtlEventHeader.PerfInfo(KernelHook.ImageDCStart, 3, Start), payload.AsSpan(0, bytes));
        }

        List<Run>[] runs = [.. Enumerable.Range(0, usage.Cpus).Select(_ => new List<Run>())];
        Spread(usage.Dpcs, usage.DpcSeconds, false, runs);
        Spread(usage.Isrs, usage.IsrSeconds, true, runs);
        for (int cpu = 0; cpu < usage.Cpus; cpu++)
        {
            WriteRuns(writer, cpu, runs[cpu]);
        }

        long end = Start + (usage.Span.Nanoseconds / 100);
        writer.Write(0, EtlEventHeader.PerfInfo(0x0F22, 0, end), "end\0"u8);
        writer.Complete(StartFileTime + end - Start);
        return path;
    }

    /// <summary>Gives each run the CPU of its module, and then the second of its CPU, that still lacks most.</summary>
    private void Spread(
        IReadOnlyList<ModuleUsage> modules, IReadOnlyList<IReadOnlyList<Duration>> seconds, bool isIsr, List<Run>[] runs)
    {
        List<(long Ticks, ulong Routine)>[] ofCpus = [.. runs.Select(_ => new List<(long, ulong)>())];
        foreach (ModuleUsage module in modules)
        {
            int image = Array.FindIndex(_images, name => string.Equals(name, module.Name, StringComparison.OrdinalIgnoreCase));
            ulong routine = image < 0 ? 0xFFFFF900_00001000 : FirstImage + ((ulong)image * ImageBytes) + 0x1000;
            long[] wanted = [.. module.Times.Select(time => time.Nanoseconds / 100)];
            var lacking = Queue(wanted);
            long[][] lengths = Lengths(module.Histogram, wanted.Sum());
            foreach (long ticks in lengths.Reverse().SelectMany(bucket => bucket))
            {
                int cpu = Take(lacking, wanted, ticks);
                ofCpus[cpu].Add((ticks, routine));
            }
        }

        for (int cpu = 0; cpu < runs.Length; cpu++)
        {
            long[] wanted = [.. seconds.Select(second => second[cpu].Nanoseconds / 100)];
            var lacking = Queue(wanted);
            foreach ((long ticks, ulong routine) in ofCpus[cpu].OrderByDescending(run => run.Ticks))
            {
                runs[cpu].Add(new Run(Take(lacking, wanted, ticks), ticks, routine, isIsr));
            }
        }
    }

    private static PriorityQueue<int, long> Queue(long[] wanted) => new(wanted.Select((ticks, i) => (i, -ticks)));

    private static int Take(PriorityQueue<int, long> lacking, long[] wanted, long ticks)
    {
        int most = lacking.Dequeue();
        wanted[most] -= ticks;
        lacking.Enqueue(most, -wanted[most]);
        return most;
    }

    /// <summary>Lengths in each bucket that add up to a time as nearly as the bounds of the buckets allow.</summary>
    private static long[][] Lengths(IReadOnlyList<long> histogram, long totalTicks)
    {
        long Low(int bucket) => bucket == 0 ? 1 : (TicksPerMicro << (bucket - 1)) + 1;
        long Room(int bucket) => (TicksPerMicro << bucket) - Low(bucket);
        long least = histogram.Select((count, bucket) => count * Low(bucket)).Sum();
        long room = histogram.Select((count, bucket) => count * Room(bucket)).Sum();
        double part = room == 0 ? 0 : Math.Clamp((double)(totalTicks - least) / room, 0, 1);
        return [.. histogram.Select((count, bucket) =>
        {
            long[] lengths = new long[count];
            double carried = 0;
            for (int i = 0; i < count; i++)
            {
                carried += Room(bucket) * part;
                long more = Math.Clamp((long)Math.Round(carried), 0, Room(bucket));
                carried -= more;
                lengths[i] = Low(bucket) + more;
            }

            return lengths;
        })];
    }

    private void WriteRuns(EtlWriter writer, int cpu, List<Run> runs)
    {
        byte[] payload = new byte[20];
        foreach (IGrouping<int, Run> second in runs.GroupBy(run => run.Second).OrderBy(group => group.Key))
        {
            long at = Start + (second.Key * TicksPerSecond) + 10;
            long length = Math.Min(TicksPerSecond, (usage.Span.Nanoseconds / 100) - (second.Key * TicksPerSecond)) - 20;
            long idle = Math.Max(0, (length - second.Sum(run => run.Ticks)) / second.Count());
            foreach (Run run in second)
            {
                BinaryPrimitives.WriteInt64LittleEndian(payload, at);
                BinaryPrimitives.WriteUInt64LittleEndian(payload.AsSpan(8), run.Routine);
                at += run.Ticks;
                writer.Write(
                    cpu,
                    EtlEventHeader.PerfInfo(run.IsIsr ? KernelHook.Isr : KernelHook.Dpc, 2, at),
                    payload.AsSpan(0, run.IsIsr ? 20 : 16));
                at += idle;
            }
        }
    }

    private readonly record struct Run(int Second, long Ticks, ulong Routine, bool IsIsr);
}
