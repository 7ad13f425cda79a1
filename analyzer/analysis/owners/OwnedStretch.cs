namespace Tracer.Analysis.Owners;

/// <summary>A stretch of one run of an ISR or DPC that belongs to one owner: it begins where the one before ends.</summary>
/// <param name="ToTicks">Its end, in ticks.</param>
/// <param name="Voted">
/// The routine on whose other runs its samples vote: the framework's, or the callback of a bus driver; 0 where they vote on nothing.
/// </param>
internal readonly record struct OwnedStretch(long ToTicks, OwnerFinding Owner, ulong Voted);
