using System.Buffers.Binary;
using System.Text;

namespace Tracer.Symbols;

/// <summary>One section of an image.</summary>
/// <param name="Name">Up to eight bytes; not unique.</param>
/// <param name="Rva">Where it begins in memory, from the image's base.</param>
/// <param name="VirtualSize">Bytes that it takes in memory; 0 in some old images, which then mean <paramref name="RawSize"/>.</param>
/// <param name="RawOffset">Where it begins in the file.</param>
/// <param name="RawSize">Bytes that it takes in the file.</param>
/// <param name="Characteristics">IMAGE_SCN_ flags, such as 0x20 for code and 0x20000000 for executable memory.</param>
/// <remarks>
/// IMAGE_SECTION_HEADER, 40 bytes (PE format specification, "Section Table"):
/// <code>
///  0 u8[8] Name                 8 u32 VirtualSize    12 u32 VirtualAddress   16 u32 SizeOfRawData   20 u32 PointerToRawData
/// 24 u32   PointerToRelocations 28 u32 ...LineNumbers 32 u16, u16 counts     36 u32 Characteristics
/// </code>
/// </remarks>
public readonly record struct PeSection(string Name, uint Rva, uint VirtualSize, uint RawOffset, uint RawSize, uint Characteristics)
{
    internal const int HeaderSize = 40;

    /// <summary>Whether its bytes may be executed.</summary>
    public bool IsExecutable => (Characteristics & 0x2000_0020) != 0;

    /// <summary>Bytes that it takes in memory, as the loader counts.</summary>
    internal uint MappedSize => VirtualSize != 0 ? VirtualSize : RawSize;

    /// <summary>The section whose header these 40 bytes are.</summary>
    internal static PeSection Read(ReadOnlySpan<byte> header)
    {
        ReadOnlySpan<byte> name = header[..8];
        int end = name.IndexOf((byte)0);
        return new PeSection(
            Encoding.Latin1.GetString(end < 0 ? name : name[..end]),
            BinaryPrimitives.ReadUInt32LittleEndian(header[12..]),
            BinaryPrimitives.ReadUInt32LittleEndian(header[8..]),
            BinaryPrimitives.ReadUInt32LittleEndian(header[20..]),
            BinaryPrimitives.ReadUInt32LittleEndian(header[16..]),
            BinaryPrimitives.ReadUInt32LittleEndian(header[36..]));
    }
}
