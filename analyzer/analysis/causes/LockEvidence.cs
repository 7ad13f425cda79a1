namespace Tracer.Analysis.Causes;

/// <summary>What ties a wait for a lock, or for another CPU, to whoever is taken for the holder.</summary>
internal enum LockEvidence
{
    /// <summary>The holder's work went on meanwhile, or ended when the wait did; nothing names the code that waited.</summary>
    Coincidence,

    /// <summary>Samples lie in a routine of the kernel that waits, by its name, and the holder's work ended when the wait did.</summary>
    CommonEnd,

    /// <summary>Records show who held the lock.</summary>
    Hold,

    /// <summary>Records show who held the lock and how long was waited for it.</summary>
    HoldAndWait,
}
