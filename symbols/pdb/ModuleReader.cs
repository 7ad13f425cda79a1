namespace Tracer.Symbols.Pdb;

/// <summary>
/// Finds what a module's stream holds and where: one pass over its symbols and one over the parts of its lines. Of procedures, lines and
/// callees that say the same address or id, the first in the stream counts; so a function that the linker folded into an equal one has
/// the name of the first, always.
/// </summary>
internal sealed class ModuleReader
{
    /// <summary>Symbols begin with a signature: 4 for records with names that NUL ends.</summary>
    private const uint SymbolSignature = 4;

    private readonly PdbTables _parts;
    private readonly List<ModuleSymbols.Procedure> _procedures = [];
    private readonly List<LineFragment> _fragments = [];
    private readonly List<InlineeSource> _inlinees = [];
    private readonly List<SourceFile> _files = [];

    private ModuleReader(PdbTables parts) => _parts = parts;

    /// <summary>Reads a module; what it says of damage goes to the log.</summary>
    public static ModuleReader Read(PdbTables parts, int module)
    {
        var reader = new ModuleReader(parts);
        MsfStream? stream = parts.ModuleStream(module);
        if (stream is not null)
        {
            var scratch = default(MsfStream.Scratch);
            try
            {
                reader.ReadSymbols(stream, parts.ModuleList[module], module, ref scratch);
                reader.ReadLines(stream, parts.ModuleList[module], module, ref scratch);
            }
            finally
            {
                scratch.Dispose();
            }
        }

        return reader;
    }

    /// <summary>In order of addresses; those at one address as they stand in the stream.</summary>
    public ModuleSymbols.Procedure[] Procedures() => [.. _procedures.OrderBy(procedure => procedure.Start)];

    public LineFragment[] Fragments() => FirstOfEach(_fragments, fragment => fragment.Start);

    public InlineeSource[] Inlinees() => FirstOfEach(_inlinees, inlinee => inlinee.Inlinee);

    public SourceFile[] Files() => [.. _files];

    /// <summary>The lines of one stretch of code.</summary>
    public static LineRow[] Rows(PdbTables parts, int module, LineFragment fragment)
    {
        var scratch = default(MsfStream.Scratch);
        try
        {
            long at = LinesAt(parts.ModuleList[module]) + fragment.Position;
            return parts.ModuleStream(module) is { } stream ? fragment.Rows(stream.Take(at, fragment.Bytes, ref scratch)) : [];
        }
        finally
        {
            scratch.Dispose();
        }
    }

    public static string ProcedureName(MsfStream? stream, uint record)
    {
        var scratch = default(MsfStream.Scratch);
        try
        {
            ReadOnlySpan<byte> bytes = stream is null
                ? default
                : stream.TakeUpTo(record, ushort.MaxValue + sizeof(ushort), ref scratch);
            var walk = new SymbolWalk(bytes, 0);
            if (!walk.MoveNext())
            {
                return "";
            }

            int nameAt = walk.Kind == SymbolKinds.Thunk ? ThunkRecord.NameAt : ProcedureRecord.NameAt;
            return walk.Fields.Length < nameAt ? "" : LittleEndian.Text(walk.Fields[nameAt..]);
        }
        finally
        {
            scratch.Dispose();
        }
    }

    /// <summary>The symbols of a module, with the four bytes of signature before them.</summary>
    public static ReadOnlySpan<byte> Symbols(MsfStream stream, ModuleTable.Entry entry, ref MsfStream.Scratch scratch) =>
        stream.TakeUpTo(0, (int)Math.Min(entry.SymbolBytes, (uint)Array.MaxLength), ref scratch);

    private static long LinesAt(ModuleTable.Entry entry) => (long)entry.SymbolBytes + entry.OldLineBytes;

    private static T[] FirstOfEach<T>(List<T> items, Func<T, uint> key)
    {
        bool isSorted = true;
        for (int i = 1; i < items.Count && isSorted; i++)
        {
            isSorted = key(items[i - 1]) < key(items[i]);
        }

        return isSorted ? [.. items] : [.. items.OrderBy(key).DistinctBy(key)];
    }

