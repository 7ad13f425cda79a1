using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Tracer.Measure.Ground;
using Tracer.Measure.Processes;
using static Tracer.Measure.Machine.LinuxNatives;

namespace Tracer.Measure.Machine;

/// <summary>Linux as measurements see it.</summary>
[SupportedOSPlatform("linux")]
public sealed unsafe class LinuxMachine : IMeasureMachine
{
    private const long NanosecondsPerSecond = 1_000_000_000;
    private const int MaskWords = 16;
    private const int BitsOfWord = 64;
    private const int RealTimePriority = 50;

    /// <summary>99 is for the kernel's own threads.</summary>
    private const int HighestPriority = 98;
    private const int PreferredNice = -10;

    /// <summary>Of the process' first thread, which measures nothing.</summary>
    private static readonly int FirstNice = getpriority(PriorityOfProcess, (uint)Environment.ProcessId);

    private readonly SystemPeers _peers = new();
    private readonly List<SettingState> _process = [];
    private FileStream? _latencyRequest;

    public LinuxMachine()
    {
        Clocks =
        [
            new SystemClock("CLOCK_MONOTONIC", ClockMonotonic),
            new SystemClock("CLOCK_MONOTONIC_RAW", 4),
            new SystemClock("CLOCK_MONOTONIC_COARSE", 6),
            new SystemClock("CLOCK_REALTIME", 0),
            new SystemClock("CLOCK_BOOTTIME", ClockBootTime),
            new SystemClock("CLOCK_PROCESS_CPUTIME_ID", 2),
            new SystemClock("CLOCK_THREAD_CPUTIME_ID", 3),
        ];
    }

    public long Ticks => Stopwatch.GetTimestamp();

    public long TicksPerSecond => Stopwatch.Frequency;

    public long OtherClock => Read(ClockBootTime);

    public long CpuTime => Read(2);

    public IReadOnlyList<IReadableClock> Clocks { get; }

    public IReadOnlyList<int> Cpus { get; } = AllowedCpus();

