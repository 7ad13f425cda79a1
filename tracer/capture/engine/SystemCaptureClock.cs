using System.Diagnostics;

namespace Tracer.Capture;

/// <summary>The machine's clock: the performance counter, and the date.</summary>
public sealed class SystemCaptureClock : ICaptureClock
{
    /// <inheritdoc/>
    public long Qpc => Stopwatch.GetTimestamp();

    /// <inheritdoc/>
    public long QpcHz => Stopwatch.Frequency;

    /// <inheritdoc/>
    public DateTime UtcNow => DateTime.UtcNow;

    /// <inheritdoc/>
    public void Wait(TimeSpan time, CancellationToken cancellation) => cancellation.WaitHandle.WaitOne(time);
}
