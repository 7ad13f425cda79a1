using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;
using System.Runtime.Versioning;
using Tracer.Measure.Ground;
using Tracer.Measure.Processes;
using Tracer.Windows;
using static Tracer.Measure.Machine.WindowsNatives;
using static Tracer.Windows.ThreadNatives;

namespace Tracer.Measure.Machine;

/// <summary>Windows as measurements see it: a process of one processor group.</summary>
[SupportedOSPlatform("windows")]
public sealed unsafe class WindowsMachine : IMeasureMachine
{
    private const int BytesPerMegabyte = 1 << 20;
    private const nuint LeastWorkingSet = 96 * BytesPerMegabyte;
    private const nuint MostWorkingSet = 256 * BytesPerMegabyte;
    private const long NanosecondsPerMillisecond = 1_000_000;
    private const int NanosecondsPerUnit = 100;
    private const int RealTimeBase = 24;
    private const int HighestOfRealTime = 31;
    private const int NormalBase = 8;
    private const int HighBase = 13;

    /// <summary>Of the calling thread; closed by the collector when the thread is gone.</summary>
    [ThreadStatic]
    private static WindowsTimer? _timer;

    /// <summary>The thread that opened the machine, which measures nothing; closed with the process.</summary>
    private static readonly nint FirstThread = OpenThread(ThreadSetInformation, 0, GetCurrentThreadId());

    private readonly SystemPeers _peers = new();
    private readonly List<SettingState> _process = [];

    public long Ticks => Stopwatch.GetTimestamp();

    public long TicksPerSecond => Stopwatch.Frequency;

    public long OtherClock => (long)GetTickCount64() * NanosecondsPerMillisecond;

    public long CpuTime => Environment.CpuUsage.TotalTime.Ticks * NanosecondsPerUnit;

    public IReadOnlyList<IReadableClock> Clocks { get; } =
    [
        new SystemClock("QueryPerformanceCounter", 1e9 / Stopwatch.Frequency, static () =>
        {
            long value;
            _ = QueryPerformanceCounter(&value);
            return value;
        }),
        new SystemClock("timeGetTime", NanosecondsPerMillisecond, static () => timeGetTime()),
        new SystemClock("GetTickCount64", NanosecondsPerMillisecond, static () => (long)GetTickCount64()),
        new SystemClock("GetSystemTimeAsFileTime", NanosecondsPerUnit, static () =>
        {
            long value;
            GetSystemTimeAsFileTime(&value);
            return value;
        }),
        new SystemClock("GetSystemTimePreciseAsFileTime", NanosecondsPerUnit, static () =>
        {
            long value;
            GetSystemTimePreciseAsFileTime(&value);
            return value;
        }),
        new SystemClock("QueryUnbiasedInterruptTime", NanosecondsPerUnit, static () =>
        {
            ulong value;
            _ = QueryUnbiasedInterruptTime(&value);
            return (long)value;
        }),
    ];

    public IReadOnlyList<int> Cpus => ProcessCpus.Allowed();

    public MeasuredMachine Describe() => new()
    {
        System = RuntimeInformation.OSDescription,
        Processor = Environment.GetEnvironmentVariable("PROCESSOR_IDENTIFIER"),
        Cpus = Cpus.Count,
        ClockSource = "QueryPerformanceCounter",
        CounterHz = TicksPerSecond,
        ClockTick = ClockTick() is > 0 and uint tick ? new Duration((long)tick * NanosecondsPerUnit) : null,
        PowerPolicy = MachineNatives.PowerPlan().Name,
        // The root of a hypervisor has the processor itself.
        IsVirtual = X86Base.IsSupported ? MachineNatives.Hypervisor() is (not null, false) : null,
    };

