namespace Tracer.AnalyzerCommand.Common;

/// <summary>
/// A row of a table of comma-separated values: RFC 4180, but with line feeds; texts are harmless in a spreadsheet
/// (<see cref="CsvCell"/>), and what is not known is an empty cell.
/// </summary>
internal sealed class CsvLine
{
    private readonly List<string> _cells = [];

    public int Count => _cells.Count;

    /// <param name="header">The names of the columns; null for none.</param>
    public static void Write(string? header, IEnumerable<CsvLine> lines, TextWriter output)
    {
        if (header is not null)
        {
            output.Write(header);
            output.Write('\n');
        }

        foreach (CsvLine line in lines)
        {
            output.Write(string.Join(',', line._cells));
            output.Write('\n');
        }
    }

    public CsvLine Text(string? text) => Add(CsvCell.OfText(text));

    /// <summary>Adds a cell of several names, with semicolons between them.</summary>
    public CsvLine Texts(IEnumerable<string> texts) => Text(string.Join("; ", texts));

    /// <summary>Adds a cell with a whole number.</summary>
    public CsvLine Number(long? number) => Add(number?.ToString(CultureInfo.InvariantCulture));

    public CsvLine Number(double? number) => Add(number?.ToString("0.######", CultureInfo.InvariantCulture));

    /// <summary>Adds a cell with a duration, or a time from the start of the trace, in microseconds.</summary>
    public CsvLine Microseconds(Duration? time) => Add(time?.Microseconds.ToString("0.###", CultureInfo.InvariantCulture));

    /// <summary>Adds a cell with a moment, as ISO 8601 in UTC.</summary>
    public CsvLine Utc(DateTime? time) => Add(time?.ToString("yyyy-MM-ddTHH:mm:ss.FFFFFFFZ", CultureInfo.InvariantCulture));

    /// <summary>Adds a cell that needs no quotes whatever it holds.</summary>
    public CsvLine Add(string? cell)
    {
        _cells.Add(cell ?? "");
        return this;
    }
}
