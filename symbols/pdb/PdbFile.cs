namespace Tracer.Symbols.Pdb;

/// <summary>
/// A PDB in its container MSF 7.0, read where it is: opening reads its directory and headers, the first look-up reads its tables, and a
/// module is read when an address in it is looked up. Whatever the file holds, nothing throws, hangs, or takes memory that the file's
/// length does not bound. Safe for several threads.
/// </summary>
public sealed class PdbFile : IPdbSymbols
{
    private readonly DamageLog _damage;
    private readonly Lazy<PdbTables> _parts;

    private PdbFile(MsfFile file, PdbInfo info, DbiHeader? dbi, DamageLog damage)
    {
        _damage = damage;
        Id = new PdbId(info.Guid, dbi?.Age ?? info.Age);
        InfoAge = info.Age;
        Machine = dbi?.Machine ?? 0;
        IsFastLink = info.IsFastLink;
        IsStripped = dbi?.IsStripped ?? false;
        _parts = new(() => new PdbTables(file, info, dbi, damage));
    }

    /// <summary>
    /// What an image's debug directory must say for this PDB to be its own. The age is that of the debug information, which an image
    /// repeats; it stays when a tool writes to the PDB later.
    /// </summary>
    public PdbId Id { get; }

    /// <summary>Counts the writes to the PDB, those of tools too.</summary>
    public uint InfoAge { get; }

    /// <summary>The machine as in a PE header: 0x14C x86, 0x8664 x64, 0xAA64 ARM64; 0 where the PDB does not say.</summary>
    public ushort Machine { get; }

    /// <summary>
    /// Whether the linker left private symbols in the object files (/DEBUG:FASTLINK): only public symbols are found here, and
    /// <c>mspdbcmf</c> makes a whole PDB of it where the object files are.
    /// </summary>
    public bool IsFastLink { get; }

    /// <summary>Whether private symbols were taken out (/PDBSTRIPPED): only public symbols are found here.</summary>
    public bool IsStripped { get; }

    /// <summary>Whether a tool moved code after the image was linked, so that addresses go through a map (OMAP).</summary>
    public bool IsRearranged => _parts.Value.ToSource is not null;

    /// <summary>How many object files the image was linked from, with those that the linker made.</summary>
    public int ModuleCount => _parts.Value.ModuleList.Count;

    /// <summary>What was found damaged so far, at most 100 places: parts are read when they are needed.</summary>
    public IReadOnlyList<PdbDamage> Damage => _damage.Entries();

    /// <summary>Opens a PDB.</summary>
    /// <param name="bytes">The whole file; it must stay as it is while this object is used.</param>
    /// <param name="fault">Why it can't be read, where null is returned.</param>
    /// <returns>The PDB, or null.</returns>
    public static PdbFile? Open(SymbolBytes bytes, out PdbFault? fault)
    {
        ArgumentNullException.ThrowIfNull(bytes);
        var damage = new DamageLog();
        var file = MsfFile.Open(bytes, damage, out fault);
        if (file is null)
        {
            return null;
        }

        MsfStream? identity = file.Stream(PdbInfo.StreamNumber);
        PdbInfo? info = identity is null ? null : PdbInfo.Read(identity, damage);
        if (info is null)
        {
            fault = new PdbFault(PdbFaultKind.NoIdentity, 0, "not a PDB: the container has no stream with a PDB's identity");
            return null;
        }

        return new PdbFile(file, info, DbiHeader.Read(file.Stream(DbiHeader.StreamNumber), damage), damage);
    }

    /// <summary>Finds the function that holds an address.</summary>
    /// <param name="rva">The address, in bytes from the image's base.</param>
    /// <param name="symbol">The function, and what else is known.</param>
    /// <returns>
    /// false where neither a procedure nor a public symbol is known to hold the address. A public symbol is taken only if it is in the same
    /// piece of an object file, and not where it is known to end before the address.
    /// </returns>
    public bool TryFind(uint rva, out PdbSymbol symbol)
    {
        PdbTables parts = _parts.Value;
        symbol = default;
        uint source = rva;
        return (parts.ToSource?.TryMap(rva, out source) ?? true)
            && (TryPrivate(parts, source, out symbol) || TryPublic(parts, source, out symbol));
    }

