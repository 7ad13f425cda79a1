using Spectre.Console;

namespace Tracer.CommandLine;

/// <summary>
/// Prints a <see cref="ReportPage"/>: in colours where a person reads it on a terminal that has them and <c>NO_COLOR</c> is not set,
/// else as plain text.
/// </summary>
public static class PagePrinter
{
    /// <param name="output">Where to; in colours only if it is the console itself.</param>
    public static void Print(ReportPage page, TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(page);
        if (Terminal.AreColoursWanted && Terminal.Of(output) is { } terminal)
        {
            PrintInColours(page, terminal);
        }
        else
        {
            page.Write(output);
        }
    }

    /// <param name="terminal">The terminal; lines that are too wide for it are left to it to wrap.</param>
    public static void PrintInColours(ReportPage page, IAnsiConsole terminal)
    {
        ArgumentNullException.ThrowIfNull(page);
        ArgumentNullException.ThrowIfNull(terminal);
        terminal.Profile.Width = Math.Max(terminal.Profile.Width, page.Columns + 1);
        foreach (IReadOnlyList<PagePiece> line in page.Lines)
        {
            foreach (PagePiece piece in line)
            {
                terminal.Write(new Text(piece.Text, StyleOf(piece.Ink)));
            }

            terminal.WriteLine();
        }
    }

    /// <summary>How a terminal shows a piece.</summary>
    public static Style StyleOf(Ink ink) => ink switch
    {
        Ink.Heading => new Style(decoration: Decoration.Bold | Decoration.Underline),
        Ink.Name => new Style(decoration: Decoration.Bold),
        Ink.Guilty => new Style(Color.Red, decoration: Decoration.Bold),
        Ink.Innocent => new Style(Color.Green, decoration: Decoration.Bold),
        Ink.Doubt => new Style(Color.Yellow),
        Ink.Bar => new Style(Color.Red),
        Ink.Faint => new Style(decoration: Decoration.Dim),
        _ => Style.Plain,
    };
}
