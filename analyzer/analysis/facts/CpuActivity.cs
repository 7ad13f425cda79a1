namespace Tracer.Analysis;

/// <summary>
/// What the trace holds of one logical processor: a kind of event that a CPU never has is no evidence that nothing happened there.
/// </summary>
public sealed class CpuActivity
{
    /// <summary>Index of the processor, as buffers give it.</summary>
    public required int Cpu { get; init; }

    /// <summary>All events.</summary>
    public long Events { get; internal set; }

    /// <summary>Timer-driven samples, those in sample caches not counted.</summary>
    public long Samples { get; internal set; }

    /// <summary>Context switches; a compact batch counts as one.</summary>
    public long ContextSwitches { get; internal set; }

    /// <summary>ReadyThread events logged here.</summary>
    public long ReadyThreads { get; internal set; }

    /// <summary>ISR records, passive ones included.</summary>
    public long Isrs { get; internal set; }

    /// <summary>DPC records, threaded and timer ones included.</summary>
    public long Dpcs { get; internal set; }

    /// <summary>Time stamp of its first event that has one, those of the file's header apart, in ticks.</summary>
    public long FirstTicks { get; internal set; } = long.MaxValue;

    /// <summary>Time stamp of its last event that has one, in ticks.</summary>
    public long LastTicks { get; internal set; } = long.MinValue;
}
