using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using FsCheck;
using FsCheck.Fluent;
using Spectre.Console;
using Tracer.CommandLine;

namespace Tracer.Commands.Tests.Text;

/// <summary>The one door of text: what it escapes, what it passes, and that no way through it is left open.</summary>
public class PrintableTextTests
{
    /// <summary>One of each kind that a terminal or a reader could be misled by.</summary>
    public static TheoryData<string, string> Strange() => new()
    {
        { "\u001b[2J", "\\u001b[2J" },                      // Escape sequence: clear the screen.
        { "\u001b]0;title\u0007", "\\u001b]0;title\\u0007" }, // OSC.
        { "\u009b31m", "\\u009b31m" },                      // CSI of one byte (C1).
        { "a\0b\tc\rd\ne\u007f", "a\\u0000b\\u0009c\\u000dd\\u000ae\\u007f" },
        { "\u202etxt.sys", "\\u202etxt.sys" },              // Bidirectional overrides, embeddings, isolates, marks.
        { "\u202a\u202b\u202c\u202d", "\\u202a\\u202b\\u202c\\u202d" },
        { "\u2066\u2067\u2068\u2069", "\\u2066\\u2067\\u2068\\u2069" },
        { "\u200e\u200f\u061c", "\\u200e\\u200f\\u061c" },
        { "n\u200bi\u200cc\u200d\ufeff\u2060", "n\\u200bi\\u200cc\\u200d\\ufeff\\u2060" }, // Zero width.
        { "a\u2028b\u2029c\u0085", "a\\u2028b\\u2029c\\u0085" }, // Ends of lines that are no line feed.
        { "\ud800.sys", "\\ud800.sys" },                    // Half of a surrogate pair, in front, behind, the wrong way round.
        { "a\udc00", "a\\udc00" },
        { "\udc00\ud800", "\\udc00\\ud800" },
        { "\U000e0041", "\\udb40\\udc41" },                 // A tag, which is drawn as nothing.
        { "\u3164\ufe0f\u034f", "\\u3164\\ufe0f\\u034f" },  // Drawn as nothing although no format character.
        { "\ue000", "\\ue000" },                            // Private use: a terminal's fonts draw what they like.
    };

    [Theory]
    [MemberData(nameof(Strange))]
    public void What_could_mislead_is_escaped(string text, string shown) => Assert.Equal(shown, PrintableText.Of(text));

    [Theory]
    [InlineData("")]
    [InlineData("C:\\Windows\\System32\\drivers\\nic.sys")]
    [InlineData("名前.sys \u00b5s na\u00efve e\u0301 😀 \u00a0")]
    public void What_is_text_is_left_alone(string text) => Assert.Same(text, PrintableText.Of(text));

    [Fact]
    public void Whatever_is_escaped_is_printable_and_stays_as_it_is() => ForAnyText(text =>
    {
        string shown = PrintableText.Of(text);
        Every.Item(shown.EnumerateRunes(), letter => Assert.True(PrintableText.IsPrintable(letter)));
        Assert.Same(shown, PrintableText.Of(shown));
    });

    [Fact]
    public void No_way_of_writing_leads_past_the_door() => ForAnyText(text =>
    {
        using var inner = new StringWriter();
        using var door = new PrintableWriter(inner);
        door.Write(text);
        door.Write(text.AsSpan());
        door.Write(text.ToCharArray());
        door.Write(text.ToCharArray(), 0, text.Length);
        door.Write((object)text);
        door.Write("{0} {1}", text, text);
        door.Write(new StringBuilder(text));
        door.WriteAsync(text).Wait();
        string written = inner.ToString();
        Assert.DoesNotContain('\n', written);
        Every.Item(written.EnumerateRunes(), letter => Assert.True(PrintableText.IsPrintable(letter)));

        inner.GetStringBuilder().Clear();
        door.WriteLine(text);
        door.WriteLine(text.AsSpan());
        door.WriteLine(text.ToCharArray());
        door.WriteLine((object)text);
        door.WriteLine("{0}", text);
        door.WriteLine(new StringBuilder(text));
        door.WriteLineAsync(text).Wait();
        door.WriteLine();
        string[] lines = inner.ToString().Split('\n');
        Assert.Equal(9, lines.Length);
        Every.Item(lines[..7], line => Assert.Equal(PrintableText.Of(text), line));
        Assert.Equal(["", ""], lines[7..]);
    });

