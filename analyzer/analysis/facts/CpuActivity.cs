namespace Tracer.Analysis.Facts;

/// <summary>
/// Counts of the events of one logical processor. A CPU that never has events of a kind gives no evidence that such things did not happen
/// there.
/// </summary>
public sealed class CpuActivity
{
    /// <summary>Index of the processor, as buffers give it.</summary>
    public required int Cpu { get; init; }

    public long Events { get; internal set; }

    /// <summary>Profile samples; those in sample caches are not counted.</summary>
    public long Samples { get; internal set; }

    /// <summary>Context switches; a compact batch counts as one.</summary>
    public long ContextSwitches { get; internal set; }

    /// <summary>ReadyThread events logged here.</summary>
    public long ReadyThreads { get; internal set; }

    /// <summary>ISR records, including those of passive-level ISRs.</summary>
    public long Isrs { get; internal set; }

    /// <summary>DPC records, including threaded and timer DPCs.</summary>
    public long Dpcs { get; internal set; }

    /// <summary>Time stamp of the first event that has one, in ticks; the events of the file's header are ignored.</summary>
    public long FirstTicks { get; internal set; } = long.MaxValue;

    /// <summary>Time stamp of the last event that has one, in ticks.</summary>
    public long LastTicks { get; internal set; } = long.MinValue;
}
