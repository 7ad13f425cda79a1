using System.CommandLine;
using Tracer.Symbols;

namespace Tracer.AnalyzerCommand.Common.Symbols;

/// <summary>Who reads PDBs.</summary>
internal enum SymbolEngine
{
    /// <summary>DIA on Windows, where it is at hand, for what the symbol path leads to; else our own reader.</summary>
    Auto,

    Managed,

    /// <summary>Microsoft's DIA.</summary>
    Dia,
}

/// <summary>The options that say where names of functions come from, which several commands have.</summary>
internal sealed class SymbolOptions
{
    private const string PathVariable = "_NT_SYMBOL_PATH";

    private static readonly NamedChoice<SymbolEngine> Engines = NamedChoice.OfAll<SymbolEngine>();

    private readonly Option<string?> _path = new("--symbols")
    {
        Description = "Where PDBs and images are, in the syntax of _NT_SYMBOL_PATH: folders, and stores as in srv*cache*server; "
            + "files beside the trace are found without it [default: _NT_SYMBOL_PATH].",
        HelpName = "PATH",
    };

    private readonly Option<bool> _server = new("--symbol-server")
    {
        Description = "Ask the symbol servers of the path, or Microsoft's if it names none, for what this machine does not have. Without "
            + "this nothing is ever downloaded.",
    };

    private readonly Option<SymbolEngine> _engine = Engines.Option(
        "--symbol-engine",
        "Who reads PDBs: our own reader (managed), or Microsoft's DIA on Windows (dia); auto takes DIA, where it is at "
        + "hand, only for what the symbol path leads to [default: auto].");

    /// <summary>The options, in the order of the help.</summary>
    public IEnumerable<Option> All => [_path, _server, _engine];

    /// <summary>What is wrong with the values; null when nothing is.</summary>
    public string? Problem(ParseResult parse)
    {
        if (parse.GetValue(_path) is not { } text)
        {
            return null;
        }

        if (string.IsNullOrWhiteSpace(text))
        {
            return "--symbols: a symbol path such as C:\\symbols or srv*C:\\symbols*https://server is expected";
        }

        if (!SymbolPath.TryParse(text, out SymbolPath? path, out string? problem))
        {
            return $"--symbols: {problem}";
        }

        foreach (SymbolPathElement element in path.Elements)
        {
            switch (element)
            {
                case SymbolUnusableElement unusable:
                    return $"--symbols: '{unusable.Text}' {unusable.Problem}";
                case SymbolFolderElement { Folder: var folder } when File.Exists(folder):
                    return $"--symbols: '{folder}' is a file; name the folder that it is in";
                default:
                    break;
            }
        }

        return null;
    }

    /// <summary>Makes the source of names for one trace, PDB or image.</summary>
    /// <param name="file">What is read: files beside it are found without being asked for.</param>
    /// <exception cref="IOException">The engine that was asked for is not here.</exception>
    public SymbolSession Open(ParseResult parse, string file, TextWriter error)
    {
        SymbolPath path = PathOf(parse, error);
        bool asks = parse.GetValue(_server);
        if (asks && !path.Elements.OfType<SymbolStoresElement>().Any(element => element.Stores.Any(store => store.IsServer))
            && SymbolPath.TryParse(path.Elements.Count == 0 ? "srv*" : $"{path};srv*", out SymbolPath? withServer, out _))
        {
            path = withServer;
        }

        // As the user wrote it: that is how messages name the files in it.
        string? folder = file == TraceArgument.StandardInput ? null : Path.GetDirectoryName(file) is { Length: > 0 } named ? named : ".";
        return new SymbolSession(
            new SymbolFinderSettings
            {
                FoldersBeside = folder is null ? [] : [folder],
                Path = path,
                CacheFolder = DiskSymbolFiles.DefaultCache,
                AskServers = asks,
            },
            parse.GetValue(_engine),
            isPathGiven: parse.GetValue(_path) is not null,
            error);
    }

    /// <summary>The path of the option; without it that of the environment, whose faults are no mistake of this command line.</summary>
    private SymbolPath PathOf(ParseResult parse, TextWriter error)
    {
        string? given = parse.GetValue(_path);
        if ((given ?? Environment.GetEnvironmentVariable(PathVariable)) is not { Length: > 0 } text)
        {
            return SymbolPath.Empty;
        }

        if (!SymbolPath.TryParse(text, out SymbolPath? path, out string? problem))
        {
            error.WriteLine($"analyzer: warning: {PathVariable} {problem}; it is not used");
            return SymbolPath.Empty;
        }

        foreach (SymbolPathElement element in path.Elements)
        {
            if (element is SymbolUnusableElement unusable)
            {
                error.WriteLine($"analyzer: warning: {PathVariable}: '{unusable.Text}' {unusable.Problem}");
            }
            else if (given is not null && element is SymbolFolderElement { Folder: var folder } && !Directory.Exists(folder))
            {
                error.WriteLine($"analyzer: warning: --symbols: there is no folder {folder}");
            }
        }

        return path;
    }
}
