using System.Text;
using Tracer.Analysis;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Request;
using Tracer.Etl.Reading;

namespace Tracer.Bench.Reading;

/// <summary>
/// <c>scaling FILE [--warm SMALL] [--passes N]</c>: measures the parts of blame and tells what a model of how they run beside each other
/// makes of them with 1 to 16 cores. A model, not a measurement: it knows no shared caches and no memory that is too slow. The parts are
/// measured as CPU time of one thread, so that others who use the machine do little harm.
/// </summary>
internal static class ScalingModel
{
    private static readonly int[] Cores = [1, 2, 4, 8, 16];

    /// <summary>Parts of a file that the first reading counts at a time (TraceFacts).</summary>
    private const int Counters = 2;

    /// <returns>0; 64 for wrong usage.</returns>
    public static int Run(string[] args)
    {
        string? path = null;
        string? warm = null;
        int passes = 3;
        for (int i = 0; i < args.Length; i++)
        {
            switch (args[i])
            {
                case "--warm" when i + 1 < args.Length:
                    warm = args[++i];
                    break;
                case "--passes" when i + 1 < args.Length && int.TryParse(args[i + 1], out passes) && passes > 0:
                    i++;
                    break;
                default:
                    path = path is null && !args[i].StartsWith('-') ? args[i] : "";
                    break;
            }
        }

        if (path is null or "")
        {
            Console.Error.WriteLine("scaling FILE [--warm SMALL] [--passes N]");
            return 64;
        }

        if (warm is not null)
        {
            _ = Measured(warm, 3);
        }

        Console.Out.Write(Table(Measured(path, passes)));
        return 0;
    }

    private static Parts Measured(string path, int passes)
    {
        double decode = Median(passes, path, reader =>
        {
            LatencySums sums = default;
            reader.Read(EtlOrder.Time, ref sums);
        });
        double index = Median(passes, path, reader => _ = reader.Cpus);
        double facts = Median(passes, path, reader => TraceFacts.Read(reader)) - index;
        double counted = Median(passes, path, reader =>
        {
            Nothing sink = default;
            int pointerBytes = reader.Header.PointerBytes;
            TraceFacts.Counter[] counters = [.. Enumerable.Range(0, Counters).Select(_ => new TraceFacts.Counter(pointerBytes))];
            reader.ReadCounting(counters, ref sink);
        }) - index;
        double order = Median(passes, path, reader =>
        {
            Nothing sink = default;
            reader.ReadAhead(ref sink, KernelHook.SampledProfile);
        }) - index;
        double load = Median(passes, path, _ => Load(path)) - index;
        double blame = Median(passes, path, reader => BlameAnalysis.Analyze(path, reader, new BlameRequest()));
        return new Parts(decode, index, Math.Max(0, facts - counted), counted, load, order - load, blame - index - facts - order);
    }

    /// <summary>Loads every buffer as a reading in order of time does, without the order.</summary>
    private static void Load(string path)
    {
        using TraceInput input = TraceInput.OfPath(path);
        BufferIndex index = BufferIndex.Of(input, null, 0);
        var health = new TraceHealth();
        var cursor = new MergeCursor();
        byte[] compressed = [];
        for (int cpu = 0; cpu < index.Cpus.Count; cpu++)
        {
            var filter = new StackFilter([KernelHook.SampledProfile]);
            foreach (ref readonly BufferIndex.Place place in index.Of(cpu))
            {
                cursor.Load(input, in place, null, health, filter, ref compressed);
            }
        }
    }

    private static double Median(int passes, string path, Action<EtlReader> work)
    {
        double[] times = new double[passes];
        for (int pass = 0; pass < passes; pass++)
        {
            TimeSpan before = Environment.CpuUsage.TotalTime;
            using (EtlReader reader = EtlReader.Open(path))
            {
                reader.Threads = 1;
                work(reader);
            }

            times[pass] = (Environment.CpuUsage.TotalTime - before).TotalMilliseconds;
        }

        Array.Sort(times);
        return times[passes / 2];
    }

    private static string Table(Parts parts)
    {
        var text = new StringBuilder();
        text.AppendLine("| part | CPU, ms | runs |");
        text.AppendLine("|---|---|---|");
        Row("index of the buffers", parts.Index, "alone, once");
        Row("first reading: frequent events counted", parts.Counted, $"on {Counters} cores at most");
        Row("first reading: the rest, and what is made of it", parts.Facts, "alone");
        Row("second reading: buffers read, decompressed, their events found", parts.Load, "one thread for each CPU of the trace");
        Row("second reading: order", parts.Order, "on a thread of its own");
        Row("second reading: machine, delays, causes; report", parts.Core, "on a thread of its own");
        text.AppendLine();
        text.AppendLine(CultureInfo.InvariantCulture, $"Ordered typed decode by one thread: {parts.Decode:0} ms.");
        text.AppendLine();
        text.AppendLine("| cores | blame by the model, ms | times the ordered typed decode by one thread |");
        text.AppendLine("|---|---|---|");
        foreach (int cores in Cores)
        {
            text.AppendLine(CultureInfo.InvariantCulture, $"| {cores} | {parts.With(cores):0} | {parts.With(cores) / parts.Decode:0.00} |");
        }

        return text.ToString().ReplaceLineEndings("\n");

        void Row(string part, double milliseconds, string runs) =>
            text.AppendLine(CultureInfo.InvariantCulture, $"| {part} | {milliseconds:0} | {runs} |");
    }

    /// <summary>What the parts take on one thread, in ms.</summary>
    private sealed record Parts(
        double Decode, double Index, double Facts, double Counted, double Load, double Order, double Core)
    {
        public double With(int cores)
        {
            double first = Index + Facts + (Counted / Math.Min(cores, Counters));
            return first + cores switch
            {
                1 => Load + Order + Core,
                2 => Math.Max(Load + Order, Core),
                _ => Math.Max(Math.Max(Order, Core), Load / (cores - 2)),
            };
        }
    }

    private readonly struct Nothing : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent) => true;
    }
}
