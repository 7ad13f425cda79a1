using System.Buffers.Binary;

namespace Tracer.Symbols;

/// <summary>The headers of an image: what it is and where its tables stand.</summary>
/// <remarks>
/// PE format specification, "COFF File Header" and "Optional Header":
/// <code>
/// DOS header      0 u16 "MZ"    60 u32 offset of "PE\0\0"
/// file header     0 u16 Machine  2 u16 NumberOfSections  4 u32 TimeDateStamp  16 u16 SizeOfOptionalHeader  18 u16 Characteristics
/// optional header 0 u16 Magic (0x10B 32 bits, 0x20B 64 bits)   16 u32 AddressOfEntryPoint   28 u32 or 24 u64 ImageBase
///                32 u32 SectionAlignment  36 u32 FileAlignment  56 u32 SizeOfImage  60 u32 SizeOfHeaders  64 u32 CheckSum
///                92 or 108 u32 NumberOfRvaAndSizes, then the directories
/// </code>
/// </remarks>
internal sealed class PeHeaders
{
    private const int DosHeaderSize = 64;
    private const int FileHeaderSize = 20;
    private const int MaximumSections = 4096;

    /// <summary>CheckSum ends here: with less of the optional header the image has no identity.</summary>
    private const int LeastOptionalHeader = 68;

    private readonly PeDirectory[] _directories = new PeDirectory[PeDirectory.MaximumCount];

    public required PeMachine Machine { get; init; }

    public required ushort RawMachine { get; init; }

    public required bool Is64Bit { get; init; }

    public required uint TimeDateStamp { get; init; }

    public required uint SizeOfImage { get; init; }

    public required uint SizeOfHeaders { get; init; }

    public required uint CheckSum { get; init; }

    public required uint SectionAlignment { get; init; }

    public required uint EntryPointRva { get; init; }

    public required ulong ImageBase { get; init; }

    public required ushort Characteristics { get; init; }

    /// <summary>In the order of their headers.</summary>
    public PeSection[] Sections { get; private set; } = [];

    /// <summary>Where each directory's entry stands, for oddities.</summary>
    public long DirectoriesOffset { get; private set; }

    public PeDirectory this[int directory] => _directories[directory];

    /// <summary>Reads them. Where that fails, these bytes are no image, and <paramref name="problem"/> says why.</summary>
    public static PeHeaders? Read(SymbolBytes bytes, PeOddityList oddities, out string? problem)
    {
        ReadOnlySpan<byte> dos = bytes.At(0, DosHeaderSize);
        if (dos.Length < DosHeaderSize || dos[0] != 'M' || dos[1] != 'Z')
        {
            problem = "not a PE image: it does not begin with a DOS header (MZ)";
            return null;
        }

        uint start = BinaryPrimitives.ReadUInt32LittleEndian(dos[60..]);
        ReadOnlySpan<byte> file = bytes.At(start, 4 + FileHeaderSize);
        if (file.Length < 4 + FileHeaderSize || !file.StartsWith("PE\0\0"u8))
        {
            problem = $"not a PE image: no PE header at 0x{start:x}, where the DOS header says it is";
            return null;
        }

        file = file[4..];
        int optionalSize = BinaryPrimitives.ReadUInt16LittleEndian(file[16..]);
        long optionalAt = (long)start + 4 + FileHeaderSize;
        ReadOnlySpan<byte> optional = bytes.At(optionalAt, optionalSize);
        ushort magic = optional.Length < LeastOptionalHeader ? (ushort)0 : BinaryPrimitives.ReadUInt16LittleEndian(optional);
        if (magic is not (0x10B or 0x20B))
        {
            problem = optional.Length < LeastOptionalHeader
                ? $"the image is cut short: {optional.Length} bytes of optional header at 0x{optionalAt:x}"
                : $"not an image for Windows: magic number 0x{magic:x} at 0x{optionalAt:x}";
            return null;
        }

        if (optional.Length < optionalSize)
        {
            oddities.Add(optionalAt, $"the optional header of {optionalSize} bytes is cut short after {optional.Length}");
        }

        PeHeaders headers = Of(file, optional, magic == 0x20B);
        headers.ReadDirectories(optional, optionalAt, oddities);
        headers.ReadSections(bytes, optionalAt + optionalSize, BinaryPrimitives.ReadUInt16LittleEndian(file[2..]), oddities);
        problem = null;
        return headers;
    }

