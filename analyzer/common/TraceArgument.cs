using System.CommandLine;
using Tracer.AnalyzerCommand.Common.Objects;
using Tracer.AnalyzerShared.Inputs;
using Tracer.Etl.Decoding;

namespace Tracer.AnalyzerCommand.Common;

/// <summary>How the commands take a trace, and the WPP formats beside it.</summary>
internal static class TraceArgument
{
    /// <summary>What stands for standard input in the place of a path.</summary>
    public const string StandardInput = PackedTrace.StandardInput;

    public static Argument<string> Create() => new("TRACE")
    {
        Description = "The trace: an .etl file, also packed (.etl.gz, or a .zip with one trace), or - for standard input.",
    };

    /// <summary>Makes the argument for one trace or more.</summary>
    public static Argument<string[]> CreateForSeveral() => new("TRACE")
    {
        Description = "The traces: .etl files, also packed (.etl.gz, or a .zip with one trace), folders of them, names with * and ?, or "
            + "- for standard input.",
        Arity = ArgumentArity.OneOrMore,
    };

    /// <summary>Makes the option that names WPP formats.</summary>
    public static Option<string[]> MessageFormatsOption() => new("--tmf")
    {
        Description = "Trace message format files (.tmf) for WPP messages, or folders of them [default: those beside the trace "
            + "and in the folder tmf there].",
        HelpName = "PATH",
    };

    /// <summary>The files that <see cref="MessageFormats"/> reads: no report may take the place of one.</summary>
    public static IEnumerable<string> MessageFormatFiles(string trace, IReadOnlyList<string> named)
    {
        foreach (string path in named.Count > 0 ? named : FoldersBeside(trace))
        {
            foreach (string file in Directory.Exists(path) ? Directory.EnumerateFiles(path, "*.tmf") : [path])
            {
                yield return file;
            }
        }
    }

    /// <summary>What is wrong with traces that one command is to read; null when nothing is.</summary>
    public static string? ProblemWithSeveral(string[] paths) => paths.Count(path => path == StandardInput) > 1
        ? "standard input (-) can be read only once"
        : null;

    /// <exception cref="IOException">It is no trace, or cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    public static EtlReader Open(string path) =>
        path == StandardInput ? PackedTrace.Open(StandardStreams.OpenInput(), "standard input")
        : ObjectAddress.Is(path)
            ? throw new IOException(
                $"{ObjectAddress.Printable(path)}: only 'analyzer blame --format cases' reads addresses; download it first")
        : Found(path, PackedTrace.Open);

    /// <summary>Opens what is no trace, to be read from begin to end.</summary>
    /// <exception cref="IOException">It cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    public static Stream OpenBytes(string path) => path == StandardInput ? StandardStreams.OpenInput() : Found(path, File.OpenRead);

    /// <exception cref="IOException">It cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    public static TextReader OpenText(string path) =>
        path == StandardInput ? new StreamReader(StandardStreams.OpenInput()) : Found(path, static name => new StreamReader(name));

    /// <summary>Tells how to read the WPP formats that the user named, or those that lie beside the trace.</summary>
    /// <returns>Reads them when they are needed; gives null where there are none.</returns>
    /// <exception cref="IOException">A named one is not there.</exception>
    public static Func<TmfCatalog?> MessageFormats(string trace, IReadOnlyList<string> named)
    {
        foreach (string path in named)
        {
            if (!File.Exists(path) && !Directory.Exists(path))
            {
                throw new FileNotFoundException($"--tmf: there is no file or folder {path}");
            }
        }

        return () => named.Count > 0 ? TmfCatalog.Load(named) : LoadBeside(trace);
    }

    /// <summary>Opens a file; where it is not there the sentence is about what the user wrote, not about its whole path.</summary>
    private static T Found<T>(string path, Func<string, T> open)
    {
        try
        {
            return open(path);
        }
        catch (Exception missing) when (missing is FileNotFoundException { FileName: not null } or DirectoryNotFoundException)
        {
            bool isList = path.StartsWith('@') && File.Exists(path[1..]);
            throw new FileNotFoundException(
                $"{path}: there is no such file" + (isList ? "; a list of traces is for --format cases" : ""), missing);
        }
    }

    private static TmfCatalog? LoadBeside(string trace) =>
        FoldersBeside(trace) is { Length: > 0 } beside ? TmfCatalog.Load(beside) : null;

    private static string[] FoldersBeside(string trace)
    {
        string? folder = trace is StandardInput or "" ? null : Path.GetDirectoryName(Path.GetFullPath(trace));
        return folder is null
            ? []
            : [.. new[] { folder, Path.Combine(folder, "tmf") }
                .Where(Directory.Exists)
                .Where(place => Directory.EnumerateFiles(place, "*.tmf").Any())];
    }
}
