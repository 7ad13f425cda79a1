namespace Tracer.Analysis;

/// <summary>What one record tells of an image.</summary>
/// <param name="Space">Address space it is mapped in: the process, or <see cref="KernelSpace"/>.</param>
/// <param name="Base">Its first address.</param>
/// <param name="Size">Size of its mapping in bytes.</param>
/// <param name="Ticks">When.</param>
/// <param name="Kind">What happened.</param>
/// <param name="Stamp">Time stamp of its PE header; 0 where unknown.</param>
/// <param name="Path">Its NT path; empty where unknown.</param>
internal readonly record struct ImageSighting(
    long Space, ulong Base, ulong Size, long Ticks, SightingKind Kind, uint Stamp, string Path)
    : ISighting<ImageSighting>
{
    /// <summary>The kernel's address space: one, whatever process a record names; before those of processes in any order.</summary>
    public const long KernelSpace = -1;

    private const ulong FirstKernelAddress32 = 0x8000_0000;

    /// <summary>Whether an address is the kernel's: the upper half of the address space.</summary>
    /// <param name="address">The address.</param>
    /// <param name="pointerBytes">Width of the kernel's pointers: 4 or 8.</param>
    public static bool IsKernelAddress(ulong address, int pointerBytes) =>
        pointerBytes == 4 ? address >= FirstKernelAddress32 : address > long.MaxValue;

    /// <summary>The address space of an image.</summary>
    /// <param name="processId">The process that its record names.</param>
    /// <param name="imageBase">Its first address.</param>
    /// <param name="pointerBytes">Width of the kernel's pointers: 4 or 8.</param>
    public static long SpaceOf(uint processId, ulong imageBase, int pointerBytes) =>
        IsKernelAddress(imageBase, pointerBytes) ? KernelSpace : processId;

    /// <summary>Last component of the path.</summary>
    public ReadOnlySpan<char> Name => Path.AsSpan(Path.AsSpan().LastIndexOfAny('\\', '/') + 1);

    public int ComparePlace(in ImageSighting other)
    {
        int order = Space.CompareTo(other.Space);
        return order != 0 ? order : Base.CompareTo(other.Base);
    }

    public int CompareContent(in ImageSighting other)
    {
        int order = Size.CompareTo(other.Size);
        order = order != 0 ? order : Stamp.CompareTo(other.Stamp);
        return order != 0 ? order : string.CompareOrdinal(Path, other.Path);
    }

    /// <summary>Paths of one image differ in how they begin; names do not.</summary>
    public bool IsSame(in ImageSighting other) =>
        Size == other.Size
        && (Path.Length == 0 || other.Path.Length == 0 || Name.Equals(other.Name, StringComparison.OrdinalIgnoreCase));

    public ImageSighting With(in ImageSighting later) => this with
    {
        Stamp = Stamp != 0 ? Stamp : later.Stamp,
        Path = Path.Length > 0 ? Path : later.Path,
    };
}
