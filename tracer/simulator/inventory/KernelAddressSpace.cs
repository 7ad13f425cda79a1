using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Inventory;

/// <summary>Gives kernel modules their places: on page boundaries, at random distances, never one over another.</summary>
internal sealed class KernelAddressSpace
{
    private const ulong PageBytes = 0x1000;
    private const ulong LargePageBytes = 0x20_0000;

    private readonly RandomSequence _random;
    private readonly int _pointerBytes;
    private ulong _next;

    /// <summary>Makes an empty one.</summary>
    public KernelAddressSpace(RandomSequence random, int pointerBytes)
    {
        _random = random;
        _pointerBytes = pointerBytes;
        _next = pointerBytes == 8
            ? 0xFFFFF800_00000000 + (LargePageBytes * (ulong)random.Between(0x100, 0x3_0000))
            : 0x8200_0000 + (PageBytes * (ulong)random.NextBelow(0x800));
    }

    /// <summary>An address that points into the pool: page-aligned blocks of a kernel structure.</summary>
    public ulong PoolAddress(ulong alignment) => _pointerBytes == 8
        ? (0xFFFFA000_00000000 + (ulong)_random.NextBelow(0xFFF_FFFF_FFFF)) & ~(alignment - 1)
        : (0xC000_0000 + (ulong)_random.NextBelow(0x1FFF_FFFF)) & ~(alignment - 1);

    public ulong Take(uint bytes)
    {
        ulong most = _pointerBytes == 8 ? 0x400UL : 0x20UL;
        ulong address = _next + (PageBytes * (ulong)_random.Between(1, (long)most));
        _next = (address + bytes + PageBytes - 1) & ~(PageBytes - 1);
        if (_pointerBytes == 4 && _next > 0xC000_0000)
        {
            throw new InvalidOperationException("The modules do not fit the address space of a 32-bit kernel.");
        }

        return address;
    }
}
