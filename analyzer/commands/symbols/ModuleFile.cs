using Tracer.AnalyzerCommand.Common.Symbols;
using Tracer.Symbols;
using Tracer.Symbols.Pdb;

namespace Tracer.AnalyzerCommand.Commands.Symbols;

/// <summary>A PDB or an image that the user named, with what belongs to it.</summary>
internal sealed class ModuleFile : IDisposable
{
    private readonly MappedBytes _bytes;
    private readonly SymbolModule _module;

    private ModuleFile(MappedBytes bytes, string name, ModuleNames names, SymbolModule module) =>
        (_bytes, Name, Names, _module) = (bytes, name, names, module);

    /// <summary>What the module is called in text: the file's name without its folder.</summary>
    public string Name { get; }

    public ModuleNames Names { get; }

    /// <summary>Opens a file as a PDB or as an image, whichever it is.</summary>
    /// <returns>Null where it is neither of them.</returns>
    /// <exception cref="IOException">It can't be read, or is a PDB that can't be.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    public static ModuleFile? Open(string path, SymbolSession session)
    {
        MappedBytes bytes = MappedBytes.Open(path);
        ModuleFile? module = null;
        try
        {
            module = IsPdb(bytes) ? OfPdb(path, bytes, session)
                : bytes.At(0, 2).SequenceEqual("MZ"u8) ? OfImage(path, bytes, session)
                : null;
            return module;
        }
        finally
        {
            if (module is null)
            {
                bytes.Dispose();
            }
        }
    }

    /// <summary>The files that its names come from, where they are not the file itself.</summary>
    public IEnumerable<string> FilesRead => _module.Pdb?.Path is { } path ? [path] : [];

    public SymbolsReport Report(string path) => new() { Path = path, Modules = [_module] };

    public void Dispose() => _bytes.Dispose();

    /// <summary>A portable PDB is told apart by the reader, with a word.</summary>
    private static bool IsPdb(MappedBytes bytes) =>
        bytes.At(0, 13).SequenceEqual("Microsoft C/C"u8) || bytes.At(0, 4).SequenceEqual("BSJB"u8);

    private static ModuleFile OfPdb(string path, MappedBytes bytes, SymbolSession session)
    {
        IPdbSymbols pdb = session.Open(bytes, SymbolSource.None, out string? problem) ?? throw new IOException($"{path}: {problem}");
        string name = Path.GetFileName(path);
        return new ModuleFile(bytes, name, new ModuleNames(pdb, null), new SymbolModule
        {
            Name = name,
            Kernel = null,
            Image = null,
            Pdb = new NeededFile { Name = name, Key = pdb.Id.StoreKey, Path = path, Source = null, Tried = [] },
            Names = "pdb",
        });
    }

    private static ModuleFile OfImage(string path, MappedBytes bytes, SymbolSession session)
    {
        if (!PeImage.TryRead(bytes, out PeImage? image, out string? problem))
        {
            throw new IOException($"{path}: {problem}");
        }

        PdbReference? reference = image.Pdbs.FirstOrDefault(one => one is { Id: not null, IsPortable: false });
        SymbolAnswer? answer = reference is { Id: { } id } ? session.FindPdb(reference.FileName, id) : null;
        IPdbSymbols? pdb = answer?.Bytes is { } found ? session.Open(found, answer.Source, out _) : null;
        string name = Path.GetFileName(path);
        return new ModuleFile(bytes, name, new ModuleNames(pdb, image), new SymbolModule
        {
            Name = name,
            Kernel = null,
            Image = new NeededFile { Name = name, Key = image.Id.StoreKey, Path = path, Source = null, Tried = [] },
            Pdb = reference is null ? null : SymbolsText.FileOf(reference.FileName, reference.StoreKey, answer),
            Names = pdb is null ? "image" : "pdb",
        });
    }
}
