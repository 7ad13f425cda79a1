using Tracer.Contract;

namespace Tracer.Simulator;

/// <summary>
/// A simulated machine under NT: interrupts by IRQL, DPC queues, threads by priority, timers, idle states, masked interrupts and
/// stalls, as a discrete-event simulation in whole nanoseconds. The same options and the same program give the same calls of the log.
/// Build it (threads, lines, timers), <see cref="Run"/> it once, then ask for <see cref="Truth"/>.
/// </summary>
public sealed partial class Machine
{
    private readonly MachineOptions _options;
    private readonly IKernelLog _log;
    private readonly Recording _recording;
    private readonly Cpu[] _cpus;
    private readonly List<SimulatedThread> _threads = [];
    private readonly EventQueue _happenings = new();
    private readonly Queue<Cpu> _toSettle = new();
    private readonly TruthCollector _truth;
    private readonly RandomSequence _idSteps;
    private readonly Occasions? _occasions;
    private const ulong ThreadOccasion = 0x7468726561640000;

    private Cpu? _active;
    private uint _lastThreadId = 96;
    private bool _hasRun;

    /// <summary>Makes a machine that has not started.</summary>
    /// <param name="options">What it is like.</param>
    /// <param name="log">Takes its records.</param>
    public Machine(MachineOptions options, IKernelLog log)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(log);
        ArgumentOutOfRangeException.ThrowIfLessThan(options.Cpus, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(options.Cpus, 64);
        ArgumentOutOfRangeException.ThrowIfLessThan(options.CpusPerReadyQueue, 1);
        _options = options;
        _log = log;
        _recording = options.Recording;
        _occasions = options.Draws is null ? null : new Occasions(options.Draws);
        _cpus = new Cpu[options.Cpus];
        _truth = new TruthCollector(options, _threads, _cpus);
        _idSteps = Random("thread ids");
        var idle = new SimulatedProcess(0, "Idle");
        ReadyQueue? queue = null;
        for (int i = 0; i < _cpus.Length; i++)
        {
            queue = i % options.CpusPerReadyQueue == 0 ? new ReadyQueue() : queue;
            var frame = new Frame(FrameKind.Idle, Irql.Passive, options.Kernel.Idle);
            _cpus[i] = new Cpu(i, new SimulatedThread(0, idle, 0, 1UL << i, i, frame), queue!);
        }

        foreach (Cpu cpu in _cpus)
        {
            AddThread(new ThreadOptions
            {
                Process = SystemProcess,
                Program = () => ThreadedDpcProgram(cpu),
                Priority = 31,
                Affinity = 1UL << cpu.Index,
                IdealCpu = cpu.Index,
                Owner = options.Kernel.Owner,
            });
        }
    }

    /// <summary>The process of the kernel's and drivers' own threads.</summary>
    public SimulatedProcess SystemProcess { get; } = new(4, "System");

    /// <summary>Nanoseconds since the machine was started.</summary>
    public long NowNs { get; private set; }

    /// <summary>The CPU whose code asks; -1 outside code of a CPU.</summary>
    public int CurrentCpu => _active?.Index ?? -1;

    /// <summary>Where records go: for those that only a scenario knows of (disk transfers, page faults).</summary>
    public IKernelLog Log => _log;

    /// <summary>All threads but the idle ones.</summary>
    public IReadOnlyList<SimulatedThread> Threads => _threads;

    /// <summary>What the machine was made of.</summary>
    public MachineOptions Options => _options;

    /// <summary>The random numbers of one source, which stay when other sources come or go.</summary>
    public RandomSequence Random(string source) => new(_options.Seed, source, _occasions);

    /// <summary>A body of one stretch of code that takes a random time.</summary>
    /// <param name="source">Name of the source of random numbers.</param>
    /// <param name="code">What runs.</param>
    /// <param name="length">For how long.</param>
    /// <param name="then">What it does at its end; nothing when left out.</param>
    public Func<IEnumerable<Step>> Body(string source, CodeStretch code, Spread length, params Step[] then)
    {
        ArgumentNullException.ThrowIfNull(length);
        ArgumentNullException.ThrowIfNull(then);
        RandomSequence random = Random(source);
        return Steps;

        IEnumerable<Step> Steps()
        {
            yield return Step.Run(code, length.Next(random));
            foreach (Step step in then)
            {
                yield return step;
            }
        }
    }

