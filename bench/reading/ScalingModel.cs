using System.Text;
using Tracer.Analysis;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;
using Tracer.Analysis.Request;
using Tracer.Etl.Reading;

namespace Tracer.Bench.Reading;

/// <summary>
/// <c>scaling FILE [--warm SMALL] [--passes N]</c>: measures the parts of blame and tells what a model of how they run beside each other
/// makes of them with 1 to 16 cores. A model, not a measurement: it knows no shared caches, no memory that is too slow, and no waiting for
/// the slowest lane of a round. The parts are measured as CPU time of one thread, so that others who use the machine do little harm.
/// </summary>
internal static class ScalingModel
{
    private static readonly int[] Cores = [1, 2, 4, 8, 16];

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
            TraceFacts.Counter[] counters = [.. Enumerable.Range(0, TraceFacts.Counters).Select(_ => new TraceFacts.Counter(pointerBytes))];
            reader.ReadCounting(counters, ref sink);
        }) - index;
        double order = Median(passes, path, static reader =>
            reader.ReadRounds(_ => default(Nothing), _ => { }, () => { }, Rings.EventsOfRound, KernelHook.SampledProfile)) - index;
        (double lanes, int cpus) = Lanes(passes, path);
        lanes -= index + order;
        double load = Median(passes, path, _ => Load(path)) - index;
        double blame = Median(passes, path, reader => BlameAnalysis.Analyze(path, reader, new BlameRequest()));
        return new Parts(
            decode, index, Math.Max(0, facts - counted), counted, load, order - load, lanes, blame - index - facts - order - lanes, cpus,
            new FileInfo(path).Length);
    }

    /// <summary>
    /// The CPU time of a second reading that builds the lanes and does nothing with them, in ms, and how many lanes there are.
    /// </summary>
    private static (double Milliseconds, int Cpus) Lanes(int passes, string path)
    {
        int cpus = 0;
        double lanes = Median(passes, path, static reading => reading.Read(), reader =>
        {
            var reading = new LanesOnly(reader);
            cpus = reader.Cpus.Count;
            return reading;
        });
        return (lanes, cpus);
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

    private static double Median(int passes, string path, Action<EtlReader> work) => Median(passes, path, work, static reader => reader);

    /// <param name="prepare">What it needs; not timed.</param>
    private static double Median<T>(int passes, string path, Action<T> work, Func<EtlReader, T> prepare)
    {
        double[] times = new double[passes];
        for (int pass = 0; pass < passes; pass++)
        {
            using EtlReader reader = EtlReader.Open(path);
            reader.Threads = 1;
            T prepared = prepare(reader);
            TimeSpan before = Environment.CpuUsage.TotalTime;
            work(prepared);
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
        Row("first reading: frequent events counted", parts.Counted, $"on {TraceFacts.Counters} cores at most");
        Row("first reading: the rest, and what is made of it", parts.Facts, "alone");
        Row("second reading: buffers read, decompressed, their events found", parts.Load, "one thread for each CPU of the trace");
        Row("second reading: rounds", parts.Order, "on one thread, beside the rest");
        Row("second reading: lanes", parts.Lanes, $"on {parts.Cpus} cores at most");
        Row("second reading: threads, delays, causes; report", parts.Core, "on one thread, beside the lanes of the next round");
        text.AppendLine();
        text.AppendLine(CultureInfo.InvariantCulture, $"Ordered typed decode by one thread: {parts.Decode:0} ms.");
        text.AppendLine();
        text.AppendLine("| cores | blame by the model, ms | GB/s | times the ordered typed decode by one thread |");
        text.AppendLine("|---|---|---|---|");
        foreach (int cores in Cores)
        {
            double modelled = parts.With(cores);
            text.AppendLine(
                CultureInfo.InvariantCulture,
                $"| {cores} | {modelled:0} | {parts.Bytes / modelled / 1e6:0.00} | {modelled / parts.Decode:0.00} |");
        }

        text.AppendLine();
        text.AppendLine("Not measured: caches and memory that cores share, waiting for the slowest lane of a round, the start of threads;");
        text.AppendLine("that the report, some 3 %, is made when all else is done.");

        return text.ToString().ReplaceLineEndings("\n");

        void Row(string part, double milliseconds, string runs) =>
            text.AppendLine(CultureInfo.InvariantCulture, $"| {part} | {milliseconds:0} | {runs} |");
    }

    /// <summary>What the parts take on one thread, in ms.</summary>
    private sealed record Parts(
        double Decode, double Index, double Facts, double Counted, double Load, double Order, double Lanes, double Core, int Cpus,
        long Bytes)
    {
        public double With(int cores)
        {
            double first = Index + Facts + (Counted / Math.Min(cores, TraceFacts.Counters));
            double second = Load + Order + Lanes + Core;
            return first + Math.Max(second / cores, Math.Max(Core, Math.Max(Lanes / Math.Min(cores, Cpus), Order)));
        }
    }

    /// <summary>The second reading without what follows the threads.</summary>
    private sealed class LanesOnly
    {
        private readonly EtlReader _reader;
        private readonly MachineState _machine;
        private readonly MachineSettings _settings;
        private readonly DelaySettings _whose;
        private readonly OwnersOfCode _owners;
        private readonly List<LaneReading> _lanes = [];

        public LanesOnly(EtlReader reader)
        {
            _reader = reader;
            TraceFacts facts = TraceFacts.Read(reader);
            var settings = new AnalysisSettings(new BlameRequest(), reader.Header.Clock, facts, null);
            _machine = MachineStart.Of(facts, reader.Header, settings.ThresholdTicks, null, TracePart.Whole);
            _settings = settings.Machine(hasLevels: true);
            _whose = settings.Delays();
            _owners = new OwnersOfCode(facts, new ModuleMap(facts.Images, ModuleCalls.Of(facts)), _machine, null);
            _settings.Stacks.Complete();
        }

        public void Read() => _reader.ReadRounds(
            Begin, _ => _lanes.ForEach(EndRound), () => { }, Rings.EventsOfRound, KernelHook.SampledProfile);

        private static void EndRound(LaneReading lane)
        {
            lane.Lane.Shown.Follow(lane.Lane.Past);
            lane.HandOver();
        }

        private Feed Begin(int cpu)
        {
            var lane = new Lane(cpu, _settings, _machine);
            var found = new HeldDelays();
            var reading = new LaneReading(
                lane, _owners.ClientsOfLane(), new LevelProbes(_whose, cpu, found), found, null, _machine, _settings.HasDpcQueue);
            _lanes.Add(reading);
            return new Feed(reading);
        }
    }

    private readonly struct Feed(LaneReading lane) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (traceEvent.TimestampTicks > 0 && traceEvent.Kind != EtlHeaderKind.Message)
            {
                lane.Add(
                    in traceEvent, traceEvent.IsKernelHook ? traceEvent.HookId : KernelHook.Of(in traceEvent) ?? 0,
                    traceEvent.TimestampTicks);
            }

            return true;
        }
    }

    private readonly struct Nothing : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent) => true;
    }
}
