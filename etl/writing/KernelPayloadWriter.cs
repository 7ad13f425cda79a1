using System.Buffers.Binary;
using System.Text;

namespace Tracer.Etl;

/// <summary>What an image record says of a loaded module (WMI_IMAGELOAD_INFORMATION of ntwmi.h).</summary>
/// <param name="Base">Address of its first byte.</param>
/// <param name="Bytes">Its size in memory, in bytes.</param>
/// <param name="ProcessId">The process it is loaded in; 0 for a driver or the kernel.</param>
/// <param name="TimeDateStamp">Time stamp of the PE header, seconds since 1970 or a hash.</param>
/// <param name="FileName">Its NT path, such as <c>\SystemRoot\System32\drivers\ndis.sys</c>.</param>
public readonly record struct KernelImage(ulong Base, ulong Bytes, uint ProcessId, uint TimeDateStamp, string FileName)
{
    /// <summary>Checksum of the PE header.</summary>
    public uint Checksum { get; init; }

    /// <summary>Address that it was linked for.</summary>
    public ulong DefaultBase { get; init; }

    /// <summary>Level of its signature; version 3.</summary>
    public byte SignatureLevel { get; init; }

    /// <summary>Type of its signature; version 3.</summary>
    public byte SignatureType { get; init; }
}

/// <summary>
/// Fills the payloads of the records that addresses are resolved with: stacks, images and their PDB ids. Each method takes memory of the
/// caller, allocates nothing, returns the bytes used, and throws <see cref="ArgumentException"/> when they do not fit.
/// </summary>
/// <remarks>Offsets are those of 8-byte pointers, with 4-byte pointers in brackets.</remarks>
public static class KernelPayloadWriter
{
    /// <summary>Opcode of <see cref="WriteImageIdInfo"/> in the class of image ids; a FULL header of version 2.</summary>
    public const byte ImageIdInfoOpcode = 0;

    /// <summary>Opcode of <see cref="WriteImageIdRsds"/> in the class of image ids; a FULL header of version 2.</summary>
    public const byte ImageIdRsdsOpcode = 36;

    /// <summary>
    /// Fills a stack, which goes behind its event on the same CPU with a PERFINFO header of version 2 (0x1820): i64 time stamp @0,
    /// u32 process @8, u32 thread @12, return addresses @16 to the end, innermost first.
    /// </summary>
    /// <param name="destination">Takes 16 bytes and a pointer for each frame.</param>
    /// <param name="eventTicks">Time stamp of the event whose stack it is, in ticks of the file's clock.</param>
    /// <param name="processId">Process of the stack.</param>
    /// <param name="threadId">Thread of the stack.</param>
    /// <param name="frames">Return addresses, innermost first; Windows writes up to 192.</param>
    /// <param name="pointerBytes">Width of pointers in bytes: 4 or 8.</param>
    /// <returns>Bytes used.</returns>
    public static int WriteStack(
        Span<byte> destination, long eventTicks, uint processId, uint threadId, ReadOnlySpan<ulong> frames, int pointerBytes = 8)
    {
        const int FramesOffset = 16;
        Span<byte> stack = Take(destination, FramesOffset + (frames.Length * pointerBytes));
        BinaryPrimitives.WriteInt64LittleEndian(stack, eventTicks);
        BinaryPrimitives.WriteUInt32LittleEndian(stack[8..], processId);
        BinaryPrimitives.WriteUInt32LittleEndian(stack[12..], threadId);
        for (int i = 0; i < frames.Length; i++)
        {
            PutPointer(stack, FramesOffset + (i * pointerBytes), frames[i], pointerBytes);
        }

        return stack.Length;
    }

    /// <summary>
    /// Fills an image record (0x1403 where it was loaded when the trace began) of version 2 or 3: base @0, size @8 (4), u32 process @16
    /// (8), u32 checksum @20 (12), u32 time stamp @24 (16), u8 signature level @28 (20), u8 signature type @29 (21), default base @32
    /// (24), UTF-16 file name and NUL @56 (44).
    /// </summary>
    /// <param name="destination">Takes 56 (44) bytes, two for each character of the name, and two.</param>
    /// <param name="image">The image; version 2 has no signature, so leaves it 0.</param>
    /// <param name="pointerBytes">Width of pointers in bytes: 4 or 8.</param>
    /// <returns>Bytes used.</returns>
    public static int WriteImage(Span<byte> destination, in KernelImage image, int pointerBytes = 8)
    {
        // Two pointers, four u32, one pointer, four u32 without meaning.
        int numbers = 2 * pointerBytes;
        int defaultBase = numbers + 16;
        int name = defaultBase + pointerBytes + 16;
        Span<byte> record = Take(destination, name + (2 * image.FileName.Length) + 2);
        record.Clear();
        PutPointer(record, 0, image.Base, pointerBytes);
        PutPointer(record, pointerBytes, image.Bytes, pointerBytes);
        BinaryPrimitives.WriteUInt32LittleEndian(record[numbers..], image.ProcessId);
        BinaryPrimitives.WriteUInt32LittleEndian(record[(numbers + 4)..], image.Checksum);
        BinaryPrimitives.WriteUInt32LittleEndian(record[(numbers + 8)..], image.TimeDateStamp);
        record[numbers + 12] = image.SignatureLevel;
        record[numbers + 13] = image.SignatureType;
        PutPointer(record, defaultBase, image.DefaultBase, pointerBytes);
        Utf16Bytes.Put(image.FileName, record[name..]);
        return record.Length;
    }