    public IReadOnlyList<SettingState> Prepare(ProcessWish wish)
    {
        ArgumentNullException.ThrowIfNull(wish);
        // Other programs may have asked for finer ones.
        const uint UnitsPerMillisecond = 10_000;
        uint period = (uint)wish.TimerMilliseconds;
        string fine = string.Create(CultureInfo.InvariantCulture, $"{period} ms or less");
        bool isSet = false;
        _process.Add(SettingState.Apply(
            "timer period",
            fine,
            () => ClockTick() is > 0 and var tick && tick <= (period * UnitsPerMillisecond) + (UnitsPerMillisecond / 100)
                ? fine : string.Create(CultureInfo.InvariantCulture, $"more than {period} ms"),
            () => (isSet = timeBeginPeriod(period) == 0) ? null : "timeBeginPeriod failed",
            () => isSet ? timeEndPeriod(period) == 0 ? null : "timeEndPeriod failed" : null));

        if (wish.LockMemory)
        {
            nuint least;
            nuint most;
            uint flags;
            _ = GetProcessWorkingSetSizeEx(GetCurrentProcess(), &least, &most, &flags);
            (nuint leastBefore, nuint mostBefore) = (least, most);
            _process.Add(SettingState.Apply(
                "working set",
                "locked",
                static () => IsWorkingSetHard() ? "locked" : "not locked",
                static () => Failure(SetProcessWorkingSetSizeEx(
                    GetCurrentProcess(), LeastWorkingSet, MostWorkingSet, QuotaLimitsHardMinimum | QuotaLimitsSoftMaximum)),
                () => Failure(SetProcessWorkingSetSizeEx(
                    GetCurrentProcess(), leastBefore, mostBefore, QuotaLimitsHardMinimumOff | QuotaLimitsHardMaximumOff))));
        }

        return [.. _process];
    }

    public void Restore()
    {
        _process.ForEach(static one => one.Restore());
        _process.Clear();
    }

    public IReadOnlyList<SettingState> Run(params IReadOnlyList<MeasureThread> threads)
    {
        ArgumentNullException.ThrowIfNull(threads);
        // A thread's priority is a level within the class of its process: all threads of a measurement share the highest class among them.
        uint wanted = threads.Max(static thread => ClassOf(thread.Priority));
        uint before = GetPriorityClass(GetCurrentProcess());
        _ = SetPriorityClass(GetCurrentProcess(), wanted);
        try
        {
            return ThreadRunner.Run(threads, thread => SettingsOf(thread, wanted));
        }
        finally
        {
            _ = SetPriorityClass(GetCurrentProcess(), before);
        }
    }

    public void Sleep(long nanoseconds) =>
        _ = SleepEx((uint)((nanoseconds + NanosecondsPerMillisecond - 1) / NanosecondsPerMillisecond), 0);

    public void SleepUntil(long ticks)
    {
        long left = new TickTime(TicksPerSecond).ToNanoseconds(ticks - Ticks);
        if (left > 0)
        {
            _timer ??= new WindowsTimer();
            _timer.WaitFor(left);
        }
    }

    public IMeasureTimer StartTimer(long period)
    {
        var timer = new WindowsTimer();
        timer.Start(period);
        return timer;
    }

    public IMeasureEvent CreateEvent() => new WindowsEvent();

    public IMeasurePeer OpenPeer(PeerWish wish) => _peers.Open(wish);

    public IReadOnlyList<MeasureSetting> EndPeers() => _peers.End();

    public IMeasureTerminal OpenTerminal() => new WindowsTerminal();

    public IMeasureFile OpenFile() => new TemporaryFile();

    public IMeasureAlarm CreateAlarm() => new WindowsAlarm(this);

    public IReadOnlyList<TimedCall> Calls { get; } =
    [
        new("QueryPerformanceCounter", static () =>
        {
            long value;
            _ = QueryPerformanceCounter(&value);
        }, null, PaperCalls.ReadingTime),
        new("SwitchToThread", static () => _ = SwitchToThread()),
        new(
            "SetPriorityClass, from normal to real-time", static () => SetPriorityClass(GetCurrentProcess(), RealTimePriorityClass),
            static () => SetPriorityClass(GetCurrentProcess(), NormalClass), PaperCalls.ToRealTime),
        new(
            "SetPriorityClass, from normal to high", static () => SetPriorityClass(GetCurrentProcess(), HighPriorityClass),
            static () => SetPriorityClass(GetCurrentProcess(), NormalClass), PaperCalls.OtherClasses),
        new(
            "SetThreadPriority, a thread for itself", static () => SetThreadPriority(GetCurrentThread(), 1),
            static () => SetThreadPriority(GetCurrentThread(), 0), PaperCalls.OwnPriority),
        new(
            "SetThreadPriority, of another thread", static () => SetThreadPriority(FirstThread, 1),
            static () => SetThreadPriority(FirstThread, 0), PaperCalls.OthersPriority),
        new(
            "starting a process (where.exe)",
            static () => ChildStart.Start(Path.Combine(Environment.SystemDirectory, "where.exe")), ChildStart.End,
            PaperCalls.NewProcess),
    ];

    public int CurrentCpu => (int)GetCurrentProcessorNumber();