    /// <summary>Every procedure of the private symbols, module by module, in order of addresses. Reads all modules.</summary>
    public IEnumerable<PdbProcedure> Procedures()
    {
        PdbTables parts = _parts.Value;
        for (int i = 0; i < parts.ModuleList.Count; i++)
        {
            ModuleSymbols module = parts.Modules.Get(i)!;
            for (int at = 0; at < module.Procedures.Length; at++)
            {
                ModuleSymbols.Procedure procedure = module.Procedures[at];
                yield return new PdbProcedure(
                    module.Name(at), InImage(parts, procedure.Start), procedure.Length, i, procedure.IsSeparated);
            }
        }
    }

    /// <summary>Every public symbol that has an address, in order of addresses.</summary>
    public IEnumerable<PdbPublic> Publics()
    {
        PdbTables parts = _parts.Value;
        for (int at = 0; at < parts.Publics.Count; at++)
        {
            if (parts.Publics.TryRecord(at, out PublicRecord record)
                && parts.Sections.TryRva(record.Section, record.Offset, out uint rva))
            {
                yield return new PdbPublic(parts.Publics.Name(at), InImage(parts, rva), record.IsFunction);
            }
        }
    }

    /// <summary>Every variable among the global symbols that has an address, as they stand in the PDB.</summary>
    public IEnumerable<PdbVariable> Variables()
    {
        PdbTables parts = _parts.Value;
        return GlobalTable.Variables(parts.Records, parts.Sections)
            .Select(variable => variable with { Rva = InImage(parts, variable.Rva) });
    }

    /// <summary>The object file of a module, or what the linker calls it.</summary>
    public string ModuleName(int module)
    {
        ModuleTable modules = _parts.Value.ModuleList;
        ArgumentOutOfRangeException.ThrowIfNegative(module);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(module, modules.Count);
        return modules.Name(module);
    }

    private static uint InImage(PdbTables parts, uint source) =>
        parts.FromSource is { } map && map.TryMap(source, out uint mapped) ? mapped : source;

    private static bool TryPrivate(PdbTables parts, uint source, out PdbSymbol symbol)
    {
        symbol = default;
        int piece = parts.Contributions?.Find(source) ?? -1;
        if (piece < 0 || parts.Modules.Get(parts.Contributions!.Module(piece)) is not { } module)
        {
            return false;
        }

        int found = module.Find(source);
        if (found < 0)
        {
            return false;
        }

        ModuleSymbols.Procedure procedure = module.Procedures[found];
        symbol = new PdbSymbol
        {
            Function = module.Name(found),
            Decorated = module.Decorated(found),
            Start = InImage(parts, procedure.Start),
            Offset = source - procedure.Start,
            Length = procedure.Length,
            IsSeparated = procedure.IsSeparated,
            Proof = SymbolProof.Private,
            Source = module.Source(source),
            Inlines = module.Sites(found) is { } sites ? new PdbInlineFrames(module, sites, source) : default,
        };
        return true;
    }

    private static bool TryPublic(PdbTables parts, uint source, out PdbSymbol symbol)
    {
        symbol = default;
        int found = parts.Publics.Find(source);
        if (found < 0
            || !parts.Publics.TryRecord(found, out PublicRecord record)
            || !parts.Sections.IsCode(record.Section)
            || !parts.Sections.TryRva(record.Section, record.Offset, out uint start)
            || !IsSamePiece(parts, start, source, out int piece))
        {
            return false;
        }

        uint? length = parts.Frames.Length(start);
        ModuleSymbols? module = piece < 0 ? null : parts.Modules.Get(parts.Contributions!.Module(piece));
        if (source - start >= (length ?? uint.MaxValue) || module?.At(start) >= 0)
        {
            return false;
        }

        string name = parts.Publics.Name(found);
        symbol = new PdbSymbol
        {
            Function = name,
            Decorated = name,
            Start = InImage(parts, start),
            Offset = source - start,
            Length = length,
            Proof = SymbolProof.Public,
            Source = module?.Source(source),
        };
        return true;
    }

    /// <summary>
    /// Whether two addresses are in one piece of an object file; where a PDB does not say which pieces there are, they may be.
    /// </summary>
    private static bool IsSamePiece(PdbTables parts, uint first, uint second, out int piece)
    {
        piece = -1;
        if (parts.Contributions is not { Count: > 0 } contributions)
        {
            return true;
        }

        piece = contributions.Find(second);
        return piece >= 0 && piece == contributions.Find(first);
    }
}
