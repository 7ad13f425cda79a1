namespace Tracer.Symbols.Pdb;

/// <summary>
/// Stream 1: what the PDB is, and the numbers of the streams that have names (LLVM, "The PDB Info (aka the PDB Stream)").
/// <code>
///  0  4   version: 20000404 since Visual C++ 7.0
///  4  4   time of creation
///  8  4   age: counts the writes
/// 12  16  GUID
/// 28  4   n, bytes of names
/// 32  n   names, each ended by NUL
///         a hash table from place of a name to number of a stream:
///         4 entries, 4 capacity, 4 words of "present" bits, words, 4 words of "deleted" bits, words, entries of 4 + 4
///         4   0
///         4f  feature codes, to the end
/// </code>
/// </summary>
internal sealed class PdbInfo
{
    public const int StreamNumber = 1;

    /// <summary>Feature code of /DEBUG:FASTLINK, in letters "MINI": types and private symbols stayed in the object files.</summary>
    public const uint MinimalDebugInfo = 0x494E_494D;

    private const int AgeAt = 8;
    private const int GuidAt = 12;
    private const int NamesAt = 28;
    private const int GuidBytes = 16;
    private const int EntryBytes = 8;

    /// <summary>The stream is a few hundred bytes, more where sources were put into the PDB; nothing is looked for behind that.</summary>
    private const int MaximumBytes = 1 << 24;

    private PdbInfo(Guid guid, uint age)
    {
        Guid = guid;
        Age = age;
    }

    public Guid Guid { get; }

    public uint Age { get; }

    public bool IsFastLink { get; private set; }

    /// <summary>The stream called "/names", which file names are in; -1 where there is none. The only name that is needed.</summary>
    public int NamesStream { get; private set; } = -1;

    private static ReadOnlySpan<byte> NamesStreamName => "/names\0"u8;

    /// <summary>Reads the PDB stream: identity and named streams.</summary>
    /// <returns>null where not even the identity is there.</returns>
    public static PdbInfo? Read(MsfStream stream, DamageLog damage)
    {
        var scratch = default(MsfStream.Scratch);
        try
        {
            ReadOnlySpan<byte> bytes = stream.TakeUpTo(0, MaximumBytes, ref scratch);
            if (bytes.Length < NamesAt)
            {
                return null;
            }

            var info = new PdbInfo(new Guid(bytes.Slice(GuidAt, GuidBytes)), LittleEndian.UInt32(bytes, AgeAt));
            if (!info.ReadNames(bytes[NamesAt..]))
            {
                damage.Add(stream.FileOffset(NamesAt), "the table of named streams is damaged: file names may be missing");
            }

            return info;
        }
        finally
        {
            scratch.Dispose();
        }
    }

    private bool ReadNames(ReadOnlySpan<byte> rest)
    {
        if (!TakeWords(ref rest, 1, out ReadOnlySpan<byte> nameBytes) || LittleEndian.UInt32(nameBytes, 0) > rest.Length)
        {
            return false;
        }

        ReadOnlySpan<byte> names = rest[..(int)LittleEndian.UInt32(nameBytes, 0)];
        rest = rest[names.Length..];
        if (!TakeWords(ref rest, 2, out ReadOnlySpan<byte> counts)
            || !TakeCounted(ref rest, out _)
            || !TakeCounted(ref rest, out _))
        {
            return false;
        }

        uint entries = LittleEndian.UInt32(counts, 0);
        if (entries > rest.Length / EntryBytes)
        {
            return false;
        }

        for (int i = 0; i < entries; i++, rest = rest[EntryBytes..])
        {
            uint name = LittleEndian.UInt32(rest, 0);
            if (name >= names.Length)
            {
                return false;
            }

            if (names[(int)name..].StartsWith(NamesStreamName))
            {
                NamesStream = (int)(LittleEndian.UInt32(rest, sizeof(uint)) & int.MaxValue);
            }
        }

        for (; rest.Length >= sizeof(uint); rest = rest[sizeof(uint)..])
        {
            IsFastLink |= LittleEndian.UInt32(rest, 0) == MinimalDebugInfo;
        }

        return true;
    }

    private static bool TakeCounted(ref ReadOnlySpan<byte> rest, out ReadOnlySpan<byte> words) =>
        TakeWords(ref rest, 1, out words) && TakeWords(ref rest, LittleEndian.UInt32(words, 0), out words);

    private static bool TakeWords(ref ReadOnlySpan<byte> rest, uint count, out ReadOnlySpan<byte> words)
    {
        words = default;
        if (count > (uint)rest.Length / sizeof(uint))
        {
            return false;
        }

        words = rest[..((int)count * sizeof(uint))];
        rest = rest[words.Length..];
        return true;
    }
}
