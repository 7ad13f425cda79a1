using Tracer.Contract;

namespace Tracer.Measure.Tests;

/// <summary>
/// A machine whose time passes only as it is told: so many nanoseconds for each reading of the counter, until a thread wakes, and where
/// something interrupts it. What a measurement must find on it is known to the nanosecond.
/// </summary>
internal sealed class ModelMachine : IMeasureMachine
{
    private readonly List<SettingState> _process = [];
    private readonly Queue<(long At, long Length)> _interruptions = new();
    private long _now;
    private bool _isLocked;

    public ModelMachine() => Clocks = [new ModelClock(this, "fine", 1, 20), new ModelClock(this, "coarse", 1_000, 50)];

    /// <summary>What reading the counter costs, in nanoseconds.</summary>
    public long ReadCost { get; init; } = 25;

    /// <summary>Sleeps end with the next multiple of this; 0 for a timer of their own.</summary>
    public long Tick { get; init; }

    /// <summary>From the end of a sleep until the thread runs.</summary>
    public long WakeUp { get; init; } = 1_000;

    /// <summary>Whether it refuses priorities.</summary>
    public bool RefusesPriorities { get; init; }

    /// <summary>By how much the other clock leaves this one in each second, in nanoseconds.</summary>
    public long OtherClockLeaves { get; init; }

    public long TicksPerSecond { get; init; } = 1_000_000_000;

    public long Now => _now;

    public bool IsPrepared => _isLocked;

    public long Ticks
    {
        get
        {
            Pass(ReadCost);
            return (long)((Int128)_now * TicksPerSecond / 1_000_000_000);
        }
    }

    public long OtherClock => _now + (long)((Int128)_now * OtherClockLeaves / 1_000_000_000);

    public long CpuTime => _now / 2;

    public IReadOnlyList<IReadableClock> Clocks { get; }

    public IReadOnlyList<int> Cpus { get; } = [0, 1];

    /// <summary>Interrupts whatever runs at a time.</summary>
    public void Interrupt(long at, long length) => _interruptions.Enqueue((at, length));

    public MeasuredMachine Describe() => new()
    {
        System = "model",
        Processor = null,
        Cpus = Cpus.Count,
        ClockSource = "model",
        CounterHz = TicksPerSecond,
        ClockTick = Tick == 0 ? null : new Duration(Tick),
        PowerPolicy = null,
        IsVirtual = null,
    };

    public IReadOnlyList<SettingState> Prepare(ProcessWish wish)
    {
        _process.Add(SettingState.Apply(
            "memory",
            "locked",
            () => _isLocked ? "locked" : "not locked",
            () =>
            {
                _isLocked = true;
                return null;
            },
            () =>
            {
                _isLocked = false;
                return null;
            }));
        return [.. _process];
    }

    public void Restore()
    {
        _process.ForEach(static one => one.Restore());
        _process.Clear();
    }

    public IReadOnlyList<SettingState> Run(params IReadOnlyList<MeasureThread> threads)
    {
        string priority = "Normal";
        MeasureThread thread = Assert.Single(threads);
        var state = SettingState.Apply(
            "priority",
            thread.Priority.ToString(),
            () => priority,
            () =>
            {
                priority = RefusesPriorities ? priority : thread.Priority.ToString();
                return RefusesPriorities ? "not permitted" : null;
            },
            () =>
            {
                priority = "Normal";
                return null;
            });
        thread.Body();
        state.Restore();
        return [state];
    }

    public void Sleep(long nanoseconds)
    {
        long due = _now + nanoseconds;
        _now = Tick == 0 ? due : (due + Tick - 1) / Tick * Tick;
        // What interrupted nobody is over.
        while (_interruptions.TryPeek(out (long At, long Length) next) && next.At <= _now)
        {
            _interruptions.Dequeue();
        }

        _now += WakeUp;
    }

    public void Dispose() => Restore();

    public void Pass(long nanoseconds)
    {
        _now += nanoseconds;
        if (_interruptions.TryPeek(out (long At, long Length) next) && next.At <= _now)
        {
            _interruptions.Dequeue();
            _now += next.Length;
        }
    }

    private sealed class ModelClock(ModelMachine machine, string name, long unit, long cost) : IReadableClock
    {
        public string Name => name;

        public double? NominalNanoseconds => unit;

        public double? UnitNanoseconds => unit;

        public long Read()
        {
            machine.Pass(cost);
            return machine._now / unit;
        }
    }
}
