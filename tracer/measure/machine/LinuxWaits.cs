using System.ComponentModel;
using System.Runtime.Versioning;
using Tracer.Measure.Ground;
using static Tracer.Measure.Machine.LinuxNatives;

namespace Tracer.Measure.Machine;

/// <summary>A timerfd.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class LinuxTimer : IMeasureTimer
{
    private const long NanosecondsPerSecond = 1_000_000_000;

    private readonly int _file;

    /// <param name="period">In nanoseconds.</param>
    public LinuxTimer(long period)
    {
        _file = timerfd_create(ClockMonotonic, CloseOnExecute);
        TimerSpecification value;
        (value.Period.Seconds, value.Period.Nanoseconds) = Math.DivRem(period, NanosecondsPerSecond);
        value.First = value.Period;
        if (_file < 0 || timerfd_settime(_file, 0, &value, null) != 0)
        {
            throw new MeasureException("the system has no timerfd: " + new Win32Exception().Message);
        }
    }

    public void Wait()
    {
        ulong expiries;
        _ = read(_file, &expiries, sizeof(ulong));
    }

    public void Dispose() => _ = close(_file);
}

/// <summary>An eventfd.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class LinuxEvent : IMeasureEvent
{
    private readonly int _file = eventfd(0, CloseOnExecute);

    public void Set()
    {
        ulong one = 1;
        _ = write(_file, &one, sizeof(ulong));
    }

    public void Wait()
    {
        ulong value;
        _ = read(_file, &value, sizeof(ulong));
    }

    public void Dispose() => _ = close(_file);
}

/// <summary>A timerfd that nobody waits for: when it expires, its CPU is interrupted.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class LinuxAlarm : IMeasureAlarm
{
    private const long NanosecondsPerSecond = 1_000_000_000;

    private readonly int _file = timerfd_create(ClockMonotonic, CloseOnExecute);

    public void SetAt(long ticks)
    {
        // The counter is CLOCK_MONOTONIC in nanoseconds.
        TimerSpecification value = default;
        (value.First.Seconds, value.First.Nanoseconds) = Math.DivRem(ticks, NanosecondsPerSecond);
        _ = timerfd_settime(_file, AbsoluteTime, &value, null);
    }

    public void Dispose() => _ = close(_file);
}
