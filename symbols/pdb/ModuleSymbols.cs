namespace Tracer.Symbols.Pdb;

/// <summary>
/// The procedures and lines of one module. Made when the first address in it is looked up; names, lines and inline sites of a procedure
/// when the first address in that is. Safe for several threads: what two make at once is equal.
/// </summary>
internal sealed class ModuleSymbols
{
    private readonly PdbTables _parts;
    private readonly int _module;
    private readonly Procedure[] _procedures;
    private readonly Procedure[] _separated;
    private readonly LineFragment[] _fragments;
    private readonly InlineeSource[] _inlinees;
    private readonly SourceFile[] _files;
    private readonly string?[] _fileNames;
    private readonly string?[] _names;
    private readonly string?[] _decorated;
    private readonly InlineSites?[] _sites;
    private readonly LineRow[]?[] _rows;
    private long _grown;

    public ModuleSymbols(PdbTables parts, int module, ModuleReader read)
    {
        _parts = parts;
        _module = module;
        _procedures = read.Procedures();
        _separated = [.. _procedures.Where(procedure => procedure.IsSeparated).OrderBy(procedure => procedure.Record)];
        _fragments = read.Fragments();
        _inlinees = read.Inlinees();
        _files = read.Files();
        _fileNames = new string?[_files.Length];
        _names = new string?[_procedures.Length];
        _decorated = new string?[_procedures.Length];
        _sites = new InlineSites?[_procedures.Length];
        _rows = new LineRow[]?[_fragments.Length];
    }

    /// <summary>Whether it was used since the cache looked last.</summary>
    public bool IsTouched { get; set; }

    public ReadOnlySpan<Procedure> Procedures => _procedures;

    /// <summary>Bytes that it takes, about.</summary>
    public long Cost => Volatile.Read(ref _grown) + 256 + (_procedures.Length * 48L) + (_fragments.Length * 32L) + (_inlinees.Length * 12L)
        + (_files.Length * 16L);

    /// <summary>The procedure that holds an address; -1 where none does.</summary>
    public int Find(uint rva)
    {
        int found = LastAtOrBelow(rva);
        return found >= 0 && rva - _procedures[found].Start < _procedures[found].Length ? found : -1;
    }

    /// <summary>The procedure that begins at an address; -1 where none does.</summary>
    public int At(uint rva)
    {
        int found = LastAtOrBelow(rva);
        return found >= 0 && _procedures[found].Start == rva ? found : -1;
    }

    /// <summary>The name of a procedure as it is stored; of separated code, that of the procedure it belongs to.</summary>
    public string Name(int procedure) => Volatile.Read(ref _names[procedure]) ?? MakeName(procedure);

    /// <summary>The name by which the linker knows a procedure; null where no public symbol is at its begin.</summary>
    public string? Decorated(int procedure)
    {
        string made = Volatile.Read(ref _decorated[procedure]) ?? MakeDecorated(procedure);
        return made.Length == 0 ? null : made;
    }

    /// <summary>The source line of an address.</summary>
    public PdbSource? Source(uint rva)
    {
        if (!TryFragment(rva, out int fragment))
        {
            return null;
        }

        LineRow[] rows = Volatile.Read(ref _rows[fragment]) ?? MakeRows(fragment);
        int low = SortedSearch.FirstNot(0, rows.Length, (rows, rva), static (at, i) => at.rows[i].Rva < at.rva);

        // Of rows at one address the first is that of the address, where a function begins its own line; the last is that of what follows.
        // A function that begins with the code of a callee has its first row behind that; it stands for what is before it, too.
        int row = low < rows.Length && rows[low].Rva == rva ? low : Math.Max(0, low - 1);
        return row < rows.Length && rows[row].HasLine ? SourceOf(rows[row].File, rows[row].Line) : null;
    }

    /// <summary>The calls in a procedure whose callees' code stands in it; null where there are none.</summary>
    public InlineSites? Sites(int procedure)
    {
        int main = _procedures[procedure].IsSeparated ? At(_procedures[procedure].Parent) : procedure;
        return main < 0 || !_procedures[main].HasInlineSites ? null : Volatile.Read(ref _sites[main]) ?? MakeSites(main);
    }

    /// <summary>One call whose callee's code holds an address.</summary>
    public PdbInlineFrame Frame(InlineSites sites, int site, uint rva)
    {
        uint inlinee = sites.Inlinee(site);
        string name = _parts.InlineeNames.Name(inlinee, _module);
        PdbSource? source = sites.TryRow(site, rva, out InlineSites.Row row) && TryInlinee(inlinee, out InlineeSource begin)
            ? SourceOf(
                row.File == BinaryAnnotations.NoFile ? begin.File : row.File,
                (uint)Math.Clamp(begin.Line + (long)row.Line, 0, int.MaxValue))
            : null;
        return new PdbInlineFrame(name, source);
    }

