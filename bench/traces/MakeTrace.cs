using System.Diagnostics;

namespace Tracer.Bench.Traces;

/// <summary><c>make-trace FILE --size 2G [--compressed] [--cpus 8]</c>: writes the trace that the readings are timed on.</summary>
internal static class MakeTrace
{
    private const long Start = 133_000_000_000_000_000;
    private const long TicksPerSecond = 10_000_000;
    private const int BufferBytes = 64 * 1024;

    public static int Run(string[] args)
    {
        string? path = null;
        long bytes = 2L << 30;
        int cpus = 8;
        bool compressed = false;
        for (int i = 0; i < args.Length; i++)
        {
            switch (args[i])
            {
                case "--size":
                    bytes = ParseSize(args[++i]);
                    break;
                case "--cpus":
                    cpus = int.Parse(args[++i], CultureInfo.InvariantCulture);
                    break;
                case "--compressed":
                    compressed = true;
                    break;
                default:
                    path = args[i];
                    break;
            }
        }

        if (path is null)
        {
            Console.Error.WriteLine("make-trace FILE [--size 2G] [--compressed] [--cpus 8]");
            return 2;
        }

        Write(path, bytes, compressed, cpus);
        return 0;
    }

    /// <summary>Writes a trace of so many bytes; compressed, of as many events as would take them uncompressed.</summary>
    private static void Write(string path, long bytes, bool compressed, int cpus)
    {
        long eventsPerBuffer = (BufferBytes - EtlBufferHeader.HeaderBytes) / InterruptLoad.StoredRecordBytes;
        long events = bytes / BufferBytes * eventsPerBuffer;
        var watch = Stopwatch.StartNew();
        EtlFileHeader header = new()
        {
            Clock = new TraceClock(TraceClockKind.Qpc, TicksPerSecond, InterruptLoad.FirstTicks, Start),
            ProcessorCount = cpus,
            BufferBytes = BufferBytes,
            OsBuild = 26100,
            CpuMhz = 3000,
            SessionName = "NT Kernel Logger",
            FileName = "bench.etl",
        };
        using EtlWriter writer = EtlWriter.Create(path, header, new EtlWriterOptions { Compress = compressed });
        var load = new InterruptLoad(writer, cpus);
        while (load.Events < events)
        {
            load.WriteBurst();
        }

        writer.Complete(Start + load.LastTicks);
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"events={load.Events} file={new FileInfo(path).Length} ms={watch.Elapsed.TotalMilliseconds:0}"));
    }

    private static long ParseSize(string text)
    {
        int shift = text[^1] switch
        {
            'K' => 10,
            'M' => 20,
            'G' => 30,
            _ => 0,
        };
        return long.Parse(shift == 0 ? text : text[..^1], CultureInfo.InvariantCulture) << shift;
    }
}
