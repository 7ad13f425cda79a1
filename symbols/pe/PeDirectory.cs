using System.Buffers.Binary;

namespace Tracer.Symbols;

/// <summary>
/// Where one of the tables of an image stands. IMAGE_DATA_DIRECTORY, 8 bytes: u32 VirtualAddress, u32 Size (PE format specification,
/// "Optional Header Data Directories").
/// </summary>
internal readonly record struct PeDirectory(uint Rva, uint Size)
{
    public const int EntrySize = 8;
    public const int Exports = 0;
    public const int Resources = 2;
    public const int Exceptions = 3;
    public const int Debug = 6;
    public const int ManagedHeader = 14;
    public const int MaximumCount = 16;

    public bool IsPresent => Rva != 0 && Size != 0;

    public static PeDirectory Read(ReadOnlySpan<byte> entry) =>
        new(BinaryPrimitives.ReadUInt32LittleEndian(entry), BinaryPrimitives.ReadUInt32LittleEndian(entry[4..]));
}
