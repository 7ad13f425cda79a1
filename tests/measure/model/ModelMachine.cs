using Tracer.Measure.Ground;
using Tracer.Measure.Processes;

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

    public bool RefusesPriorities { get; init; }

    /// <summary>By how much the other clock leaves this one in each second, in nanoseconds.</summary>
    public long OtherClockLeaves { get; init; }

    /// <summary>From when on the counter is behind, and by how much.</summary>
    public (long From, long By) FallsBack { get; init; } = (long.MaxValue, 0);

    public long TicksPerSecond { get; init; } = 1_000_000_000;

    public long Now => _now;

    public bool IsPrepared => _isLocked;

    public long Ticks
    {
        get
        {
            Pass(ReadCost);
            return (long)((Int128)(_now - (_now >= FallsBack.From ? FallsBack.By : 0)) * TicksPerSecond / 1_000_000_000);
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

    /// <summary>What was wanted of the process.</summary>
    public ProcessWish? Wish { get; private set; }

    public IReadOnlyList<SettingState> Prepare(ProcessWish wish)
    {
        Wish = wish;
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

    public long SwitchCost { get; init; }

    /// <summary>Setting an event.</summary>
    public long SetCost { get; init; }

    public long SendCost { get; init; } = 700;

    /// <summary>From when a datagram was sent until it can be received.</summary>
    public long Transit { get; init; } = 9_000;

    /// <summary>From when another process has a packet until its answer goes.</summary>
    public long Turnaround { get; init; }

    /// <summary>Whether no answer ever comes.</summary>
    public bool LosesAnswers { get; init; }

    /// <summary>Showing one byte on a screen.</summary>
    public long ShowCost { get; init; }

    public long DiskTime { get; init; }

    /// <summary>From when an alarm is due until its interrupt comes; below 0: the CPU stops before.</summary>
    public long AlarmDelay { get; init; }

    /// <summary>What the interrupt of an alarm takes; 0: another CPU is interrupted.</summary>
    public long AlarmLength { get; init; }

    /// <summary>After so long a thread gives way to others of its priority; 0 for never.</summary>
    public long Slice { get; init; }

    /// <summary>A periodic timer never asks for less than a period, as NT's multimedia timers did on HALMPS.</summary>
    public bool TimerNeverAsksForLess { get; init; }

    public IReadOnlyList<TimedCall> Calls =>
    [
        new("short", () => Pass(400)),
        new("long", () => Pass(7_000), () => Pass(50_000)),
    ];

    public int CurrentCpu => 1;

    /// <summary>Threads of two processes: one that runs a tenth of the time, and one that runs 40 ms in the second second.</summary>
    public IEnumerable<ThreadTime> ThreadTimes() =>
    [
        new(7, "steady", 71, _now / 10), new(7, "steady", 72, _now / 100), new(9, "burst", 91, _now > 1_500_000_000 ? 40_000_000 : 0),
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

    public IMeasurePeer OpenPeer(PeerWish wish) => new ModelPeer(this, wish.Elsewhere is null);

    public IReadOnlyList<MeasureSetting> EndPeers() => [];

    public IMeasureTerminal OpenTerminal() => new ModelTerminal(this);

    public IMeasureFile OpenFile() => new ModelFile(this);

    public IMeasureAlarm CreateAlarm() => new ModelAlarm(this);

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

    /// <summary>Answers at once; its counter is ahead by a second where it is elsewhere.</summary>
    private sealed class ModelPeer(ModelMachine machine, bool isHere) : IMeasurePeer
    {
        private readonly Queue<(long At, byte[] Bytes)> _answers = new();

        public bool SharesClock => isHere;

        public void Send(ReadOnlySpan<byte> datagram)
        {
            byte[] packet = new byte[Math.Max(datagram.Length, PeerPacket.StampedBytes)];
            datagram.CopyTo(packet);
            long there = machine._now + machine.Transit;
            long counter = there + (isHere ? 0 : 1_000_000_000);
            int length = PeerPacket.Answer(packet, datagram.Length, counter + machine.ReadCost, counter + machine.Turnaround);
            if (!machine.LosesAnswers)
            {
                _answers.Enqueue((there + machine.Turnaround + machine.Transit, packet[..length]));
            }

            machine.Pass(machine.SendCost);
        }

        public int Receive(Span<byte> buffer)
        {
            if (!_answers.TryDequeue(out (long At, byte[] Bytes) answer))
            {
                machine._scheduler.Block(machine._now + 1_000_000_000);
                return -1;
            }

            if (answer.At > machine._now)
            {
                machine._scheduler.Block(answer.At);
            }

            answer.Bytes.CopyTo(buffer);
            return answer.Bytes.Length;
        }
    }

    private sealed class ModelTerminal(ModelMachine machine) : IMeasureTerminal
    {
        private readonly ModelEvent _keys = new(machine);

        public void Press() => _keys.Set();

        public void ReadKey() => _keys.Wait();

        public void Show(ReadOnlySpan<byte> text) => machine.Pass(text.Length * machine.ShowCost);

        public void Dispose()
        {
        }
    }

    private sealed class ModelFile(ModelMachine machine) : IMeasureFile
    {
        public void Write(long value) => machine._scheduler.Block(machine._now + machine.DiskTime);

        public void Dispose()
        {
        }
    }

    private sealed class ModelAlarm(ModelMachine machine) : IMeasureAlarm
    {
        public void SetAt(long ticks)
        {
            if (machine.AlarmLength > 0)
            {
                long due = (long)((Int128)ticks * 1_000_000_000 / machine.TicksPerSecond);
                machine.Interrupt(due + machine.AlarmDelay, machine.AlarmLength);
            }
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