    /// <summary>
    /// Fills an ImageID Info record: base @0, size @8 (4), u32 process @16 (8), u32 time stamp @20 (12), UTF-16 name and NUL @24 (16).
    /// </summary>
    /// <param name="destination">Takes 24 (16) bytes, two for each character of the name, and two.</param>
    /// <param name="image">The image; its <see cref="KernelImage.FileName"/> is here the original name in its resources.</param>
    /// <param name="pointerBytes">Width of pointers in bytes: 4 or 8.</param>
    /// <returns>Bytes used.</returns>
    public static int WriteImageIdInfo(Span<byte> destination, in KernelImage image, int pointerBytes = 8)
    {
        int numbers = 2 * pointerBytes;
        int name = numbers + 8;
        Span<byte> record = Take(destination, name + (2 * image.FileName.Length) + 2);
        PutPointer(record, 0, image.Base, pointerBytes);
        PutPointer(record, pointerBytes, image.Bytes, pointerBytes);
        BinaryPrimitives.WriteUInt32LittleEndian(record[numbers..], image.ProcessId);
        BinaryPrimitives.WriteUInt32LittleEndian(record[(numbers + 4)..], image.TimeDateStamp);
        int nameBytes = Utf16Bytes.Put(image.FileName, record[name..]);
        record[(name + nameBytes)..].Clear();
        return record.Length;
    }

    /// <summary>
    /// Fills an ImageID DbgID_RSDS record: base @0, u32 process @8 (4), PDB GUID @12 (8), u32 age @28 (24), UTF-8 PDB name and NUL
    /// @32 (28).
    /// </summary>
    /// <param name="destination">Takes 32 (28) bytes, the name's, and one.</param>
    /// <param name="imageBase">Address of the image's first byte.</param>
    /// <param name="processId">The process it is loaded in; 0 for a driver or the kernel.</param>
    /// <param name="pdbId">GUID of the PDB.</param>
    /// <param name="age">Age of the PDB.</param>
    /// <param name="pdbFileName">Name of the PDB, with or without a path.</param>
    /// <param name="pointerBytes">Width of pointers in bytes: 4 or 8.</param>
    /// <returns>Bytes used.</returns>
    public static int WriteImageIdRsds(
        Span<byte> destination, ulong imageBase, uint processId, in Guid pdbId, uint age, string pdbFileName, int pointerBytes = 8)
    {
        int name = pointerBytes + 4 + 16 + 4;
        Span<byte> record = Take(destination, name + Encoding.UTF8.GetByteCount(pdbFileName) + 1);
        PutPointer(record, 0, imageBase, pointerBytes);
        BinaryPrimitives.WriteUInt32LittleEndian(record[pointerBytes..], processId);
        pdbId.TryWriteBytes(record[(pointerBytes + 4)..]);
        BinaryPrimitives.WriteUInt32LittleEndian(record[(pointerBytes + 20)..], age);
        Encoding.UTF8.GetBytes(pdbFileName, record[name..]);
        record[^1] = 0;
        return record.Length;
    }

    private static Span<byte> Take(Span<byte> destination, int bytes) => bytes <= destination.Length
        ? destination[..bytes]
        : throw new ArgumentException($"The payload has {bytes} bytes, the destination {destination.Length}.", nameof(destination));

    private static void PutPointer(Span<byte> record, int offset, ulong value, int pointerBytes)
    {
        switch (pointerBytes)
        {
            case 8:
                BinaryPrimitives.WriteUInt64LittleEndian(record[offset..], value);
                break;
            case 4 when value <= uint.MaxValue:
                BinaryPrimitives.WriteUInt32LittleEndian(record[offset..], (uint)value);
                break;
            default:
                throw new ArgumentException($"0x{value:X} is not a pointer of {pointerBytes} bytes.", nameof(value));
        }
    }
}
