using System.Diagnostics;

namespace Tracer.Capture.Ground;

/// <summary>Time as the flight recorder sees it: the machine's, or a virtual one in tests, where 72 hours pass in seconds.</summary>
public interface ICaptureClock
{
    /// <summary>The performance counter, in ticks.</summary>
    long Qpc { get; }

    /// <summary>Ticks of the performance counter in a second.</summary>
    long QpcHz { get; }

    DateTime UtcNow { get; }

    /// <summary>
    /// Time that the machine has been awake, in units of 100 ns: what it slept is not in it. Null where the system does not tell.
    /// </summary>
    long? AwakeTime => null;

    /// <summary>Whole ticks of the performance counter in a length of time.</summary>
    long TicksOf(Duration length) => TickRate.TicksOf(length.Nanoseconds, QpcHz);

    /// <summary>The length of time of so many ticks of the performance counter, in whole nanoseconds.</summary>
    Duration LengthOf(long ticks) => new(TickRate.NanosecondsOf(ticks, QpcHz));

    /// <summary>Waits on this clock, which tests run faster.</summary>
    void Wait(TimeSpan time, CancellationToken cancellation);
}

/// <summary>The machine's clock: the performance counter, and the date.</summary>
public sealed class SystemCaptureClock : ICaptureClock
{
    public long Qpc => Stopwatch.GetTimestamp();

    public long QpcHz => Stopwatch.Frequency;

    public DateTime UtcNow => DateTime.UtcNow;

    public long? AwakeTime => OperatingSystem.IsWindows() ? UnbiasedTime.Now : null;

    public void Wait(TimeSpan time, CancellationToken cancellation) => cancellation.WaitHandle.WaitOne(time);
}
