using System.Runtime.CompilerServices;

namespace Tracer.Capture.Sessions;

/// <summary>
/// Which kernel events a session records: PERFINFO_GROUPMASK, eight words. A value as Microsoft's headers write them (0xG000_00BB style,
/// for example PERF_WDF_DPC 0x8100_0000) names its word in the top three bits and the bits of that word in the others.
/// </summary>
[InlineArray(Words)]
public struct KernelMasks : IEquatable<KernelMasks>
{
    public const int Words = 8;

    private const int WordShift = 29;
    private const uint BitsMask = (1u << WordShift) - 1;

    private uint _first;

    /// <summary>Whether two masks have the same events on.</summary>
    /// <returns>True if they have.</returns>
    public static bool operator ==(KernelMasks left, KernelMasks right) => left.Equals(right);

    /// <summary>Whether one mask has events on that the other has not.</summary>
    /// <returns>True if one has.</returns>
    public static bool operator !=(KernelMasks left, KernelMasks right) => !left.Equals(right);

    /// <summary>Switches on the events of one value.</summary>
    public void Add(uint mask) => this[(int)(mask >> WordShift)] |= mask & BitsMask;

    /// <summary>Switches off the events of one value.</summary>
    public void Remove(uint mask) => this[(int)(mask >> WordShift)] &= ~(mask & BitsMask);

    /// <summary>Whether all events of one value are on.</summary>
    /// <returns>True if they are.</returns>
    public readonly bool Has(uint mask) => (this[(int)(mask >> WordShift)] & mask & BitsMask) == (mask & BitsMask);

    public readonly bool Equals(KernelMasks other) => ((ReadOnlySpan<uint>)this).SequenceEqual(other);

    public override readonly bool Equals(object? obj) => obj is KernelMasks other && Equals(other);

    public override readonly int GetHashCode() => HashCode.Combine(this[0], this[1], this[2], this[4], this[6]);
}
