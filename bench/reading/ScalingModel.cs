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
/// the slowest lane of a round. The parts are measured as CPU time of one thread, the least of some passes, so that others who use the
/// machine do little harm.
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
        double decode = Least(passes, path, reader =>
        {
            LatencySums sums = default;
            reader.Read(EtlOrder.Time, ref sums);
        });
        double index = Least(passes, path, reader => _ = reader.Cpus);
        double facts = Least(passes, path, reader => TraceFacts.Read(reader)) - index;
        double counted = Least(passes, path, reader =>
        {
            Nothing sink = default;
            int pointerBytes = reader.Header.PointerBytes;
            TraceFacts.Counter[] counters = [.. Enumerable.Range(0, TraceFacts.Counters).Select(_ => new TraceFacts.Counter(pointerBytes))];
            reader.ReadCounting(counters, ref sink);
        }) - index;
        double order = Least(passes, path, static reader =>
            reader.ReadRounds(_ => default(Nothing), _ => { }, [], Rings.EventsOfRound, KernelHook.SampledProfile)) - index;
        (double lanes, double ahead, int cpus) = Lanes(passes, path);
        lanes -= index + order + ahead;
        double load = Least(passes, path, _ => Load(path)) - index;
        double blame = Least(passes, path, reader => BlameAnalysis.Analyze(path, reader, new BlameRequest()));
        return new Parts(
            decode, index, Math.Max(0, facts - counted), counted, load, order - load, lanes, ahead,
            blame - index - facts - order - lanes - ahead, cpus, new FileInfo(path).Length);
    }

    /// <summary>
    /// The CPU time of a second reading that builds the lanes, puts in order what they hand over, and follows no threads; how much of it
    /// that order takes, both in ms; and how many lanes there are.
    /// </summary>
    private static (double Milliseconds, double Ahead, int Cpus) Lanes(int passes, string path)
    {
        int cpus = 0;
        List<double> ahead = [];
        double lanes = Least(
            passes,
            path,
            reading =>
            {
                reading.Read();
                ahead.Add(reading.Ahead.TotalMilliseconds);
            },
            reader =>
            {
                cpus = reader.Cpus.Count;
                return new LanesOnly(reader);
            });
        return (lanes, ahead.Min(), cpus);
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

    private static double Least(int passes, string path, Action<EtlReader> work) => Least(passes, path, work, static reader => reader);

    /// <param name="prepare">What it needs; not timed.</param>
    private static double Least<T>(int passes, string path, Action<T> work, Func<EtlReader, T> prepare)
    {
        double[] times = new double[passes];
        for (int pass = 0; pass < passes; pass++)
        {
            using EtlReader reader = EtlReader.Open(path);
            reader.Threads = 1;
            T prepared = prepare(reader);

            // What the pass before left is not this one's to collect.
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
            TimeSpan before = Environment.CpuUsage.TotalTime;
            work(prepared);
            times[pass] = (Environment.CpuUsage.TotalTime - before).TotalMilliseconds;
        }

        return times.Min();
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
        Row("second reading: their records in order, queues of DPCs", parts.Ahead, "on one thread, beside the lanes of the next round");
        Row("second reading: threads, delays, causes; report", parts.Core, "on one thread, beside that");
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
        double Decode, double Index, double Facts, double Counted, double Load, double Order, double Lanes, double Ahead, double Core,
        int Cpus, long Bytes)
    {
        public double With(int cores)
        {
            double first = Index + Facts + (Counted / Math.Min(cores, TraceFacts.Counters));
            double second = Load + Order + Lanes + Ahead + Core;
            return first
                + Math.Max(second / cores, Math.Max(Math.Max(Ahead, Core), Math.Max(Lanes / Math.Min(cores, Cpus), Order)));
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
        private readonly LaneReading?[] _lanes;
        private readonly List<Lane> _active = [];
        private readonly RoundInOrder _order;

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
            _lanes = new LaneReading?[_machine.Lanes.Length];
            _order = new RoundInOrder(_machine, _settings);
        }

        /// <summary>CPU time of the order.</summary>
        public TimeSpan Ahead { get; private set; }

        public void Read() => _reader.ReadRounds(
            Begin, _ => EndRound(), [PutInOrder], Rings.EventsOfRound, KernelHook.SampledProfile);

        private void PutInOrder()
        {
            TimeSpan before = Environment.CpuUsage.TotalTime;
            _order.PutInOrder();
            Ahead += Environment.CpuUsage.TotalTime - before;
        }

        private void EndRound()
        {
            _active.ForEach(lane => _lanes[lane.Past.Cpu]!.EndPass());
            _active.Clear();
            foreach (LaneReading? lane in _lanes)
            {
                if (lane is { IsActive: true })
                {
                    lane.Lane.Shown.Follow(lane.Lane.Past);
                    (_machine.Lanes[lane.Lane.Past.Cpu], _machine.Cpus[lane.Lane.Past.Cpu]) = (lane.Lane, lane.Lane.Shown);
                    lane.HandOver();
                    _active.Add(lane.Lane);
                }
            }

            _order.Begin(_active, _lanes);
        }

        private Feed Begin(int cpu)
        {
            var lane = new Lane(cpu, _settings, _machine);
            var found = new HeldDelays();
            var reading = new LaneReading(
                lane, _owners.ClientsOfLane(), new LevelProbes(_whose, cpu, found), found, null, _machine, _settings.HasDpcQueue);
            _lanes[cpu] = reading;
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
