namespace Tracer.Simulator.Engine;

/// <summary>
/// What the simulated kernel logs, as the real one would, whoever writes it down. All times are nanoseconds since the machine was
/// started. Calls come in the order of logging over all CPUs (time never goes back); a record of an ISR or DPC comes when the routine
/// has returned. Stacks are addresses, innermost first, empty where none was taken; spans are valid during the call only.
/// </summary>
public interface IKernelLog : IPowerLog, IProviderLog
{
    /// <summary>An interrupt service routine has returned.</summary>
    void Isr(long startNs, long endNs, int cpu, ulong routine, ushort vector, bool isClaimed, uint? message);

    /// <summary>A deferred procedure call has returned.</summary>
    void Dpc(long startNs, long endNs, int cpu, DpcRecordKind kind, ulong routine);

    /// <summary>A DPC was put into a queue.</summary>
    void DpcEnqueued(long timeNs, int cpu, ulong key, int depth, uint count, int targetCpu, byte importance);

    /// <summary>A DPC was taken from the queue and is about to run.</summary>
    void DpcExecuting(long timeNs, int cpu, ulong routine, ulong key);

    /// <summary>The driver framework is about to call its client.</summary>
    void WdfCallback(long timeNs, int cpu, bool isInterrupt, ulong routine);

    /// <summary>A thread was made runnable.</summary>
    void ReadyThread(long timeNs, int cpu, uint threadId, sbyte boost, bool isFromDpc, ReadOnlySpan<ulong> stack);

    void ContextSwitch(long timeNs, int cpu, in SimulatedSwitch change, ReadOnlySpan<ulong> stack);

    /// <summary>The profile interrupt hit this code.</summary>
    void Sample(
        long timeNs, int cpu, ulong instruction, uint threadId, int priority, bool isInDpc, bool isInIsr, ReadOnlySpan<ulong> stack);

    void ClockInterrupt(long timeNs, int cpu, bool isOwner);

    void IdleEnter(long timeNs, int cpu, uint state);

    void IdleExit(long timeNs, int cpu, uint state);

    void HardFault(long startNs, long endNs, int cpu, uint threadId, ulong address, uint bytes);

    void DiskTransfer(long startNs, long endNs, int cpu, bool isWrite, uint threadId, uint bytes);

    void SpinLock(in SimulatedLockUse use);

    void PrioritySet(long timeNs, int cpu, uint threadId, int oldPriority, int newPriority);

    /// <summary>A thread that had been ready for too long was lifted.</summary>
    void AntiStarvationBoost(long timeNs, int cpu, uint threadId, int queueCpu, int oldPriority);

    /// <summary>A firmware method of ACPI began or ended (Microsoft-Windows-Kernel-Acpi, event 7).</summary>
    void FirmwareMethod(long timeNs, int cpu, uint threadId, string method, bool isEnd);
}

/// <summary>Which record a DPC leaves.</summary>
public enum DpcRecordKind
{
    /// <summary>An ordinary one (hook 0x0F44).</summary>
    Normal,

    /// <summary>One that a timer queued (hook 0x0F45).</summary>
    Timer,

    /// <summary>One that runs in a thread at passive level (hook 0x0F42).</summary>
    Threaded,
}

/// <summary>A use of a spin lock; fields as in the record of the kernel (hook 0x0529).</summary>
public readonly record struct SimulatedLockUse
{
    public required int Cpu { get; init; }

    public required ulong Lock { get; init; }

    /// <summary>The instruction behind the call that took it.</summary>
    public required ulong Caller { get; init; }

    public required long AskedNs { get; init; }

    public required long AcquiredNs { get; init; }

    public required long ReleasedNs { get; init; }

    public required uint ThreadId { get; init; }

    public required bool IsInDpc { get; init; }
}

/// <summary>A change of threads on a CPU; fields as in the record of the kernel (hook 0x0524).</summary>
public readonly record struct SimulatedSwitch
{
    /// <summary>The thread that runs now; 0 is the idle thread.</summary>
    public required uint NewThreadId { get; init; }

    public required uint OldThreadId { get; init; }

    /// <summary>Dynamic priority of the new thread, 0 to 31.</summary>
    public required int NewPriority { get; init; }

    /// <summary>Dynamic priority of the old thread, 0 to 31.</summary>
    public required int OldPriority { get; init; }

    /// <summary>
    /// State the old thread went into: 1 ready, 2 running (idle), 3 standby (another CPU has it next), 4 terminated, 5 waiting.
    /// </summary>
    public required byte OldState { get; init; }

    /// <summary>Why the old thread waits; a value of the kernel's wait reasons.</summary>
    public required byte OldWaitReason { get; init; }

    public required int OldIdealProcessor { get; init; }

    /// <summary>How long the new thread had waited, in clock ticks.</summary>
    public required uint NewWaitTicks { get; init; }

    /// <summary>The idle state that the CPU was in, where the old thread is idle.</summary>
    public required byte PreviousCState { get; init; }
}

