namespace Tracer.Symbols.Tests.Pdb;

/// <summary>A PDB that is made field by field, for what no tool at hand writes.</summary>
internal sealed class HandMadePdb
{
    public const uint TextRva = 0x1000;
    public const uint DataRva = 0x9000;

    public static readonly Guid Guid = new("00112233-4455-6677-8899-aabbccddeeff");

    private readonly List<(string Name, byte[] Symbols, byte[] Lines)> _modules = [];
    private readonly List<(uint Offset, uint Length, int Module)> _pieces = [];
    private readonly List<(string Name, int Section, uint Offset, int Flags)> _publics = [];
    private readonly Dictionary<int, byte[]> _optional = [];
    private readonly Wire _names = new Wire().U8(0);

    /// <summary>Records of ids, the first of which is 1000.</summary>
    public List<byte[]> Ids { get; } = [];

    public List<byte[]> Types { get; } = [];

    public List<uint> Features { get; } = [20140508];

    public int DbiFlags { get; set; }

    public bool HasContributions { get; set; } = true;

    public uint ContributionVersion { get; set; } = 0xF12EBA2D;

    public int AddModule(string name, byte[] symbols, params byte[][] lines)
    {
        _modules.Add((name, [4, 0, 0, 0, .. symbols], [.. lines.SelectMany(part => part)]));
        return _modules.Count - 1;
    }

    public void AddPiece(uint offset, uint length, int module) => _pieces.Add((offset, length, module));

    public void AddPublic(string name, uint offset, int flags = 2, int section = 1) => _publics.Add((name, section, offset, flags));

    /// <summary>Puts a text into "/names" and says where it is.</summary>
    public uint AddName(string text)
    {
        uint at = (uint)_names.Length;
        _names.Text(text);
        return at;
    }

    /// <summary>A stream of the optional ones, by its number among them.</summary>
    public void AddOptional(int which, byte[] stream) => _optional[which] = stream;

    public static byte[] Sections(params (string Name, uint Size, uint Rva, uint Flags)[] sections)
    {
        var all = new Wire();
        foreach ((string name, uint size, uint rva, uint flags) in sections)
        {
            byte[] field = new byte[8];
            System.Text.Encoding.ASCII.GetBytes(name).CopyTo(field, 0);
            all.Add(field).U32(size).U32(rva).Add(new byte[20]).U32(flags);
        }

        return all.ToArray();
    }

    /// <summary>A procedure's record, without its end. Ends of scopes are not needed: the reader counts.</summary>
    public static byte[] Procedure(string name, uint offset, uint length, int kind = 0x1110) => Wire.Record(
        kind, fields => fields.Add(new byte[12]).U32(length).U32(0).U32(0).U32(0).U32(offset).U16(1).U8(0).Text(name));

    public static byte[] InlineSite(uint inlinee, params byte[] annotations) =>
        Wire.Record(0x114D, fields => fields.U32(0).U32(0).U32(inlinee).Add(annotations));

    public static byte[] End(int kind = 6) => Wire.Record(kind, _ => { });

    public static byte[] FunctionId(string name, uint scope = 0) =>
        Wire.Record(0x1601, fields => fields.U32(scope).U32(0).Text(name));

    public static byte[] FileChecksums(params uint[] names) =>
        Wire.Part(0xF4, fields => names.ToList().ForEach(name => fields.U32(name).U8(0).U8(0).U16(0)));

    public static byte[] InlineeLines(params (uint Inlinee, uint File, uint Line)[] entries) => Wire.Part(0xF6, fields =>
    {
        fields.U32(0);
        foreach ((uint inlinee, uint file, uint line) in entries)
        {
            fields.U32(inlinee).U32(file).U32(line);
        }
    });

    public static byte[] Lines(uint offset, uint length, uint file, params (uint Offset, uint Line)[] rows) => Wire.Part(0xF2, fields =>
    {
        fields.U32(offset).U16(1).U16(0).U32(length);
        fields.U32(file).U32(rows.Length).U32(12 + (8 * rows.Length));
        foreach ((uint at, uint line) in rows)
        {
            fields.U32(at).U32(0x8000_0000 | line);
        }
    });

