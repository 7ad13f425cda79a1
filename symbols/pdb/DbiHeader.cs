namespace Tracer.Symbols.Pdb;

/// <summary>
/// The beginning of stream 3, "debug information" (LLVM, "The PDB DBI Stream"; microsoft-pdb, dbi.h: NewDBIHdr):
/// <code>
///  0 4  FFFFFFFF            24 4  bytes of the modules                    48 4  bytes of the optional stream numbers
///  4 4  version             28 4  bytes of the section contributions      52 4  bytes of the EC names
///  8 4  age                 32 4  bytes of the section map                56 2  flags: 2 private symbols were taken out
/// 12 2  stream of globals   36 4  bytes of the file list                  58 2  machine, as in a PE header
/// 16 2  stream of publics   40 4  bytes of the type servers               60 4  unused
/// 20 2  stream of records   44 4  index of MFC's type server
/// </code>
/// The parts follow in this order: modules, contributions, section map, files, type servers, EC names, optional stream numbers.
/// </summary>
internal sealed class DbiHeader
{
    public const int StreamNumber = 3;

    private const int Bytes = 64;
    private const int AgeAt = 8;
    private const int PublicsStreamAt = 16;
    private const int RecordsStreamAt = 20;
    private const int FirstPartAt = 24;
    private const int OptionalBytesAt = 48;
    private const int EcBytesAt = 52;
    private const int FlagsAt = 56;
    private const int MachineAt = 58;
    private const int PartsBeforeTypeServerIndex = 5;
    private const ushort StrippedFlag = 2;

    private DbiHeader(MsfStream stream) => Stream = stream;

    public MsfStream Stream { get; }

    public uint Age { get; private init; }

    public ushort Machine { get; private init; }

    public bool IsStripped { get; private init; }

    public int PublicsStream { get; private init; }

    public int RecordsStream { get; private init; }

    public StreamPart Modules { get; private set; }

    public StreamPart Contributions { get; private set; }

    /// <summary>The numbers of the streams in <see cref="DebugStream"/>, 2 bytes each.</summary>
    public StreamPart OptionalStreams { get; private set; }

    /// <summary>Reads it; null where the PDB has none or an older form.</summary>
    public static DbiHeader? Read(MsfStream? stream, DamageLog damage)
    {
        Span<byte> bytes = stackalloc byte[Bytes];
        if (stream is null)
        {
            return null;
        }

        if (!stream.TryRead(0, bytes) || LittleEndian.UInt32(bytes, 0) != uint.MaxValue)
        {
            damage.Add(stream.FileOffset(0), "the debug information (stream 3) has no header of a known form: it is left out");
            return null;
        }

        var header = new DbiHeader(stream)
        {
            Age = LittleEndian.UInt32(bytes, AgeAt),
            Machine = LittleEndian.UInt16(bytes, MachineAt),
            IsStripped = (LittleEndian.UInt16(bytes, FlagsAt) & StrippedFlag) != 0,
            PublicsStream = LittleEndian.UInt16(bytes, PublicsStreamAt),
            RecordsStream = LittleEndian.UInt16(bytes, RecordsStreamAt),
        };
        header.ReadParts(bytes, damage);
        return header;
    }

    private void ReadParts(ReadOnlySpan<byte> header, DamageLog damage)
    {
        Span<StreamPart> parts = stackalloc StreamPart[PartsBeforeTypeServerIndex + 2];
        long at = Bytes;
        for (int i = 0; i < parts.Length; i++)
        {
            int field = i switch
            {
                PartsBeforeTypeServerIndex => EcBytesAt,
                PartsBeforeTypeServerIndex + 1 => OptionalBytesAt,
                _ => FirstPartAt + (i * sizeof(uint)),
            };
            uint length = LittleEndian.UInt32(header, field);
            if (length > Stream.Length - at)
            {
                damage.Add(Stream.FileOffset(field), $"part {i} of the debug information claims {length} bytes; what follows is left out");
                length = (uint)(Stream.Length - at);
            }

            parts[i] = new StreamPart(at, length);
            at += length;
        }

        Modules = parts[0];
        Contributions = parts[1];
        OptionalStreams = parts[^1];
    }
}
