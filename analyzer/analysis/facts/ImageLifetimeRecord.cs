namespace Tracer.Analysis.Facts;

/// <summary>What one record says about an image.</summary>
/// <param name="Space">The address space the image is mapped in: the process, or <see cref="KernelSpace"/>.</param>
/// <param name="Size">Size of the mapping in bytes.</param>
/// <param name="Kind">Whether the image was loaded, unloaded, or found in a rundown.</param>
/// <param name="Stamp">Time stamp of the image's PE header; 0 where unknown.</param>
/// <param name="Path">The image's NT path; empty where unknown.</param>
internal readonly record struct ImageLifetimeRecord(
    long Space, ulong Base, ulong Size, long Ticks, LifetimeRecordKind Kind, uint Stamp, string Path)
    : ILifetimeRecord<ImageLifetimeRecord>
{
    /// <summary>The kernel's address space: the same whatever process a record names. Sorts before those of all processes.</summary>
    public const long KernelSpace = -1;

    private const ulong FirstKernelAddress32 = 0x8000_0000;

    /// <summary>Whether an address is the kernel's: the upper half of the address space.</summary>
    /// <param name="pointerBytes">Width of the kernel's pointers: 4 or 8.</param>
    public static bool IsKernelAddress(ulong address, int pointerBytes) => address >= FirstKernelAddress(pointerBytes);

    /// <summary>Where the upper half of the address space begins.</summary>
    /// <param name="pointerBytes">Width of the kernel's pointers: 4 or 8.</param>
    public static ulong FirstKernelAddress(int pointerBytes) => pointerBytes == 4 ? FirstKernelAddress32 : 1UL << 63;

    /// <param name="pointerBytes">Width of the kernel's pointers: 4 or 8.</param>
    public static long SpaceOf(uint processId, ulong imageBase, int pointerBytes) =>
        IsKernelAddress(imageBase, pointerBytes) ? KernelSpace : processId;

    /// <summary>Orders by address space, then by address.</summary>
    public static UInt128 PlaceOf(long space, ulong imageBase) => new((ulong)space ^ (1UL << 63), imageBase);

    public ReadOnlySpan<char> Name => Path.AsSpan(Path.AsSpan().LastIndexOfAny('\\', '/') + 1);

    public UInt128 Place => PlaceOf(Space, Base);

    public int CompareContent(in ImageLifetimeRecord other)
    {
        int order = Size.CompareTo(other.Size);
        order = order != 0 ? order : Stamp.CompareTo(other.Stamp);
        return order != 0 ? order : string.CompareOrdinal(Path, other.Path);
    }

    /// <summary>Whether both are the same image, by name: the paths of one image may begin in different ways.</summary>
    public bool IsSame(in ImageLifetimeRecord other) =>
        Size == other.Size
        && (Path.Length == 0 || other.Path.Length == 0 || Name.Equals(other.Name, StringComparison.OrdinalIgnoreCase));

    public ImageLifetimeRecord With(in ImageLifetimeRecord later) => this with
    {
        Stamp = Stamp != 0 ? Stamp : later.Stamp,
        Path = Path.Length > 0 ? Path : later.Path,
    };
}
