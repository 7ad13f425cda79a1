namespace Tracer.Symbols.Pdb;

/// <summary>What look-ups need of a PDB: its tables, made when the first address is looked up.</summary>
internal sealed class PdbTables
{
    private const ushort NoStream = ushort.MaxValue;

    private readonly MsfFile _file;
    private readonly Lazy<FrameTable> _frames;

    public PdbTables(MsfFile file, PdbInfo info, DbiHeader? dbi, DamageLog damage)
    {
        _file = file;
        Damage = damage;
        ToSource = OmapTable.Read(Optional(dbi, DebugStream.OmapToSource), damage);
        FromSource = OmapTable.Read(Optional(dbi, DebugStream.OmapFromSource), damage);
        MsfStream? headers = Optional(dbi, DebugStream.SectionHeaders);
        headers = ToSource is null ? headers : Optional(dbi, DebugStream.OriginalSectionHeaders) ?? headers;
        Sections = headers is null ? SectionTable.Empty : SectionTable.Read(headers);
        if (headers is null && dbi is not null)
        {
            damage.Add(dbi.Stream.FileOffset(0), "the PDB has no section headers: its symbols have no addresses");
        }

        Names = NameTable.Read(file.Stream(info.NamesStream), damage);
        ModuleList = dbi is null ? ModuleTable.Empty : ModuleTable.Read(dbi, damage);
        Contributions = dbi is null ? null : ContributionTable.Read(dbi, Sections, damage);
        Records = file.Stream(dbi?.RecordsStream ?? -1);
        Publics = PublicTable.Read(file, dbi, Records, Sections, damage);
        InlineeNames = new InlineeNames(
            this, TypeStream.Read(file, TypeStream.TypesNumber), TypeStream.Read(file, TypeStream.IdsNumber));
        CrossModuleIds = new CrossModuleIds(this);
        _frames = new(() => FrameTable.Read(Optional(dbi, DebugStream.NewFpo), Optional(dbi, DebugStream.Fpo)));
        Modules = new ModuleCache(this);
    }

    public DamageLog Damage { get; }

    public OmapTable? ToSource { get; }

    public OmapTable? FromSource { get; }

    public SectionTable Sections { get; }

    public NameTable Names { get; }

    public ModuleTable ModuleList { get; }

    public ContributionTable? Contributions { get; }

    /// <summary>The records of public and global symbols.</summary>
    public MsfStream? Records { get; }

    public PublicTable Publics { get; }

    public FrameTable Frames => _frames.Value;

    public InlineeNames InlineeNames { get; }

    public CrossModuleIds CrossModuleIds { get; }

    public ModuleCache Modules { get; }

    /// <summary>The stream of a module's symbols and lines; null where it has none.</summary>
    public MsfStream? ModuleStream(int module) =>
        ModuleList[module].Stream == NoStream ? null : _file.Stream(ModuleList[module].Stream);

    private MsfStream? Optional(DbiHeader? dbi, DebugStream which)
    {
        Span<byte> number = stackalloc byte[sizeof(ushort)];
        long at = (int)which * sizeof(ushort);
        if (dbi is null || at + sizeof(ushort) > dbi.OptionalStreams.Length
            || !dbi.Stream.TryRead(dbi.OptionalStreams.Offset + at, number)
            || LittleEndian.UInt16(number, 0) == NoStream)
        {
            return null;
        }

        return _file.Stream(LittleEndian.UInt16(number, 0));
    }
}
