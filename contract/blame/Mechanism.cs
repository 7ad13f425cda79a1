using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>
/// How a cause kept the victim from running. In JSON in kebab case (<c>raised-irql</c>).
/// Definitions: the project's glossary; Cota-Robles &amp; Held (OSDI'99) 2.1 for the latencies that they explain.
/// </summary>
[JsonConverter(typeof(KebabCaseConverter<Mechanism>))]
public enum Mechanism
{
    /// <summary>Latency minus all causes found.</summary>
    Unexplained,

    /// <summary>An interrupt service routine ran.</summary>
    Isr,

    /// <summary>A DPC ran, or stood in the queue before the victim's own.</summary>
    Dpc,

    /// <summary>A DPC was queued with low importance or for another CPU and left waiting by design; the owner is who queued it.</summary>
    DpcDeferred,

    /// <summary>A thread of higher rank or priority ran, or one of equal priority until its quantum ended.</summary>
    Thread,

    /// <summary>Kernel code of a lower-priority thread kept the CPU at raised IRQL; shown by kernel-mode samples or stacks of it.</summary>
    RaisedIrql,

    /// <summary>The code on the CPU was itself waiting, in a spin-lock, IPI or flush routine of the kernel.</summary>
    SpinWait,

    /// <summary>Nothing was served, not even the clock or profile interrupt.</summary>
    Blackout,

    /// <summary>The CPU had to leave an idle state first.</summary>
    IdleExit,

    /// <summary>The victim waited for a hard page fault.</summary>
    Paging,

    /// <summary>A CPU that the victim may use was idle or ran something of lower priority, yet the victim was not dispatched.</summary>
    Scheduler,

    /// <summary>The hypervisor did not run the virtual processor.</summary>
    Hypervisor,

    /// <summary>The granularity of the timer itself; not interference.</summary>
    TimerTick,
}
