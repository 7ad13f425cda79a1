using Tracer.Capture.Probe;

namespace Tracer.Capture.Tests;

/// <summary>A machine with a clock of its own: timers are served by ticks, or when they are due, and as late as a test says.</summary>
/// <param name="qpcHz">Rate of its performance counter.</param>
internal sealed class FakeProbeMachine(long qpcHz = 10_000_000) : IProbeMachine
{
    // Not Lock or Monitor: they allocate an event for a thread that waits for another, and allocation is measured on these threads.
    private SpinLock _lock = new(enableThreadOwnerTracking: false);
    private readonly Random _random = new(1);
    private long _now = 1_000_000_000;
    private bool _isParentGone;
    private int _nextSleep;
    private long _slept;

    /// <summary>Ticks of the clock interrupt in units of 100 ns; 0 for timers with an interrupt of their own.</summary>
    public double ClockPeriod { get; set; } = 10_001.5;

    /// <summary>Whether due times count from the last tick.</summary>
    public bool IsTimeCoarse { get; init; }

    /// <summary>Units of 100 ns from the tick to the thread: at least, and what comes on top at most.</summary>
    public (int Least, int Spread) Service { get; init; } = (60, 40);

    /// <summary>How much later than that the wake-up of this number is served, in units of 100 ns; by CPU.</summary>
    public Func<int, long, long> Late { get; init; } = (_, _) => 0;

    /// <summary>A clock as mean as those of real machines; null for the kind one of <see cref="Service"/>.</summary>
    public ProbeClockModel? Model { get; init; }

    /// <summary>Times at which the machine falls asleep, and for how long, in units of 100 ns from its start; in order.</summary>
    public IReadOnlyList<(long At, long Length)> Sleeps { get; init; } = [];

    /// <summary>Whether the awake time runs on while it sleeps, as in modern standby it may.</summary>
    public bool IsAwakeTimeBiased { get; init; }

    public Action<int, long>? BeforeWait { get; set; }

    public int? GivenPriority { get; init; }

    public IReadOnlyList<string> Missing { get; init; } = [];

    /// <summary>Set by a test when the parent is gone.</summary>
    public bool IsParentGone
    {
        get => Volatile.Read(ref _isParentGone);
        set => Volatile.Write(ref _isParentGone, value);
    }

    /// <summary>When a thread asks for its timer, this is thrown.</summary>
    public Exception? Failure { get; init; }

    public long Qpc
    {
        get
        {
            using (Hold())
            {
                return Counter(_now);
            }
        }
    }

    public long QpcHz { get; } = qpcHz;

    /// <summary>When it was started, in units of 100 ns.</summary>
    public const long Start = 1_000_000_000;

    /// <summary>How long it has run, in units of 100 ns.</summary>
    public long Elapsed
    {
        get
        {
            using (Hold())
            {
                return _now - Start;
            }
        }
    }

    public long AwakeTime
    {
        get
        {
            using (Hold())
            {
                return _now - (IsAwakeTimeBiased ? 0 : _slept);
            }
        }
    }

    public IReadOnlyList<uint> ClockPeriods => [156_250, 5_000, 10_000];

    public long CpuTime
    {
        get
        {
            using (Hold())
            {
                return (_now - 1_000_000_000) / 100;
            }
        }
    }

    public IProbeEventLog Events => Log;

    public FakeEventLog Log { get; } = new();

    public IReadOnlyList<string> PrepareProcess() => Missing;

    public bool LockMemory(nint address, nuint bytes) => true;

    public IProbeTimer OpenTimer(int cpu, int priority) =>
        Failure is null ? new Timer(this, cpu, GivenPriority ?? priority) : throw Failure;

    public bool WaitForParent(int milliseconds)
    {
        Thread.Sleep(Math.Min(milliseconds, 2));
        return IsParentGone;
    }

    public void Dispose()
    {
    }

    /// <summary>The performance counter at a time in units of 100 ns.</summary>
    public long Counter(double time) => (long)(time * QpcHz / 10_000_000);

    /// <summary>A tick that would come while the machine sleeps comes when it has woken up.</summary>
    private long Asleep(long tick)
    {
        while (_nextSleep < Sleeps.Count && Start + Sleeps[_nextSleep].At <= tick)
        {
            tick = Math.Max(tick, Start + Sleeps[_nextSleep].At + Sleeps[_nextSleep].Length);
            _slept += Sleeps[_nextSleep++].Length;
        }

        return tick;
    }

    private Held Hold()
    {
        bool isTaken = false;
        _lock.Enter(ref isTaken);
        return new Held(this);
    }

    private readonly ref struct Held(FakeProbeMachine machine)
    {
        public void Dispose() => machine._lock.Exit();
    }

    private sealed class Timer(FakeProbeMachine machine, int cpu, int priority) : IProbeTimer
    {
        private long _due;
        private long _number;

        public int Priority => priority;

        public bool IsHighResolution => true;

        public void Set(long delay)
        {
            using (machine.Hold())
            {
                double period = machine.ClockPeriod;
                _due = (machine.IsTimeCoarse ? (long)(Math.Floor(machine._now / period) * period) : machine._now) + delay;
            }
        }

        public void Wait()
        {
            machine.BeforeWait?.Invoke(cpu, _number);
            using (machine.Hold())
            {
                long service = machine.Service.Least + machine._random.Next(machine.Service.Spread + 1);
                double period = machine.ClockPeriod;
                double tick = period == 0 ? _due : Math.Ceiling(_due / period) * period;
                if (machine.Model is { } model)
                {
                    tick = model.ServingTick(_due, Start, machine._random);
                    service = model.Service(machine._random);
                }

                long served = machine.Asleep((long)tick) + service + machine.Late(cpu, _number++);
                served = machine.Model?.AfterPauses(served, Start) ?? served;
                machine._now = Math.Max(machine._now + 1, served);
            }
        }

        public void Dispose()
        {
        }
    }
}

/// <summary>Counts events, and hands them on where a test wants them.</summary>
internal sealed class FakeEventLog : IProbeEventLog
{
    private readonly int[] _counts = new int[Enum.GetValues<ProbeEvent>().Length];

    public bool IsOn { get; set; } = true;

    public Action<ProbeEvent, byte[]>? Sink { get; set; }

    public int Count(ProbeEvent kind) => _counts[(int)kind];

    public void Log(ProbeEvent kind, ReadOnlySpan<byte> payload)
    {
        Interlocked.Increment(ref _counts[(int)kind]);
        Sink?.Invoke(kind, payload.ToArray());
    }
}
