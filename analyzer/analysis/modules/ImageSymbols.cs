using Tracer.Analysis.Facts;
using Tracer.Symbols;
using Tracer.Symbols.Pdb;

namespace Tracer.Analysis.Modules;

/// <param name="source">Where the file comes from; a file beside the trace is as untrusted as the trace.</param>
/// <param name="problem">Why the file cannot be read, as a sentence.</param>
/// <returns>The PDB; null if it cannot be read.</returns>
public delegate IPdbSymbols? PdbOpener(SymbolBytes bytes, SymbolSource source, out string? problem);

/// <summary>
/// Names functions of a trace's images by the PDBs and image files that a finder finds; an image's files are looked for when an address in
/// it is first asked for. A PDB is used only if the trace names it for the image, or if the image's own file names it and time stamp and
/// size in the trace confirm that file. Valid until the finder is disposed of. Thread-safe.
/// </summary>
public sealed class ImageSymbols : IFunctionNames
{
    /// <summary>Most characters of a name, because templates may nest without limit; longer names are cut.</summary>
    private const int LongestName = 1024;

    private static readonly ModuleNames NoNames = new(null, null);

    private readonly Lock _lock = new();
    private readonly SymbolFinder _finder;
    private readonly PdbOpener _open;
    private readonly Dictionary<ImageKey, ImageFiles> _files = [];

    /// <summary>Creates a source of names.</summary>
    public ImageSymbols(SymbolFinder finder, PdbOpener open)
    {
        ArgumentNullException.ThrowIfNull(finder);
        ArgumentNullException.ThrowIfNull(open);
        (_finder, _open) = (finder, open);
    }

    /// <summary>The files found for the images asked for so far, in the order of the requests.</summary>
    public IReadOnlyCollection<ImageFiles> Asked
    {
        get
        {
            lock (_lock)
            {
                return [.. _files.Values];
            }
        }
    }

    public bool TryFind(LoadedImage image, uint rva, out NamedFunction function)
    {
        AddressName name = FilesOf(image).Names.Find(rva);
        function = name.Function is null ? default : new NamedFunction(Cut(name.Function), name.Offset, name.Proof);
        return name.Function is not null;
    }

    /// <summary>The files for an image; searched for at the first request.</summary>
    public ImageFiles FilesOf(LoadedImage image)
    {
        ArgumentNullException.ThrowIfNull(image);
        ImageKey key = new(image.Name, image.TimeDateStamp, image.Size, image.Pdb);
        lock (_lock)
        {
            if (!_files.TryGetValue(key, out ImageFiles? files))
            {
                files = Find(image);
                _files.Add(key, files);
            }

            return files;
        }
    }

    private ImageFiles Find(LoadedImage image)
    {
        ImageId? id = image.TimeDateStamp == 0 ? null : new ImageId(image.TimeDateStamp, (uint)Math.Min(image.Size, uint.MaxValue));
        SymbolAnswer? pdbAnswer = image.Pdb is { } own ? _finder.FindPdb(own.Name, own.Id) : null;
        IPdbSymbols? pdb = Opened(pdbAnswer, out string? problem);

        // The image file provides function bounds and exports, needed only without a PDB: only then is a server asked for it.
        SymbolAnswer? imageAnswer = id is null && image.Pdb is null
            ? null
            : _finder.FindImage(image.Name, id, image.Pdb?.Id, isNearOnly: pdb is not null);
        PeImage? pe = imageAnswer?.Bytes is { } bytes && PeImage.TryRead(bytes, out PeImage? read, out _) ? read : null;
        if (image.Pdb is null && pe?.Pdbs.FirstOrDefault(one => one is { Id: not null, IsPortable: false }) is { Id: { } named } reference)
        {
            pdbAnswer = _finder.FindPdb(reference.FileName, named);
            pdb = Opened(pdbAnswer, out problem);
        }

        return new ImageFiles
        {
            Image = image,
            Id = id,
            ImageAnswer = imageAnswer,
            PdbAnswer = pdbAnswer,
            Problem = problem,
            Names = pdb is null && pe is null ? NoNames : new ModuleNames(pdb, pe),
        };
    }

    private IPdbSymbols? Opened(SymbolAnswer? answer, out string? problem)
    {
        problem = null;
        return answer?.Bytes is { } bytes ? _open(bytes, answer.Source, out problem) : null;
    }

    private static string Cut(string name) => name.Length <= LongestName
        ? name
        : string.Concat(name.AsSpan(0, LongestName - (char.IsHighSurrogate(name[LongestName - 1]) ? 1 : 0)), "...");

    private readonly record struct ImageKey(string Name, uint Stamp, ulong Size, ImagePdb? Pdb);
}

/// <summary>The files found for an image of a trace.</summary>
public sealed class ImageFiles
{
    /// <summary>The image; the first one of several that share the same files.</summary>
    public required LoadedImage Image { get; init; }

    /// <summary>The image's identity; null where the trace lacks its time stamp.</summary>
    public required ImageId? Id { get; init; }

    /// <summary>The search for the image file; null where the trace has no identity for it.</summary>
    public required SymbolAnswer? ImageAnswer { get; init; }

    /// <summary>The search for the PDB; null where neither the trace nor the image file names one.</summary>
    public required SymbolAnswer? PdbAnswer { get; init; }

    /// <summary>Why the PDB that was found cannot be read; null where it can, and where none was found.</summary>
    public required string? Problem { get; init; }

    public required ModuleNames Names { get; init; }
}
