namespace Tracer.Simulator.Engine;

internal enum StepKind
{
    Run,
    Wait,
    Sleep,
    Signal,
    Queue,
    SetIrql,
    Mask,
    Unmask,
    Stall,
    DeviceAccess,
    HeldWait,
    InsideWait,
    TakeLock,
    GiveLock,
    WdfCallback,
    FirmwareMethod,
    Yield,
    Act,
    AcquireSpinLock,
    ReleaseSpinLock,
    CallOtherCpus,
}

/// <summary>
/// One thing that simulated code does. Bodies of ISRs and DPCs and the programs of threads are iterators that yield steps; the code of
/// the iterator itself runs, in no time, when the step before has been done.
/// </summary>
public readonly struct Step
{
    private Step(StepKind kind, long number = 0, CodeStretch? code = null, object? subject = null, byte detail = 0)
    {
        Kind = kind;
        Number = number;
        Code = code;
        Subject = subject;
        Detail = detail;
    }

    internal StepKind Kind { get; }

    internal long Number { get; }

    internal CodeStretch? Code { get; }

    internal object? Subject { get; }

    internal byte Detail { get; }

    /// <summary>Runs code on the CPU; interrupts and preemption come on top.</summary>
    public static Step Run(CodeStretch code, long ns)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(ns);
        return new(StepKind.Run, ns, code);
    }

    /// <summary>A thread waits until an event is signalled; goes on at once where it is.</summary>
    /// <param name="code">Where it waits; null for where it ran last.</param>
    public static Step Wait(KernelEvent subject, CodeStretch? code = null, byte reason = WaitReason.UserRequest) =>
        new(StepKind.Wait, 0, code, subject, reason);

    /// <summary>A thread waits for a time, which ends with the first clock interrupt at or after it.</summary>
    /// <param name="code">Where it waits; null for where it ran last.</param>
    public static Step Sleep(long ns, CodeStretch? code = null) => new(StepKind.Sleep, ns, code, null, WaitReason.DelayExecution);

    /// <summary>Signals an event: a waiting thread becomes ready. Not in an ISR: those queue a DPC.</summary>
    /// <param name="boost">What is added to the priority of the thread while it is below 16.</param>
    public static Step Signal(KernelEvent subject, byte boost = 1) => new(StepKind.Signal, 0, null, subject, boost);

    /// <summary>Puts a DPC into the queue of its CPU; nothing happens where it stands there already.</summary>
    public static Step Queue(Dpc dpc) => new(StepKind.Queue, 0, null, dpc);

    /// <summary>Thread code raises the IRQL: nothing preempts it and, from DISPATCH_LEVEL (2), DPCs of this CPU wait.</summary>
    /// <param name="irql">1 to 15, see <see cref="Irql"/>.</param>
    public static Step RaiseIrql(int irql) => new(StepKind.SetIrql, irql);

    /// <summary>Thread code goes back to PASSIVE_LEVEL: what waited runs now.</summary>
    public static Step LowerIrql() => new(StepKind.SetIrql, Irql.Passive);

    /// <summary>Masks the interrupts of this CPU, all of them; what arrives stays pending until <see cref="UnmaskInterrupts"/>.</summary>
    public static Step MaskInterrupts() => new(StepKind.Mask);

    /// <summary>Lets interrupts in again; pending ones are served now, the highest IRQL first.</summary>
    public static Step UnmaskInterrupts() => new(StepKind.Unmask);

    /// <summary>Stops all CPUs for a time, as a device does that holds the bus; the code's owner is to blame.</summary>
    public static Step StallMachine(CodeStretch code, long ns) => new(StepKind.Stall, ns, code);

    /// <summary>Stands in one access to a device's register: this CPU serves no interrupt before the device answers.</summary>
    /// <param name="ns">Nanoseconds until it answers.</param>
    public static Step AccessDevice(CodeStretch code, long ns) => new(StepKind.DeviceAccess, ns, code);

    /// <summary>A thread that was served cannot go on: waits for an event, and the wait counts as somebody's delay.</summary>
    /// <param name="code">Where it waits; null for where it ran last.</param>
    public static Step WaitHeld(KernelEvent subject, HoldCause cause, CodeStretch? code = null, byte reason = WaitReason.PageIn) =>
        new(StepKind.HeldWait, 0, code, new HeldWait(subject, cause), reason);

    /// <summary>A thread waits inside of what it does for somebody else: that is no end of its turn.</summary>
    /// <param name="code">Where it waits; null for where it ran last.</param>
    public static Step WaitInside(KernelEvent subject, CodeStretch? code = null, byte reason = WaitReason.UserRequest) =>
        new(StepKind.InsideWait, 0, code, subject, reason);

    /// <summary>A thread takes a lock; where another one holds it, it waits until it is its turn.</summary>
    /// <param name="code">Where it waits; null for where it ran last.</param>
    public static Step TakeLock(ThreadLock taken, CodeStretch? code = null, byte reason = WaitReason.AlertByThreadId) =>
        new(StepKind.TakeLock, 0, code, taken, reason);

    /// <summary>A thread gives a lock back: the one that has waited longest holds it and becomes ready.</summary>
    /// <param name="boost">What is added to the priority of that thread while it is below 16.</param>
    public static Step GiveLock(ThreadLock given, byte boost = 1) => new(StepKind.GiveLock, 0, null, given, boost);

    /// <summary>Takes a spin lock, at DISPATCH_LEVEL from then on; spins while another CPU has it.</summary>
    /// <param name="spin">Where samples hit while it waits: the kernel's routine, called by this code.</param>
    public static Step AcquireSpinLock(KernelSpinLock spinLock, CodeStretch spin) =>
        new(StepKind.AcquireSpinLock, 0, spin, spinLock);

    /// <summary>Gives a spin lock back, and the IRQL from before it was taken.</summary>
    public static Step ReleaseSpinLock(KernelSpinLock spinLock) => new(StepKind.ReleaseSpinLock, 0, null, spinLock);

    /// <summary>Interrupts all other CPUs and spins until they have served that: a flush of address translations.</summary>
    /// <param name="spin">Where samples hit while it waits: the kernel's routine, called by this code.</param>
    public static Step CallOtherCpus(CodeStretch spin) => new(StepKind.CallOtherCpus, 0, spin);

    /// <summary>The driver framework is about to call its client: leaves a record where these are recorded.</summary>
    /// <param name="isInterrupt">For an ISR callback; else one of a DPC.</param>
    public static Step WdfCallback(ulong routine, bool isInterrupt = false) =>
        new(StepKind.WdfCallback, unchecked((long)routine), null, null, isInterrupt ? (byte)1 : (byte)0);

    /// <summary>A firmware method of ACPI begins: leaves a record where these are recorded.</summary>
    public static Step FirmwareMethodBegins(string method) => new(StepKind.FirmwareMethod, 0, null, method);

    /// <summary>A firmware method of ACPI has ended: leaves a record where these are recorded.</summary>
    public static Step FirmwareMethodEnds(string method) => new(StepKind.FirmwareMethod, 1, null, method);

    /// <summary>A thread lets others of its priority run.</summary>
    public static Step Yield() => new(StepKind.Yield);

    /// <summary>Does anything else in no time: raise a device's interrupt, start a transfer, write a record.</summary>
    public static Step Act(Action<Machine> action) => new(StepKind.Act, 0, null, action);
}

