using Tracer.Symbols;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Traces;

/// <summary>
/// Symbols as a client may have them read: in the folders of the traces no link is followed that leads out of them. What the command line
/// named beside them is as it named it.
/// </summary>
internal sealed class FencedSymbolFiles(ISymbolFiles files, TraceFolders folders) : ISymbolFiles
{
    public bool Exists(string path) => MayRead(path) && files.Exists(path);

    public IEnumerable<string> NamesIn(string folder) => MayRead(folder) ? files.NamesIn(folder) : [];

    public SymbolBytes? Open(string path, out string? problem)
    {
        if (MayRead(path))
        {
            return files.Open(path, out problem);
        }

        problem = "leads out of the folders that this server was given";
        return null;
    }

    public ISymbolFileDraft? Begin(string store, out string? problem) => files.Begin(store, out problem);

    private bool MayRead(string path) => !folders.IsWrittenInside(path) || folders.Holds(path);
}
