using Tracer.Capture.Ground;

namespace Tracer.Capture.Tests;

/// <summary>
/// Stands for the probe process or the driver: measures the latencies that the simulator says there were, and short ones in between. Told
/// when the fake's clock has passed their end.
/// </summary>
internal sealed class TruthTrigger : ITriggerSource
{
    private const long UsualNs = 20_000;
    private static readonly TimeSpan Period = TimeSpan.FromMilliseconds(100);

    private readonly FakeWindows _windows;
    private readonly List<TriggerMeasurement> _late = [];
    private int _next;
    private long _nextUsual;

    /// <param name="windows">The machine, which may run its trace several times.</param>
    /// <param name="latencyOf">The latency that it tells of an episode of one run; null for the true one.</param>
    public TruthTrigger(FakeWindows windows, TriggerKind kind, Func<int, Duration, Duration>? latencyOf = null)
    {
        _windows = windows;
        Kind = kind;
        for (int run = 0; run < windows.Plays.Count; run++)
        {
            foreach (TrueEpisode episode in windows.Machine.Truth.Episodes)
            {
                _late.Add(new TriggerMeasurement(
                    kind,
                    windows.Plays[run] + windows.Machine.TicksOf(episode.Start),
                    (latencyOf?.Invoke(run, episode.Latency) ?? episode.Latency).Nanoseconds,
                    episode.Cpu ?? 0,
                    Routine: 0));
            }
        }

        _late.Sort((left, right) => End(left).CompareTo(End(right)));
    }

    public TriggerKind Kind { get; }

    public TimeSpan Delay { get; init; } = TimeSpan.FromMilliseconds(10);

    public long FloorNs { get; init; }

    /// <summary>Episodes of this first time of the machine are not told.</summary>
    public Duration NotBefore { get; init; }

    /// <summary>What Start throws; null for nothing.</summary>
    public Exception? Obstacle { get; init; }

    public bool IsDisposed { get; private set; }

    public void Start()
    {
        if (Obstacle is not null)
        {
            throw Obstacle;
        }

        _nextUsual = _windows.Now;
    }

    public void Drain(ITriggerSink sink)
    {
        long now = _windows.Now;
        for (; _next < _late.Count && End(_late[_next]) <= now; _next++)
        {
            if (_late[_next].StartQpc >= _windows.Machine.FirstTicks + _windows.Machine.TicksOf(NotBefore))
            {
                sink.OnMeasurement(_late[_next]);
            }
        }

        if (now >= _nextUsual)
        {
            _nextUsual = now + _windows.Clock.Ticks(Period);
            sink.OnMeasurement(new TriggerMeasurement(Kind, now - _windows.Clock.Ticks(Period), UsualNs, 0, 0));
        }
    }

    public void Dispose() => IsDisposed = true;

    private long End(in TriggerMeasurement measurement) =>
        measurement.StartQpc + _windows.Machine.TicksOf(new Duration(measurement.LatencyNs));
}
