using System.Runtime.Versioning;
using Tracer.Symbols.Pdb;

namespace Tracer.Symbols.Dia;

/// <summary>
/// A PDB as DIA reads it. DIA's sessions are not for several threads, so one look-up waits for another. What DIA makes for a look-up it
/// makes in its own memory; here only names are made, once for each function.
/// </summary>
[SupportedOSPlatform("windows")]
public sealed unsafe class DiaPdb : IPdbSymbols, IDisposable
{
    private const uint ModuleTag = 2;
    private const uint FunctionTag = 5;
    private const uint PublicTag = 10;
    private const uint ThunkTag = 27;
    private const int MaximumInlines = 256;
    private const int MaximumPublics = 256;
    private const int FileNameSlot = 4;

    private readonly Lock _lock = new();
    private readonly Dictionary<(uint Start, bool IsPublic), Names> _names = [];
    private readonly Dictionary<uint, Dictionary<uint, uint>> _functions = [];
    private DiaObject _source;
    private DiaObject _session;

    internal DiaPdb(DiaObject source, DiaObject session)
    {
        (_source, _session) = (source, session);
        using DiaObject scope = session.Get(SessionSlot.GlobalScope);
        Guid guid = default;
        if (!scope.IsNone)
        {
            _ = ((delegate* unmanaged<void*, Guid*, int>)scope[SymbolSlot.Guid])(scope.Pointer, &guid);
            scope.TryGet(SymbolSlot.Age, out uint age);
            Id = new PdbId(guid, age);
        }
    }

    /// <summary>Lets go of what DIA holds, if nobody has disposed of it.</summary>
    ~DiaPdb() => Free();

    /// <inheritdoc/>
    public PdbId Id { get; }

