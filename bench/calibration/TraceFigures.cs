using System.Text;
using Tracer.Etl.Stacks;

namespace Tracer.Bench.Calibration;

/// <summary>What a routine's record says it is.</summary>
internal enum RoutineKind
{
    /// <summary>An ordinary DPC.</summary>
    Dpc,

    TimerDpc,

    /// <summary>An ISR, of a line or a message.</summary>
    Isr,
}

/// <summary>The figures of one trace that a simulated machine is compared with: nothing but records is looked at.</summary>
internal sealed class TraceFigures
{
    private const int LongestStack = 192;
    private const long Millisecond = 1_000_000;

    private readonly Dictionary<(RoutineKind Kind, ulong Address), RoutineFigures> _routines = [];
    private readonly List<(ulong Base, ulong End, string Name)> _modules = [];
    private readonly HashSet<string> _paths = [];
    private readonly HashSet<uint> _processes = [];
    private readonly long[] _lastSample;
    private readonly uint[] _running;
    private readonly HashSet<long> _busyMilliseconds = [];

    private TraceFigures(int cpus)
    {
        Cpus = cpus;
        _lastSample = new long[cpus];
        _running = new uint[cpus];
        Switches = new long[cpus];
        SampleIntervals = [.. Enumerable.Range(0, cpus).Select(_ => new Quantiles())];
    }

    /// <summary>Logical processors.</summary>
    public int Cpus { get; }

    /// <summary>From the first sample, ISR or DPC to the last, in seconds.</summary>
    public double Seconds { get; private set; }

    /// <summary>Context switches of each CPU.</summary>
    public long[] Switches { get; }

    /// <summary>From one sample of a CPU to the next, in microseconds.</summary>
    public Quantiles[] SampleIntervals { get; }

    public long Samples { get; private set; }

    /// <summary>Samples that hit the idle thread.</summary>
    public long IdleSamples { get; private set; }

    /// <summary>Frames of the stacks of all samples.</summary>
    public Quantiles Frames { get; } = new();

    /// <summary>Frames of the stacks of samples that hit a thread.</summary>
    public Quantiles BusyFrames { get; } = new();

    /// <summary>How long a thread ran that had a CPU.</summary>
    public Quantiles ThreadRuns { get; } = new();

    /// <summary>Kernel modules.</summary>
    public int Modules => _modules.Count;

    /// <summary>Different images, kernel modules among them.</summary>
    public int Images => _paths.Count;

    /// <summary>Processes, the idle one among them.</summary>
    public int Processes => _processes.Count;

    /// <summary>Places of images in processes.</summary>
    public int MappedImages { get; private set; }

    /// <summary>Part of the milliseconds in which a sample hit a thread on any CPU.</summary>
    public double BusyShare => _busyMilliseconds.Count / (Seconds * 1_000);

    public static TraceFigures Of(Stream trace)
    {
        using var reader = EtlReader.Open(trace, "trace");
        var figures = new TraceFigures(reader.Header.ProcessorCount);
        var sink = new Sink(figures, reader.Header.Clock);
        reader.ReadWithStacks(ref sink);
        figures.Seconds = (sink.LastNs - sink.FirstNs) / 1e9;
        return figures;
    }

    /// <summary>How long the routines of a kind ran, in microseconds with what interrupted them, by the module that they lie in.</summary>
    public Dictionary<string, Quantiles> ByModule(RoutineKind kind)
    {
        Dictionary<string, Quantiles> modules = new(StringComparer.OrdinalIgnoreCase);
        foreach (((RoutineKind Kind, ulong Address) key, RoutineFigures routine) in _routines)
        {
            if (key.Kind == kind)
            {
                string name = ModuleOf(key.Address);
                modules.TryAdd(name, new Quantiles());
                modules[name].Add(routine.Lengths);
            }
        }

        return modules;
    }

    /// <summary>How many routines of these kinds ran on each CPU, those of the HAL left out.</summary>
    public long[] PerCpu(params IReadOnlyList<RoutineKind> kinds)
    {
        long[] counts = new long[Cpus];
        foreach (((RoutineKind Kind, ulong Address) key, RoutineFigures routine) in _routines)
        {
            bool counted = kinds.Contains(key.Kind) && !ModuleOf(key.Address).Equals("hal.dll", StringComparison.OrdinalIgnoreCase);
            for (int cpu = 0; counted && cpu < Cpus; cpu++)
            {
                counts[cpu] += routine.PerCpu[cpu];
            }
        }

        return counts;
    }

