using System.ComponentModel;
using System.Runtime.Versioning;
using Tracer.Measure.Ground;
using static Tracer.Measure.Machine.WindowsNatives;
using static Tracer.Windows.ThreadNatives;

namespace Tracer.Measure.Machine;

/// <summary>A waitable timer, finer than the clock tick where Windows has such (10, version 1803).</summary>
[SupportedOSPlatform("windows")]
internal sealed unsafe class WindowsTimer : IMeasureTimer
{
    private const int NanosecondsPerUnit = 100;
    private const int NanosecondsPerMillisecond = 1_000_000;

    private nint _timer;

    /// <summary>Makes it.</summary>
    /// <exception cref="MeasureException">Windows refuses.</exception>
    public WindowsTimer()
    {
        _timer = CreateWaitableTimerExW(0, 0, CreateWaitableTimerHighResolution, TimerAllAccess);
        _timer = _timer != 0 ? _timer : CreateWaitableTimerExW(0, 0, 0, TimerAllAccess);
        if (_timer == 0)
        {
            throw new MeasureException("Windows gives no timer: " + new Win32Exception().Message);
        }
    }

    ~WindowsTimer() => Close();

    /// <param name="period">In nanoseconds; Windows takes whole milliseconds.</param>
    public void Start(long period) => Set(period, (int)Math.Max(1, period / NanosecondsPerMillisecond));

    /// <summary>Has it expire once, in so many nanoseconds.</summary>
    public void StartOnce(long nanoseconds) => Set(nanoseconds, 0);

    /// <summary>Waits so many nanoseconds.</summary>
    public void WaitFor(long nanoseconds)
    {
        StartOnce(nanoseconds);
        Wait();
    }

    public void Wait() => _ = WaitForSingleObject(_timer, Infinite);

    public void Dispose()
    {
        Close();
        GC.SuppressFinalize(this);
    }

    private void Set(long nanoseconds, int periodMs)
    {
        long due = -Math.Max(1, nanoseconds / NanosecondsPerUnit);
        if (SetWaitableTimerEx(_timer, &due, periodMs, 0, 0, 0, 0) == 0)
        {
            throw new MeasureException("Windows does not set the timer: " + new Win32Exception().Message);
        }
    }

    private void Close()
    {
        if (_timer != 0)
        {
            _ = CloseHandle(_timer);
            _timer = 0;
        }
    }
}

/// <summary>An event that resets itself.</summary>
[SupportedOSPlatform("windows")]
internal sealed class WindowsEvent : IMeasureEvent
{
    private readonly nint _event = CreateEventW(0, 0, 0, 0);

    public void Set() => _ = SetEvent(_event);

    public void Wait() => _ = WaitForSingleObject(_event, Infinite);

    public void Dispose() => _ = CloseHandle(_event);
}

/// <summary>A waitable timer that nobody waits for: Windows serves it in an interrupt of its clock.</summary>
[SupportedOSPlatform("windows")]
internal sealed class WindowsAlarm(IMeasureMachine machine) : IMeasureAlarm
{
    private readonly WindowsTimer _timer = new();

    public void SetAt(long ticks) => _timer.StartOnce(new TickTime(machine.TicksPerSecond).ToNanoseconds(ticks - machine.Ticks));

    public void Dispose() => _timer.Dispose();
}