    private void ReadSymbols(MsfStream stream, ModuleTable.Entry entry, int module, ref MsfStream.Scratch scratch)
    {
        ReadOnlySpan<byte> symbols = Symbols(stream, entry, ref scratch);
        if (symbols.Length <= sizeof(uint))
        {
            return;
        }

        if (LittleEndian.UInt32(symbols, 0) != SymbolSignature)
        {
            _parts.Damage.Add(stream.FileOffset(0), $"the symbols of module {module} are of an unknown form and left out");
            return;
        }

        var walk = new SymbolWalk(symbols, sizeof(uint));
        int current = -1;
        while (walk.MoveNext())
        {
            if (SymbolKinds.IsInlineSite(walk.Kind))
            {
                if (current >= 0 && !_procedures[current].HasInlineSites)
                {
                    _procedures[current] = _procedures[current] with { HasInlineSites = true };
                }
            }
            else if (TryProcedure(walk, out ModuleSymbols.Procedure procedure))
            {
                _procedures.Add(procedure);
                current = _procedures.Count - 1;
            }
        }

        if (walk.IsBroken)
        {
            _parts.Damage.Add(
                stream.FileOffset(walk.Offset), $"a symbol of module {module} claims an impossible length; the rest is left out");
        }

        PassToParents();
    }

    /// <summary>Inline sites in separated code are found with those of its procedure.</summary>
    private void PassToParents()
    {
        HashSet<uint> parents = [.. _procedures.Where(part => part.IsSeparated && part.HasInlineSites).Select(part => part.Parent)];
        for (int i = 0; parents.Count > 0 && i < _procedures.Count; i++)
        {
            if (!_procedures[i].IsSeparated && parents.Contains(_procedures[i].Start))
            {
                _procedures[i] = _procedures[i] with { HasInlineSites = true };
            }
        }
    }

    private bool TryProcedure(in SymbolWalk walk, out ModuleSymbols.Procedure procedure)
    {
        uint length = 0;
        uint start = 0;
        uint parent = 0;
        bool isPlaced = false;
        if (SymbolKinds.IsProcedure(walk.Kind) && ProcedureRecord.TryRead(walk.Fields, out ProcedureRecord record))
        {
            length = record.Length;
            isPlaced = _parts.Sections.TryRva(record.Section, record.Offset, out start);
        }
        else if (walk.Kind == SymbolKinds.Thunk && ThunkRecord.TryRead(walk.Fields, out ThunkRecord thunk))
        {
            length = thunk.Length;
            isPlaced = _parts.Sections.TryRva(thunk.Section, thunk.Offset, out start);
        }
        else if (walk.Kind == SymbolKinds.SeparatedCode && SeparatedCodeRecord.TryRead(walk.Fields, out SeparatedCodeRecord part))
        {
            length = part.Length;
            isPlaced = _parts.Sections.TryRva(part.Section, part.Offset, out start)
                && _parts.Sections.TryRva(part.ParentSection, part.ParentOffset, out parent);
        }

        procedure = new(start, length, (uint)walk.Offset, parent, walk.Kind, HasInlineSites: false);
        return isPlaced && length > 0;
    }

    private void ReadLines(MsfStream stream, ModuleTable.Entry entry, int module, ref MsfStream.Scratch scratch)
    {
        long at = LinesAt(entry);
        var parts = new DebugSubsections(stream.TakeUpTo(at, (int)Math.Min(entry.LineBytes, (uint)Array.MaxLength), ref scratch));
        while (parts.MoveNext())
        {
            switch (parts.Kind)
            {
                case DebugSubsections.Lines:
                    if (LineFragment.TryRead(parts.Part, parts.Offset, _parts.Sections, out LineFragment fragment) && fragment.Length > 0)
                    {
                        _fragments.Add(fragment);
                    }

                    break;
                case DebugSubsections.FileChecksums:
                    // A second part would give other files the same places.
                    _files.Clear();
                    SourceFile.AddAll(parts.Part, _files);
                    break;
                case DebugSubsections.InlineeLines:
                    InlineeSource.AddAll(parts.Part, _inlinees);
                    break;
            }
        }

        if (parts.IsBroken)
        {
            _parts.Damage.Add(stream.FileOffset(at), $"the lines of module {module} end in a part that claims an impossible length");
        }
    }
}
