using Tracer.Capture.Ground;

namespace Tracer.Capture.Engine;

/// <summary>Measures what a capture costs: CPU time of our processes, events per second, the clock's rate.</summary>
internal sealed class CostMeter(CaptureMachine machine)
{
    private readonly Dictionary<LeftProcess, TimeSpan> _children = [];
    private TimeSpan _ownAtBegin;
    private TimeSpan _own;
    private long _beginQpc;
    private uint? _clockBefore;
    private uint? _clock;

    /// <summary>The capture begins; nothing of the machine is changed yet.</summary>
    public void Begin()
    {
        _ownAtBegin = machine.OwnCpuTime();
        _beginQpc = machine.Clock.Qpc;
        _clockBefore = machine.ClockPeriod100ns();
    }

    public void Watch(LeftProcess process) => _children[process] = TimeSpan.Zero;

    /// <summary>Looks; a process that has ended keeps what it had.</summary>
    public void Look()
    {
        _own = machine.OwnCpuTime();
        foreach (LeftProcess child in _children.Keys.ToArray())
        {
            _children[child] = machine.CpuTimeOf(child) ?? _children[child];
        }

        if (machine.ClockPeriod100ns() is { } now)
        {
            _clock = Math.Min(_clock ?? now, now);
        }
    }

    /// <summary>What it came to so far.</summary>
    /// <param name="arrivals">What arrived in the first second; null where that is not known.</param>
    /// <param name="sampleInterval100ns">Distance of samples; 0 where it is not known.</param>
    public CaptureCost Cost(ArrivalSurvey? arrivals, uint sampleInterval100ns)
    {
        TimeSpan cpu = _own - _ownAtBegin + _children.Values.Aggregate(TimeSpan.Zero, static (sum, one) => sum + one);
        double seconds = (double)(machine.Clock.Qpc - _beginQpc) / machine.Clock.QpcHz;
        double arrived = arrivals?.Span.Nanoseconds / 1e9 ?? 0;
        return new CaptureCost
        {
            OwnCpu = new Duration(100 * cpu.Ticks),
            OwnCpuPercent = seconds > 0 ? 100 * cpu.TotalSeconds / seconds : null,
            EventsPerSecond = arrived > 0 ? arrivals!.Events / arrived : null,
            StacksPerSecond = arrived > 0 ? arrivals!.Stacks / arrived : null,
            ClockPeriodBefore = Of(_clockBefore),
            ClockPeriod = Of(_clock),
            SampleInterval = sampleInterval100ns == 0 ? null : Of(sampleInterval100ns),
        };
    }

    private static Duration? Of(uint? units) => units is { } known ? new Duration(100L * known) : null;
}