    private string ModuleOf(ulong address) =>
        _modules.Find(module => address >= module.Base && address < module.End).Name ?? "?";

    private sealed record RoutineFigures(Quantiles Lengths, long[] PerCpu);

    /// <summary>Takes what it needs of each event.</summary>
    private sealed class Sink(TraceFigures figures, TraceClock clock) : IStackedEventSink
    {
        private readonly long[] _switchedNs = new long[figures.Cpus];

        public long FirstNs { get; private set; } = long.MaxValue;

        public long LastNs { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent, scoped in EventStack stack)
        {
            if ((traceEvent.IsKernelHook ? traceEvent.HookId : KernelHook.Of(in traceEvent)) is not { } hook)
            {
                return true;
            }

            long timeNs = clock.NanosecondsFromHeader(traceEvent.TimestampTicks);
            int cpu = traceEvent.Cpu;
            switch (hook)
            {
                case KernelHook.Isr or KernelHook.IsrMessageSignalled when IsrRecord.TryRead(in traceEvent, out IsrRecord isr):
                    Add(RoutineKind.Isr, isr.Routine, isr.InitialTime, timeNs, cpu);
                    break;
                case KernelHook.Dpc or KernelHook.TimerDpc when DpcRecord.TryRead(in traceEvent, out DpcRecord dpc):
                    Add(hook == KernelHook.Dpc ? RoutineKind.Dpc : RoutineKind.TimerDpc, dpc.Routine, dpc.InitialTime, timeNs, cpu);
                    break;
                case KernelHook.SampledProfile when SampledProfileRecord.TryRead(in traceEvent, out SampledProfileRecord sample):
                    Sample(sample, cpu, timeNs, stack.FrameCount);
                    break;
                case KernelHook.ContextSwitch when ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord change):
                    figures.Switches[cpu]++;
                    if (figures._running[cpu] == change.OldThreadId && change.OldThreadId != 0)
                    {
                        figures.ThreadRuns.Add((timeNs - _switchedNs[cpu]) / 1e3);
                    }

                    figures._running[cpu] = change.NewThreadId;
                    _switchedNs[cpu] = timeNs;
                    break;
                case KernelHook.ImageDCEnd when ImageRecord.TryRead(in traceEvent, out ImageRecord image):
                    Image(image);
                    break;
                default:
                    break;
            }

            return true;
        }

        private void Add(RoutineKind kind, ulong address, long initialTicks, long endNs, int cpu)
        {
            long startNs = clock.NanosecondsFromHeader(initialTicks);
            if (!figures._routines.TryGetValue((kind, address), out RoutineFigures? routine))
            {
                routine = new RoutineFigures(new Quantiles(), new long[figures.Cpus]);
                figures._routines.Add((kind, address), routine);
            }

            routine.Lengths.Add((endNs - startNs) / 1e3);
            routine.PerCpu[cpu]++;
            FirstNs = Math.Min(FirstNs, startNs);
            LastNs = Math.Max(LastNs, endNs);
        }

        private void Sample(in SampledProfileRecord sample, int cpu, long timeNs, int frames)
        {
            figures.Samples++;
            bool isIdle = sample.ThreadId == 0;
            figures.IdleSamples += isIdle ? 1 : 0;
            if (figures._lastSample[cpu] != 0)
            {
                figures.SampleIntervals[cpu].Add((timeNs - figures._lastSample[cpu]) / 1e3);
            }

            figures._lastSample[cpu] = timeNs;
            frames = Math.Min(frames, LongestStack);
            figures.Frames.Add(frames);
            if (!isIdle)
            {
                figures.BusyFrames.Add(frames);
                figures._busyMilliseconds.Add(timeNs / Millisecond);
            }

            FirstNs = Math.Min(FirstNs, timeNs);
            LastNs = Math.Max(LastNs, timeNs);
        }

        private void Image(in ImageRecord image)
        {
            string path = Encoding.Unicode.GetString(image.FileName);
            figures._processes.Add(image.ProcessId ?? 0);
            figures._paths.Add(path);
            if (image.ProcessId == 0)
            {
                figures._modules.Add((image.ImageBase, image.ImageBase + image.ImageSize, path[(path.LastIndexOf('\\') + 1)..]));
            }
            else
            {
                figures.MappedImages++;
            }
        }
    }
}
