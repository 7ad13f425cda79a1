namespace Tracer.Simulator.Engine;

internal enum FrameKind
{
    Idle,
    Thread,
    Dispatcher,
    TimerExpiry,
    Dpc,
    Isr,
    Clock,
    Ipi,
    Profile,
    IdleExit,
}

/// <summary>Code on a CPU that is running or was interrupted: a thread, or what came on top of it.</summary>
internal sealed class Frame(FrameKind kind, int irql, CodeStretch code)
{
    public FrameKind Kind { get; } = kind;

    public int Irql { get; set; } = irql;

    public bool IsMasked { get; set; }

    /// <summary>Stands in one access to a device: no interrupt comes through before the device has answered.</summary>
    public bool IsStanding { get; set; }

    /// <summary>No interrupt comes through.</summary>
    public bool IsClosed => IsMasked || IsStanding;

    public CodeStretch Code { get; set; } = code;

    /// <summary>CPU time until its next step.</summary>
    public long RemainingNs { get; set; }

    public IEnumerator<Step>? Steps { get; set; }

    /// <summary>What it runs for, and how many of its steps it has taken: together the occasion of the next.</summary>
    public ulong Occasion { get; set; }

    public ulong StepsTaken { get; set; }

    public CodeOwner? Owner { get; set; }

    public string? Routine { get; set; }

    /// <summary>The first instruction of the ISR or DPC has run.</summary>
    public bool IsEntered { get; set; }

    public long StartNs { get; set; }

    /// <summary>The ISR record that an interrupt of the clock or the profile leaves; null for none.</summary>
    public InterruptRecord? Record { get; set; }

    /// <summary>How long the profile interrupt goes on once its sample is taken.</summary>
    public long AfterSampleNs { get; set; }

    /// <summary>When something came on top of it last, or it began to wait: its place in the code is that of this time.</summary>
    public long LeftNs { get; set; }

    public SimulatedThread? Thread { get; set; }

    public Dpc? Dpc { get; set; }

    public DpcRecordKind RecordKind { get; set; }

    public InterruptLine? Line { get; set; }

    public int ChainIndex { get; set; }

    public bool IsMine { get; set; }

    /// <summary>What it spins for: a lock or other CPUs; null while it makes progress.</summary>
    public object? Spin { get; set; }

    /// <summary>When its DPC was put into the queue; -1 where it was not, as those of timers.</summary>
    public long EnqueuedNs { get; set; } = -1;

    /// <summary>Its DPC could be left waiting: it was queued with low importance or for another CPU.</summary>
    public bool IsDeferrable { get; set; }

    /// <summary>The threaded DPC that runs in this thread; null for none.</summary>
    public Dpc? Overlay { get; set; }
}

/// <summary>A processor: what runs on it, what came on top, and what waits for it.</summary>
internal sealed class Cpu
{
    private const int MostFrames = 40;

    private readonly Frame[] _frames = new Frame[MostFrames];
    private readonly List<InterruptLine> _pendingLines = [];
    private int _depth = 1;

    public Cpu(int index, SimulatedThread idle, ReadyQueue queue)
    {
        Index = index;
        Idle = idle;
        Current = idle;
        idle.OnCpu = this;
        idle.State = ThreadState.Running;
        Queue = queue;
        _frames[0] = idle.Frame;
    }

    public int Index { get; }

    public SimulatedThread Idle { get; }

    public SimulatedThread Current { get; private set; }

    public SimulatedThread? NextThread { get; set; }

    public ReadyQueue Queue { get; }

    public int Depth => _depth;

    public Frame Top => _frames[_depth - 1];

    /// <summary>Until when progress and history are accounted.</summary>
    public long AccountedNs { get; set; }

    public long StepVersion { get; set; }

    public long StepPlannedNs { get; set; } = -1;

    public bool IsQueuedToSettle { get; set; }

    public bool IsClockPending { get; set; }

    /// <summary>When the clock interrupt that is pending, or was served last, was due.</summary>
    public long ClockDueNs { get; set; }

    public long ClockServedNs { get; set; }