/// <summary>The kernel's numbers of why a thread waits.</summary>
public static class WaitReason
{
    /// <summary>In the kernel, on its own account.</summary>
    public const byte Executive = 0;

    public const byte PageIn = 2;

    public const byte DelayExecution = 4;

    public const byte UserRequest = 6;

    public const byte Queue = 15;

    /// <summary>For a lock of a program, before Windows 8.</summary>
    public const byte KeyedEvent = 21;

    /// <summary>For a resource of the kernel.</summary>
    public const byte Resource = 27;

    public const byte PushLock = 28;

    public const byte QuantumEnd = 30;

    /// <summary>An interrupt or another CPU brought a thread of higher priority.</summary>
    public const byte DispatchInterrupt = 31;

    /// <summary>It made a thread of higher priority ready itself.</summary>
    public const byte Preempted = 32;

    /// <summary>It let others run.</summary>
    public const byte YieldExecution = 33;

    /// <summary>For a lock of a program, since Windows 8.</summary>
    public const byte AlertByThreadId = 37;
}

/// <summary>Interrupt request levels of an x64 processor.</summary>
public static class Irql
{
    public const int Passive = 0;

    /// <summary>DPCs and the dispatcher.</summary>
    public const int Dispatch = 2;

    public const int LowestDevice = 3;

    public const int HighestDevice = 12;

    /// <summary>Code that waits for other CPUs; device interrupts wait.</summary>
    public const int Synch = 12;

    public const int Clock = 13;

    /// <summary>Interrupts that CPUs send each other.</summary>
    public const int Ipi = 14;

    /// <summary>The profile interrupt; nothing comes through.</summary>
    public const int High = 15;
}
