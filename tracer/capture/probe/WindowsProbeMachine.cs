using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.Versioning;
using Tracer.Capture.Ground;
using Tracer.Windows;
using static Tracer.Capture.Probe.ProbeNatives;
using static Tracer.Windows.ThreadNatives;

namespace Tracer.Capture.Probe;

/// <summary>Windows as the probe process sees it.</summary>
[SupportedOSPlatform("windows")]
internal sealed unsafe class WindowsProbeMachine : IProbeMachine
{
    private const int BytesPerMegabyte = 1 << 20;
    private const uint TimerPeriodMs = 1;

    /// <summary>More than the process uses, so that all of it stays.</summary>
    private const nuint LeastWorkingSet = 96 * BytesPerMegabyte;
    private const nuint MostWorkingSet = 256 * BytesPerMegabyte;

    private readonly nint _parent;
    private readonly ProviderEventLog _events = new();
    private readonly bool _isTimerPeriodSet;

    /// <param name="parentId">The process whose end is ours; 0 for none.</param>
    /// <exception cref="Win32Exception">There is no such process.</exception>
    public WindowsProbeMachine(int parentId)
    {
        _isTimerPeriodSet = timeBeginPeriod(TimerPeriodMs) == 0;
        if (parentId != 0)
        {
            _parent = OpenProcess(Synchronize, 0, (uint)parentId);
            if (_parent == 0)
            {
                throw new Win32Exception();
            }
        }
    }

    public long Qpc => Stopwatch.GetTimestamp();

    public long QpcHz => Stopwatch.Frequency;

    public long AwakeTime => UnbiasedTime.Now;

    public IReadOnlyList<uint> ClockPeriods
    {
        get
        {
            uint coarsest;
            uint finest;
            uint now;
            return NtQueryTimerResolution(&coarsest, &finest, &now) == 0 ? [coarsest, finest, now] : [];
        }
    }

    public long CpuTime
    {
        get
        {
            long created;
            long ended;
            long kernel;
            long user;
            return GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user) == 0 ? 0 : kernel + user;
        }
    }

    public IProbeEventLog Events => _events;

    public IReadOnlyList<string> PrepareProcess()
    {
        List<string> missing = [];
        if (!_isTimerPeriodSet)
        {
            missing.Add("a clock of 1 ms (timeBeginPeriod)");
        }

        nint process = GetCurrentProcess();
        _ = SetPriorityClass(process, RealTimePriorityClass);
        if (GetPriorityClass(process) != RealTimePriorityClass)
        {
            missing.Add("the real-time priority class (without the privilege Windows gives HIGH, and no error)");
        }

        // Control bit set, state bit clear: not throttled, and the timer resolution is honoured although no window of ours is to be seen.
        var throttling = new PowerThrottlingState
        {
            Version = 1,
            ControlMask = PowerThrottlingExecutionSpeed | PowerThrottlingIgnoreTimerResolution,
        };
        if (SetProcessInformation(process, ProcessPowerThrottling, &throttling, (uint)sizeof(PowerThrottlingState)) == 0)
        {
            // Before Windows 11 the second bit is not known.
            throttling.ControlMask = PowerThrottlingExecutionSpeed;
            if (SetProcessInformation(process, ProcessPowerThrottling, &throttling, (uint)sizeof(PowerThrottlingState)) == 0)
            {
                missing.Add("freedom from power throttling");
            }
        }

        if (SetProcessWorkingSetSizeEx(
            process, LeastWorkingSet, MostWorkingSet, QuotaLimitsHardMinimum | QuotaLimitsSoftMaximum) == 0)
        {
            missing.Add("a locked working set");
        }

        return missing;
    }

    public bool LockMemory(nint address, nuint bytes) => VirtualLock(address, bytes) != 0;

    public IProbeTimer OpenTimer(int cpu, int priority) => new WaitableTimer(cpu, priority);

    public bool WaitForParent(int milliseconds)
    {
        if (_parent != 0)
        {
            return WaitForSingleObject(_parent, (uint)milliseconds) == WaitObject0;
        }

        Thread.Sleep(milliseconds);
        return false;
    }

    public void Dispose()
    {
        _events.Dispose();
        if (_isTimerPeriodSet)
        {
            _ = timeEndPeriod(TimerPeriodMs);
        }

        if (_parent != 0)
        {
            _ = CloseHandle(_parent);
        }
    }

    private sealed class WaitableTimer : IProbeTimer
    {
        private readonly nint _timer;

        public WaitableTimer(int cpu, int priority)
        {
            nint thread = GetCurrentThread();
            ProcessCpus.Bind(cpu);

            nint process = GetCurrentProcess();
            _ = SetThreadPriority(thread, ProbePriority.Level(priority));
            uint priorityClass = GetPriorityClass(process);
            Priority = ProbePriority.Of(
                priorityClass == RealTimePriorityClass, priorityClass == HighPriorityClass, GetThreadPriority(thread));
            // Windows 10 1803 and later.
            _timer = CreateWaitableTimerExW(0, 0, CreateWaitableTimerHighResolution, TimerAllAccess);
            IsHighResolution = _timer != 0;
            if (_timer == 0)
            {
                _timer = CreateWaitableTimerExW(0, 0, 0, TimerAllAccess);
            }

            if (_timer == 0)
            {
                throw new Win32Exception();
            }
        }

        public int Priority { get; }

        public bool IsHighResolution { get; }

        public void Set(long delay)
        {
            long due = -delay;
            if (SetWaitableTimerEx(_timer, &due, 0, 0, 0, 0, 0) == 0)
            {
                throw new Win32Exception();
            }
        }

        public void Wait()
        {
            if (WaitForSingleObject(_timer, Infinite) != WaitObject0)
            {
                throw new Win32Exception();
            }
        }

        public void Dispose() => _ = CloseHandle(_timer);
    }
}