    public bool IsIpiPending { get; set; }

    public bool IsProfilePending { get; set; }

    public long ProfileDueNs { get; set; }

    public bool WasBusyWhenProfileDue { get; set; }

    public long ProfileIntervalNs { get; set; }

    /// <summary>When its next profile interrupt is due; -1 where there are none.</summary>
    public long NextProfileNs { get; set; } = -1;

    /// <summary>The kernel's DPC that reads stacks of user mode here; null before the first.</summary>
    public Dpc? StackWalk { get; set; }

    /// <summary>It slept through a stall of all CPUs, which has woken it.</summary>
    public bool IsWokenByStall { get; set; }

    public bool IsDispatchRequested { get; set; }

    public bool IsTimerExpiryPending { get; set; }

    public bool IsQuantumEnd { get; set; }

    /// <summary>Its next thread was made ready by the current one itself, not by an interrupt or another CPU.</summary>
    public bool IsPreemptedByItself { get; set; }

    /// <summary>The current thread makes room for one as important.</summary>
    public bool IsTurnOver { get; set; }

    public LinkedList<Dpc> Dpcs { get; } = new();

    /// <summary>Calls of other CPUs that it has not answered.</summary>
    public List<CrossCpuCall> Calls { get; } = [];

    public uint DpcCount { get; set; }

    public Queue<Dpc> ExpiredDpcs { get; } = new();

    public Queue<Dpc> ThreadedDpcs { get; } = new();

    public KernelEvent ThreadedDpcEvent { get; } = new();

    public bool IsThreadedDpcSignalDue { get; set; }

    public PriorityQueue<KernelTimer, (long DueNs, long Order)> Timers { get; } = new();

    /// <summary>The idle state it is in; null while it runs.</summary>
    public IdleState? Sleep { get; set; }

    public long SleepSinceNs { get; set; }

    public long LastSleepNs { get; set; }

    public byte LastSleepState { get; set; }

    public CpuPower Power { get; } = new();

    public ActivityHistory History { get; } = new();

    public int LevelDepth { get; set; }

    public bool IsIdle => Current.IsIdleThread && NextThread is null;

    public bool IsInterruptPending => IsClockPending || IsIpiPending || IsProfilePending || _pendingLines.Count > 0;

    public bool IsBusy => !Current.IsIdleThread || _depth > 1;

    /// <summary>It runs a thread, an ISR or a DPC: more than the interrupts that an idle CPU has as well.</summary>
    public bool RunsCode =>
        !Current.IsIdleThread || Top.Kind is FrameKind.Isr or FrameKind.Dpc or FrameKind.Dispatcher or FrameKind.TimerExpiry;

    public Frame At(int depth) => _frames[depth];

    public void Push(Frame frame, long nowNs)
    {
        if (_depth == MostFrames)
        {
            throw new InvalidOperationException($"CPU {Index} has more than {MostFrames} routines on top of each other.");
        }

        Top.LeftNs = nowNs;
        _frames[_depth++] = frame;
    }

    public void Pop() => _frames[--_depth] = null!;

    /// <summary>Puts another thread at the bottom; nothing may be on top.</summary>
    public void SwitchTo(SimulatedThread thread)
    {
        Current.OnCpu = null;
        Current = thread;
        thread.OnCpu = this;
        _frames[0] = thread.Frame;
    }

    public void AddPending(InterruptLine line)
    {
        if (!_pendingLines.Contains(line))
        {
            _pendingLines.Add(line);
        }
    }

    /// <summary>Takes the pending line of the highest level above a level; null where there is none.</summary>
    public InterruptLine? TakeLine(int aboveIrql)
    {
        int best = -1;
        int bestIrql = aboveIrql;
        for (int i = 0; i < _pendingLines.Count; i++)
        {
            if (_pendingLines[i].Irql > bestIrql)
            {
                best = i;
                bestIrql = _pendingLines[i].Irql;
            }
        }

        if (best < 0)
        {
            return null;
        }

        InterruptLine line = _pendingLines[best];
        _pendingLines.RemoveAt(best);
        return line;
    }
}