    public IEnumerable<ThreadTime> ThreadTimes()
    {
        foreach (Process process in Process.GetProcesses())
        {
            using (process)
            {
                foreach (ProcessThread thread in process.Threads)
                {
                    if (TimeOf(thread) is { } time)
                    {
                        yield return new ThreadTime((uint)process.Id, process.ProcessName, (uint)thread.Id, time);
                    }
                }
            }
        }
    }

    public void Dispose()
    {
        _peers.Dispose();
        Restore();
    }

    private static List<SettingState> SettingsOf(MeasureThread thread, uint priorityClass)
    {
        int before = GetThreadPriority(GetCurrentThread());
        List<SettingState> settings =
        [
            SettingState.Apply(
                $"priority of the {thread.Name}",
                PriorityOf(thread.Priority).ToString(CultureInfo.InvariantCulture),
                static () => PriorityOf(GetPriorityClass(GetCurrentProcess()), GetThreadPriority(GetCurrentThread()))
                    .ToString(CultureInfo.InvariantCulture),
                () => Failure(SetThreadPriority(GetCurrentThread(), LevelOf(thread.Priority, priorityClass))),
                () => Failure(SetThreadPriority(GetCurrentThread(), before))),
        ];
        if (thread.Cpu is { } cpu)
        {
            (ushort group, ulong mask) = WindowsProcessorGroups.Here.OfThread();
            bool isBound = false;
            settings.Add(SettingState.Apply(
                $"CPUs of the {thread.Name}",
                cpu.ToString(CultureInfo.InvariantCulture),
                () => !isBound ? "all of the process" : cpu.ToString(CultureInfo.InvariantCulture),
                () =>
                {
                    try
                    {
                        ProcessCpus.Bind(cpu);
                        isBound = true;
                        return null;
                    }
                    catch (System.ComponentModel.Win32Exception refusal)
                    {
                        return refusal.Message;
                    }
                },
                () =>
                {
                    try
                    {
                        WindowsProcessorGroups.Here.Bind(group, mask);
                        isBound = false;
                        return null;
                    }
                    catch (System.ComponentModel.Win32Exception refusal)
                    {
                        return refusal.Message;
                    }
                }));
        }

        return settings;
    }

    private static uint ClassOf(MeasurePriority priority) => priority switch
    {
        MeasurePriority.RealTime or MeasurePriority.TimeCritical => RealTimePriorityClass,
        MeasurePriority.High => HighPriorityClass,
        _ => NormalClass,
    };

    private static int PriorityOf(MeasurePriority priority) => priority switch
    {
        MeasurePriority.RealTime => RealTimeBase,
        MeasurePriority.TimeCritical => HighestOfRealTime,
        MeasurePriority.High => HighBase,
        _ => NormalBase,
    };

    /// <summary>The level within a class that comes nearest to what is wanted.</summary>
    private static int LevelOf(MeasurePriority priority, uint priorityClass) => priority == MeasurePriority.TimeCritical
        ? TimeCriticalLevel
        : ClassOf(priority) == priorityClass ? 0 : -2;

    private static int PriorityOf(uint priorityClass, int level) => (priorityClass, level) switch
    {
        (RealTimePriorityClass, TimeCriticalLevel) => HighestOfRealTime,
        (RealTimePriorityClass, _) => RealTimeBase + level,
        (_, TimeCriticalLevel) => 15,
        (HighPriorityClass, _) => HighBase + level,
        _ => NormalBase + level,
    };

    private static bool IsWorkingSetHard()
    {
        nuint least;
        nuint most;
        uint flags;
        return GetProcessWorkingSetSizeEx(GetCurrentProcess(), &least, &most, &flags) != 0 && (flags & QuotaLimitsHardMinimum) != 0;
    }

    private static uint ClockTick()
    {
        uint coarsest;
        uint finest;
        uint now;
        return NtQueryTimerResolution(&coarsest, &finest, &now) == 0 ? now : 0;
    }

    /// <summary>What a thread has run; null where it is gone, idle, or not to be seen.</summary>
    private static long? TimeOf(ProcessThread thread)
    {
        try
        {
            return thread.TotalProcessorTime.Ticks * NanosecondsPerUnit;
        }
        catch (Exception refused) when (refused is System.ComponentModel.Win32Exception or InvalidOperationException)
        {
            return null;
        }
    }

    private static string? Failure(int result) =>
        result != 0 ? null : Marshal.GetPInvokeErrorMessage(Marshal.GetLastPInvokeError());

    private sealed class SystemClock(string name, double unit, Func<long> read) : IReadableClock
    {
        public string Name => name;

        public double? NominalNanoseconds => null;

        public double? UnitNanoseconds => unit;

        public long Read() => read();
    }
}