    public MeasuredMachine Describe()
    {
        string[] processor = Lines("/proc/cpuinfo");
        return new MeasuredMachine
        {
            System = RuntimeInformation.OSDescription,
            Processor = ValueOf(processor, "model name"),
            Cpus = Cpus.Count,
            ClockSource = FirstLine("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
            CounterHz = TicksPerSecond,
            ClockTick = null,
            PowerPolicy = FirstLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            IsVirtual = ValueOf(processor, "flags") is { } flags ? flags.Split(' ').Contains("hypervisor") : null,
        };
    }

    public IReadOnlyList<SettingState> Prepare(ProcessWish wish)
    {
        ArgumentNullException.ThrowIfNull(wish);
        if (wish.LockMemory)
        {
            _process.Add(SettingState.Apply(
                "memory",
                "locked",
                static () => ValueOf(Lines("/proc/self/status"), "VmLck") is null or "0 kB" ? "not locked" : "locked",
                static () => Failure(mlockall(LockCurrent | LockFuture | LockOnFault)),
                static () => Failure(munlockall())));
        }

        if (wish.StaysAwake)
        {
            _process.Add(SettingState.Apply(
                "idle states of CPUs",
                "none that takes time to leave",
                () => _latencyRequest is null ? "as the system chooses" : "none that takes time to leave",
                RequestLatency,
                () =>
                {
                    _latencyRequest?.Dispose();
                    _latencyRequest = null;
                    return null;
                }));
        }

        return [.. _process];
    }

    public void Restore()
    {
        _process.ForEach(static one => one.Restore());
        _process.Clear();
    }

    public IReadOnlyList<SettingState> Run(params IReadOnlyList<MeasureThread> threads) => ThreadRunner.Run(threads, SettingsOf);

    public void Sleep(long nanoseconds)
    {
        TimeSpecification time;
        (time.Seconds, time.Nanoseconds) = Math.DivRem(nanoseconds, NanosecondsPerSecond);
        while (clock_nanosleep(ClockMonotonic, 0, &time, &time) == Interrupted)
        {
        }
    }

    public void SleepUntil(long ticks)
    {
        // The counter is CLOCK_MONOTONIC in nanoseconds.
        TimeSpecification time;
        (time.Seconds, time.Nanoseconds) = Math.DivRem(ticks, NanosecondsPerSecond);
        while (clock_nanosleep(ClockMonotonic, AbsoluteTime, &time, null) == Interrupted)
        {
        }
    }

    public IMeasureTimer StartTimer(long period) => new LinuxTimer(period);

    public IMeasureEvent CreateEvent() => new LinuxEvent();

    public IMeasurePeer OpenPeer(PeerWish wish) => _peers.Open(wish);

    public IReadOnlyList<MeasureSetting> EndPeers() => _peers.End();

    public IMeasureTerminal OpenTerminal() => new LinuxTerminal();

    public IMeasureFile OpenFile() => new TemporaryFile();

    public IMeasureAlarm CreateAlarm() => new LinuxAlarm();

    public IReadOnlyList<TimedCall> Calls { get; } =
    [
        new("getppid, nothing but entering the kernel", static () => _ = getppid()),
        new("clock_gettime (CLOCK_MONOTONIC)", static () => Read(ClockMonotonic), null, PaperCalls.ReadingTime),
        new("sched_yield", static () => _ = sched_yield()),
        new(
            "sched_setscheduler, from SCHED_OTHER to SCHED_FIFO", static () => SetPriority(MeasurePriority.RealTime),
            static () => SetPriority(MeasurePriority.Normal), PaperCalls.ToRealTime),
        new(
            "sched_setscheduler, from SCHED_FIFO to SCHED_OTHER", static () => SetPriority(MeasurePriority.Normal),
            static () => SetPriority(MeasurePriority.RealTime), PaperCalls.OtherClasses),
        new(
            "setpriority, a thread for itself", static () => setpriority(PriorityOfProcess, (uint)gettid(), 0), null,
            PaperCalls.OwnPriority),
        new(
            "setpriority, of another thread", static () => setpriority(PriorityOfProcess, (uint)Environment.ProcessId, FirstNice), null,
            PaperCalls.OthersPriority),
        new("starting a process (/bin/true)", static () => ChildStart.Start("/bin/true"), ChildStart.End, PaperCalls.NewProcess),
    ];

    public int CurrentCpu => sched_getcpu();

    public IEnumerable<ThreadTime> ThreadTimes()
    {
        foreach (string process in Directory.EnumerateDirectories("/proc"))
        {
            if (!uint.TryParse(Path.GetFileName(process), NumberStyles.None, CultureInfo.InvariantCulture, out uint id))
            {
                continue;
            }

            string? name = FirstLine(process + "/comm");
            foreach (string thread in Entries(process + "/task"))
            {
                // Time on a CPU, time of waiting for one, and time slices.
                if (FirstLine(thread + "/schedstat")?.Split(' ') is [{ } ran, ..]
                    && long.TryParse(ran, NumberStyles.None, CultureInfo.InvariantCulture, out long nanoseconds)
                    && uint.TryParse(Path.GetFileName(thread), NumberStyles.None, CultureInfo.InvariantCulture, out uint number))
                {
                    yield return new ThreadTime(id, name, number, nanoseconds);
                }
            }
        }
    }

    public void Dispose()
    {
        _peers.Dispose();
        Restore();
    }

    private static List<SettingState> SettingsOf(MeasureThread thread)
    {
        int niceBefore = getpriority(PriorityOfProcess, (uint)gettid());
        List<SettingState> settings =
        [
            SettingState.Apply(
                $"priority of the {thread.Name}",
                NameOf(thread.Priority, thread.TakesTurns),
                ReadPriority,
                () => SetPriority(thread.Priority, thread.TakesTurns),
                () => SetPriority(MeasurePriority.Normal, takesTurns: false, niceBefore)),
        ];
        if (settings[0].Got.StartsWith("SCHED_OTHER", StringComparison.Ordinal))
        {
            // Real-time threads have none.
            settings.Add(SettingState.Apply(
                $"timer slack of the {thread.Name}",
                "1 ns",
                static () => Text(prctl(GetTimerSlack, 0, 0, 0, 0)) + " ns",
                static () => Failure(prctl(SetTimerSlack, 1, 0, 0, 0)),
                // 0 stands for what the thread was made with.
                static () => Failure(prctl(SetTimerSlack, 0, 0, 0, 0))));
        }

        if (thread.Cpu is { } cpu)
        {
            ulong[] before = Mask();
            settings.Add(SettingState.Apply(
                $"CPUs of the {thread.Name}",
                Text(cpu),
                static () => string.Join(",", CpusOf(Mask()).Select(static one => Text(one))),
                () =>
                {
                    var mask = new ulong[MaskWords];
                    mask[cpu / BitsOfWord] = 1UL << (cpu % BitsOfWord);
                    return SetMask(mask);
                },
                () => SetMask(before)));
        }

        return settings;
    }

    private static string NameOf(MeasurePriority priority, bool takesTurns) => priority switch
    {
        MeasurePriority.RealTime => $"{RealTimePolicy(takesTurns)} {Text(RealTimePriority)}",
        MeasurePriority.TimeCritical => $"{RealTimePolicy(takesTurns)} {Text(HighestPriority)}",
        MeasurePriority.High => $"SCHED_OTHER, nice {Text(PreferredNice)}",
        _ => "SCHED_OTHER, nice 0",
    };

    private static string RealTimePolicy(bool takesTurns) => takesTurns ? "SCHED_RR" : "SCHED_FIFO";

    private static string ReadPriority()
    {
        int policy = sched_getscheduler(0);
        int priority;
        _ = sched_getparam(0, &priority);
        return policy switch
        {
            ScheduleOther => $"SCHED_OTHER, nice {Text(getpriority(PriorityOfProcess, (uint)gettid()))}",
            ScheduleFifo or ScheduleTurns => $"{RealTimePolicy(policy == ScheduleTurns)} {Text(priority)}",
            _ => $"policy {Text(policy)}, priority {Text(priority)}",
        };
    }

    private static string? SetPriority(MeasurePriority wanted, bool takesTurns = false, int usualNice = 0)
    {
        bool isRealTime = wanted is MeasurePriority.RealTime or MeasurePriority.TimeCritical;
        int priority = wanted switch
        {
            MeasurePriority.RealTime => RealTimePriority,
            MeasurePriority.TimeCritical => HighestPriority,
            _ => 0,
        };
        int policy = !isRealTime ? ScheduleOther : takesTurns ? ScheduleTurns : ScheduleFifo;
        string? failure = Failure(sched_setscheduler(0, policy, &priority));
        int nice = wanted == MeasurePriority.High ? PreferredNice : usualNice;
        return isRealTime ? failure : failure ?? Failure(setpriority(PriorityOfProcess, (uint)gettid(), nice));
    }

    private static ulong[] Mask()
    {
        var mask = new ulong[MaskWords];
        fixed (ulong* words = mask)
        {
            _ = sched_getaffinity(0, MaskWords * sizeof(ulong), words);
        }

        return mask;
    }

    private static string? SetMask(ulong[] mask)
    {
        fixed (ulong* words = mask)
        {
            return Failure(sched_setaffinity(0, (nuint)mask.Length * sizeof(ulong), words));
        }
    }

    private static IEnumerable<int> CpusOf(ulong[] mask) =>
        Enumerable.Range(0, mask.Length * BitsOfWord).Where(cpu => (mask[cpu / BitsOfWord] >> (cpu % BitsOfWord) & 1) != 0);

    private static int[] AllowedCpus() => [.. CpusOf(Mask())];

    private static string? Failure(int result) =>
        result == 0 ? null : Marshal.GetPInvokeErrorMessage(Marshal.GetLastPInvokeError());

    private string? RequestLatency()
    {
        try
        {
            _latencyRequest = new FileStream("/dev/cpu_dma_latency", FileMode.Open, FileAccess.Write);
            _latencyRequest.Write(stackalloc byte[sizeof(int)]);
            _latencyRequest.Flush();
            return null;
        }
        catch (Exception refusal) when (refusal is IOException or UnauthorizedAccessException)
        {
            _latencyRequest?.Dispose();
            _latencyRequest = null;
            return refusal.Message;
        }
    }

    private static long Read(int clock)
    {
        TimeSpecification time;
        _ = clock_gettime(clock, &time);
        return (time.Seconds * NanosecondsPerSecond) + time.Nanoseconds;
    }

    private static string[] Entries(string folder)
    {
        try
        {
            return Directory.GetDirectories(folder);
        }
        catch (Exception gone) when (gone is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }

    private static string[] Lines(string path)
    {
        try
        {
            return File.ReadAllLines(path);
        }
        catch (Exception missing) when (missing is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }

    private static string? FirstLine(string path) => Lines(path) is [{ Length: > 0 } first, ..] ? first : null;

    /// <summary>The value of a line <c>name : value</c>.</summary>
    private static string? ValueOf(string[] lines, string name) => lines
        .Select(static line => line.Split(':', 2))
        .FirstOrDefault(parts => parts.Length == 2 && parts[0].Trim() == name)?[1].Trim();

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);

    private sealed class SystemClock(string name, int clock) : IReadableClock
    {
        public string Name => name;

        public double? NominalNanoseconds
        {
            get
            {
                TimeSpecification time;
                return clock_getres(clock, &time) == 0 ? (time.Seconds * NanosecondsPerSecond) + time.Nanoseconds : null;
            }
        }

        public double? UnitNanoseconds => 1;

        public long Read() => LinuxMachine.Read(clock);
    }
}
