using Tracer.Analysis;
using Tracer.CommandLine;
using Tracer.Symbols;
using Tracer.Symbols.Dia;
using Tracer.Symbols.Pdb;

namespace Tracer.AnalyzerCommand;

/// <summary>The names for one trace: what finds files, what reads them, and what the user is told about it.</summary>
internal sealed class SymbolSession : IDisposable
{
    /// <summary>What went wrong; that a place just does not have a file is no news.</summary>
    private static readonly SymbolMiss[] WorthTelling =
        [SymbolMiss.WrongId, SymbolMiss.Damaged, SymbolMiss.Compressed, SymbolMiss.Pointer, SymbolMiss.Unreadable, SymbolMiss.Server];

    private readonly TextWriter _error;
    private readonly HttpClient? _http;
    private readonly SymbolFinder _finder;
    private readonly bool _saysServersAreOff;
    private readonly IDisposable _guard;

    /// <summary>Starts; nothing is looked for yet.</summary>
    /// <param name="settings">Where files are looked for.</param>
    /// <param name="engine">Who reads PDBs.</param>
    /// <param name="isPathGiven">Whether the command line names the path.</param>
    /// <param name="error">For messages.</param>
    /// <exception cref="IOException">The engine that was asked for is not here.</exception>
    public SymbolSession(SymbolFinderSettings settings, SymbolEngine engine, bool isPathGiven, TextWriter error)
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
        _finder = new SymbolFinder(files, ReadId, settings, client);
        Names = new ImageSymbols(_finder, Open);
    }

    /// <summary>Names functions of a trace's images.</summary>
    public ImageSymbols Names { get; }

    /// <summary>The files that names were read from so far.</summary>
    public IEnumerable<string> FilesRead => Names.Asked
        .SelectMany(files => new[] { files.PdbAnswer?.Path, files.ImageAnswer?.Path })
        .OfType<string>()
        .Distinct(StringComparer.Ordinal);

    /// <summary>Opens a PDB with the engine that was chosen.</summary>
    public PdbOpener Open { get; }

    /// <summary>Finds the PDB of an image.</summary>
    public SymbolAnswer FindPdb(string name, PdbId id) => _finder.FindPdb(name, id);

    /// <summary>Tells what was there and could not be used, once for each place.</summary>
    public void TellProblems()
    {
        HashSet<string> told = new(StringComparer.Ordinal);
        bool isServerOff = false;
        foreach (ImageFiles files in Names.Asked.Where(files => files.Names.Pdb is null))
        {
            foreach (SymbolAttempt attempt in Attempts(files))
            {
                isServerOff |= attempt.Miss == SymbolMiss.NotAsked && attempt.Text.StartsWith("is not asked", StringComparison.Ordinal);
                if (WorthTelling.Contains(attempt.Miss) && told.Add(attempt.ToString()))
                {
                    _error.WriteLine($"analyzer: warning: {attempt}");
                }
            }

            if (files.Problem is { } problem && told.Add(problem))
            {
                _error.WriteLine($"analyzer: warning: {files.PdbAnswer?.Path}: {problem}");
            }
        }

        if (isServerOff && _saysServersAreOff)
        {
            _error.WriteLine("analyzer: symbol servers were not asked; --symbol-server lets them be");
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _finder.Dispose();
        _http?.Dispose();
        _guard.Dispose();
    }

    private static IEnumerable<SymbolAttempt> Attempts(ImageFiles files) =>
        (files.PdbAnswer?.Attempts ?? []).Concat(files.Names.Image is null ? files.ImageAnswer?.Attempts ?? [] : []);

    private static PdbId? ReadId(SymbolBytes bytes, out string? problem)
    {
        PdbFile? pdb = PdbFile.Open(bytes, out PdbFault? fault);
        problem = pdb is null ? "can't be used: " + fault?.Message : null;
        return pdb?.Id;
    }

    private static IPdbSymbols? OpenManaged(SymbolBytes bytes, SymbolSource source, out string? problem)
    {
        PdbFile? pdb = PdbFile.Open(bytes, out PdbFault? fault);
        problem = fault?.Message;
        return pdb;
    }

    private static PdbOpener OpenerOf(SymbolEngine engine)
    {
        if (engine == SymbolEngine.Managed || (engine == SymbolEngine.Auto && !OperatingSystem.IsWindows()))
        {
            return OpenManaged;
        }

        if (!OperatingSystem.IsWindows())
        {
            throw new IOException("--symbol-engine dia: DIA is there on Windows only; managed reads the same PDBs on any system");
        }

        if (DiaPlaces.TryLoad(out DiaLibrary? library, out string? problem))
        {
            return library.Opener(OpenManaged, isOnly: engine == SymbolEngine.Dia);
        }

        return engine == SymbolEngine.Auto ? OpenManaged : throw new IOException("--symbol-engine dia: " + problem);
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
