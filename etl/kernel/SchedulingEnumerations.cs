namespace Tracer.Etl.Kernel;

/// <summary>What a thread is doing (KTHREAD_STATE of phnt).</summary>
public enum KernelThreadState : byte
{
    /// <summary>Made, never run.</summary>
    Initialized = 0,

    /// <summary>Waits for a processor.</summary>
    Ready = 1,

    /// <summary>Runs.</summary>
    Running = 2,

    /// <summary>Chosen to run next.</summary>
    Standby = 3,

    /// <summary>Ended.</summary>
    Terminated = 4,

    /// <summary>Waits, see <see cref="WaitReason"/>.</summary>
    Waiting = 5,

    /// <summary>Ready, but its kernel stack is swapped out.</summary>
    Transition = 6,

    /// <summary>Ready, no processor chosen yet.</summary>
    DeferredReady = 7,

    /// <summary>Waits for a gate; Vista only.</summary>
    GateWait = 8,

    /// <summary>Waits until its process is swapped in.</summary>
    ProcessInSwap = 9,
}

/// <summary>What a thread waits for, or why it lost the processor (KWAIT_REASON of wdm.h). Later builds number more than these.</summary>
public enum WaitReason : sbyte
{
    /// <summary>The kernel waits for something of its own.</summary>
    Executive = 0,

    /// <summary>A free page.</summary>
    FreePage = 1,

    /// <summary>A page that is being read.</summary>
    PageIn = 2,

    /// <summary>Pool memory.</summary>
    PoolAllocation = 3,

    /// <summary>A sleep.</summary>
    DelayExecution = 4,

    /// <summary>Suspended.</summary>
    Suspended = 5,

    /// <summary>An object, as its program asked for.</summary>
    UserRequest = 6,

    /// <summary>As <see cref="Executive"/>, on behalf of a program.</summary>
    WrExecutive = 7,

    /// <summary>As <see cref="FreePage"/>, on behalf of a program.</summary>
    WrFreePage = 8,

    /// <summary>As <see cref="PageIn"/>, on behalf of a program.</summary>
    WrPageIn = 9,

    /// <summary>As <see cref="PoolAllocation"/>, on behalf of a program.</summary>
    WrPoolAllocation = 10,

    /// <summary>As <see cref="DelayExecution"/>, on behalf of a program.</summary>
    WrDelayExecution = 11,

    /// <summary>As <see cref="Suspended"/>, on behalf of a program.</summary>
    WrSuspended = 12,

    /// <summary>As <see cref="UserRequest"/>, on behalf of a program.</summary>
    WrUserRequest = 13,

    /// <summary>An event pair.</summary>
    WrEventPair = 14,

    /// <summary>A kernel queue: an idle worker thread.</summary>
    WrQueue = 15,

    /// <summary>A message to receive.</summary>
    WrLpcReceive = 16,

    /// <summary>The reply to a message.</summary>
    WrLpcReply = 17,

    /// <summary>Virtual memory.</summary>
    WrVirtualMemory = 18,

    /// <summary>A page that is being written.</summary>
    WrPageOut = 19,

    /// <summary>A meeting of threads.</summary>
    WrRendezvous = 20,

    /// <summary>A keyed event.</summary>
    WrKeyedEvent = 21,

    /// <summary>The thread ended.</summary>
    WrTerminated = 22,

    /// <summary>Its process is swapped in.</summary>
    WrProcessInSwap = 23,

    /// <summary>Its share of the processor is used up.</summary>
    WrCpuRateControl = 24,

    /// <summary>A stack for a call into user mode.</summary>
    WrCalloutStack = 25,

    /// <summary>The kernel.</summary>
    WrKernel = 26,

    /// <summary>An executive resource.</summary>
    WrResource = 27,

    /// <summary>A push lock.</summary>
    WrPushLock = 28,

    /// <summary>A mutex.</summary>
    WrMutex = 29,

    /// <summary>Its quantum ended.</summary>
    WrQuantumEnd = 30,

    /// <summary>A dispatch interrupt took the processor.</summary>
    WrDispatchInt = 31,

    /// <summary>A thread of higher priority took the processor.</summary>
    WrPreempted = 32,

    /// <summary>It gave up the processor.</summary>
    WrYieldExecution = 33,

    /// <summary>A fast mutex.</summary>
    WrFastMutex = 34,

    /// <summary>A guarded mutex.</summary>
    WrGuardedMutex = 35,

    /// <summary>The end of a rundown protection.</summary>
    WrRundown = 36,

    /// <summary>Until another thread wakes it by its id: critical sections, SRW locks, condition variables (Windows 8 and later).</summary>
    WrAlertByThreadId = 37,
}

/// <summary>Where a waiting thread waits.</summary>
public enum ThreadWaitMode : byte
{
    /// <summary>In the kernel.</summary>
    Kernel = 0,

    /// <summary>In user mode: its stack may be swapped out.</summary>
    User = 1,
}

/// <summary>Why the priority of a readied thread is adjusted (ETW_READY_THREAD_EVENT of ntwmi.h, MOF ReadyThread).</summary>
public enum ReadyAdjustReason : sbyte
{
    /// <summary>It is not.</summary>
    None = 0,

    /// <summary>Its wait ended.</summary>
    Unwait = 1,

    /// <summary>It is boosted.</summary>
    Boost = 2,
}
