namespace Tracer.Symbols.Pdb;

/// <summary>
/// Reads the inline sites of one procedure: those inside its record, at any depth of blocks, and those inside the records of its separated
/// parts.
/// </summary>
internal static class InlineSiteReader
{
    private const int ScopeEndAt = SymbolWalk.FieldsAt + sizeof(uint);

    /// <summary>Reads the inlined calls of a procedure.</summary>
    /// <param name="module">The module that the procedure is in.</param>
    /// <param name="parts">The PDB.</param>
    /// <param name="pieces">The procedure, then its separated parts as they stand in the stream: annotations number them so.</param>
    public static InlineSites Read(PdbTables parts, int module, ModuleSymbols.Procedure[] pieces)
    {
        var sites = new InlineSites();
        InlineSites.CodePart[] code = [.. pieces.Select(piece => new InlineSites.CodePart(piece.Start, End(piece)))];
        MsfStream? stream = parts.ModuleStream(module);
        var scratch = default(MsfStream.Scratch);
        try
        {
            for (int own = 0; stream is not null && own < pieces.Length; own++)
            {
                AddScope(sites, Scope(stream, parts.ModuleList[module], pieces[own].Record, ref scratch), code, own);
            }
        }
        finally
        {
            scratch.Dispose();
        }

        sites.Finish();
        return sites;
    }

    private static uint End(ModuleSymbols.Procedure part) => (uint)Math.Min((ulong)part.Start + part.Length, uint.MaxValue);

    /// <summary>The records from one to the end of its scope, which it names, or to the last where that can't be.</summary>
    private static ReadOnlySpan<byte> Scope(MsfStream stream, ModuleTable.Entry entry, uint record, ref MsfStream.Scratch scratch)
    {
        long end = (long)stream.UInt32(record + ScopeEndAt) + SymbolWalk.FieldsAt;
        end = end <= record || end > entry.SymbolBytes ? entry.SymbolBytes : end;
        return stream.TakeUpTo(record, (int)Math.Min(end - record, Array.MaxLength), ref scratch);
    }

    /// <summary>Adds the sites inside one record; parts of code that have records of their own inside it are left to those.</summary>
    private static void AddScope(InlineSites sites, ReadOnlySpan<byte> scope, InlineSites.CodePart[] code, int own)
    {
        // What is open: the number of the site, or of the site around it where a block is open.
        List<int> open = [];
        // How many were open when the record of other code was opened; 0: none is.
        int left = 0;
        var walk = new SymbolWalk(scope, 0);
        while (walk.MoveNext())
        {
            if (SymbolKinds.ClosesScope(walk.Kind))
            {
                open.RemoveRange(Math.Max(0, open.Count - 1), Math.Min(open.Count, 1));
                left = open.Count <= left ? 0 : left;
                if (open.Count == 0)
                {
                    return;
                }
            }
            else if (SymbolKinds.OpensScope(walk.Kind))
            {
                int around = open.Count == 0 ? InlineSites.None : open[^1];
                bool isOther = open.Count > 0 && (SymbolKinds.IsProcedure(walk.Kind) || walk.Kind == SymbolKinds.SeparatedCode);
                left = isOther && left == 0 ? open.Count : left;
                bool isSite = left == 0
                    && open.Count < InlineSites.MaximumDepth
                    && SymbolKinds.IsInlineSite(walk.Kind)
                    && InlineSiteRecord.TryRead(walk.Kind, walk.Fields, out _);
                open.Add(isSite ? AddSite(sites, around, walk, code, own) : around);
            }
        }
    }

    private static int AddSite(InlineSites sites, int around, in SymbolWalk walk, InlineSites.CodePart[] code, int own)
    {
        _ = InlineSiteRecord.TryRead(walk.Kind, walk.Fields, out InlineSiteRecord record);
        return sites.Add(around, record, code, own);
    }
}
