using System.Diagnostics.CodeAnalysis;

namespace Tracer.Symbols;

/// <summary>
/// A PE image (.exe, .dll, .sys) of 32 or 64 bits: its identity, its PDB, its exports, the functions that its unwind table tells, its
/// version. Damage throws nothing: what can be read is read, and <see cref="Oddities"/> says what is wrong and where. Headers, PDBs and
/// version are read at once, exports and unwind table when they are first asked for; no section is copied. Safe for several threads.
/// </summary>
/// <example>
/// <code>
/// if (PeImage.TryRead(SymbolBytes.Of(File.ReadAllBytes("e1d68x64.sys")), out PeImage? image, out string? problem)
///     &amp;&amp; image.TryFindFunction(0x1a2b7, out FunctionBounds bounds))
/// {
///     Console.WriteLine($"sub_{bounds.Begin:x}+0x{0x1a2b7 - bounds.Begin:x}");
/// }
/// </code>
/// </example>
public sealed class PeImage
{
    private readonly PeHeaders _headers;
    private readonly PeMap _map;
    private readonly PeOddityList _oddities;
    private readonly Lazy<PeExports> _exports;
    private readonly Lazy<UnwindTable?> _unwindTable;

    private PeImage(SymbolBytes bytes, PeLayout layout, PeHeaders headers, PeOddityList oddities)
    {
        (_headers, _oddities, Layout) = (headers, oddities, layout);
        _map = new PeMap(bytes, layout, headers, oddities);
        (List<PdbReference> pdbs, IsReproducible) = DebugDirectoryReading.Read(_map, layout, headers[PeDirectory.Debug], oddities);
        Pdbs = pdbs;
        ReadOnlySpan<byte> version = ResourceLookup.Find(
            _map, headers[PeDirectory.Resources], VersionReading.ResourceType, VersionReading.MaximumSize, oddities, out uint rva);
        Version = VersionReading.Read(version, _map.PlaceOf(rva), oddities);
        _exports = new Lazy<PeExports>(() => PeExports.Read(_map, headers[PeDirectory.Exports], oddities));
        _unwindTable = new Lazy<UnwindTable?>(ReadUnwindTable);
    }

    /// <summary>How the bytes are arranged, as the caller said.</summary>
    public PeLayout Layout { get; }

    /// <summary>Time stamp and size: the key of the image in a symbol store, and what image events of a trace tell.</summary>
    public ImageId Id => new(_headers.TimeDateStamp, _headers.SizeOfImage);

    /// <summary>Sum over the file, which image events of a trace tell too; 0 where the linker made none.</summary>
    public uint CheckSum => _headers.CheckSum;

    /// <summary>The processor; of a ready-to-run image for another system than Windows, too.</summary>
    public PeMachine Machine => _headers.Machine;

    /// <summary>Whether it is an image of 64 bits (PE32+).</summary>
    public bool Is64Bit => _headers.Is64Bit;

    /// <summary>Whether it is a library or driver rather than a program (IMAGE_FILE_DLL).</summary>
    public bool IsLibrary => (_headers.Characteristics & 0x2000) != 0;

    /// <summary>Whether it holds managed code of .NET, beside native code or alone.</summary>
    public bool IsManaged => _headers[PeDirectory.ManagedHeader].IsPresent;

    /// <summary>The address that it was linked for.</summary>
    public ulong PreferredBase => _headers.ImageBase;

    /// <summary>Where it is entered (DriverEntry of a driver); 0 if nowhere.</summary>
    public uint EntryPointRva => _headers.EntryPointRva;

    /// <summary>The sections in the order of their headers.</summary>
    public IReadOnlyList<PeSection> Sections => _headers.Sections;

    /// <summary>The PDBs that its debug directory names: mostly one, none after it was stripped.</summary>
    public IReadOnlyList<PdbReference> Pdbs { get; }

    /// <summary>
    /// Identity of its native PDB, without which no PDB is used for it; null if it names none, or only one in the old NB10 form or a
    /// portable one.
    /// </summary>
    public PdbId? PdbId => Pdbs.FirstOrDefault(pdb => pdb.Id is not null && !pdb.IsPortable)?.Id;

    /// <summary>Whether its build is reproducible: then the time stamp is a hash of its contents and no time.</summary>
    public bool IsReproducible { get; }

    /// <summary>The version resource; null if it has none that can be read.</summary>
    public PeVersion? Version { get; }

    /// <summary>The exports, ordered by RVA.</summary>
    public PeExports Exports => _exports.Value;

    /// <summary>How many entries the unwind table has; 0 where it has none that is read (x86, 32-bit ARM).</summary>
    public int UnwindEntries => _unwindTable.Value?.Count ?? 0;