    /// <summary>
    /// Ready-to-run images for other systems than Windows have their machine combined with a number for the system, so that Windows does
    /// not load them (.NET's "ReadyToRun file format").
    /// </summary>
    private static PeMachine WithoutSystem(ushort machine)
    {
        foreach (ushort system in (ReadOnlySpan<ushort>)[0x7B79, 0x4644, 0xADC4, 0x1993, 0x1992])
        {
            if ((PeMachine)(machine ^ system) is PeMachine.X86 or PeMachine.X64 or PeMachine.Arm32 or PeMachine.Arm64)
            {
                return (PeMachine)(machine ^ system);
            }
        }

        return (PeMachine)machine;
    }

    private static PeHeaders Of(ReadOnlySpan<byte> file, ReadOnlySpan<byte> optional, bool is64Bit)
    {
        ushort machine = BinaryPrimitives.ReadUInt16LittleEndian(file);
        return new PeHeaders
        {
            Machine = WithoutSystem(machine),
            RawMachine = machine,
            Is64Bit = is64Bit,
            TimeDateStamp = BinaryPrimitives.ReadUInt32LittleEndian(file[4..]),
            Characteristics = BinaryPrimitives.ReadUInt16LittleEndian(file[18..]),
            EntryPointRva = BinaryPrimitives.ReadUInt32LittleEndian(optional[16..]),
            ImageBase = is64Bit
                ? BinaryPrimitives.ReadUInt64LittleEndian(optional[24..])
                : BinaryPrimitives.ReadUInt32LittleEndian(optional[28..]),
            SectionAlignment = BinaryPrimitives.ReadUInt32LittleEndian(optional[32..]),
            SizeOfImage = BinaryPrimitives.ReadUInt32LittleEndian(optional[56..]),
            SizeOfHeaders = BinaryPrimitives.ReadUInt32LittleEndian(optional[60..]),
            CheckSum = BinaryPrimitives.ReadUInt32LittleEndian(optional[64..]),
        };
    }

    private void ReadDirectories(ReadOnlySpan<byte> optional, long optionalAt, PeOddityList oddities)
    {
        int at = Is64Bit ? 112 : 96;
        DirectoriesOffset = optionalAt + at;
        if (optional.Length < at)
        {
            oddities.Add(optionalAt, "the optional header ends before its directories");
            return;
        }

        uint told = BinaryPrimitives.ReadUInt32LittleEndian(optional[(at - 4)..]);
        int room = (optional.Length - at) / PeDirectory.EntrySize;
        int count = (int)Math.Min(told, Math.Min(room, PeDirectory.MaximumCount));
        if (told > room)
        {
            oddities.Add(DirectoriesOffset - 4, $"{told} directories are announced, the optional header has room for {room}");
        }

        for (int i = 0; i < count; i++)
        {
            _directories[i] = PeDirectory.Read(optional[(at + (i * PeDirectory.EntrySize))..]);
        }
    }

    private void ReadSections(SymbolBytes bytes, long at, int told, PeOddityList oddities)
    {
        ReadOnlySpan<byte> table = bytes.At(at, Math.Min(told, MaximumSections) * PeSection.HeaderSize);
        int count = table.Length / PeSection.HeaderSize;
        if (count < told)
        {
            oddities.Add(at, $"{told} sections are announced, {count} are read");
        }

        var sections = new PeSection[count];
        for (int i = 0; i < count; i++)
        {
            sections[i] = PeSection.Read(table[(i * PeSection.HeaderSize)..]);
        }

        Sections = sections;
    }
}
