using Tracer.Capture.Ground;

namespace Tracer.Capture.Tests;

/// <summary>The clock of a <see cref="FakeWindows"/>: time passes while someone waits, and at once.</summary>
/// <param name="windows">The machine whose events happen meanwhile.</param>
internal sealed class FakeClock(FakeWindows windows) : ICaptureClock
{
    private (TimeSpan Time, long Ticks) _lastWait;
    private int _nextSleep;
    private long _slept;

    /// <summary>When the machine falls asleep, and for how long, in ticks; in order. The counter runs on meanwhile.</summary>
    public IReadOnlyList<(long At, long Length)> Sleeps { get; set; } = [];

    /// <summary>How often it has slept.</summary>
    public int TimesSlept => _nextSleep;

    public long? AwakeTime => (long)((Int128)(windows.Now - _slept) * TimeSpan.TicksPerSecond / QpcHz);

    public long Qpc => windows.Now;

    public long QpcHz => windows.Machine.Header.Clock.TicksPerSecond;

    public DateTime UtcNow => DateTime.FromFileTimeUtc(windows.Machine.Header.Clock.FileTimeAt(windows.Now) ?? 0);

    public void Wait(TimeSpan time, CancellationToken cancellation)
    {
        if (time != _lastWait.Time)
        {
            _lastWait = (time, Ticks(time));
        }

        if (!cancellation.IsCancellationRequested)
        {
            windows.RunTo(windows.Now + _lastWait.Ticks);
            while (_nextSleep < Sleeps.Count && Sleeps[_nextSleep].At <= windows.Now)
            {
                windows.RunTo(windows.Now + Sleeps[_nextSleep].Length);
                _slept += Sleeps[_nextSleep++].Length;
            }
        }
    }

    /// <summary>A time in ticks of the counter.</summary>
    public long Ticks(TimeSpan time) => (long)((Int128)time.Ticks * QpcHz / TimeSpan.TicksPerSecond);
}