    /// <summary>
    /// Of procedures that begin at one place the first in the stream counts; -1 where none begins at the address or before.
    /// </summary>
    private int LastAtOrBelow(uint rva)
    {
        int last = CountBelow((ulong)rva + 1) - 1;
        return last < 0 ? last : CountBelow(_procedures[last].Start);
    }

    private int CountBelow(ulong start)
    {
        int low = SortedSearch.FirstNot(0, _procedures.Length, (_procedures, start), static (at, i) => at._procedures[i].Start < at.start);

        return low;
    }

    /// <summary>The stretch of lines that holds an address; of several that begin at one place the first is kept.</summary>
    private bool TryFragment(uint rva, out int fragment)
    {
        int low = SortedSearch.FirstNot(0, _fragments.Length, (_fragments, rva), static (at, i) => at._fragments[i].Start <= at.rva);

        fragment = low - 1;
        return fragment >= 0 && rva - _fragments[fragment].Start < _fragments[fragment].Length;
    }

    private bool TryInlinee(uint inlinee, out InlineeSource source)
    {
        int low = SortedSearch.FirstNot(0, _inlinees.Length, (_inlinees, inlinee), static (at, i) => at._inlinees[i].Inlinee < at.inlinee);

        source = low < _inlinees.Length ? _inlinees[low] : default;
        return low < _inlinees.Length && source.Inlinee == inlinee;
    }

    private PdbSource? SourceOf(uint file, uint line)
    {
        int low = SortedSearch.FirstNot(0, _files.Length, (_files, file), static (at, i) => at._files[i].Place < at.file);

        if (low == _files.Length || _files[low].Place != file || line == 0)
        {
            return null;
        }

        string name = Volatile.Read(ref _fileNames[low]) ?? MakeFileName(low);
        return name.Length == 0 ? null : new PdbSource(name, (int)line);
    }

    private string MakeFileName(int file)
    {
        string name = _parts.Names.Text(_files[file].Name) ?? "";
        return Interlocked.CompareExchange(ref _fileNames[file], name, null) ?? name;
    }

    private string MakeName(int procedure)
    {
        int named = _procedures[procedure].IsSeparated ? At(_procedures[procedure].Parent) : procedure;
        string name = named < 0 ? "(separated code)" : ModuleReader.ProcedureName(_parts.ModuleStream(_module), _procedures[named].Record);
        Grow(TextCost(name));
        return Interlocked.CompareExchange(ref _names[procedure], name, null) ?? name;
    }

    private string MakeDecorated(int procedure)
    {
        uint start = _procedures[procedure].IsSeparated ? _procedures[procedure].Parent : _procedures[procedure].Start;
        string name = _parts.Publics.NameAt(start, Name(procedure)) ?? "";
        Grow(TextCost(name));
        return Interlocked.CompareExchange(ref _decorated[procedure], name, null) ?? name;
    }

    private LineRow[] MakeRows(int fragment)
    {
        LineRow[] rows = ModuleReader.Rows(_parts, _module, _fragments[fragment]);
        Grow(rows.Length * 12);
        return Interlocked.CompareExchange(ref _rows[fragment], rows, null) ?? rows;
    }

    private InlineSites MakeSites(int procedure)
    {
        uint start = _procedures[procedure].Start;
        Procedure[] parts = [_procedures[procedure], .. _separated.Where(part => part.Parent == start)];
        InlineSites sites = InlineSiteReader.Read(_parts, _module, parts);
        Grow(sites.Cost);
        return Interlocked.CompareExchange(ref _sites[procedure], sites, null) ?? sites;
    }

    private static int TextCost(string text) => 24 + (text.Length * sizeof(char));

    private void Grow(int bytes)
    {
        Interlocked.Add(ref _grown, bytes);
        _parts.Modules.Grow(bytes);
    }

    /// <summary>A procedure, a thunk, or code of a procedure that was put elsewhere.</summary>
    /// <param name="Kind">What it is.</param>
    /// <param name="Start">RVA.</param>
    /// <param name="Length">Bytes of code.</param>
    /// <param name="Record">Where its record is, in bytes from the beginning of the module's stream.</param>
    /// <param name="Parent">RVA of the procedure that separated code belongs to.</param>
    /// <param name="HasInlineSites">Whether code of callees stands in it.</param>
    internal readonly record struct Procedure(uint Start, uint Length, uint Record, uint Parent, ushort Kind, bool HasInlineSites)
    {
        public bool IsSeparated => Kind == SymbolKinds.SeparatedCode;
    }
}
