using System.CommandLine;
using System.Text;
using Tracer.CommandLine;

namespace Tracer.AnalyzerCommand;

/// <summary>Where a report goes: to the file that the user named, UTF-8 with line feeds, else to standard output.</summary>
internal sealed class ReportOutput : IDisposable
{
    private readonly StreamWriter? _file;

    /// <summary>Opens it.</summary>
    /// <param name="path">The file; null for standard output.</param>
    /// <param name="otherwise">Standard output.</param>
    /// <exception cref="IOException">The file cannot be written.</exception>
    /// <exception cref="UnauthorizedAccessException">The file may not be written.</exception>
    public ReportOutput(string? path, TextWriter otherwise)
    {
        _file = path is null
            ? null
            : new StreamWriter(path, append: false, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false)) { NewLine = "\n" };
        Writer = _file ?? otherwise;
    }

    /// <summary>Takes text.</summary>
    public TextWriter Writer { get; }

    /// <summary>Makes the option that names the file.</summary>
    public static Option<string?> Option() => new("--output", "-o") { Description = "Write to a file.", HelpName = "FILE" };

    /// <summary>What is wrong with a file; null when nothing is.</summary>
    /// <param name="path">The file; null for standard output.</param>
    /// <param name="traces">The traces to be read: a report must not take the place of one.</param>
    public static string? Problem(string? path, IEnumerable<string> traces)
    {
        StringComparison comparison = OperatingSystem.IsWindows() ? StringComparison.OrdinalIgnoreCase : StringComparison.Ordinal;
        return path switch
        {
            null => null,
            "" => "--output: the name of a file is expected",
            _ => traces.Any(trace => trace.Length > 0 && Path.GetFullPath(trace).Equals(Path.GetFullPath(path), comparison))
                ? $"--output: {path} is a trace to be read; write the report elsewhere"
                : null,
        };
    }

    /// <summary>Prints lines for people.</summary>
    public void Print(ReportPage page) => PagePrinter.Print(page, Writer);

    /// <summary>Writes JSON and ends the line.</summary>
    /// <param name="write">Writes the JSON as UTF-8.</param>
    public void WriteJson(Action<Stream> write)
    {
        using var json = new MemoryStream();
        write(json);
        Writer.Write(Encoding.UTF8.GetString(json.GetBuffer().AsSpan(0, (int)json.Length)));
        Writer.Write('\n');
    }

    /// <inheritdoc/>
    public void Dispose() => _file?.Dispose();
}
