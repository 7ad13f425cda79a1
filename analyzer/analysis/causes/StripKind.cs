namespace Tracer.Analysis.Causes;

/// <summary>What a CPU did during a stretch of time.</summary>
public enum StripKind
{
    /// <summary>The idle thread ran.</summary>
    Idle,

    Thread,

    Dpc,

    /// <summary>An interrupt service routine ran.</summary>
    Isr,

    /// <summary>The CPU served nothing.</summary>
    Blackout,
}
