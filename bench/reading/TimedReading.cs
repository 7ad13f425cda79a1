using System.Diagnostics;
using Tracer.Analysis;
using Tracer.Analysis.Contents;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Request;
using Tracer.Etl.Reading;
using Tracer.Etl.Stacks;

namespace Tracer.Bench.Reading;

/// <summary>
/// <c>read MODE FILE [--warm SMALL] [--passes N] [--threads N]</c>: reads a trace in one way and prints one line: the time, the
/// CPU time, what was read, a sum that depends on every byte looked at, and the peak of the process's memory.
/// </summary>
/// <remarks>
/// The time begins before the file is opened and ends when the last event was taken. It does not hold the start of the runtime nor the
/// compilation of the loops, which the passes over the small file take before.
/// </remarks>
internal static class TimedReading
{
    private const int WarmMilliseconds = 400;

    private static int _threads = Environment.ProcessorCount;

    public static int Run(string[] args)
    {
        string? warm = null;
        int passes = 1;
        List<string> names = [];
        for (int i = 0; i < args.Length; i++)
        {
            switch (args[i])
            {
                case "--warm":
                    warm = args[++i];
                    break;
                case "--passes":
                    passes = int.Parse(args[++i], CultureInfo.InvariantCulture);
                    break;
                case "--threads":
                    _threads = int.Parse(args[++i], CultureInfo.InvariantCulture);
                    break;
                default:
                    names.Add(args[i]);
                    break;
            }
        }

        if (names.Count != 2 || WorkOf(names[0]) is not { } work)
        {
            Console.Error.WriteLine(
                "read plain|headers|file|cpu|cpu-all|time|time-all|threads|xpress|stacks|info|facts|blame FILE [--warm SMALL] [--passes N] "
                + "[--threads N]");
            return 2;
        }

        if (warm is not null)
        {
            for (var warming = Stopwatch.StartNew(); warming.ElapsedMilliseconds < WarmMilliseconds;)
            {
                work(warm);
            }
        }

        var times = new double[passes];
        TimeSpan cpuBefore = Environment.CpuUsage.TotalTime;
        Outcome outcome = default;
        for (int pass = 0; pass < passes; pass++)
        {
            var watch = Stopwatch.StartNew();
            outcome = work(names[1]);
            times[pass] = outcome.Milliseconds ?? watch.Elapsed.TotalMilliseconds;
        }

        double cpuTime = (Environment.CpuUsage.TotalTime - cpuBefore).TotalMilliseconds / passes;
        Array.Sort(times);
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"mode={names[0]} ms={times[passes / 2]:0.00} cpu_ms={cpuTime:0.00} events={outcome.Events} "
            + $"bytes={outcome.Bytes} sum={outcome.Sum:x} peak_kb={PeakKilobytes()} min_ms={times[0]:0.00}"));
        return 0;
    }

    private static Func<string, Outcome>? WorkOf(string mode) => mode switch
    {
        "plain" => ReadPlainly,
        "headers" => path => ReadHeaders(path, EtlOrder.Any),
        "file" => path => ReadFields<LatencySums>(path, EtlOrder.File),
        "cpu" => path => ReadFields<LatencySums>(path, EtlOrder.Cpu),
        "time" => path => ReadFields<LatencySums>(path, EtlOrder.Time),
        "cpu-all" => path => ReadFields<FieldSums>(path, EtlOrder.Cpu),
        "time-all" => path => ReadFields<FieldSums>(path, EtlOrder.Time),
        "threads" => ReadFieldsByTwoThreads,
        "xpress" => Decompress,
        "stacks" => ReadWithStacks,
        "info" => ReadContents,
        "facts" => ReadFacts,
        "blame" => Blame,
        _ => null,
    };

    /// <summary>The floor of every reading: the bytes in blocks, and nothing done with them.</summary>
    private static Outcome ReadPlainly(string path)
    {
        using TraceInput input = TraceInput.OfPath(path);
        byte[] block = new byte[InputWindow.BlockBytes];
        long offset = 0;
        ulong sum = 0;
        while (input.ReadFully(block, offset) is > 0 and int read)
        {
            offset += read;
            sum += block[0];
        }

        return new Outcome(0, offset, sum);
    }

    private static Outcome ReadHeaders(string path, EtlOrder order)
    {
        using EtlReader reader = Open(path);
        HeaderSums sums = default;
        Expect(reader.Read(order, ref sums));
        return new Outcome(sums.Events, 0, (ulong)sums.Sum);
    }

    /// <summary>In order of time, each event with its stack: the frames are added up.</summary>
    private static Outcome ReadWithStacks(string path)
    {
        using EtlReader reader = Open(path);
        StackSums sums = default;
        Expect(reader.ReadWithStacks(ref sums));
        return new Outcome(sums.Events, 0, sums.Sum);
    }

    /// <summary>What <c>analyzer info</c> reads.</summary>
    private static Outcome ReadContents(string path)
    {
        using EtlReader reader = Open(path);
        var contents = new TraceContents(() => null);
        contents.Read(reader);
        return new Outcome(contents.Events, 0, (ulong)contents.BusySamples);
    }

    /// <summary>The first of the two readings of an analysis.</summary>
    private static Outcome ReadFacts(string path)
    {
        using EtlReader reader = Open(path);
        TraceFacts facts = TraceFacts.Read(reader);
        return new Outcome(facts.Contents.Events, 0, (ulong)facts.Images.Images.Count);
    }

    /// <summary>The whole analysis, up to its report.</summary>
    private static Outcome Blame(string path)
    {
        using EtlReader reader = Open(path);
        BlameReport report = BlameAnalysis.Analyze(path, reader, new BlameRequest()).Report;
        return new Outcome(report.Trace.Events, 0, (ulong)report.Episodes.Count);
    }

    private static Outcome ReadFields<TSums>(string path, EtlOrder order)
        where TSums : struct, IEtlEventSink, IFieldSums
    {
        using EtlReader reader = Open(path);
        TSums sums = default;
        Expect(reader.Read(order, ref sums));
        return new Outcome(sums.Events, 0, sums.Sum + (ulong)sums.Decoded);
    }

    private static Outcome ReadFieldsByTwoThreads(string path)
    {
        using EtlReader reader = Open(path);
        LatencySums total = default;
        foreach (LatencySums sums in reader.ReadCpus(2, _ => default(LatencySums)))
        {
            total.Events += sums.Events;
            total.Decoded += sums.Decoded;
            total.Sum += sums.Sum;
        }

        return new Outcome(total.Events, 0, total.Sum + (ulong)total.Decoded);
    }

    /// <summary>Decompresses every buffer; the time is that of the decompression alone.</summary>
    private static Outcome Decompress(string path)
    {
        using TraceInput input = TraceInput.OfPath(path);
        var window = new InputWindow(input);
        var health = new TraceHealth();
        var walk = new BufferWalk(window, null, health, 0);
        byte[] block = [];
        long ticks = 0;
        long bytes = 0;
        ulong sum = 0;
        while (walk.MoveNext())
        {
            if (!walk.Header.IsCompressed)
            {
                continue;
            }

            ReadOnlySpan<byte> stored = window.Peek(walk.Offset, walk.StoredBytes);
            long start = Stopwatch.GetTimestamp();
            int end = BufferDecompression.Decompress(walk.Header, stored, ref block, walk.Offset, health);
            ticks += Stopwatch.GetTimestamp() - start;
            Expect(end == walk.FilledBytes);
            bytes += end - EtlBufferHeader.HeaderBytes;
            sum += BitConverter.ToUInt64(block, end - 64); // The time of the last event.
        }

        return new Outcome(0, bytes, sum, 1000.0 * ticks / Stopwatch.Frequency);
    }

    private static EtlReader Open(string path)
    {
        EtlReader reader = EtlReader.Open(path);
        reader.Threads = _threads;
        return reader;
    }

    private static void Expect(bool isTrue)
    {
        if (!isTrue)
        {
            throw new InvalidOperationException("The trace could not be read whole.");
        }
    }

    /// <summary>What Linux says was the most physical memory the process had; 0 elsewhere.</summary>
    public static long PeakKilobytes()
    {
        const string Name = "VmHWM:";
        const string Status = "/proc/self/status";
        if (!File.Exists(Status))
        {
            return 0;
        }

        string line = File.ReadLines(Status).First(text => text.StartsWith(Name, StringComparison.Ordinal));
        return long.Parse(line[Name.Length..].Replace("kB", "", StringComparison.Ordinal).Trim(), CultureInfo.InvariantCulture);
    }

    private readonly record struct Outcome(long Events, long Bytes, ulong Sum, double? Milliseconds = null);
}
