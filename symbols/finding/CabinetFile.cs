using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;

namespace Tracer.Symbols;

/// <summary>
/// A compressed file of a symbol store (<c>nic.pd_</c>): a cabinet with one file in it. Its blocks are read one after the other, so the
/// file takes no memory, whatever it expands to. The name that the cabinet has for the file is not used.
/// </summary>
/// <remarks>
/// Microsoft, "Cabinet file format" (MS-CAB 2.1 to 2.5):
/// <code>
/// CFHEADER  0 "MSCF"  8 u32 size  16 u32 offset of the first CFFILE  24 u8, u8 version 3, 1  26 u16 folders  28 u16 files  30 u16 flags
///          36 with flag 4: u16 reserved in the header, u8 in each folder, u8 in each block, then the header's
/// CFFOLDER  0 u32 offset of the first CFDATA  4 u16 blocks  6 u16 compression (low four bits: 0 none, 1 MSZIP, 2 Quantum, 3 LZX)
/// CFFILE    0 u32 size  4 u32 offset in the folder  8 u16 folder (0xFFFD to 0xFFFF: goes on in another cabinet)  16 name
/// CFDATA    0 u32 checksum, 0 if none  4 u16 bytes here  6 u16 bytes expanded  8 reserved, then the bytes
/// </code>
/// </remarks>
public sealed class CabinetFile
{
    private const int HeaderSize = 36;
    private const int FolderSize = 8;
    private const int FileSize = 16;
    private const int BlockHeaderSize = 8;
    private const int LinkedFlags = 3;
    private const int ReserveFlag = 4;

    private readonly SymbolBytes _bytes;
    private readonly long _firstBlock;
    private readonly int _blocks;
    private readonly int _blockReserve;
    private readonly bool _isMszip;
    private readonly long _begin;

    private CabinetFile(SymbolBytes bytes, long firstBlock, int blocks, int blockReserve, bool isMszip, long begin, long length)
    {
        (_bytes, _firstBlock, _blocks, _blockReserve) = (bytes, firstBlock, blocks, blockReserve);
        (_isMszip, _begin, Length) = (isMszip, begin, length);
    }

    /// <summary>Bytes of the file when it is expanded.</summary>
    public long Length { get; }

    /// <summary>Reads the headers of a cabinet.</summary>
    /// <param name="bytes">The cabinet.</param>
    /// <param name="cabinet">The file in it.</param>
    /// <param name="problem">Why it can't be expanded, as a sentence's end: "is compressed with LZX, ...".</param>
    public static bool TryRead(SymbolBytes bytes, [NotNullWhen(true)] out CabinetFile? cabinet, [NotNullWhen(false)] out string? problem)
    {
        ArgumentNullException.ThrowIfNull(bytes);
        cabinet = null;
        ReadOnlySpan<byte> header = bytes.At(0, HeaderSize + 4);
        if (header.Length < HeaderSize || !header.StartsWith("MSCF"u8))
        {
            problem = IsOfCompress(header) ? "is compressed by an old COMPRESS.EXE (SZDD or KWAJ), which is not read" : "is not a cabinet";
            return false;
        }

        int folders = U16(header[26..]);
        int flags = U16(header[30..]);
        bool hasReserve = (flags & ReserveFlag) != 0 && header.Length == HeaderSize + 4;
        long folderAt = HeaderSize + (hasReserve ? 4 + U16(header[36..]) : 0);
        ReadOnlySpan<byte> folder = bytes.At(folderAt, FolderSize);
        ReadOnlySpan<byte> file = bytes.At(U32(header[16..]), FileSize);
        problem = (flags & LinkedFlags) != 0 ? "is one part of several cabinets"
            : folders != 1 || U16(header[28..]) != 1 ? "is a cabinet that does not hold just one file"
            : folder.Length < FolderSize || file.Length < FileSize ? "is a cabinet that was cut off"
            : U16(file[8..]) != 0 ? "is one part of several cabinets"
            : (U16(folder[6..]) & 15) switch
            {
                0 or 1 => null,
                2 => "is compressed with Quantum, which is not read: expand it with Microsoft's expand.exe",
                3 => "is compressed with LZX, which is not read: expand it with Microsoft's expand.exe",
                int other => $"is compressed in an unknown way ({other})",
            };
        if (problem is null)
        {
            bool isMszip = (U16(folder[6..]) & 15) == 1;
            cabinet = new CabinetFile(
                bytes, U32(folder), U16(folder[4..]), hasReserve ? header[39] : 0, isMszip, U32(file[4..]), U32(file));
        }

        return cabinet is not null;
    }

