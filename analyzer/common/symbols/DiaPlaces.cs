using System.Diagnostics.CodeAnalysis;
using System.Runtime.Versioning;
using Tracer.Analysis.Modules;
using Tracer.Symbols;
using Tracer.Symbols.Dia;
using Tracer.Symbols.Pdb;

namespace Tracer.AnalyzerCommand.Common.Symbols;

/// <summary>
/// Where msdia140.dll is looked for: beside this program, where <c>TRACER_MSDIA</c> says, in Visual Studio. Always by its whole path: a
/// bare name would be looked for in folders that others may write to.
/// </summary>
internal static class DiaPlaces
{
    private const string FileName = "msdia140.dll";
    private const string Variable = "TRACER_MSDIA";

    /// <summary>
    /// Whether a PDB is given to DIA, which is a large library of native code that was made for PDBs one built oneself: without being asked
    /// for only those that the user's own symbol path led to. What lies beside a trace, or was named by its path, is a stranger's.
    /// </summary>
    public static bool IsForDia(SymbolSource source, bool isOnly) =>
        isOnly || source is SymbolSource.Folder or SymbolSource.Store or SymbolSource.Server;

    /// <summary>Loads DIA from the first place that has it.</summary>
    /// <param name="problem">Why it could not be loaded.</param>
    [SupportedOSPlatform("windows")]
    public static bool TryLoad([NotNullWhen(true)] out DiaLibrary? library, [NotNullWhen(false)] out string? problem)
    {
        problem = $"{FileName} is neither beside this program, nor where {Variable} says, nor in Visual Studio";
        foreach (string path in Candidates())
        {
            if (!File.Exists(path))
            {
                continue;
            }

            if (DiaLibrary.TryLoad(path, out library, out problem))
            {
                return true;
            }
        }

        library = null;
        return false;
    }

    /// <summary>
    /// Opens PDBs with it. Portable PDBs, which have no functions of native code, are left to our own reader, which says so; what DIA
    /// refuses, too, if that is wanted.
    /// </summary>
    /// <param name="isOnly">Whether the user asked for DIA: then nothing but it reads what it should be able to.</param>
    [SupportedOSPlatform("windows")]
    public static PdbOpener Opener(this DiaLibrary library, PdbOpener ours, bool isOnly) =>
        (SymbolBytes bytes, SymbolSource source, out string? problem) =>
        {
            if (!IsForDia(source, isOnly) || bytes.At(0, 4).SequenceEqual("BSJB"u8))
            {
                return ours(bytes, source, out problem);
            }

            IPdbSymbols? pdb = library.Open(bytes, out problem);
            return pdb is null && !isOnly ? ours(bytes, source, out problem) : pdb;
        };

    private static IEnumerable<string> Candidates()
    {
        if (Environment.GetEnvironmentVariable(Variable) is { Length: > 0 } named && Path.IsPathFullyQualified(named))
        {
            yield return named;
        }

        yield return Path.Combine(AppContext.BaseDirectory, FileName);
        string kind = System.Runtime.InteropServices.RuntimeInformation.ProcessArchitecture switch
        {
            System.Runtime.InteropServices.Architecture.Arm64 => "arm64",
            System.Runtime.InteropServices.Architecture.X86 => "",
            _ => "amd64",
        };
        string studio = Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.ProgramFiles), "Microsoft Visual Studio");
        foreach (string version in Folders(studio))
        {
            foreach (string edition in Folders(version))
            {
                yield return Path.Combine(edition, "DIA SDK", "bin", kind, FileName);
            }
        }
    }

    private static IEnumerable<string> Folders(string folder)
    {
        try
        {
            return Directory.Exists(folder) ? Directory.GetDirectories(folder).OrderDescending(StringComparer.Ordinal) : [];
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }
}
