using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Engine;

/// <summary>
/// What the parts of a machine share: its time, its CPUs and threads, its log, and what is due. A part is given this and the parts that it
/// needs, and is known to the machine alone.
/// </summary>
internal sealed class MachineState
{
    private readonly Recording _recording;
    private readonly Occasions? _occasions;
    private readonly Queue<Cpu> _toSettle = new();

    public MachineState(Machine machine, MachineOptions options, IKernelLog log)
    {
        Machine = machine;
        Options = options;
        Log = log;
        _recording = options.Recording;
        _occasions = options.Draws is null ? null : new Occasions(options.Draws);
        Cpus = new Cpu[options.Cpus];
        Sleeps = new MachineSleeps(this);
        Truth = new TruthCollector(options, Threads, Cpus);
    }

    /// <summary>What actions of scenarios are given.</summary>
    public Machine Machine { get; }

    public MachineOptions Options { get; }

    public IKernelLog Log { get; }

    public Cpu[] Cpus { get; }

    /// <summary>All threads but the idle ones.</summary>
    public List<SimulatedThread> Threads { get; } = [];

    /// <summary>When it slept.</summary>
    public MachineSleeps Sleeps { get; }

    public EventQueue Happenings { get; } = new();

    public TruthCollector Truth { get; }

    /// <summary>Nanoseconds since the machine was started.</summary>
    public long NowNs { get; set; }

    /// <summary>The CPU whose code runs now; null outside code of a CPU.</summary>
    public Cpu? Active { get; private set; }

    /// <summary>What keeps all CPUs from running; null while they run.</summary>
    public Stall? Stall { get; set; }

    /// <summary>The occasion of what is done now, in a machine of which there is a second run.</summary>
    public ulong OccasionNow
    {
        get => _occasions?.Now ?? 0;
        set
        {
            if (_occasions is not null)
            {
                _occasions.Now = value;
            }
        }
    }

    public bool Records(Recording kind) => (_recording & kind) != 0;

    /// <summary>The random numbers of one source, which stay when other sources come or go.</summary>
    public RandomSequence Random(string source) => new(Options.Seed, source, _occasions);

    public bool IsMuted(CodeOwner? owner) => owner is not null && Options.IsMuted?.Invoke(owner) == true;

    /// <summary>Whether no CPU runs a thread.</summary>
    public bool IsMachineIdle()
    {
        foreach (Cpu cpu in Cpus)
        {
            if (!cpu.Current.IsIdleThread)
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>When the first clock interrupt of a CPU is due, in nanoseconds; the others follow at the clock's interval.</summary>
    public long ClockPhaseNs(int cpu) => Random($"clock {cpu}").NextBelow(Options.ClockIntervalNs);

    /// <summary>Lets a CPU look for what it can do, before time goes on.</summary>
    public void AskToSettle(Cpu cpu)
    {
        if (!cpu.IsQueuedToSettle)
        {
            cpu.IsQueuedToSettle = true;
            _toSettle.Enqueue(cpu);
        }
    }

    /// <summary>The next CPU that was asked to settle becomes the active one; false, and none is active, where there is none.</summary>
    public bool TryNextToSettle()
    {
        Active = _toSettle.TryDequeue(out Cpu? cpu) ? cpu : null;
        if (cpu is null)
        {
            return false;
        }

        cpu.IsQueuedToSettle = false;
        return true;
    }

    /// <summary>Sends a CPU the interrupt that makes it look for work; this CPU looks anyway.</summary>
    public void Interrupt(Cpu cpu)
    {
        if (cpu != Active)
        {
            cpu.IsIpiPending = true;
            AskToSettle(cpu);
        }
    }

    /// <summary>Does something outside the CPUs after a time.</summary>
    public void After(long delayNs, Action<Machine> action) =>
        Happenings.Add(EndOf(delayNs), HappeningKind.Action, AtThisOccasion(action));

    /// <summary>Does something outside the CPUs again and again.</summary>
    public void Repeat(string name, Arrivals arrivals, Action<Machine> action)
    {
        ArgumentNullException.ThrowIfNull(arrivals);
        var repeated = new RepeatedAction(arrivals.Take(), Random(name), action);
        Happenings.Add(arrivals.Next(repeated.Random), HappeningKind.Arrival, repeated);
    }

    /// <summary>
    /// When something that begins now ends: a sleep, a device's work. In a second run it ends when it did in the first, where that is still
    /// to come: a thread that was kept once in one of them is in step again with the next, as a disk that turns all the time is.
    /// </summary>
    public long EndOf(long ns)
    {
        long end = NowNs + ns;
        if (_occasions is not { Now: not 0 and var occasion, Memory: var memory } || Options.ThreadShift != 0)
        {
            return end;
        }

        if (!memory.IsComplete)
        {
            memory.KeepEnd(occasion, end);
            return end;
        }

        return memory.EndAt(occasion) is { } before && before > NowNs ? before : end;
    }

    private Action<Machine> AtThisOccasion(Action<Machine> action)
    {
        if (_occasions is null)
        {
            return action;
        }

        ulong occasion = Occasion.Of(_occasions.Now, 1);
        return machine =>
        {
            OccasionNow = occasion;
            action(machine);
        };
    }
}

/// <summary>Something that happens again and again outside the CPUs.</summary>
internal sealed record RepeatedAction(Arrivals Arrivals, RandomSequence Random, Action<Machine> Action)
{
    private long _count;

    /// <summary>It is due: happens, and is due again.</summary>
    public void Happen(MachineState state)
    {
        Arrivals.Note(state.NowNs);
        state.OccasionNow = Occasion.Of(Random.Source, (ulong)++_count);
        Action(state.Machine);
        state.OccasionNow = 0;
        state.Happenings.Add(Math.Max(state.NowNs, Arrivals.Next(Random)), HappeningKind.Arrival, this);
    }
}