/// <summary>What the kernel logs of power management; see <see cref="IKernelLog"/> for times and order.</summary>
public interface IPowerLog
{
    /// <summary>A CPU has left an idle state after an exit that took so long.</summary>
    void IdleExitLatency(long timeNs, int cpu, uint state, long latencyNs);

    /// <summary>A CPU runs at another part of its nominal speed.</summary>
    void SpeedChanged(long timeNs, int cpu, int newPercent, int oldPercent);

    /// <summary>Threads are no longer given to a CPU, or are again.</summary>
    void CpuParked(long timeNs, int cpu, int parkedCpu, bool isParked);

    /// <summary>The machine has slept, only its performance counter went on: what is logged later comes so much later still.</summary>
    void Slept(long timeNs, long ns);

    /// <summary>The machine enters Modern Standby.</summary>
    void StandbyEntered(long timeNs, int cpu, uint threadId);

    /// <summary>The machine leaves Modern Standby.</summary>
    /// <param name="ns">How long it was in it.</param>
    /// <param name="sleptNs">How long of that it slept.</param>
    /// <param name="sleeps">How often it slept.</param>
    void StandbyLeft(long timeNs, int cpu, uint threadId, long ns, long sleptNs, int sleeps);
}

/// <summary>What providers beside the kernel log; see <see cref="IKernelLog"/> for times and order.</summary>
public interface IProviderLog
{
    /// <summary>The .NET runtime of a process stops its threads for a garbage collection, collects, lets them go on.</summary>
    void GarbageCollection(long timeNs, int cpu, uint threadId, CollectionStep step, uint number);

    /// <summary>Windows' audio engine tells of a deadline, or that something was late.</summary>
    /// <param name="deadlineNs">The deadline, behind the other fields; null where the event has none.</param>
    /// <param name="fields">The fields of the event's first version, see <see cref="GlitchKind.Layout"/>.</param>
    void SoundGlitch(long timeNs, int cpu, uint threadId, ushort eventId, long? deadlineNs, ReadOnlySpan<ulong> fields);

    /// <summary>Our own recorder begins to measure wake-ups.</summary>
    /// <param name="periodNs">From one wake-up to the next.</param>
    /// <param name="isProcess">Whether a probe process measures; else our driver.</param>
    void MeasuringStarted(
        long timeNs, int cpu, uint threadId, int priority, long periodNs, long thresholdNs, bool isProcess = false);

    /// <summary>Our own recorder relates its clock to the performance counter.</summary>
    void ClocksRelated(long timeNs, int cpu, uint threadId);

    /// <summary>Our own recorder has measured a wake-up.</summary>
    void WakeupMeasured(long timeNs, int cpu, uint threadId, in SimulatedWakeup wakeup);

    /// <summary>Our own driver tells how its timer of all CPUs is doing.</summary>
    void TimerTold(long timeNs, int cpu, uint threadId, in SimulatedTimerState state);

    /// <summary>Our own recorder stops.</summary>
    void MeasuringStopped(long timeNs, int cpu, uint threadId, ulong wakeups);
}

/// <summary>Steps of a garbage collection, by the ids of their events.</summary>
public enum CollectionStep
{
    /// <summary>All threads are to stop where they can.</summary>
    SuspensionBegins = 9,

    /// <summary>They have stopped.</summary>
    SuspensionEnds = 8,

    Begins = 1,

    Ends = 2,

    /// <summary>The threads are being let go.</summary>
    RestartBegins = 7,

    RestartEnds = 3,
}

/// <summary>A wake-up that our own recorder measured; times in nanoseconds since the machine was started.</summary>
public readonly record struct SimulatedWakeup
{
    /// <summary>Counts the wake-ups of the run.</summary>
    public required ulong Sequence { get; init; }

    public required long DueNs { get; init; }

    /// <summary>The clock tick that should have served it; null where that is not told, as in the event's first version.</summary>
    public long? TickNs { get; init; }

    /// <summary>The clock interrupt that served it; null where that can't be measured, as in a process.</summary>
    public required long? IsrNs { get; init; }

    /// <summary>First instruction of the callback of a timer that serves all CPUs; null where there is none.</summary>
    public long? CallbackNs { get; init; }

    /// <summary>When that callback queued the DPC; null where there is none.</summary>
    public long? QueuedNs { get; init; }

    public int TimerCpu { get; init; }

    /// <summary>First instruction of the DPC; null where there is none.</summary>
    public required long? DpcNs { get; init; }

    /// <summary>First instruction of the thread.</summary>
    public required long ThreadNs { get; init; }

    public required int Priority { get; init; }
}

/// <summary>What our own driver tells of its timer of all CPUs; lengths in nanoseconds.</summary>
/// <param name="FloorNs">Latency of a wake-up that nothing delays.</param>
/// <param name="TickNs">From one clock tick to the next.</param>
/// <param name="OwnNs">CPU time of its own code so far.</param>
/// <param name="LateTimers">How often the timer was late by the threshold.</param>
public readonly record struct SimulatedTimerState(long FloorNs, long TickNs, long OwnNs, long RunNs, long LateTimers);
