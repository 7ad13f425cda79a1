namespace Tracer.Capture.Tests;

/// <summary>The clock of a <see cref="FakeWindows"/>: time passes while someone waits, and at once.</summary>
/// <param name="windows">The machine whose events happen meanwhile.</param>
internal sealed class FakeClock(FakeWindows windows) : ICaptureClock
{
    private (TimeSpan Time, long Ticks) _lastWait;

    /// <inheritdoc/>
    public long Qpc => windows.Now;

    /// <inheritdoc/>
    public long QpcHz => windows.Machine.Header.Clock.TicksPerSecond;

    /// <inheritdoc/>
    public DateTime UtcNow => DateTime.FromFileTimeUtc(windows.Machine.Header.Clock.FileTimeAt(windows.Now) ?? 0);

    /// <inheritdoc/>
    public void Wait(TimeSpan time, CancellationToken cancellation)
    {
        if (time != _lastWait.Time)
        {
            _lastWait = (time, Ticks(time));
        }

        if (!cancellation.IsCancellationRequested)
        {
            windows.RunTo(windows.Now + _lastWait.Ticks);
        }
    }

    /// <summary>A time in ticks of the counter.</summary>
    public long Ticks(TimeSpan time) => (long)((Int128)time.Ticks * QpcHz / TimeSpan.TicksPerSecond);
}
