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
    private (int Sleep, long Delay, long Length) _disturbed;
    private int _sleeps;
    private long _now;
    private bool _isLocked;

    private readonly ModelScheduler _scheduler;

    public ModelMachine()
    {
        _scheduler = new ModelScheduler(this);
        Clocks = [new ModelClock(this, "fine", 1, 20), new ModelClock(this, "coarse", 1_000, 50)];
    }

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

    /// <summary>Interrupts what runs a while after a sleep, by the sleep's number.</summary>
    public void InterruptAfterSleep(int sleep, long delay, long length) => _disturbed = (sleep, delay, length);

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

    /// <summary>From one thread to another.</summary>
    public long SwitchCost { get; init; }

    /// <summary>Setting an event.</summary>
    public long SetCost { get; init; }

    /// <summary>Sending a datagram.</summary>
    public long SendCost { get; init; } = 700;

    /// <summary>From when a datagram was sent until it can be received.</summary>
    public long Transit { get; init; } = 9_000;

    /// <summary>A periodic timer never asks for less than a period, as NT's multimedia timers did on HALMPS.</summary>
    public bool TimerNeverAsksForLess { get; init; }

    public IReadOnlyList<TimedCall> Calls =>
    [
        new("short", () => Pass(400)),
        new("long", () => Pass(7_000), () => Pass(50_000)),
    ];

    public IReadOnlyList<SettingState> Run(params IReadOnlyList<MeasureThread> threads)
    {
        string priority = "Normal";
        var states = threads.Select(thread => SettingState.Apply(
            threads.Count == 1 ? "priority" : $"priority of the {thread.Name}",
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
            })).ToList();
        _scheduler.Run(threads);
        states.ForEach(static one => one.Restore());
        return states;
    }

    public void Sleep(long nanoseconds) => SleepUntilTime(_now + nanoseconds);

    public void SleepUntil(long ticks) => SleepUntilTime((long)((Int128)ticks * 1_000_000_000 / TicksPerSecond));

    public IMeasureTimer StartTimer(long period) => new ModelTimer(this, period);

    public IMeasureEvent CreateEvent() => new ModelEvent(this);

    public (IMeasureChannel First, IMeasureChannel Second) CreateChannels()
    {
        var first = new ModelChannel(this);
        var second = new ModelChannel(this);
        (first.Other, second.Other) = (second, first);
        return (first, second);
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

        _scheduler.Preempt();
    }

    /// <summary>For the scheduler: time passes while nobody runs, and what would interrupt then interrupts nobody.</summary>
    internal void IdleUntil(long time)
    {
        _now = Math.Max(_now, time);
        while (_interruptions.TryPeek(out (long At, long Length) next) && next.At <= _now)
        {
            _interruptions.Dequeue();
        }
    }

    private long Rounded(long due) => Tick == 0 ? due : (due + Tick - 1) / Tick * Tick;

    private void SleepUntilTime(long due)
    {
        if (due > _now)
        {
            _scheduler.Block(Rounded(due));
            _now += WakeUp;
            if (++_sleeps == _disturbed.Sleep)
            {
                Interrupt(_now + _disturbed.Delay, _disturbed.Length);
            }
        }
    }

    /// <summary>
    /// Keeps the times of its expiries on a grid, and expires at once where one is past. One that never asks for less than a period, as
    /// NT's multimedia timers (Jones and Regehr, section 4.1), waits a whole one whenever it has to wait.
    /// </summary>
    private sealed class ModelTimer(ModelMachine machine, long period) : IMeasureTimer
    {
        private long _due = machine._now + period;

        public void Wait()
        {
            if (_due > machine._now)
            {
                machine.SleepUntilTime(machine.TimerNeverAsksForLess ? Math.Max(_due, machine._now + period) : _due);
            }

            _due += period;
        }

        public void Dispose()
        {
        }
    }

    private sealed class ModelEvent(ModelMachine machine) : IMeasureEvent
    {
        private readonly Queue<object> _waiting = new();
        private bool _isSet;

        public void Set()
        {
            machine._now += machine.SetCost;
            if (_waiting.TryDequeue(out object? thread))
            {
                machine._scheduler.Wake(thread);
            }
            else
            {
                _isSet = true;
            }

            machine._scheduler.Preempt();
        }

        public void Wait()
        {
            if (_isSet)
            {
                _isSet = false;
                return;
            }

            _waiting.Enqueue(machine._scheduler.Current!);
            machine._scheduler.Block(long.MaxValue);
        }

        public void Dispose()
        {
        }
    }

    private sealed class ModelChannel(ModelMachine machine) : IMeasureChannel
    {
        private readonly Queue<(long At, byte[] Bytes)> _incoming = new();
        private object? _waiting;

        public ModelChannel Other { get; set; } = null!;

        public void Send(ReadOnlySpan<byte> datagram)
        {
            Other._incoming.Enqueue((machine._now + machine.Transit, datagram.ToArray()));
            if (Other._waiting is { } thread)
            {
                Other._waiting = null;
                machine._scheduler.WakeAt(thread, machine._now + machine.Transit);
            }

            machine.Pass(machine.SendCost);
        }

        public int Receive(Span<byte> buffer)
        {
            if (_incoming.Count == 0)
            {
                _waiting = machine._scheduler.Current;
                machine._scheduler.Block(machine._now + 1_000_000_000);
                _waiting = null;
                if (_incoming.Count == 0)
                {
                    return -1;
                }
            }
            else if (_incoming.Peek().At > machine._now)
            {
                machine._scheduler.Block(_incoming.Peek().At);
            }

            byte[] bytes = _incoming.Dequeue().Bytes;
            bytes.CopyTo(buffer);
            return bytes.Length;
        }

        public void Dispose()
        {
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
