namespace Tracer.Measure.Ground;

/// <summary>
/// What measurements ask of a system: Linux, Windows, or a model with a clock and a scheduler of its own. What is called while something
/// is measured allocates nothing.
/// </summary>
public interface IMeasureMachine : IDisposable
{
    long Ticks { get; }

    /// <summary>Ticks of the counter in a second.</summary>
    long TicksPerSecond { get; }

    /// <summary>
    /// Another clock of the system, in nanoseconds, by which the counter is checked: it goes on while the machine sleeps.
    /// </summary>
    long OtherClock { get; }

    /// <summary>CPU time that the process has used, in nanoseconds.</summary>
    long CpuTime { get; }

    /// <summary>Clocks that a program of this system can read.</summary>
    IReadOnlyList<IReadableClock> Clocks { get; }

    /// <summary>CPUs that the process may use, in ascending order.</summary>
    IReadOnlyList<int> Cpus { get; }

    MeasuredMachine Describe();

    /// <summary>Sets what holds for the whole process: memory, timers, power.</summary>
    /// <returns>What was set; a setting that the system does not have is not among it.</returns>
    IReadOnlyList<SettingState> Prepare(ProcessWish wish);

    /// <summary>Undoes what <see cref="Prepare"/> set, and looks whether it is as before.</summary>
    void Restore();

    /// <summary>
    /// Runs each body on a thread of its own, which is given its settings, and waits for all. No body begins before every thread has its
    /// settings; each thread has its own again when its body is over. The first exception of a body is thrown again.
    /// </summary>
    /// <returns>What was set, restored by then.</returns>
    IReadOnlyList<SettingState> Run(params IReadOnlyList<MeasureThread> threads);

    void Sleep(long nanoseconds);

    /// <summary>Has the calling thread sleep until a time of the counter; not at all where that is past.</summary>
    void SleepUntil(long ticks);

    /// <summary>Starts a timer that expires periodically, a period from now for the first time.</summary>
    /// <param name="period">In nanoseconds.</param>
    IMeasureTimer StartTimer(long period);

    /// <summary>Makes an event that wakes one thread for each time it is set.</summary>
    IMeasureEvent CreateEvent();

    /// <summary>Finds or starts another process that answers packets. It is there until <see cref="EndPeers"/>.</summary>
    IMeasurePeer OpenPeer(PeerWish wish);

    /// <returns>What they had set for themselves, restored by then.</returns>
    IReadOnlyList<MeasureSetting> EndPeers();

    /// <summary>Makes a terminal: a keyboard and a screen that nobody sits at.</summary>
    IMeasureTerminal OpenTerminal();

    /// <summary>Makes a file that is gone when it is closed.</summary>
    IMeasureFile OpenFile();

    IMeasureAlarm CreateAlarm();

    /// <summary>Calls of the system that can be timed.</summary>
    IReadOnlyList<TimedCall> Calls { get; }

    int CurrentCpu { get; }

    /// <summary>How long each thread of the system has run so far, of those that this user may see.</summary>
    IEnumerable<ThreadTime> ThreadTimes();
}

public interface IMeasureTimer : IDisposable
{
    /// <summary>Waits until it expires, or not at all where it has since the last wait.</summary>
    void Wait();
}

/// <summary>An event that one thread sets and another waits for.</summary>
public interface IMeasureEvent : IDisposable
{
    /// <summary>Sets it: the thread that waits, or waits next, goes on.</summary>
    void Set();

    /// <summary>Waits for it, and takes it back.</summary>
    void Wait();
}

/// <summary>Another process that answers packets.</summary>
public interface IMeasurePeer
{
    bool SharesClock { get; }

    void Send(ReadOnlySpan<byte> datagram);

    /// <summary>Waits for a packet from it.</summary>
    /// <returns>Its length; -1 where none came for a second.</returns>
    int Receive(Span<byte> buffer);
}

/// <summary>What is wanted of a process that answers.</summary>
/// <param name="Cpu">The CPU that its thread is bound to; null for any.</param>
/// <param name="Elsewhere">Where one runs already, a host and a port with a colon between them; null to start one.</param>
public sealed record PeerWish(MeasurePriority Priority, int? Cpu, string? Elsewhere);

/// <summary>A keyboard and a screen.</summary>
public interface IMeasureTerminal : IDisposable
{
    void Press();

    /// <summary>Waits for a key, as a program does that reads it.</summary>
    void ReadKey();

    /// <summary>Shows text on the screen, and waits until the system has taken it.</summary>
    void Show(ReadOnlySpan<byte> text);
}

