namespace Tracer.Analysis;

/// <summary>What a CPU did during a stretch.</summary>
public enum StripKind
{
    /// <summary>The idle thread ran.</summary>
    Idle,

    /// <summary>A thread ran.</summary>
    Thread,

    /// <summary>A DPC ran.</summary>
    Dpc,

    /// <summary>An interrupt service routine ran.</summary>
    Isr,

    /// <summary>Nothing was served.</summary>
    Blackout,
}
