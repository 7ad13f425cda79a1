namespace Tracer.Simulator.Engine;

/// <summary>How soon a DPC is to run; the numbers are the kernel's.</summary>
public enum DpcImportance
{
    /// <summary>At the end of the queue; the CPU is not asked to hurry.</summary>
    Low = 0,

    /// <summary>At the end of the queue; this CPU is asked, another one is not.</summary>
    Medium = 1,

    /// <summary>At the head of the queue; the CPU is asked.</summary>
    High = 2,

    /// <summary>At the end of the queue; the CPU is asked.</summary>
    MediumHigh = 3,
}

/// <summary>A deferred procedure call: code that an ISR leaves for later, at DISPATCH_LEVEL.</summary>
public sealed class Dpc
{
    public Dpc(CodeOwner owner, ulong routine, Func<IEnumerable<Step>> body)
    {
        Owner = owner;
        Routine = routine;
        Body = body;
    }

    /// <summary>Who answers for its time.</summary>
    public CodeOwner Owner { get; }

    public ulong Routine { get; }

    /// <summary>Name of its routine in causes, <c>module!function</c> or <c>module+0x1234</c>; null for none.</summary>
    public string? RoutineName { get; init; }

    public DpcImportance Importance { get; init; } = DpcImportance.Medium;

    /// <summary>The CPU that it is to run on; null for the one that queues it.</summary>
    public int? TargetCpu { get; init; }

    /// <summary>Runs in a thread of priority 31 at PASSIVE_LEVEL instead.</summary>
    public bool IsThreaded { get; init; }

    /// <summary>Address of the object, as the queue's records give it; 0 for one near the routine's.</summary>
    public ulong Key { get; init; }

    internal Func<IEnumerable<Step>> Body { get; }

    internal ulong QueueKey => Key != 0 ? Key : (Routine ^ 0x0000_7000_0000_0000) & ~0xFUL;

    internal bool IsQueued { get; set; }

    internal long EnqueuedNs { get; set; }

    internal ulong Occasion { get; set; }

    /// <summary>It was queued so that its CPU is not asked to hurry.</summary>
    internal bool IsDeferrable { get; set; }
}