    /// <summary>Expands the file.</summary>
    /// <param name="target">Where it goes.</param>
    /// <param name="maximumBytes">What it may expand to.</param>
    /// <param name="problem">Why it was not expanded, as a sentence's end; then some of it may have been written.</param>
    /// <param name="cancellation">Ends it between two blocks.</param>
    public bool TryExpand(
        Stream target, long maximumBytes, [NotNullWhen(false)] out string? problem, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(target);
        if (Length > maximumBytes)
        {
            problem = $"expands to {Length} bytes, more than the {maximumBytes} that are allowed";
            return false;
        }

        MszipBlocks? mszip = _isMszip ? new MszipBlocks() : null;
        long at = _firstBlock;
        long folderOffset = 0;
        for (int i = 0; i < _blocks && folderOffset < _begin + Length; i++)
        {
            cancellation.ThrowIfCancellationRequested();
            if (!TryReadBlock(ref at, out ReadOnlySpan<byte> block, out int expandedLength, out problem))
            {
                return false;
            }

            ReadOnlySpan<byte> expanded = block;
            if (mszip is not null ? !mszip.TryExpand(block, expandedLength, out expanded, out problem) : block.Length != expandedLength)
            {
                problem ??= "has a damaged block";
                return false;
            }

            int from = (int)Math.Clamp(_begin - folderOffset, 0, expanded.Length);
            int to = (int)Math.Clamp(_begin + Length - folderOffset, from, expanded.Length);
            target.Write(expanded[from..to]);
            folderOffset += expanded.Length;
        }

        problem = folderOffset >= _begin + Length ? null : "is a cabinet that ends before its file does";
        return problem is null;
    }

    private bool TryReadBlock(
        ref long at, out ReadOnlySpan<byte> block, out int expandedLength, [NotNullWhen(false)] out string? problem)
    {
        int headerLength = BlockHeaderSize + _blockReserve;
        ReadOnlySpan<byte> header = _bytes.At(at, headerLength);
        int length = header.Length == headerLength ? U16(header[4..]) : 0;
        expandedLength = header.Length == headerLength ? U16(header[6..]) : 0;
        block = _bytes.At(at + headerLength, length);
        at += headerLength + length;
        problem = header.Length < headerLength || block.Length < length ? "is a cabinet that was cut off"
            : expandedLength == 0 ? "goes on in another cabinet"
            : U32(header) != 0 && U32(header) != CheckSum(header[4..], CheckSum(block, 0)) ? "has a block whose checksum is wrong"
            : null;
        return problem is null;
    }

    /// <summary>Exclusive or of the words; the last one to three bytes count from the high byte down.</summary>
    private static uint CheckSum(ReadOnlySpan<byte> bytes, uint sum)
    {
        for (; bytes.Length >= 4; bytes = bytes[4..])
        {
            sum ^= U32(bytes);
        }

        uint rest = 0;
        foreach (byte value in bytes)
        {
            rest = (rest << 8) | value;
        }

        return sum ^ rest;
    }

    private static bool IsOfCompress(ReadOnlySpan<byte> header) => header.StartsWith("SZDD"u8) || header.StartsWith("KWAJ"u8);

    private static ushort U16(ReadOnlySpan<byte> bytes) => BinaryPrimitives.ReadUInt16LittleEndian(bytes);

    private static uint U32(ReadOnlySpan<byte> bytes) => BinaryPrimitives.ReadUInt32LittleEndian(bytes);
}
