using Tracer.Symbols;
using Tracer.Symbols.Pdb;

namespace Tracer.AnalyzerShared.Viewer;

/// <summary>PDBs read by our own reader.</summary>
internal static class PdbReading
{
    public static PdbId? ReadId(SymbolBytes bytes, out string? problem)
    {
        PdbFile? pdb = PdbFile.Open(bytes, out PdbFault? fault);
        problem = pdb is null ? "can't be used: " + fault?.Message : null;
        return pdb?.Id;
    }

    public static IPdbSymbols? Open(SymbolBytes bytes, SymbolSource source, out string? problem)
    {
        PdbFile? pdb = PdbFile.Open(bytes, out PdbFault? fault);
        problem = fault?.Message;
        return pdb;
    }
}
