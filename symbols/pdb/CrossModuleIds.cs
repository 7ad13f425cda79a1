namespace Tracer.Symbols.Pdb;

/// <summary>
/// Ids that a module takes from another one, as whole-program optimization leaves them:
/// <code>
/// id       31 1 set      20 11 number of the block of imports      0 20 place in its list
/// imports  (F7)  blocks:  0 4 place of the module's name in "/names"   4 4 n   8 4n ids in that module
/// exports  (F8)  entries: 0 4 id in this module                        4 4 id
/// </code>
/// Unconfirmed: no real file with them was at hand.
/// </summary>
internal sealed class CrossModuleIds(PdbTables parts)
{
    private const uint ImportFlag = 0x8000_0000;
    private const int BlockShift = 20;
    private const uint BlockMask = 0x7FF;
    private const uint PlaceMask = 0xF_FFFF;
    private const int HeaderBytes = 8;

    private readonly Lazy<Dictionary<string, int>> _modules = new(() => ModulesByName(parts.ModuleList));

    public static bool IsImport(uint id) => (id & ImportFlag) != 0;

    /// <summary>The id, in the stream of ids, that an import stands for.</summary>
    public bool TryResolve(uint import, int module, out uint id)
    {
        id = 0;
        var scratch = default(MsfStream.Scratch);
        try
        {
            return TryImport(Part(module, DebugSubsections.CrossScopeImports, ref scratch), import, out uint name, out uint local)
                && parts.Names.Text(name) is { } text
                && _modules.Value.TryGetValue(text, out int exporter)
                && TryExport(Part(exporter, DebugSubsections.CrossScopeExports, ref scratch), local, out id)
                && !IsImport(id);
        }
        finally
        {
            scratch.Dispose();
        }
    }

    private static Dictionary<string, int> ModulesByName(ModuleTable modules)
    {
        Dictionary<string, int> byName = new(StringComparer.Ordinal);
        for (int i = 0; i < modules.Count; i++)
        {
            byName.TryAdd(modules.Name(i), i);
        }

        return byName;
    }

    private static bool TryImport(ReadOnlySpan<byte> blocks, uint import, out uint name, out uint local)
    {
        (name, local) = (0, 0);
        for (uint left = (import >> BlockShift) & BlockMask; blocks.Length >= HeaderBytes; left--)
        {
            long bytes = HeaderBytes + ((long)LittleEndian.UInt32(blocks, sizeof(uint)) * sizeof(uint));
            if (bytes > blocks.Length)
            {
                return false;
            }

            if (left == 0)
            {
                name = LittleEndian.UInt32(blocks, 0);
                long at = HeaderBytes + ((import & PlaceMask) * (long)sizeof(uint));
                local = at < bytes ? LittleEndian.UInt32(blocks, (int)at) : 0;
                return at < bytes;
            }

            blocks = blocks[(int)bytes..];
        }

        return false;
    }

    private static bool TryExport(ReadOnlySpan<byte> entries, uint local, out uint id)
    {
        for (id = 0; entries.Length >= HeaderBytes; entries = entries[HeaderBytes..])
        {
            if (LittleEndian.UInt32(entries, 0) == local)
            {
                id = LittleEndian.UInt32(entries, sizeof(uint));
                return true;
            }
        }

        return false;
    }

    private ReadOnlySpan<byte> Part(int module, uint kind, ref MsfStream.Scratch scratch)
    {
        if (parts.ModuleStream(module) is not { } stream)
        {
            return default;
        }

        ModuleTable.Entry entry = parts.ModuleList[module];
        long at = (long)entry.SymbolBytes + entry.OldLineBytes;
        var found = new DebugSubsections(stream.TakeUpTo(at, (int)Math.Min(entry.LineBytes, (uint)Array.MaxLength), ref scratch));
        while (found.MoveNext())
        {
            if (found.Kind == kind)
            {
                return found.Part;
            }
        }

        return default;
    }
}
