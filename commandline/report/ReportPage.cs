using System.Text;

namespace Tracer.CommandLine;

/// <summary>
/// Lines of text for people, none wider than <see cref="Columns"/> whatever is written: what is too long goes on in the next line.
/// </summary>
public sealed class ReportPage
{
    /// <summary>The width of a page that nobody asked to be wider or narrower.</summary>
    public const int UsualColumns = Terminal.UsualColumns;

    /// <summary>No page is narrower, however narrow the terminal.</summary>
    public const int FewestColumns = 60;

    /// <summary>No page is wider: longer lines are hard to read.</summary>
    public const int MostColumns = 200;

    private readonly List<IReadOnlyList<PagePiece>> _lines = [];

    /// <param name="columns">The widest that a line can be, <see cref="FewestColumns"/> to <see cref="MostColumns"/>.</param>
    public ReportPage(int columns = UsualColumns)
    {
        Columns = Math.Clamp(columns, FewestColumns, MostColumns);
    }

    /// <summary>The widest that a line can be.</summary>
    public int Columns { get; }

    /// <summary>The lines, without blanks at their ends.</summary>
    public IReadOnlyList<IReadOnlyList<PagePiece>> Lines => _lines;

    /// <summary>Adds an empty line, unless there is one already or nothing above it.</summary>
    public void BlankLine()
    {
        if (_lines.Count > 0 && _lines[^1].Count > 0)
        {
            _lines.Add([]);
        }
    }

    /// <summary>Adds a heading with an empty line above it.</summary>
    public void Heading(string text)
    {
        BlankLine();
        Line(0, new PagePiece(text, Ink.Heading));
    }

    /// <summary>Adds a line, or as many as its text needs.</summary>
    /// <param name="hang">By how many columns the second line and those behind it are set in.</param>
    public void Line(int hang, params ReadOnlySpan<PagePiece> pieces)
    {
        hang = Math.Clamp(hang, 0, Columns / 2);
        List<(Rune Letter, Ink Ink)> line = [];
        int columns = 0;
        int wordStart = 0;
        foreach (PagePiece piece in pieces)
        {
            // Tabulators and the like are escaped, other blanks are as wide as any.
            foreach (Rune raw in PrintableText.Of(PageText.WithFirmUnits(piece.Text)).EnumerateRunes())
            {
                Rune letter = raw.Value != PageText.FirmBlank && Rune.IsWhiteSpace(raw) ? new Rune(' ') : raw;
                bool isBlank = letter.Value == ' ';
                if (columns + PageText.ColumnsOf(letter) > Columns)
                {
                    (columns, wordStart) = Break(line, isBlank ? line.Count : wordStart, hang);
                    if (isBlank)
                    {
                        continue;
                    }
                }

                line.Add((letter, piece.Ink));
                columns += PageText.ColumnsOf(letter);
                // Blanks at the beginning are indentation: no place to break at.
                wordStart = isBlank && line.Exists(one => one.Letter.Value != ' ') ? line.Count : wordStart;
            }
        }

        Add(line);
    }

    /// <summary>Writes the lines as plain text.</summary>
    public void Write(TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(output);
        foreach (IReadOnlyList<PagePiece> line in _lines)
        {
            foreach (PagePiece piece in line)
            {
                output.Write(piece.Text);
            }

            output.Write('\n');
        }
    }

    /// <summary>Ends a line before the word that does not fit, or in its midst where it has no line of its own to go to.</summary>
    /// <returns>The columns that are taken of the next line, and where a word may begin in it.</returns>
    private (int Columns, int WordStart) Break(List<(Rune Letter, Ink Ink)> line, int wordStart, int hang)
    {
        List<(Rune Letter, Ink Ink)> rest = wordStart > 0 ? line[wordStart..] : [];
        bool carries = rest.Sum(one => PageText.ColumnsOf(one.Letter)) + hang < Columns - 2;
        if (carries && wordStart > 0)
        {
            line.RemoveRange(wordStart, line.Count - wordStart);
        }
        else
        {
            rest = [];
        }

        Add(line);
        line.Clear();
        line.AddRange(Enumerable.Repeat((new Rune(' '), Ink.Plain), hang));
        line.AddRange(rest);
        return (hang + rest.Sum(one => PageText.ColumnsOf(one.Letter)), 0);
    }

    private void Add(List<(Rune Letter, Ink Ink)> line)
    {
        int end = line.FindLastIndex(one => one.Letter.Value is not (' ' or PageText.FirmBlank)) + 1;
        List<PagePiece> pieces = [];
        var text = new StringBuilder();
        for (int i = 0; i < end; i++)
        {
            text.Append(line[i].Letter.Value == PageText.FirmBlank ? " " : line[i].Letter.ToString());
            if (i + 1 == end || line[i + 1].Ink != line[i].Ink)
            {
                pieces.Add(new PagePiece(text.ToString(), line[i].Ink));
                text.Clear();
            }
        }

        _lines.Add(pieces);
    }
}

public readonly record struct PagePiece(string Text, Ink Ink = Ink.Plain)
{
    public static implicit operator PagePiece(string text) => new(text);

    public static PagePiece FromString(string text) => new(text);
}