public interface IMeasureFile : IDisposable
{
    /// <summary>Writes 64 bits, and waits until they are on the disk.</summary>
    void Write(long value);
}

/// <summary>A timer that interrupts the CPU that it was set on, and wakes nobody.</summary>
public interface IMeasureAlarm : IDisposable
{
    void SetAt(long ticks);
}

/// <summary>A call of the system that can be timed.</summary>
/// <param name="After">Undoes it, or does what has to be done before the next; not timed. Null where nothing has to be done.</param>
/// <param name="Counterpart">The call of the paper that it stands for, in the paper's words; null for none.</param>
public sealed record TimedCall(string Name, Action Call, Action? After = null, string? Counterpart = null);

/// <summary>How long a thread has run.</summary>
/// <param name="Name">The process' name; null where it is not known.</param>
public readonly record struct ThreadTime(uint Process, string? Name, uint Thread, long Nanoseconds);

/// <summary>A clock that programs can read.</summary>
public interface IReadableClock
{
    string Name { get; }

    /// <summary>From one of its values to the next as the system promises it, in nanoseconds; null where it promises nothing.</summary>
    double? NominalNanoseconds { get; }

    /// <summary>Nanoseconds of one unit of its values; null where that has to be measured.</summary>
    double? UnitNanoseconds { get; }

    /// <summary>Reads it. Allocates nothing.</summary>
    long Read();
}

/// <summary>What is wanted of the whole process.</summary>
/// <param name="TimerMilliseconds">How fine timers are to be at least, in milliseconds.</param>
/// <param name="StaysAwake">Idle CPUs do not go to deep sleep, the processor keeps its speed, as far as a program may say so.</param>
public sealed record ProcessWish(bool LockMemory, int TimerMilliseconds, bool StaysAwake);

/// <summary>The class that a thread is scheduled in.</summary>
public enum MeasurePriority
{
    /// <summary>Real-time: 24 on Windows, SCHED_FIFO 50 on Linux.</summary>
    RealTime,

    /// <summary>What every program has: 8 on Windows, SCHED_OTHER on Linux.</summary>
    Normal,

    /// <summary>Preferred without being real-time: 13 on Windows, a nice value of -10 on Linux.</summary>
    High,

    /// <summary>The highest: 31 on Windows, SCHED_FIFO 98 on Linux.</summary>
    TimeCritical,
}

/// <param name="Name">What it is called among the settings.</param>
/// <param name="Cpu">The CPU that it is to be bound to; null for any.</param>
public sealed record MeasureThread(string Name, MeasurePriority Priority, int? Cpu, Action Body)
{
    /// <summary>Whether it takes turns with threads of its priority, where the system lets them run until they wait.</summary>
    public bool TakesTurns { get; init; }
}

/// <summary>Something of the system that is set, read back, and set again as it was.</summary>
public sealed class SettingState
{
    private readonly Func<string> _read;
    private readonly Func<string?>? _undo;

    private SettingState(string name, string wanted, Func<string> read, Func<string?>? undo)
    {
        (Name, Wanted, _read, _undo) = (name, wanted, read, undo);
        Before = read();
        Got = Before;
    }

    public string Name { get; }

    public string Before { get; }

    public string Wanted { get; }

    /// <summary>How it is, read back.</summary>
    public string Got { get; private set; }

    /// <summary>Why the system refused; null where it did not.</summary>
    public string? Refusal { get; private set; }

    /// <summary>Whether it was as before when it had been set again.</summary>
    public bool IsRestored { get; private set; }

    /// <summary>Changes a setting, and notes what it was and what it became.</summary>
    /// <param name="set">Sets it; gives why that failed, or null.</param>
    /// <param name="undo">Sets it as it was before; gives why that failed, or null. Null where nothing has to be done.</param>
    public static SettingState Apply(string name, string wanted, Func<string> read, Func<string?> set, Func<string?>? undo)
    {
        ArgumentNullException.ThrowIfNull(read);
        ArgumentNullException.ThrowIfNull(set);
        var state = new SettingState(name, wanted, read, undo);
        string? failure = set();
        state.Got = read();
        state.Refusal = failure ?? (state.Got == wanted ? null : $"the system gave {state.Got}");
        return state;
    }

    public void Restore()
    {
        _undo?.Invoke();
        IsRestored = _read() == Before;
    }

    public MeasureSetting ToReport() => new()
    {
        Name = Name,
        Before = Before,
        Wanted = Wanted,
        Got = Got,
        Refusal = Refusal,
        IsRestored = IsRestored,
    };
}