    /// <inheritdoc/>
    public bool TryFind(uint rva, out PdbSymbol symbol)
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_session.IsNone, this);
            return TryPrivate(rva, out symbol) || TryPublic(rva, out symbol);
        }
    }

    /// <summary>Lets go of the PDB.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            Free();
        }

        GC.SuppressFinalize(this);
    }

    private void Free()
    {
        _session.Dispose();
        _source.Dispose();
    }

    private bool TryPrivate(uint rva, out PdbSymbol symbol)
    {
        symbol = default;
        using DiaObject function = FindPrivate(rva);
        if (function.IsNone
            || !function.TryGet(SymbolSlot.Rva, out uint start)
            || !function.TryGet(SymbolSlot.Length, out ulong length)
            || rva < start || rva - start >= length)
        {
            return false;
        }

        Names names = NamesOf(start, function, isPublic: false);
        symbol = new PdbSymbol
        {
            Function = names.Function,
            Decorated = names.Decorated,
            Start = start,
            Offset = rva - start,
            Length = (uint)Math.Min(length, uint.MaxValue),
            Proof = SymbolProof.Private,
            Source = SourceIn(Lines(rva, 1)) ?? SourceIn(Lines(start, (uint)Math.Min(length, uint.MaxValue))),
            Inlines = new PdbInlineFrames(Inlines(function, rva)),
        };
        return true;
    }

    private bool TryPublic(uint rva, out PdbSymbol symbol)
    {
        symbol = default;
        using DiaObject found = Find(rva, PublicTag);
        if (found.IsNone || !found.TryGet(SymbolSlot.Rva, out uint start) || rva < start)
        {
            return false;
        }

        found.TryGet(SymbolSlot.Length, out ulong length);
        if (!found.TryGet(SymbolSlot.Function, out uint isFunction) || isFunction == 0 || rva - start >= length
            || IsPrivate(start))
        {
            return false;
        }

        Names names = NamesOf(start, found, isPublic: true);
        symbol = new PdbSymbol
        {
            Function = names.Function,
            Decorated = names.Function,
            Start = start,
            Offset = rva - start,
            Length = (uint)Math.Min(length, uint.MaxValue),
            Proof = SymbolProof.Public,
            Source = SourceIn(Lines(rva, 1)),
        };
        return true;
    }

    /// <summary>Whether private symbols tell a function that begins there: they tell its end, too.</summary>
    private bool IsPrivate(uint start)
    {
        using DiaObject function = FindPrivate(start);
        return !function.IsNone && function.TryGet(SymbolSlot.Rva, out uint at) && at == start;
    }

    private Names NamesOf(uint start, in DiaObject symbol, bool isPublic)
    {
        if (_names.TryGetValue((start, isPublic), out Names names))
        {
            return names;
        }

        string function = (isPublic ? PublicAt(start, "") : FirstFunctionAt(start) ?? symbol.Text(SymbolSlot.Name)) ?? "";
        names = new Names(function, isPublic ? function : PublicAt(start, PublicTable.Identifier(function)));
        _names.Add((start, isPublic), names);
        return names;
    }

    /// <summary>
    /// The name of the function that begins at an address. Of several, which a linker folded into one, that of the first in the object file
    /// whose code it is, as with our own reader; DIA itself takes any of them.
    /// </summary>
    private string? FirstFunctionAt(uint start)
    {
        using DiaObject module = Find(start, ModuleTag);
        if (module.IsNone || !module.TryGet(SymbolSlot.Index, out uint index))
        {
            return null;
        }

        if (!_functions.TryGetValue(index, out Dictionary<uint, uint>? functions))
        {
            functions = FunctionsOf(in module);
            _functions.Add(index, functions);
        }

        if (!functions.TryGetValue(start, out uint function))
        {
            return null;
        }

        DiaObject first = default;
        int result = ((delegate* unmanaged<void*, uint, void**, int>)_session[SessionSlot.SymbolById])(
            _session.Pointer, function, &first.Pointer);
        string? name = result == 0 && !first.IsNone ? first.Text(SymbolSlot.Name) : null;
        first.Dispose();
        return name;
    }

    /// <summary>The first function at each address of an object file, by its number in DIA.</summary>
    private static Dictionary<uint, uint> FunctionsOf(in DiaObject module)
    {
        Dictionary<uint, uint> functions = [];
        DiaObject all = default;
        int result = ((delegate* unmanaged<void*, uint, char*, uint, void**, int>)module[SymbolSlot.FindChildren])(
            module.Pointer, FunctionTag, null, 0, &all.Pointer);
        while (result == 0 && !all.IsNone)
        {
            using DiaObject one = all.Next();
            if (one.IsNone)
            {
                break;
            }

            if (one.TryGet(SymbolSlot.Rva, out uint start) && one.TryGet(SymbolSlot.Index, out uint index))
            {
                functions.TryAdd(start, index);
            }
        }

        all.Dispose();
        return functions;
    }

    /// <summary>
    /// The name of the public symbol at an address. Of several there, which a linker makes of equal functions, the one that our own reader
    /// takes: functions go first, then those whose name holds the wanted word, then the least by its bytes.
    /// </summary>
    private string? PublicAt(uint rva, string word)
    {
        using DiaObject scope = _session.Get(SessionSlot.GlobalScope);
        DiaObject all = default;
        int result = ((delegate* unmanaged<void*, uint, char*, uint, uint, void**, int>)scope[SymbolSlot.FindChildrenExByRva])(
            scope.Pointer, PublicTag, null, 0, rva, &all.Pointer);
        string? best = null;
        int bestRank = -1;
        for (int i = 0; result == 0 && !all.IsNone && i < MaximumPublics; i++)
        {
            using DiaObject one = all.Next();
            if (one.IsNone)
            {
                break;
            }

            if (!one.TryGet(SymbolSlot.Rva, out uint at) || at != rva || one.Text(SymbolSlot.Name) is not { } name)
            {
                continue;
            }

            int rank = (one.TryGet(SymbolSlot.Function, out uint isFunction) && isFunction != 0 ? 2 : 0)
                + (word.Length > 0 && name.Contains(word, StringComparison.Ordinal) ? 1 : 0);
            if (rank > bestRank || (rank == bestRank && string.CompareOrdinal(name, best) < 0))
            {
                (best, bestRank) = (name, rank);
            }
        }

        all.Dispose();
        return best;
    }

    /// <summary>A function of the private symbols, or a jump to one that the linker made.</summary>
    private DiaObject FindPrivate(uint rva)
    {
        DiaObject function = Find(rva, FunctionTag);
        if (!function.IsNone && function.TryGet(SymbolSlot.Rva, out uint start) && function.TryGet(SymbolSlot.Length, out ulong length)
            && rva >= start && rva - start < length)
        {
            return function;
        }

        function.Dispose();
        return Find(rva, ThunkTag);
    }

    private DiaObject Find(uint rva, uint tag)
    {
        DiaObject found = default;
        int result = ((delegate* unmanaged<void*, uint, uint, void**, int>)_session[SessionSlot.FindSymbolByRva])(
            _session.Pointer, rva, tag, &found.Pointer);
        return result == 0 ? found : default;
    }

    /// <summary>
    /// The lines of a stretch of code. What others' code comes before the first line of a function has none: the function's first does.
    /// </summary>
    private DiaObject Lines(uint rva, uint length)
    {
        DiaObject lines = default;
        int result = ((delegate* unmanaged<void*, uint, uint, void**, int>)_session[SessionSlot.FindLinesByRva])(
            _session.Pointer, rva, length, &lines.Pointer);
        return result == 0 ? lines : default;
    }

    private static PdbInlineFrame[] Inlines(in DiaObject function, uint rva)
    {
        DiaObject sites = default;
        int result = ((delegate* unmanaged<void*, uint, void**, int>)function[SymbolSlot.FindInlineFramesByRva])(
            function.Pointer, rva, &sites.Pointer);
        if (result != 0 || sites.IsNone)
        {
            return [];
        }

        List<PdbInlineFrame>? frames = null;
        for (int i = 0; i < MaximumInlines; i++)
        {
            using DiaObject site = sites.Next();
            if (site.IsNone)
            {
                break;
            }

            DiaObject lines = default;
            result = ((delegate* unmanaged<void*, uint, uint, void**, int>)site[SymbolSlot.FindInlineeLinesByRva])(
                site.Pointer, rva, 1, &lines.Pointer);
            (frames ??= []).Add(new PdbInlineFrame(site.Text(SymbolSlot.Name) ?? "", SourceIn(result == 0 ? lines : default)));
        }

        sites.Dispose();
        return frames is null ? [] : [.. frames];
    }

    /// <summary>The first line of an enumeration, which is let go of.</summary>
    private static PdbSource? SourceIn(DiaObject lines)
    {
        if (lines.IsNone)
        {
            return null;
        }

        PdbSource? source = null;
        DiaObject line = lines.Next();
        if (!line.IsNone && line.TryGet(LineSlot.Line, out uint number) && number != 0)
        {
            using DiaObject file = line.Get(LineSlot.SourceFile);
            source = file.IsNone ? null : new PdbSource(file.Text(FileNameSlot) ?? "", (int)number);
        }

        line.Dispose();
        lines.Dispose();
        return source;
    }

    private readonly record struct Names(string Function, string? Decorated);

    /// <summary>Functions of IDiaSession, by their place in its table.</summary>
    private static class SessionSlot
    {
        public const int GlobalScope = 5;
        public const int FindSymbolByRva = 14;
        public const int SymbolById = 18;
        public const int FindLinesByRva = 25;
    }

    /// <summary>Functions of IDiaSymbol, by their place in its table.</summary>
    private static class SymbolSlot
    {
        public const int Index = 3;
        public const int Name = 5;
        public const int Rva = 13;
        public const int Length = 17;
        public const int Guid = 46;
        public const int Function = 70;
        public const int Age = 75;
        public const int FindChildren = 85;
        public const int FindChildrenExByRva = 89;
        public const int FindInlineFramesByRva = 201;
        public const int FindInlineeLinesByRva = 205;
    }

    /// <summary>Functions of IDiaLineNumber, by their place in its table.</summary>
    private static class LineSlot
    {
        public const int SourceFile = 4;
        public const int Line = 5;
    }
}