    public PdbFile Open(int pageSize = 4096, Random? order = null) => PdbFixture.Opened(ToArray(pageSize, order));

    public byte[] ToArray(int pageSize = 4096, Random? order = null) => MsfWriter.Write(Streams(), pageSize, order);

    /// <summary>0 nothing, 1 identity, 2 types, 3 debug information, 4 ids, 5 names, 6 records, 7 publics, then the others.</summary>
    public List<byte[]?> Streams()
    {
        (byte[] records, byte[] publics) = Publics();
        List<byte[]?> streams = [[], Info(), TypeRecords(Types), null, TypeRecords(Ids), Names(), records, publics];
        if (!_optional.ContainsKey(5))
        {
            _optional[5] = Sections((".text", 0x8000, TextRva, 0x60000020), (".data", 0x1000, DataRva, 0xC0000040));
        }

        ushort[] optional = [.. Enumerable.Repeat(ushort.MaxValue, 11)];
        foreach ((int which, byte[] stream) in _optional)
        {
            optional[which] = (ushort)streams.Count;
            streams.Add(stream);
        }

        var modules = new Wire();
        foreach ((string name, byte[] symbols, byte[] lines) in _modules)
        {
            modules.Add(new byte[34]).U16(streams.Count).U32(symbols.Length).U32(0).U32(lines.Length).Add(new byte[16]);
            modules.Text(name).Text(name).Pad();
            streams.Add([.. symbols, .. lines]);
        }

        streams[3] = Dbi(modules.ToArray(), Contributions(), optional);
        return streams;
    }

    private byte[] Dbi(byte[] modules, byte[] contributions, ushort[] optional)
    {
        var dbi = new Wire().U32(uint.MaxValue).U32(19990903).U32(7).U16(0xFFFF).U16(0).U16(7).U16(0).U16(6).U16(0);
        dbi.U32(modules.Length).U32(contributions.Length).U32(0).U32(0).U32(0).U32(0).U32(optional.Length * 2).U32(0);
        dbi.U16(DbiFlags).U16(0x8664).U32(0).Add(modules).Add(contributions);
        optional.ToList().ForEach(number => dbi.U16(number));
        return dbi.ToArray();
    }

    private byte[] Contributions()
    {
        if (!HasContributions)
        {
            return [];
        }

        var all = new Wire().U32(ContributionVersion);
        foreach ((uint offset, uint length, int module) in _pieces)
        {
            all.U16(1).U16(0).U32(offset).U32(length).U32(0x60000020).U16(module).U16(0).U32(0).U32(0);
            _ = ContributionVersion == 0xF13151E4 ? all.U32(0) : all;
        }

        return all.ToArray();
    }

    private byte[] Info()
    {
        byte[] names = new Wire().Text("/names").ToArray();
        var info = new Wire().U32(20000404).U32(1).U32(9).Add(Guid.ToByteArray()).U32(names.Length).Add(names);
        info.U32(1).U32(1).U32(1).U32(1).U32(0).U32(0).U32(5).U32(0);
        Features.ForEach(feature => info.U32(feature));
        return info.ToArray();
    }

    private byte[] Names()
    {
        byte[] texts = _names.ToArray();
        return new Wire().U32(0xEFFEEFFE).U32(1).U32(texts.Length).Add(texts).U32(0).U32(0).ToArray();
    }

    private static byte[] TypeRecords(List<byte[]> records)
    {
        byte[] all = [.. records.SelectMany(record => record)];
        return new Wire().U32(20040203).U32(56).U32(0x1000).U32(0x1000 + records.Count).U32(all.Length).U16(0xFFFF).U16(0xFFFF)
            .Add(new byte[32]).Add(all).ToArray();
    }

    private (byte[] Records, byte[] Publics) Publics()
    {
        var records = new Wire();
        var places = new Wire();
        foreach ((string name, int section, uint offset, int flags) in _publics)
        {
            places.U32(records.Length);
            records.Add(Wire.Record(0x110E, fields => fields.U32(flags).U32(offset).U16(section).Text(name)));
        }

        return (records.ToArray(), new Wire().U32(0).U32(places.Length).Add(new byte[20]).Add(places.ToArray()).ToArray());
    }
}
