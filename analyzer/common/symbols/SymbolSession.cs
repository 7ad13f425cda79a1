using Tracer.Analysis.Modules;
using Tracer.AnalyzerShared.Viewer;
using Tracer.Symbols;
using Tracer.Symbols.Dia;

namespace Tracer.AnalyzerCommand.Common.Symbols;

/// <summary>The names for one trace: what finds files, what reads them, and what the user is told about it.</summary>
internal sealed class SymbolSession : IDisposable
{
    private readonly TextWriter _error;
    private readonly HttpClient? _http;
    private readonly SymbolFinder _finder;
    private readonly bool _saysServersAreOff;
    private readonly IDisposable _guard;

    /// <summary>Starts; nothing is looked for yet.</summary>
    /// <param name="fence">Puts something before the disk; null for nothing.</param>
    /// <exception cref="IOException">The engine that was asked for is not here.</exception>
    public SymbolSession(
        SymbolFinderSettings settings,
        SymbolEngine engine,
        bool isPathGiven,
        TextWriter error,
        Func<ISymbolFiles, ISymbolFiles>? fence = null)
    {
        _error = error;
        _saysServersAreOff = isPathGiven && !settings.AskServers;
        Open = OpenerOf(engine);
        SymbolClient? client = null;
        if (settings.AskServers)
        {
            _http = SymbolClient.CreateHttp();
            client = new SymbolClient(_http, new SymbolClientSettings { Progress = new DownloadLines(error) });
        }

        var files = new DiskSymbolFiles();
        _guard = Interruption.Guard(static () => { }, files.Abandon);
        _finder = new SymbolFinder(fence?.Invoke(files) ?? files, PdbReading.ReadId, settings, client);
        Names = new ImageSymbols(_finder, Open);
    }

    public ImageSymbols Names { get; }

    /// <summary>The files that names were read from so far.</summary>
    public IEnumerable<string> FilesRead => Names.Asked
        .SelectMany(files => new[] { files.PdbAnswer?.Path, files.ImageAnswer?.Path })
        .OfType<string>()
        .Distinct(StringComparer.Ordinal);

    /// <summary>Opens a PDB with the engine that was chosen.</summary>
    public PdbOpener Open { get; }

    public SymbolAnswer FindPdb(string name, PdbId id) => _finder.FindPdb(name, id);

    /// <summary>Tells what was there and could not be used, once for each place.</summary>
    public void TellProblems()
    {
        foreach (string problem in SymbolProblems.Of(Names))
        {
            _error.WriteLine($"analyzer: warning: {problem}");
        }

        bool isServerOff = Names.Asked.Where(files => files.Names.Pdb is null).SelectMany(SymbolProblems.Attempts)
            .Any(one => one.Miss == SymbolMiss.NotAsked && one.Text.StartsWith("is not asked", StringComparison.Ordinal));
        if (isServerOff && _saysServersAreOff)
        {
            _error.WriteLine("analyzer: symbol servers were not asked; --symbol-server asks them");
        }
    }

    public void Dispose()
    {
        _finder.Dispose();
        _http?.Dispose();
        _guard.Dispose();
    }

    private static PdbOpener OpenerOf(SymbolEngine engine)
    {
        if (engine == SymbolEngine.Managed || (engine == SymbolEngine.Auto && !OperatingSystem.IsWindows()))
        {
            return PdbReading.Open;
        }

        if (!OperatingSystem.IsWindows())
        {
            throw new IOException("--symbol-engine dia: DIA exists on Windows only; managed reads the same PDBs on any system");
        }

        if (DiaPlaces.TryLoad(out DiaLibrary? library, out string? problem))
        {
            return library.Opener(PdbReading.Open, isOnly: engine == SymbolEngine.Dia);
        }

        return engine == SymbolEngine.Auto ? PdbReading.Open : throw new IOException("--symbol-engine dia: " + problem);
    }

    /// <summary>A line for each file that a server is asked for.</summary>
    private sealed class DownloadLines(TextWriter error) : IProgress<SymbolProgress>
    {
        private readonly HashSet<(string Server, string Name)> _told = [];

        public void Report(SymbolProgress value)
        {
            lock (_told)
            {
                if (_told.Add((value.Server, value.Name)))
                {
                    string size = value.TotalBytes is { } bytes ? $", {(bytes + 999_999) / 1_000_000} MB" : "";
                    error.WriteLine($"analyzer: downloading {value.Name} from {value.Server}{size}");
                }
            }
        }
    }
}
