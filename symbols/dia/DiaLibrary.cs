using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Tracer.Symbols.Dia;

/// <summary>
/// Microsoft's reader of PDBs, msdia140.dll, used without being registered: the file is loaded by its whole path, and its objects are made
/// through its own DllGetClassObject. It stays loaded. Safe for several threads.
/// </summary>
/// <example>
/// <code>
/// if (DiaLibrary.TryLoad(@"C:\tools\msdia140.dll", out DiaLibrary? dia, out string? problem)
///     &amp;&amp; dia.Open(SymbolBytes.Of(File.ReadAllBytes("nic.pdb")), out problem) is { } pdb
///     &amp;&amp; pdb.TryFind(0x1a2b7, out PdbSymbol symbol))
/// {
///     Console.WriteLine($"{symbol.Function}+0x{symbol.Offset:x}");
/// }
/// </code>
/// </example>
[SupportedOSPlatform("windows")]
public sealed unsafe class DiaLibrary
{
    private const int CreateInstanceSlot = 3;
    private const int LoadDataFromStreamSlot = 7;
    private const int OpenSessionSlot = 8;

    private static readonly Guid DataSourceClass = new("E6756135-1E65-4D17-8576-610761398C3C");
    private static readonly Guid ClassFactory = new("00000001-0000-0000-C000-000000000046");
    private static readonly Guid DataSource = new("79F1BB5F-B66E-48E5-B6A9-1545C323CA3D");

    private readonly delegate* unmanaged<Guid*, Guid*, void**, int> _getClassObject;

    private DiaLibrary(nint getClassObject) => _getClassObject = (delegate* unmanaged<Guid*, Guid*, void**, int>)getClassObject;

    /// <summary>Loads the library.</summary>
    /// <param name="path">Its whole path: a name alone would be looked for in folders that others may write to.</param>
    /// <param name="library">The library.</param>
    /// <param name="problem">Why it could not be loaded, as a sentence.</param>
    public static bool TryLoad(string path, [NotNullWhen(true)] out DiaLibrary? library, [NotNullWhen(false)] out string? problem)
    {
        library = null;
        if (!Path.IsPathFullyQualified(path))
        {
            problem = $"{path} is not a full path";
        }
        else if (!NativeLibrary.TryLoad(path, out nint module))
        {
            problem = $"{path} can't be loaded: it is not there, or is for another processor";
        }
        else if (!NativeLibrary.TryGetExport(module, "DllGetClassObject", out nint getClassObject))
        {
            problem = $"{path} is not DIA";
        }
        else
        {
            library = new DiaLibrary(getClassObject);
            problem = null;
        }

        return library is not null;
    }

    /// <summary>Opens a PDB.</summary>
    /// <param name="bytes">The whole file; it must stay as it is while the result is used.</param>
    /// <param name="problem">Why it can't be read, as a sentence.</param>
    /// <returns>The PDB; null where DIA refuses it.</returns>
    public DiaPdb? Open(SymbolBytes bytes, out string? problem)
    {
        ArgumentNullException.ThrowIfNull(bytes);
        DiaObject source = default;
        int result = Create(ref source);
        if (result < 0)
        {
            problem = Failed("makes no data source", result);
            return null;
        }

        using DiaObject stream = DiaStream.Of(bytes);
        result = ((delegate* unmanaged<void*, void*, int>)source[LoadDataFromStreamSlot])(source.Pointer, stream.Pointer);
        DiaObject session = default;
        if (result >= 0)
        {
            result = ((delegate* unmanaged<void*, void**, int>)source[OpenSessionSlot])(source.Pointer, &session.Pointer);
        }

        if (result < 0 || session.IsNone)
        {
            source.Dispose();
            problem = Failed("can't read this PDB", result);
            return null;
        }

        problem = null;
        return new DiaPdb(source, session);
    }

    private static string Failed(string what, int result) => string.Create(CultureInfo.InvariantCulture, $"DIA {what} (0x{result:x8})");

    private int Create(ref DiaObject source)
    {
        Guid dataSourceClass = DataSourceClass;
        Guid classFactory = ClassFactory;
        Guid dataSource = DataSource;
        DiaObject factory = default;
        int result = _getClassObject(&dataSourceClass, &classFactory, &factory.Pointer);
        if (result < 0 || factory.IsNone)
        {
            return Math.Min(result, -1);
        }

        DiaObject made = default;
        result = ((delegate* unmanaged<void*, void*, Guid*, void**, int>)factory[CreateInstanceSlot])(
            factory.Pointer, null, &dataSource, &made.Pointer);
        factory.Dispose();
        source = made;
        return made.IsNone ? Math.Min(result, -1) : result;
    }
}
