using System.Text;
using Tracer.Analysis.Causes;
using Tracer.Analysis.Report;

namespace Tracer.AnalyzerCommand.Commands.Episodes;

/// <summary>Draws what ran on the CPUs during an episode: a row for each CPU, a letter for each time bin.</summary>
internal static class CpuTimelineText
{
    private const int MostCells = 144;

    /// <summary>Columns of a page that the drawing leaves free: the names of the CPUs, and a margin.</summary>
    private const int ColumnsBeside = 28;
    private const int MostRows = 16;
    private const int LongestShown = 6;
    private const int NameColumns = 11;

    /// <summary>By what wins where two took the same part of a time bin, the strongest first.</summary>
    private static readonly (StripKind Kind, char Sign)[] Signs =
    [
        (StripKind.Blackout, 'x'), (StripKind.Isr, 'I'), (StripKind.Dpc, 'D'), (StripKind.Thread, '#'), (StripKind.Idle, '.'),
    ];

    /// <param name="column">How times are written.</param>
    /// <param name="cpus">The victim's CPU first.</param>
    public static void Add(ReportPage page, Duration latency, DurationColumn column, IReadOnlyList<CpuStrip> cpus)
    {
        if (latency <= Duration.Zero)
        {
            return;
        }

        int cells = (int)Math.Min(Math.Min(MostCells, page.Columns - ColumnsBeside), latency.Nanoseconds);
        AddScale(page, latency, column, cells);
        foreach (CpuStrip strip in cpus.Take(MostRows))
        {
            page.Line(NameColumns, NameOf(strip.Cpu), RowOf(strip, latency, cells));
        }

        if (cpus.Count > MostRows)
        {
            string more = ReportWords.Count(cpus.Count - MostRows, "CPU");
            page.Line(2, new PagePiece($"  ... and {more} more (--format json has them)", Ink.Faint));
        }

        string cell = ReadableDuration.Of(new Duration(latency.Nanoseconds / cells));
        page.Line(2, new PagePiece(
            $"  I ISR  D DPC  # thread  . idle  x nothing served  blank not known; one letter is {cell}",
            Ink.Faint));
        AddLongest(page, column, cpus);
    }

    private static void AddScale(ReportPage page, Duration latency, DurationColumn column, int cells)
    {
        var numbers = new StringBuilder("0");
        string end = $"{column.Of(latency)} {column.Unit}";
        string middle = column.Of(new Duration(latency.Nanoseconds / 2));
        int start = (cells - middle.Length) / 2;
        if (start > 2 && start + middle.Length + 2 < cells - end.Length)
        {
            numbers.Append(' ', start - numbers.Length).Append(middle);
        }

        numbers.Append(' ', Math.Max(1, cells - end.Length - numbers.Length)).Append(end);
        var ruler = new StringBuilder(new string('-', cells));
        foreach (int mark in new[] { 0, cells / 4, cells / 2, cells * 3 / 4, cells - 1 })
        {
            ruler[mark] = '|';
        }

        string margin = new(' ', NameColumns);
        page.Line(NameColumns, new PagePiece(margin + numbers, Ink.Faint));
        page.Line(NameColumns, new PagePiece(margin + ruler, Ink.Faint));
    }

    /// <summary>What took most of each time bin; what is not covered takes part as a blank.</summary>
    private static string RowOf(CpuStrip strip, Duration latency, int cells)
    {
        var taken = new Int128[cells, Signs.Length];
        Int128 length = latency.Nanoseconds;
        foreach (StripSpan span in strip.Spans)
        {
            Int128 first = Int128.Clamp(span.Start.Nanoseconds, 0, length);
            Int128 last = Int128.Clamp((Int128)span.Start.Nanoseconds + span.Length.Nanoseconds, first, length);
            int kind = Array.FindIndex(Signs, one => one.Kind == span.Kind);
            // Times multiplied by the number of cells: then the edges of the cells are whole numbers.
            for (Int128 cell = first * cells / length; cell < cells && cell * length < last * cells; cell++)
            {
                taken[(int)cell, kind] += Int128.Min(last * cells, (cell + 1) * length) - Int128.Max(first * cells, cell * length);
            }
        }

        var row = new StringBuilder(cells);
        for (int cell = 0; cell < cells; cell++)
        {
            Int128 most = length;
            for (int kind = 0; kind < Signs.Length; kind++)
            {
                most -= taken[cell, kind];
            }

            char sign = ' ';
            for (int kind = Signs.Length - 1; kind >= 0; kind--)
            {
                (most, sign) = taken[cell, kind] > 0 && taken[cell, kind] >= most ? (taken[cell, kind], Signs[kind].Sign) : (most, sign);
            }

            row.Append(sign);
        }

        return row.ToString();
    }

    private static void AddLongest(ReportPage page, DurationColumn column, IReadOnlyList<CpuStrip> cpus)
    {
        var longest =
            (from strip in cpus
             from span in strip.Spans
             where span.Kind != StripKind.Idle && span.Length > Duration.Zero
             orderby span.Length descending, strip.Cpu, span.Start
             select (strip.Cpu, Span: span)).Take(LongestShown);
        foreach ((int cpu, StripSpan span) in longest)
        {
            char sign = Array.Find(Signs, one => one.Kind == span.Kind).Sign;
            page.Line(
                NameColumns + 2,
                $"{NameOf(cpu)}{sign} {column.Write(span.Length, 10)} {column.Unit} from {column.Write(span.Start, 10)} {column.Unit}  ",
                new PagePiece(span.Label.Length > 0 ? span.Label : "-", Ink.Name));
        }
    }

    private static string NameOf(int cpu) => $"  {"CPU " + cpu.ToString(CultureInfo.InvariantCulture),-(NameColumns - 2)}";
}
