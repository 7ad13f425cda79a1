using System.CommandLine;
using System.Text;
using Tracer.AnalyzerCommand.Common.Objects;
using Tracer.AnalyzerShared.Html;

namespace Tracer.AnalyzerCommand.Common;

/// <summary>
/// Where a report goes: to the file that the user named, UTF-8 with line feeds, else to standard output. The file takes its name when the
/// report is whole (<see cref="Keep"/>); otherwise what stood there before still does.
/// </summary>
internal sealed class ReportOutput : IDisposable
{
    private const int BufferCharacters = 1 << 16;

    private readonly OutputFile? _file;

    /// <summary>Opens the output; a file is a draft until it is complete.</summary>
    /// <param name="path">The file; null or <c>-</c> for standard output.</param>
    /// <exception cref="IOException">The file cannot be written.</exception>
    public ReportOutput(string? path, TextWriter otherwise)
    {
        _file = path is null or OutputFile.StandardOutput ? null : new OutputFile(path);
        Writer = _file is null
            ? PrintableWriter.Before(otherwise)
            : new PrintableWriter(new StreamWriter(
                _file.Content, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false), BufferCharacters, leaveOpen: true));
    }

    public PrintableWriter Writer { get; }

    public bool Scrolls => _file is null && Terminal.IsOutput;

    /// <summary>The columns that text for people has.</summary>
    public int Columns => Terminal.ColumnsOf(Scrolls);

    /// <summary>The lines of the terminal; null where text has no end.</summary>
    public int? Rows => Terminal.RowsOf(Scrolls);

    /// <summary>Makes the option that names the file.</summary>
    public static Option<string?> Option() => new("--output", "-o") { Description = "Write to a file.", HelpName = "FILE" };

    /// <summary>What is wrong with a file; null when nothing is.</summary>
    /// <param name="path">The file; null for standard output.</param>
    /// <param name="inputs">Every file that is read: none may be replaced by the report.</param>
    public static string? Problem(string? path, IEnumerable<string> inputs) => path is not null && ObjectAddress.Is(path)
        ? "--output: only 'analyzer blame --format cases' writes to an address; write to a file and upload it"
        : OutputFile.Problem("--output", path, inputs);

    /// <summary>Prints lines for people.</summary>
    public void Print(ReportPage page) => PagePrinter.Print(page, Writer);

    /// <param name="write">Writes the JSON as UTF-8.</param>
    public void WriteJson(Action<Stream> write)
    {
        using var lines = new LinesStream(Writer);
        write(lines);
        Writer.WriteLine();
    }

    /// <summary>The report is whole: its file takes its name.</summary>
    /// <param name="alsoRead">Files that turned out to be read, such as PDBs: none is replaced.</param>
    /// <exception cref="IOException">It cannot, or is one of those.</exception>
    public void Keep(params IEnumerable<string> alsoRead)
    {
        Writer.Flush();
        if (_file is null)
        {
            return;
        }

        if (OutputFile.Problem("--output", _file.Path, alsoRead) is { } problem)
        {
            throw new IOException(problem);
        }

        _file.Keep();
    }

    public void Dispose()
    {
        // Not the writer: what it still holds belongs to a report that is not kept.
        _file?.Dispose();
    }
}
