using System.Numerics;

namespace Tracer.Symbols.Pdb;

/// <summary>
/// The first bytes of an MSF 7.0 file (LLVM, "The MSF File Format"; microsoft-pdb, msf.cpp: BIGMSF_HDR):
/// <code>
///  0  32  "Microsoft C/C++ MSF 7.00\r\n\x1A" "DS" 0 0 0
/// 32   4  bytes of a page: a power of two
/// 36   4  which of pages 1 and 2 holds the free page map (not used: readers take what the directory lists)
/// 40   4  pages of the file
/// 44   4  bytes of the directory
/// 48   4  unused
/// 52   4n pages that hold the page numbers of the directory; n is as many as they take
/// </code>
/// </summary>
internal readonly record struct MsfSuperBlock(int PageSize, uint PageCount, uint DirectoryBytes)
{
    public const int Bytes = 52;
    public const int MinimumPageSize = 512;
    public const int MaximumPageSize = 1 << 20;

    private const int PageSizeAt = 32;
    private const int PageCountAt = 40;
    private const int DirectoryBytesAt = 44;

    /// <summary>What MSF 7.0 begins with.</summary>
    public static ReadOnlySpan<byte> Magic => "Microsoft C/C++ MSF 7.00\r\n\u001ADS\0\0\0"u8;

    /// <summary>Reads it and checks it against the file's length.</summary>
    /// <returns>null where it is sound.</returns>
    public static PdbFault? TryRead(SymbolBytes file, out MsfSuperBlock block)
    {
        block = default;
        ReadOnlySpan<byte> bytes = file.At(0, Bytes);
        if (!bytes.StartsWith(Magic))
        {
            return new PdbFault(OtherKind(bytes), 0, OtherWord(OtherKind(bytes)));
        }

        if (bytes.Length < Bytes)
        {
            return Damaged(bytes.Length, $"the file ends after {bytes.Length} bytes, in the header of the container");
        }

        uint pageSize = LittleEndian.UInt32(bytes, PageSizeAt);
        if (pageSize is < MinimumPageSize or > MaximumPageSize || !BitOperations.IsPow2(pageSize))
        {
            return Damaged(PageSizeAt, $"the container has pages of {pageSize} bytes; {MinimumPageSize} to {MaximumPageSize} are known");
        }

        block = new MsfSuperBlock((int)pageSize, LittleEndian.UInt32(bytes, PageCountAt), LittleEndian.UInt32(bytes, DirectoryBytesAt));
        if (block.DirectoryBytes < sizeof(uint) || block.DirectoryBytes > file.Length)
        {
            return Damaged(DirectoryBytesAt, $"a directory of {block.DirectoryBytes} bytes does not fit a file of {file.Length} bytes");
        }

        return null;
    }

    public static PdbFault Damaged(long at, string what) => new(PdbFaultKind.DamagedContainer, at, what);

    private static PdbFaultKind OtherKind(ReadOnlySpan<byte> bytes)
    {
        if (bytes.StartsWith("BSJB"u8))
        {
            return PdbFaultKind.Portable;
        }

        // "... program database 2.00" is MSF 2.0; "MSF 1.0"-era files share the beginning.
        return bytes.StartsWith("Microsoft C/C++ program database "u8) ? PdbFaultKind.OldContainer : PdbFaultKind.NotPdb;
    }

    private static string OtherWord(PdbFaultKind kind) => kind switch
    {
        PdbFaultKind.Portable => "a portable PDB: it describes managed code and has no native addresses",
        PdbFaultKind.OldContainer => "a PDB in the old container (before MSF 7.0, Visual C++ 6 or earlier), which is not read",
        _ => "not a PDB: the file does not begin as one",
    };
}
