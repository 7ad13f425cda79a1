using System.Buffers.Binary;
using System.Text;

namespace Tracer.Symbols;

/// <summary>The PDB that an image names in its debug directory.</summary>
/// <param name="Id">GUID and age of the PDB; null where the old NB10 form has a time stamp instead.</param>
/// <param name="Signature">The time stamp that stands for the GUID in the NB10 form; null otherwise.</param>
/// <param name="Age">Counts the writes to the PDB; 1 for a portable PDB.</param>
/// <param name="Path">
/// As the linker wrote it: often a path of the developer's machine. It is foreign text: show its file name, never open it.
/// </param>
/// <param name="IsPortable">Whether it is a portable PDB of .NET, another format.</param>
/// <remarks>
/// The CodeView record that an entry of the debug directory points to. Layouts: the .NET runtime's "PE/COFF specification of debug
/// directory" for RSDS; Pietrek, "Microsoft CodeView debug information" for NB10.
/// <code>
/// RSDS  0 "RSDS"  4 GUID (16 bytes)               20 u32 age  24 path, UTF-8, ends with a zero byte
/// NB10  0 "NB10"  4 u32 offset (0)  8 u32 time stamp  12 u32 age  16 path, ends with a zero byte
/// </code>
/// </remarks>
public sealed record PdbReference(PdbId? Id, uint? Signature, uint Age, string Path, bool IsPortable)
{
    internal const int MaximumSize = 24 + 8192;

    /// <summary>The last part of <see cref="Path"/>, after any slash or backslash: the file's name in a symbol store.</summary>
    public string FileName => Path[(Path.AsSpan().LastIndexOfAny('/', '\\') + 1)..];

    /// <summary>
    /// The PDB's folder in a symbol store: of its <see cref="PdbId"/>; with FFFFFFFF as age if it is portable; of the time stamp in eight
    /// upper-case hexadecimal digits and the age in the NB10 form.
    /// </summary>
    public string StoreKey => Id switch
    {
        { } id when IsPortable => (id with { Age = uint.MaxValue }).StoreKey,
        { } id => id.StoreKey,
        _ => (Signature ?? 0).ToString("X8", CultureInfo.InvariantCulture) + Age.ToString("X", CultureInfo.InvariantCulture),
    };

    internal static PdbReference? Read(ReadOnlySpan<byte> record, bool isPortable)
    {
        if (record.Length >= 24 && record.StartsWith("RSDS"u8))
        {
            uint age = BinaryPrimitives.ReadUInt32LittleEndian(record[20..]);
            return new PdbReference(new PdbId(new Guid(record[4..20]), age), null, age, PathOf(record[24..]), isPortable);
        }

        return record.Length >= 16 && record.StartsWith("NB10"u8)
            ? new PdbReference(
                null,
                BinaryPrimitives.ReadUInt32LittleEndian(record[8..]),
                BinaryPrimitives.ReadUInt32LittleEndian(record[12..]),
                PathOf(record[16..]),
                false)
            : null;
    }

    private static string PathOf(ReadOnlySpan<byte> bytes)
    {
        int end = bytes.IndexOf((byte)0);
        return Encoding.UTF8.GetString(end < 0 ? bytes : bytes[..end]);
    }
}
