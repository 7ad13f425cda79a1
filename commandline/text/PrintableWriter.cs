using System.Text;

namespace Tracer.CommandLine;

/// <summary>
/// The one door through which text of the commands reaches a terminal, a pipe or a file: what is not printable
/// (<see cref="PrintableText"/>) is escaped. A line feed inside of a text that is written is data and is escaped, too. Lines are ended by
/// <see cref="WriteLine()"/> and its kin, by the single letters <c>'\n'</c> and <c>'\r'</c>, and by <see cref="WriteLines"/> for text whose
/// structure is ours already, such as JSON.
/// </summary>
public sealed class PrintableWriter(TextWriter inner) : TextWriter(System.Globalization.CultureInfo.InvariantCulture)
{
    private readonly PrintableText.PieceAction _pass = inner.Write;

    public override Encoding Encoding => inner.Encoding;

    internal TextWriter Inner => inner;

    /// <summary>The writer itself if it is such a door already, else one before it.</summary>
    public static PrintableWriter Before(TextWriter writer) => writer as PrintableWriter ?? new PrintableWriter(writer);

    public override void Write(char value)
    {
        if (value is '\n' or '\r')
        {
            inner.Write(value);
            return;
        }

        Write(new ReadOnlySpan<char>(in value));
    }

    public override void Write(char[] buffer, int index, int count) => Write(buffer.AsSpan(index, count));

    public override void Write(ReadOnlySpan<char> buffer) => PrintableText.Append(buffer, _pass);

    public override void Write(string? value)
    {
        if (value is not null && PrintableText.Next(value, 0) == value.Length)
        {
            inner.Write(value);
            return;
        }

        Write(value.AsSpan());
    }

    public override void Write(StringBuilder? value) => Write(value?.ToString());

    public override void WriteLine() => inner.Write('\n');

    public override void WriteLine(char[] buffer, int index, int count) => WriteLine(buffer.AsSpan(index, count));

    public override void WriteLine(ReadOnlySpan<char> buffer)
    {
        Write(buffer);
        WriteLine();
    }

    public override void WriteLine(string? value)
    {
        Write(value);
        WriteLine();
    }

    public override void WriteLine(StringBuilder? value) => WriteLine(value?.ToString());

    public override void WriteLine(object? value) =>
        WriteLine(value is IFormattable one ? one.ToString(null, FormatProvider) : value?.ToString());

    /// <summary>
    /// Writes text whose line feeds end lines: only for text that cannot hold one which comes from data. JSON is such a text, and as what
    /// is escaped stands in its strings only, it stays the same JSON.
    /// </summary>
    /// <param name="text">The lines; the last one is not ended.</param>
    public void WriteLines(ReadOnlySpan<char> text)
    {
        if (!PrintableText.HasOddLetters(text))
        {
            inner.Write(text);
            return;
        }

        var lines = new StringBuilder(text.Length + 16);
        while (true)
        {
            int end = text.IndexOf('\n');
            PrintableText.Append(end < 0 ? text : text[..end], piece => lines.Append(piece));
            if (end < 0)
            {
                break;
            }

            lines.Append('\n');
            text = text[(end + 1)..];
        }

        inner.Write(lines);
    }

    public override void Flush() => inner.Flush();

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            inner.Dispose();
        }

        base.Dispose(disposing);
    }
}