    /// <summary>
    /// What is damaged or against the format, with its place; at most 64. Reads exports and unwind table if that was not done yet.
    /// </summary>
    public IReadOnlyList<PeOddity> Oddities
    {
        get
        {
            _ = (_exports.Value, _unwindTable.Value);
            return _oddities.ToArray();
        }
    }

    /// <summary>Reads an image as it stands in a file.</summary>
    /// <param name="bytes">The file.</param>
    /// <param name="image">The image.</param>
    /// <param name="problem">Why these bytes are no image.</param>
    /// <returns>Whether headers and identity could be read; the rest may still be damaged.</returns>
    public static bool TryRead(SymbolBytes bytes, [NotNullWhen(true)] out PeImage? image, [NotNullWhen(false)] out string? problem) =>
        TryRead(bytes, PeLayout.File, out image, out problem);

    /// <summary>Reads an image as a file or as it was mapped.</summary>
    /// <param name="bytes">The file, or the memory from the image's base on.</param>
    /// <param name="layout">Which of the two it is.</param>
    /// <param name="image">The image.</param>
    /// <param name="problem">Why these bytes are no image.</param>
    /// <returns>Whether headers and identity could be read; the rest may still be damaged.</returns>
    public static bool TryRead(
        SymbolBytes bytes, PeLayout layout, [NotNullWhen(true)] out PeImage? image, [NotNullWhen(false)] out string? problem)
    {
        PeOddityList oddities = new();
        PeHeaders? headers = PeHeaders.Read(bytes, oddities, out problem);
        image = headers is null ? null : new PeImage(bytes, layout, headers, oddities);
        problem = image is null ? problem ?? "not a PE image" : null;
        return image is not null;
    }

    /// <summary>
    /// Finds the function that an address lies in, by the unwind table alone. Leaf functions without a frame have no entry.
    /// </summary>
    /// <param name="rva">The address, from the image's base.</param>
    /// <param name="bounds">The function.</param>
    /// <returns>Whether the table tells one. Takes time of the logarithm of the table's length and allocates nothing.</returns>
    public bool TryFindFunction(uint rva, out FunctionBounds bounds)
    {
        bounds = default;
        return _unwindTable.Value is { } table && table.TryFind(rva, out bounds);
    }

    /// <summary>
    /// Finds the export whose function an address lies in, if the unwind table says that it does: never just the nearest export.
    /// </summary>
    /// <param name="rva">The address, from the image's base.</param>
    /// <param name="export">The last export in the function's first piece, or in the address's own, that is not behind the address.</param>
    /// <param name="bounds">The function.</param>
    /// <returns>Whether there is one.</returns>
    public bool TryFindExportedFunction(uint rva, out PeExport export, out FunctionBounds bounds)
    {
        export = default;
        return TryFindFunction(rva, out bounds)
            && (Exports.TryFindWithin(bounds.PieceBegin, rva, out export)
                || (bounds.IsSplit && Exports.TryFindWithin(bounds.Begin, bounds.Begin, out export)));
    }

    /// <summary>The function of one entry of the unwind table, in the order of RVAs.</summary>
    /// <param name="index">0 for the first.</param>
    /// <param name="bounds">The function and the piece that the entry is for.</param>
    /// <returns>False if the entry is damaged.</returns>
    public bool TryGetFunction(int index, out FunctionBounds bounds)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(index);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(index, UnwindEntries);
        return _unwindTable.Value!.TryGet(index, out bounds);
    }

    /// <summary>Where the byte of an RVA stands in the file.</summary>
    /// <returns>False where the file has no byte for it.</returns>
    public bool TryGetOffset(uint rva, out long offset) => _map.TryFind(rva, out offset, out _);

    /// <summary>The RVA that a byte of the file is mapped to.</summary>
    /// <returns>False for a byte that is not mapped, such as a signature's.</returns>
    public bool TryGetRva(long offset, out uint rva) => _map.TryFindRva(offset, out rva);

    private UnwindTable? ReadUnwindTable()
    {
        PeDirectory directory = _headers[PeDirectory.Exceptions];
        if (!directory.IsPresent)
        {
            return null;
        }

        switch (Machine)
        {
            case PeMachine.X64:
                return new UnwindTableX64(_map, directory, _oddities);
            case PeMachine.Arm64:
                return new UnwindTableArm64(_map, directory, _oddities);
            default:
                _oddities.Add(_map.PlaceOf(directory.Rva), $"unwind tables of machine 0x{_headers.RawMachine:x} are not read");
                return null;
        }
    }
}
