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

/// <summary>Why a chain goes no further.</summary>
internal enum ChainEnd
{
    /// <summary>No record says who made the thread ready.</summary>
    NoReadyThread,

    /// <summary>Records of the CPU are lost.</summary>
    Lost,

    /// <summary>The thread waited for what a device's interrupt brought, and nothing kept that interrupt.</summary>
    Device,

    /// <summary>The thread had the CPU, and what may have interrupted it was not recorded.</summary>
    Uninterrupted,

    /// <summary>It comes back to a thread that it has passed, or passes too many.</summary>
    Astray,
}

/// <summary>A stretch in which a thread waited, or was waited for, and the next link of its chain is not known; times in ticks.</summary>
internal readonly record struct UnknownLink(uint ThreadId, ChainEnd Why, long FromTicks, long ToTicks);
