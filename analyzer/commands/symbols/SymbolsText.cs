using Tracer.Analysis.Modules;
using Tracer.Symbols;

namespace Tracer.AnalyzerCommand.Commands.Symbols;

/// <summary>Puts what <c>analyzer symbols</c> found into records, and the records into lines.</summary>
internal static class SymbolsText
{
    private const int Indent = 2;
    private const int TriedShown = 4;

    public static AddressSymbol SymbolOf(uint rva, in AddressName name) => new()
    {
        Rva = string.Create(CultureInfo.InvariantCulture, $"0x{rva:x}"),
        Function = name.Function,
        Decorated = name.Decorated,
        Offset = name.Offset,
        Source = name.Source is { } source ? new SourceLine(source.File, source.Line) : null,
        Inlines = [.. name.Inlines.ToArray().Select(call => new InlinedCall(call.Function, call.Source?.File, call.Source?.Line))],
        Proof = NameOf(name.Proof),
    };

    /// <summary>What a module of a trace needs, and what was found.</summary>
    public static SymbolModule ModuleOf(ImageFiles files, bool isKernel)
    {
        PdbReference? ofImage = files.Names.Image?.Pdbs.FirstOrDefault(one => one is { Id: not null, IsPortable: false });
        (string Name, string Key)? pdb = files.Image.Pdb is { } own ? (FileNameOf(own.Name), own.Id.StoreKey)
            : ofImage is null ? null
            : (ofImage.FileName, ofImage.StoreKey);
        return new SymbolModule
        {
            Name = files.Image.Name,
            Kernel = isKernel,
            Image = files.Id is { } id ? FileOf(files.Image.Name, id.StoreKey, files.ImageAnswer) : null,
            Pdb = pdb is { } needed ? FileOf(needed.Name, needed.Key, files.PdbAnswer, files.Problem) : null,
            Names = files.Names.Pdb is not null ? "pdb" : files.Names.Image is not null ? "image" : "none",
        };
    }

    public static NeededFile FileOf(string name, string key, SymbolAnswer? answer, string? problem = null) => new()
    {
        Name = name,
        Key = key,
        Path = answer?.Path,
        Source = answer?.Source switch
        {
            SymbolSource.Beside => "beside",
            SymbolSource.Folder => "folder",
            SymbolSource.Store => "store",
            SymbolSource.Server => "server",
            _ => null,
        },
        Tried = [.. (answer?.Attempts ?? []).Select(attempt => attempt.ToString()), .. problem is null ? [] : new[] { problem }],
    };

    /// <summary>The lines of a function at an address.</summary>
    public static ReportPage PageOf(AddressSymbol symbol, string module, int columns)
    {
        var page = new ReportPage(columns);
        string place = symbol.Function is null
            ? string.Create(CultureInfo.InvariantCulture, $"{module}+0x{symbol.Offset:x}")
            : string.Create(CultureInfo.InvariantCulture, $"{module}!{symbol.Function}+0x{symbol.Offset:x}");
        page.Line(Indent + 2, $"{symbol.Rva}  ", new PagePiece(place, Ink.Name), $"  ({symbol.Proof})");
        foreach (InlinedCall call in symbol.Inlines)
        {
            page.Line(Indent + 2, $"  inlined {call.Function}{(call.File is null ? "" : $"  {call.File}:{call.Line}")}");
        }

        if (symbol.Source is { } source)
        {
            page.Line(Indent + 2, $"  {source.File}:{source.Line}");
        }

        if (symbol.Decorated is not null)
        {
            page.Line(Indent + 2, new PagePiece($"  {symbol.Decorated}", Ink.Faint));
        }

        return page;
    }

    public static ReportPage PageOf(SymbolsReport report, int columns)
    {
        var page = new ReportPage(columns);
        foreach (SymbolModule module in report.Modules)
        {
            string how = module.Names switch
            {
                "pdb" => "functions by its PDB",
                "image" => "functions by exports and unwind data of its image",
                _ => "no names",
            };
            page.Line(Indent, new PagePiece(module.Name, Ink.Name), $"  {how}");
            AddFile(page, "pdb", module.Pdb);
            AddFile(page, "image", module.Image);
        }

        int named = report.Modules.Count(module => module.Names != "none");
        page.Line(0, $"{ReportWords.Count(report.Modules.Count, "module")}, {named} with names");
        return page;
    }

    private static void AddFile(ReportPage page, string kind, NeededFile? file)
    {
        if (file is null)
        {
            page.Line(Indent, new PagePiece($"  {kind,-5}  the trace does not tell which", Ink.Faint));
            return;
        }

        page.Line(Indent + 7, $"  {kind,-5}  {file.Name} {file.Key}", file.Path is null ? "" : $"  {file.Path}");
        foreach (string tried in file.Path is null ? file.Tried.Take(TriedShown) : [])
        {
            page.Line(Indent + 9, new PagePiece($"         {tried}", Ink.Faint));
        }
    }

    /// <summary>Linkers often write the path that the PDB had on their machine.</summary>
    private static string FileNameOf(string path) => path[(path.AsSpan().LastIndexOfAny('/', '\\') + 1)..];

    private static string NameOf(SymbolProof proof) => proof switch
    {
        SymbolProof.Private => "private",
        SymbolProof.Public => "public",
        SymbolProof.Export => "export",
        SymbolProof.Pdata => "pdata",
        _ => "module",
    };
}
