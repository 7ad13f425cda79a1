using System.Buffers.Binary;
using System.Text;

namespace Tracer.Capture.Tests;

/// <summary>The smallest PE image that has an identity: headers, one section, an RSDS record.</summary>
internal static class TestImages
{
    public const uint Timestamp = 0x5EED5EED;
    public const uint CheckSum = 0x1234;
    public const uint ImageBytes = 0x2000;

    /// <summary>Where SizeOfImage stands.</summary>
    public const int SizeOffset = 0x44 + 20 + 56;

    public const string PdbName = "driver.pdb";

    private const int SectionRva = 0x1000;
    private const int SectionOffset = 0x400;
    private const int DebugData = 0x40;

    public static Guid PdbGuid { get; } = new("756a3088-fc63-5673-dad5-1a2bf23c1aa7");

    /// <summary>Writes one for x64 into a folder.</summary>
    public static string DriverIn(string folder, string name)
    {
        string path = Path.Combine(folder, name);
        File.WriteAllBytes(path, Bytes());
        return path;
    }

    /// <summary>The image; offsets are those of the PE format's specification.</summary>
    public static byte[] Bytes()
    {
        byte[] image = new byte[SectionOffset + 0x200];
        const int Coff = 0x44;
        const int Optional = Coff + 20;
        const int Sections = Optional + 240;
        "MZ"u8.CopyTo(image);
        Put32(image, 0x3C, 0x40);
        "PE\0\0"u8.CopyTo(image.AsSpan(0x40));
        Put16(image, Coff, 0x8664);
        Put16(image, Coff + 2, 1);
        Put32(image, Coff + 4, Timestamp);
        Put16(image, Coff + 16, 240);
        Put16(image, Coff + 18, 0x22);
        Put16(image, Optional, 0x20B);
        Put32(image, Optional + 32, 0x1000);
        Put32(image, Optional + 36, 0x200);
        Put32(image, SizeOffset, ImageBytes);
        Put32(image, Optional + 60, SectionOffset);
        Put32(image, Optional + 64, CheckSum);
        Put16(image, Optional + 68, 1);
        Put32(image, Optional + 108, 16);
        Put32(image, Optional + 112 + (6 * 8), SectionRva);
        Put32(image, Optional + 112 + (6 * 8) + 4, 28);
        ".rdata"u8.CopyTo(image.AsSpan(Sections));
        Put32(image, Sections + 8, 0x200);
        Put32(image, Sections + 12, SectionRva);
        Put32(image, Sections + 16, 0x200);
        Put32(image, Sections + 20, SectionOffset);

        // The debug directory, and the CodeView record that it points to.
        Put32(image, SectionOffset + 12, 2);
        Put32(image, SectionOffset + 16, 24 + PdbName.Length + 1);
        Put32(image, SectionOffset + 20, SectionRva + DebugData);
        Put32(image, SectionOffset + 24, SectionOffset + DebugData);
        "RSDS"u8.CopyTo(image.AsSpan(SectionOffset + DebugData));
        PdbGuid.TryWriteBytes(image.AsSpan(SectionOffset + DebugData + 4));
        Put32(image, SectionOffset + DebugData + 20, 3);
        Encoding.ASCII.GetBytes(PdbName, image.AsSpan(SectionOffset + DebugData + 24));
        return image;
    }

    private static void Put16(byte[] image, int at, ushort value) => BinaryPrimitives.WriteUInt16LittleEndian(image.AsSpan(at), value);

    private static void Put32(byte[] image, int at, long value) => BinaryPrimitives.WriteUInt32LittleEndian(image.AsSpan(at), (uint)value);
}
