namespace Tracer.Analysis.Causes;

/// <summary>What a thread did while others waited for it.</summary>
internal enum ChainWhy
{
    /// <summary>It did its own work.</summary>
    Ran,

    /// <summary>ISRs, DPCs or a blackout interrupted its work.</summary>
    Interrupted,

    /// <summary>It was ready and did not run.</summary>
    Ready,

    /// <summary>It waited for a page.</summary>
    Page,

    /// <summary>It waited for the next of the chain, or for a device.</summary>
    Waited,
}

/// <summary>A thread of a chain: it should have made the one before it ready.</summary>
internal readonly record struct ChainStep(uint ThreadId, long AtTicks, ChainWhy Why);
