using System.Buffers.Binary;
using System.Text;

namespace Tracer.Symbols.Tests.Pe;

/// <summary>
/// An image of one section, made byte by byte: what no linker writes. The section has RVA 0x1000 and file offset 0x400; tables are put
/// into it by RVA.
/// </summary>
internal sealed class HandMadePe
{
    public const uint SectionRva = 0x1000;
    public const int SectionOffset = 0x400;
    private const int HeaderAt = 0x80;

    private readonly bool _is64Bit;
    private readonly byte[] _bytes;

    public HandMadePe(PeMachine machine = PeMachine.X64, bool is64Bit = true, int sectionSize = 0x2000)
    {
        _is64Bit = is64Bit;
        _bytes = new byte[SectionOffset + sectionSize];
        "MZ"u8.CopyTo(_bytes);
        U32(60, HeaderAt);
        "PE\0\0"u8.CopyTo(_bytes.AsSpan(HeaderAt));
        U16(HeaderAt + 4, (ushort)machine);
        U16(HeaderAt + 6, 1);
        U32(HeaderAt + 8, 0x5EED5EED);
        U16(HeaderAt + 20, OptionalSize);
        U16(OptionalAt, is64Bit ? (ushort)0x20B : (ushort)0x10B);
        U32(OptionalAt + 32, 0x1000);
        U32(OptionalAt + 36, 0x200);
        U32(OptionalAt + 56, SectionRva + (uint)sectionSize);
        U32(OptionalAt + 60, SectionOffset);
        U32(OptionalAt + 64, 0xC4EC);
        U32(DirectoriesAt - 4, 16);
        Encoding.ASCII.GetBytes(".all").CopyTo(_bytes, SectionAt);
        U32(SectionAt + 8, (uint)sectionSize);
        U32(SectionAt + 12, SectionRva);
        U32(SectionAt + 16, (uint)sectionSize);
        U32(SectionAt + 20, SectionOffset);
        U32(SectionAt + 36, 0x6000_0020);
    }

    public static int OptionalAt => HeaderAt + 24;

    public int SectionAt => OptionalAt + OptionalSize;

    public int DirectoriesAt => OptionalAt + (_is64Bit ? 112 : 96);

    public byte[] Bytes => _bytes;

    private ushort OptionalSize => _is64Bit ? (ushort)240 : (ushort)224;

    /// <summary>The image of these bytes, which must be one.</summary>
    public static PeImage Read(byte[] bytes, PeLayout layout = PeLayout.File)
    {
        Assert.True(PeImage.TryRead(SymbolBytes.Of(bytes), layout, out PeImage? image, out string? problem), problem);
        return image;
    }

    public PeImage Read() => Read(_bytes);

    public HandMadePe Directory(int index, uint rva, uint size)
    {
        U32(DirectoriesAt + (index * 8), rva);
        U32(DirectoriesAt + (index * 8) + 4, size);
        return this;
    }

    /// <summary>Puts numbers of 32 bits at an RVA of the section.</summary>
    public HandMadePe Put(uint rva, params ReadOnlySpan<uint> numbers)
    {
        for (int i = 0; i < numbers.Length; i++)
        {
            U32(OffsetOf(rva) + (i * 4), numbers[i]);
        }

        return this;
    }

    /// <summary>Puts bytes at an RVA of the section.</summary>
    public HandMadePe Put(uint rva, ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(_bytes.AsSpan(OffsetOf(rva)));
        return this;
    }

    public void U16(int at, ushort value) => BinaryPrimitives.WriteUInt16LittleEndian(_bytes.AsSpan(at), value);

    public void U32(int at, uint value) => BinaryPrimitives.WriteUInt32LittleEndian(_bytes.AsSpan(at), value);

    private static int OffsetOf(uint rva) => (int)(rva - SectionRva) + SectionOffset;
}