    [Fact]
    public void Json_stays_the_same_json() => ForAnyText(text =>
    {
        // Half of a surrogate pair is no text that JSON can hold: the writer of JSON has made U+FFFD of it.
        var options = new JsonSerializerOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, WriteIndented = true };
        string json = new JsonObject { [text] = new JsonArray(text, 1) }.ToJsonString(options);
        using var inner = new StringWriter();
        using var door = new PrintableWriter(inner);
        door.WriteLines(json);
        Every.Item(inner.ToString().Where(letter => letter != '\n').ToArray().AsSpan().ToString().EnumerateRunes(),
            letter => Assert.True(PrintableText.IsPrintable(letter)));
        Assert.True(JsonNode.DeepEquals(JsonNode.Parse(json), JsonNode.Parse(inner.ToString())));
    });

    [Fact]
    public void A_terminal_gets_the_colours_of_ours_and_no_sequence_of_others()
    {
        using var text = new StringWriter();
        IAnsiConsole terminal = Terminal.Open(text);
        terminal.Profile.Capabilities.Ansi = true;
        terminal.Profile.Capabilities.ColorSystem = ColorSystem.TrueColor;
        terminal.Write(new Spectre.Console.Text("\u001b[2J\u202enic\u200b.sys", new Style(Color.Red)));
        terminal.WriteLine();
        terminal.Write(new Rows(new Spectre.Console.Text("a\u0007b"), new Markup("[bold]\u009b[/]")));
        Assert.Contains("\u001b[", text.ToString());
        Assert.DoesNotContain("\u001b[2J", text.ToString());
        Assert.Contains("\\u001b[2J\\u202enic\\u200b.sys", text.ToString());
        Assert.DoesNotContain(text.ToString(), letter => letter is '\u0007' or '\u009b' or '\u202e' or '\u200b');
    }

    /// <summary>What asking a terminal for its size or cursor leaves changed: keypad and cursor.</summary>
    [Fact]
    public void A_terminal_is_left_as_it_was_found()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows' console restores itself");
        string? before = Environment.GetEnvironmentVariable("TERM");
        using var text = new StringWriter();
        try
        {
            Environment.SetEnvironmentVariable("TERM", "xterm");
            Terminal.Open(text);
            Terminal.Restore();
            Assert.EndsWith("\u001b[?25h\u001b[?1l\u001b>", text.ToString());
            text.GetStringBuilder().Clear();
            Terminal.Restore();
            Assert.Equal("", text.ToString());
            Environment.SetEnvironmentVariable("TERM", "dumb");
            Terminal.Open(text);
            Terminal.Restore();
            Assert.Equal("", text.ToString());
        }
        finally
        {
            Environment.SetEnvironmentVariable("TERM", before);
        }
    }

    [Theory]
    [InlineData("=1+1", "\"'=1+1\"")]
    [InlineData("+1", "\"'+1\"")]
    [InlineData("-1", "\"'-1\"")]
    [InlineData("@SUM(A1)", "\"'@SUM(A1)\"")]
    [InlineData("\tx", "\"'\tx\"")]
    [InlineData("\rx", "\"'\rx\"")]
    [InlineData("=\"a\",b", "\"'=\"\"a\"\",b\"")]
    [InlineData("\uff1d1", "\"'\uff1d1\"")]
    [InlineData("a=1", "a=1")]
    [InlineData("a,b", "\"a,b\"")]
    [InlineData("", "")]
    [InlineData(null, "")]
    public void A_cell_of_text_is_no_formula(string? text, string cell) => Assert.Equal(cell, CsvCell.OfText(text));

    private static void ForAnyText(Action<string> holds)
    {
        Gen<string> piece = Gen.OneOf(
            Gen.Elements(Strange().Select(row => row.Data.Item1).ToArray()),
            ArbMap.Default.GeneratorFor<string>().Select(text => text ?? ""),
            Gen.Choose(0, 0xFFFF).Select(unit => ((char)unit).ToString()));
        Prop.ForAll(piece.ListOf(4).Select(string.Concat).ToArbitrary(), holds).QuickCheckThrowOnFailure();
    }
}
