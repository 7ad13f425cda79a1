namespace Tracer.Simulator.Engine;

/// <summary>
/// A spin lock of the kernel: one holder at DISPATCH_LEVEL; others spin on their CPUs until it is their turn, first come,
/// first served (a queued lock).
/// </summary>
public sealed class KernelSpinLock
{
    public KernelSpinLock(ulong address) => Address = address;

    public ulong Address { get; }

    internal LockUse? Holder { get; set; }

    internal Queue<LockUse> Waiting { get; } = new();
}

/// <summary>A use of a lock, from when it is asked for to when it is given back.</summary>
internal sealed class LockUse(KernelSpinLock spinLock, Cpu cpu, Frame frame, ulong caller, long askedNs)
{
    public KernelSpinLock Lock { get; } = spinLock;

    public Cpu Cpu { get; } = cpu;

    public Frame Frame { get; } = frame;

    /// <summary>The instruction behind the call that took it.</summary>
    public ulong Caller { get; } = caller;

    public long AskedNs { get; } = askedNs;

    public long AcquiredNs { get; set; }

    /// <summary>The level that its holder goes back to.</summary>
    public int FormerIrql { get; } = frame.Irql;
}

/// <summary>A CPU asks all others to do something at once and waits until they have: a flush of their address translations.</summary>
internal sealed class CrossCpuCall(Cpu sender, Frame frame)
{
    public Cpu Sender { get; } = sender;

    public Frame Frame { get; } = frame;

    public int FormerIrql { get; } = frame.Irql;

    /// <summary>Those that have not answered.</summary>
    public List<Cpu> Missing { get; } = [];
}
