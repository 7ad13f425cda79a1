using System.Runtime.CompilerServices;
using Tracer.Measure.Ground;
using Tracer.Measure.Recording;

namespace Tracer.Measure.Measurements;

/// <summary>
/// <c>interrupt</c>: what a computing thread sees of an interrupt (Drummond, "Interrupt latency", figure 4). A timer is set that wakes
/// nobody, and the thread reads the counter over and over: where it stops next is when the interrupt came, and it goes on when the
/// interrupt's handler is done. Then his loop: a small set of instructions for longer and longer periods, and what it takes beyond its
/// usual time, which grows by the clock interrupts that fall into it.
/// </summary>
public sealed class InterruptMeasurement(Duration interval) : IDriverAided
{
    private const int Ratio = 4;
    private const int LeastLoops = 3;

    /// <summary>An interrupt that has not come by then went to another CPU.</summary>
    private const long Patience = 1_000_000;

    private static readonly Duration[] Periods =
    [
        .. new long[] { 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000 }.Select(Duration.FromMicroseconds),
    ];

    private readonly TimeSeries _latency = new(
        "latency", "from when the timer was due until the computing thread stops; below 0: it stopped before", isSigned: true);
    private readonly TimeSeries _handler = new("handler", "from then until the thread goes on");
    private readonly TimeSeries _both = new("interrupt", "from when the timer was due until the thread goes on");
    private readonly Loop[] _loops = [.. Periods.Select(static period => new Loop(period))];
    private double _base;
    private long _filter;
    private long _unseen;
    private long _before;

    public string Name => "interrupt";

    public Duration Interval => interval;

    public void Run(MeasureStage stage)
    {
        ArgumentNullException.ThrowIfNull(stage);
        using IMeasureAlarm alarm = stage.Machine.CreateAlarm();
        stage.RunAlone(() =>
        {
            _base = PreemptMeasurement.BaseTime(stage);
            _filter = Math.Max((long)Math.Ceiling(Ratio * _base), 2 * stage.Time.ToNanoseconds(1));
            Alarms(stage, alarm);
            Loops(stage);
        });
    }

    public MeasureResult ToResult() => new(_both.Count == 0
        ? $"No interrupt of {Counted.Of(_unseen, "timer")} stopped the thread that set them."
        : $"{Counted.Of(_both.Count, "interrupt")}: {ReadableDuration.Of(new Duration(_both.Mean))} from when it was due until the thread "
            + $"goes on, on average, {ReadableDuration.Of(new Duration(_both.Maximum))} at most.")
    {
        Figures =
        [
            new("base iteration", Math.Round((decimal)_base, 2), "ns", "the shortest iteration, over batches of 64"),
            new("filter", _filter, "ns", "what an iteration must take beyond the base time to count as interrupted"),
            new("not seen", _unseen, "", "timers that did not stop the thread within 1 ms: their interrupt went to another CPU"),
            new("stopped before", _before, "", "timers due while the thread stood: for something else, or for a virtual machine's host"),
        ],
        Tables =
        [
            new(
                "loops",
                "a computation that takes a period where nothing disturbs it, and what it took beyond that",
                [new("loops", ""), new("mean", "us"), new("most", "us"), new("disturbed", "%")],
                [
                    .. _loops.Where(static one => one.Beyond.Count > 0).Select(static one => new MeasureRow(
                        ReadableDuration.Of(one.Period),
                        [
                            one.Beyond.Count, one.Beyond.Mean / 1000m, one.Beyond.Maximum / 1000m,
                            Math.Round(100m * one.Disturbed / one.Beyond.Count, 1),
                        ])),
                ]),
        ],
        Series = [_both.ToReport(), _latency.ToReport(), _handler.ToReport()],
        Notes =
        [
            "A virtual machine's host may stop a CPU shortly before an interrupt of its timer is due, to be in time for it.",
            "The first instruction of a handler is seen by a driver only; on Windows that measures, too, where it is installed.",
        ],
    };

    /// <summary>The first half of the time.</summary>
    private void Alarms(MeasureStage stage, IMeasureAlarm alarm)
    {
        IMeasureMachine machine = stage.Machine;
        long begun = machine.Ticks;
        long end = begun + (stage.Length / 2);
        long step = stage.Time.ToTicks(interval.Nanoseconds);
        long patience = stage.Time.ToTicks(Patience);
        long lead = Math.Min(step / 2, stage.Time.ToTicks(Patience / 5));
        for (long due = begun + step; due < end && !stage.Stop.IsCancellationRequested; due = Math.Max(due, machine.Ticks) + step)
        {
            // Awake before: the interrupt must find a computing thread.
            machine.SleepUntil(due - lead);
            alarm.SetAt(due);
            (long stopped, long resumed) = FirstStop(stage, due, due + patience);
            if (resumed == 0)
            {
                _unseen++;
            }
            else
            {
                _before += stopped < due ? 1 : 0;
                long at = stage.Time.ToNanoseconds(due - begun);
                _latency.Record(at, stage.Time.ToNanoseconds(stopped - due));
                _handler.Record(at, stage.Time.ToNanoseconds(resumed - stopped));
                _both.Record(at, stage.Time.ToNanoseconds(resumed - due));
            }
        }
    }

    /// <summary>The first stop that ends after a time: the last reading before it and the first behind it; zeros for none.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private (long Stopped, long Resumed) FirstStop(MeasureStage stage, long due, long until)
    {
        IMeasureMachine machine = stage.Machine;
        long most = stage.Time.ToTicks((long)_base + _filter);
        long previous = machine.Ticks;
        while (previous < until)
        {
            long now = machine.Ticks;
            if (now - previous >= most && now > due)
            {
                return (previous, now);
            }

            if (now < previous)
            {
                stage.NoteBackward();
            }

            previous = now;
        }

        return (0, 0);
    }

    /// <summary>The other half: each period for the same time.</summary>
    private void Loops(MeasureStage stage)
    {
        IMeasureMachine machine = stage.Machine;
        double turn = Computation.TimeOfTurn(stage);
        long begun = machine.Ticks;
        long share = Math.Max(1, stage.Length / 2 / _loops.Length);
        for (int kind = 0; kind < _loops.Length && !stage.Stop.IsCancellationRequested; kind++)
        {
            Loop loop = _loops[kind];
            long turns = Math.Max(1, (long)(loop.Period.Nanoseconds / turn));
            long usual = (long)(turns * turn);
            long end = begun + ((kind + 1) * share);
            for (long now = machine.Ticks, loops = 0; (now < end || loops < LeastLoops) && !stage.Stop.IsCancellationRequested; loops++)
            {
                long first = machine.Ticks;
                now = Computation.Run(machine, turns);
                long beyond = Math.Max(0, stage.Time.ToNanoseconds(now - first) - usual);
                loop.Beyond.Record(stage.Time.ToNanoseconds(first - begun), beyond);
                loop.Disturbed += beyond >= _filter ? 1 : 0;
            }
        }
    }

    private sealed class Loop(Duration period)
    {
        public Duration Period => period;

        public TimeSeries Beyond { get; } = new(ReadableDuration.Of(period), "beyond the usual time");

        public long Disturbed { get; set; }
    }
}