    /// <summary>Adds a thread; it begins when the machine starts.</summary>
    public SimulatedThread AddThread(ThreadOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentOutOfRangeException.ThrowIfLessThan(options.Priority, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(options.Priority, 31);
        ulong all = _cpus.Length == 64 ? ulong.MaxValue : (1UL << _cpus.Length) - 1;
        ulong affinity = options.Affinity & all;
        ArgumentOutOfRangeException.ThrowIfZero(affinity);
        int ideal = options.IdealCpu ?? (_threads.Count % _cpus.Length);
        while ((affinity & (1UL << ideal)) == 0)
        {
            ideal = (ideal + 1) % _cpus.Length;
        }

        uint id = options.Id ?? (_lastThreadId += 4 * (uint)(1 + _idSteps.NextBelow(20)));
        var frame = new Frame(FrameKind.Thread, Irql.Passive, options.StartsAt ?? _options.Kernel.Dispatcher)
        {
            Owner = options.Owner ?? options.Process.Owner,
            Steps = options.Program().GetEnumerator(),
        };
        frame.Occasion = Occasion.Of(ThreadOccasion, id);
        var thread = new SimulatedThread(id, options.Process, options.Priority, affinity, ideal, frame);
        _threads.Add(thread);
        return thread;
    }

    /// <summary>Connects ISRs to an interrupt vector, the first to be asked first.</summary>
    /// <param name="vector">The vector, as ISR records give it.</param>
    /// <param name="irql">The level of the ISRs, 3 to 12.</param>
    /// <param name="cpus">The CPUs that take the interrupt; of several each time a random one.</param>
    /// <param name="chain">The ISRs: one, or several that share the line.</param>
    public InterruptLine Connect(ushort vector, int irql, int[] cpus, params Isr[] chain)
    {
        ArgumentNullException.ThrowIfNull(cpus);
        ArgumentNullException.ThrowIfNull(chain);
        ArgumentOutOfRangeException.ThrowIfZero(cpus.Length);
        ArgumentOutOfRangeException.ThrowIfZero(chain.Length);
        return new InterruptLine(vector, irql, cpus, Random($"line {vector}"), chain);
    }

    /// <summary>Adds a timer.</summary>
    /// <param name="name">Name of its source of random numbers.</param>
    /// <param name="cpu">The CPU whose clock it follows.</param>
    /// <param name="schedule">When it is due.</param>
    /// <param name="dpc">Its DPC; null for none.</param>
    public KernelTimer AddTimer(string name, int cpu, Arrivals schedule, Dpc? dpc = null)
    {
        ArgumentNullException.ThrowIfNull(schedule);
        var timer = new KernelTimer(cpu, schedule.Take(), Random(name), dpc);
        SetTimer(timer, schedule.Next(timer.Random!));
        return timer;
    }

    /// <summary>A device interrupts now.</summary>
    public void Raise(Isr isr)
    {
        ArgumentNullException.ThrowIfNull(isr);
        InterruptLine line = isr.Line ?? throw new InvalidOperationException("The ISR is connected to no line.");
        // Two that the ISR finds at once are served as the first.
        isr.Occasion = isr.IsAsserted ? isr.Occasion : OccasionNow;
        isr.IsAsserted = true;
        Cpu cpu = _cpus[line.NextCpu()];
        cpu.AddPending(line);
        AskToSettle(cpu);
    }

    /// <summary>A device interrupts again and again.</summary>
    /// <param name="name">Name of its source of random numbers.</param>
    /// <param name="isr">Its ISR.</param>
    /// <param name="arrivals">When.</param>
    public void RaiseAgain(string name, Isr isr, Arrivals arrivals) => Repeat(name, arrivals, machine => machine.Raise(isr));

    /// <summary>All CPUs stop again and again, as firmware or a device does it on its own.</summary>
    /// <param name="name">Name of its source of random numbers.</param>
    /// <param name="owner">Who is to blame.</param>
    /// <param name="arrivals">When.</param>
    /// <param name="length">For how long.</param>
    /// <param name="then">What its end brings, at that time; null for nothing.</param>
    public void StallAgain(string name, CodeOwner owner, Arrivals arrivals, Spread length, Action<Machine>? then = null)
    {
        ArgumentNullException.ThrowIfNull(length);
        RandomSequence lengths = Random(name + " length");
        Repeat(name, arrivals, machine => machine.StallNow(owner, length.Next(lengths), then));
    }

    /// <summary>All CPUs stop.</summary>
    /// <param name="owner">Who is to blame.</param>
    /// <param name="ns">For how long, in nanoseconds.</param>
    /// <param name="then">What its end brings, at that time; null for nothing.</param>
    public void StallNow(CodeOwner owner, long ns, Action<Machine>? then = null) => BeginStall(new Stall(owner, null, null, then), ns);

    /// <summary>Does something outside the CPUs again and again.</summary>
    /// <param name="name">Name of its source of random numbers.</param>
    /// <param name="arrivals">When.</param>
    /// <param name="action">What.</param>
    public void Repeat(string name, Arrivals arrivals, Action<Machine> action)
    {
        ArgumentNullException.ThrowIfNull(arrivals);
        var source = new Source(arrivals.Take(), Random(name), action);
        _happenings.Add(arrivals.Next(source.Random), HappeningKind.Arrival, source);
    }

    /// <summary>Does something outside the CPUs after a time: a device that has finished interrupts so.</summary>
    /// <param name="delayNs">Nanoseconds from now.</param>
    /// <param name="action">What.</param>
    public void After(long delayNs, Action<Machine> action) =>
        _happenings.Add(EndOf(delayNs), HappeningKind.Action, AtThisOccasion(action));

    /// <summary>Runs the machine from its start; only once.</summary>
    /// <param name="durationNs">For how long, in nanoseconds.</param>
    public void Run(long durationNs)
    {
        if (_hasRun)
        {
            throw new InvalidOperationException("A machine runs once.");
        }

        _hasRun = true;
        StartClocks();
        StartBalancing();
        foreach (SimulatedThread thread in _threads)
        {
            Begin(thread);
        }

        SettleAll();
        while (!_happenings.IsEmpty && _happenings.NextTimeNs <= durationNs)
        {
            Happening next = _happenings.Take();
            NowNs = next.TimeNs;
            Handle(next);
            SettleAll();
        }

        NowNs = durationNs;
        foreach (Cpu cpu in _cpus)
        {
            Account(cpu);
        }
    }

    /// <summary>What really happened, with what the scenario says of itself.</summary>
    public TruthReport Truth(TruthDeclaration declaration) => _truth.Report(declaration, _cpus, NowNs);

    private void Begin(SimulatedThread thread)
    {
        const long LatestNs = 4_000_000;
        if (_options.ThreadShift == 0)
        {
            Place(thread, isPreempted: false);
            return;
        }

        var random = new RandomSequence(_options.Seed, $"beginning {_options.ThreadShift} of {thread.Id}");
        After(random.NextBelow(LatestNs), machine => machine.Place(thread, isPreempted: false));
    }

    private void Handle(in Happening next)
    {
        OccasionNow = 0;
        switch (next.Kind)
        {
            case HappeningKind.StepEnd:
                var cpu = (Cpu)next.Subject;
                if (cpu.StepVersion == next.Version)
                {
                    cpu.StepPlannedNs = -1;
                    AskToSettle(cpu);
                }

                break;
            case HappeningKind.Clock:
                ClockIsDue((Cpu)next.Subject);
                break;
            case HappeningKind.Profile:
                ProfileIsDue((Cpu)next.Subject);
                break;
            case HappeningKind.StallEnd:
                EndStall();
                break;
            case HappeningKind.Arrival:
                var source = (Source)next.Subject;
                source.Arrivals.Note(NowNs);
                OccasionNow = Occasion.Of(source.Random.Source, (ulong)++source.Count);
                source.Action(this);
                OccasionNow = 0;
                _happenings.Add(Math.Max(NowNs, source.Arrivals.Next(source.Random)), HappeningKind.Arrival, source);
                break;
            default:
                ((Action<Machine>)next.Subject)(this);
                break;
        }
    }

    private bool Records(Recording kind) => (_recording & kind) != 0;

    private sealed record Source(Arrivals Arrivals, RandomSequence Random, Action<Machine> Action)
    {
        public long Count { get; set; }
    }
}
