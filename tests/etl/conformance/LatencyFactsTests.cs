using System.Text;

namespace Tracer.Etl.Tests.Conformance;

/// <summary>
/// The one real trace with DPC and ISR records, against what a decoder that shares no code with this one says of it. It is what confirms
/// the layouts of these records.
/// </summary>
public class LatencyFactsTests
{
    private static readonly Lazy<Counts> Read = new(() => new Counts());

    private readonly LatencyFacts _facts = new();

    [Fact]
    public void Records_are_as_many()
    {
        Counts counts = Read.Value;
        Assert.Equal(
            (_facts.Count("dpc"), _facts.Count("isr"), _facts.Count("cs"), _facts.Count("samples"), _facts.Count("stacks")),
            (counts.Durations("DPC").Count() + counts.Durations("timer DPC").Count() + counts.Durations("threaded DPC").Count(),
                counts.Vectors.Values.Sum(), counts.SwitchesOfCpu.Values.Sum(), counts.Samples, counts.Stacks));
        Assert.Equal(_facts.KernelImages, counts.KernelImages);
        Assert.Equal(_facts.DpcsOfCpu.OrderBy(pair => pair.Key), counts.DpcsOfCpu.OrderBy(pair => pair.Key));
        Assert.Equal(_facts.SwitchesOfCpu.OrderBy(pair => pair.Key), counts.SwitchesOfCpu.OrderBy(pair => pair.Key));
        Assert.Equal(_facts.DeviceIsrsOfCpu, counts.DeviceIsrsOfCpu);
    }

    [Fact]
    public void Interrupts_have_the_same_vectors_modules_and_results()
    {
        // The file lists the most frequent vectors only.
        foreach ((string vector, int count) in _facts.Vectors)
        {
            Assert.Equal((vector, count), (vector, Read.Value.Vectors[vector]));
        }

        Assert.True(_facts.Vectors.Count >= 8);
        Assert.Equal(_facts.ReturnValues.OrderBy(pair => pair.Key), Read.Value.ReturnValues.OrderBy(pair => pair.Key));
    }

    [Fact]
    public void Routines_of_every_module_took_the_same_time()
    {
        foreach ((string heading, string routines) in LatencyFacts.Tables)
        {
            List<RoutineTimes> expected = _facts.Table(heading);
            Assert.NotEmpty(expected);
            List<RoutineTimes> found = Read.Value.Times(routines);
            Assert.Equal(
                expected.OrderBy(one => one.Module, StringComparer.Ordinal), found.OrderBy(one => one.Module, StringComparer.Ordinal));
        }
    }

    /// <summary>What the trace says, by our reader and records.</summary>
    private sealed class Counts
    {
        private readonly List<(ulong From, ulong To, string Name)> _images = [];
        private readonly List<(string Kind, ulong Routine, long Ticks)> _runs = [];
        private readonly List<(int Vector, ulong Routine, ushort Hook, int Cpu)> _interrupts = [];
        private readonly long _ticksPerSecond;

        public Counts()
        {
            using EtlReader reader = TraceVisit.Open("randomascii-slowppt.etl.gz");
            _ticksPerSecond = reader.Header.Clock.TicksPerSecond;
            TraceVisit.Visit(reader, EtlOrder.Time, Add);
            foreach ((int vector, ulong routine, ushort hook, int cpu) in _interrupts)
            {
                string module = ModuleOf(routine);
                string key = string.Create(CultureInfo.InvariantCulture, $"0x{vector:x} {module} 0x{hook:x}");
                Vectors[key] = Vectors.GetValueOrDefault(key) + 1;
                if (module != "hal.dll")
                {
                    Count(DeviceIsrsOfCpu, cpu);
                }
            }
        }

        public Dictionary<string, int> Vectors { get; } = [];

        public Dictionary<int, int> ReturnValues { get; } = [];

        public Dictionary<int, int> DpcsOfCpu { get; } = [];

        public Dictionary<int, int> DeviceIsrsOfCpu { get; } = [];

        public Dictionary<int, int> SwitchesOfCpu { get; } = [];

        public int Samples { get; private set; }

        public int Stacks { get; private set; }

        public int KernelImages => _images.Select(image => image.From).Distinct().Count();

        public IEnumerable<long> Durations(string kind) => _runs.Where(run => run.Kind == kind).Select(run => run.Ticks);

        public List<RoutineTimes> Times(string kind) =>
        [
            .. _runs.Where(run => run.Kind == kind).GroupBy(run => ModuleOf(run.Routine))
                .Select(group => RoutineTimes.Of(group.Key, group.Select(run => run.Ticks), _ticksPerSecond)),
        ];

        private static void Count(Dictionary<int, int> counts, int key) => counts[key] = counts.GetValueOrDefault(key) + 1;

        private string ModuleOf(ulong routine) =>
            _images.Find(image => routine >= image.From && routine < image.To).Name ?? "(no image)";

        private void Add(scoped in EtlEvent traceEvent)
        {
            switch (traceEvent.HookId)
            {
                case KernelHook.Dpc or KernelHook.TimerDpc or KernelHook.ThreadedDpc
                    when DpcRecord.TryRead(in traceEvent, out DpcRecord dpc):
                    string kind = traceEvent.HookId switch
                    {
                        KernelHook.Dpc => "DPC",
                        KernelHook.TimerDpc => "timer DPC",
                        _ => "threaded DPC",
                    };
                    _runs.Add((kind, dpc.Routine, traceEvent.TimestampTicks - dpc.InitialTime));
                    Count(DpcsOfCpu, traceEvent.Cpu);
                    break;
                case KernelHook.Isr or KernelHook.IsrMessageSignalled when IsrRecord.TryRead(in traceEvent, out IsrRecord isr):
                    bool isLine = traceEvent.HookId == KernelHook.Isr;
                    _runs.Add((isLine ? "ISR of a line" : "ISR of a message", isr.Routine, traceEvent.TimestampTicks - isr.InitialTime));
                    _interrupts.Add((isr.Vector!.Value, isr.Routine, traceEvent.HookId, traceEvent.Cpu));
                    Count(ReturnValues, (int)isr.ReturnValue);
                    break;
                case KernelHook.ContextSwitch:
                    Count(SwitchesOfCpu, traceEvent.Cpu);
                    break;
                case KernelHook.SampledProfile:
                    Samples++;
                    break;
                case KernelHook.Stack:
                    Stacks++;
                    break;
                case KernelHook.ImageLoad or 0x1403 or 0x1404 when ImageRecord.TryRead(in traceEvent, out ImageRecord image)
                    && image.ProcessId is null or 0:
                    string path = Encoding.Unicode.GetString(image.FileName);
                    _images.Add((image.ImageBase, image.ImageBase + image.ImageSize, path[(path.LastIndexOf('\\') + 1)..]));
                    break;
                default:
                    break;
            }
        }
    }
}
