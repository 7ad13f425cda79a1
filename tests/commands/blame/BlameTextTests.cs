using System.Text.RegularExpressions;
using Spectre.Console;
using Tracer.CommandLine;

namespace Tracer.Commands.Tests.Blame;

/// <summary>The text of a blame report, for each kind of answer, against stored text.</summary>
public partial class BlameTextTests
{
    public static TheoryData<string> Names() => [.. BlameSamples.All.Keys];

    [Theory]
    [MemberData(nameof(Names))]
    public void Each_kind_of_answer_reads_as_stored(string name)
    {
        string text = TextOf(BlameSamples.All[name], int.MaxValue);
        Every.Item(text.Split('\n'), line => Assert.InRange(line.Length, 0, ReportPage.UsualColumns));
        GoldenText.AssertEqual($"tests/commands/golden/reports/blame-{name}.txt", text);
    }

    [Theory]
    [InlineData(60)]
    [InlineData(80)]
    [InlineData(200)]
    public void A_page_is_as_wide_as_the_terminal(int columns)
    {
        using var text = new StringWriter();
        BlameText.PageOf(BlameSamples.All["driver"], top: 3, columns: columns).Write(text);
        Every.Item(text.ToString().Split('\n'), line => Assert.InRange(line.Length, 0, columns));
        GoldenText.AssertEqual($"tests/commands/golden/reports/blame-driver-{columns}-columns.txt", text.ToString());
    }

    [Theory]
    [InlineData(20, 60)]
    [InlineData(1000, 200)]
    public void No_page_is_narrower_than_60_columns_or_wider_than_200(int asked, int columns) =>
        Assert.Equal(columns, BlameText.PageOf(BlameSamples.All["driver"], top: 3, columns: asked).Columns);

    /// <summary>No word of a name, a number or a path is cut in two by the end of a line, however narrow the page.</summary>
    [Theory]
    [InlineData("driver", 60)]
    [InlineData("driver", 73)]
    [InlineData("thousand", 60)]
    [InlineData("hardware", 66)]
    public void No_line_ends_within_a_word(string name, int columns)
    {
        string[] words = Words(BlameText.PageOf(BlameSamples.All[name], top: 3, columns: columns));
        HashSet<string> whole = [.. Words(BlameText.PageOf(BlameSamples.All[name], top: 3, columns: ReportPage.MostColumns))];
        Assert.DoesNotContain(words, word => !whole.Contains(word) && !word.Contains("...", StringComparison.Ordinal));
    }

    [Fact]
    public void The_verdict_is_the_last_line_of_a_page_that_is_longer_than_the_screen()
    {
        const string verdict = "\n\n  verdict   driver: e1x64.sys\n";
        string[] lines = LinesOf(null);
        Assert.EndsWith(verdict, string.Join('\n', LinesOf(lines.Length - 1)));
        Assert.EndsWith(verdict, string.Join('\n', LinesOf(10)));
        Assert.Equal(lines, LinesOf(lines.Length));

        static string[] LinesOf(int? rows)
        {
            using var text = new StringWriter();
            BlameText.PageOf(BlameSamples.All["driver"], top: 3, rows: rows).Write(text);
            return text.ToString().Split('\n');
        }
    }

    /// <summary>Who is to blame and what to do, within a small terminal, and the verdict where the eye is: at the end.</summary>
    [Theory]
    [MemberData(nameof(Names))]
    public void The_first_screen_ends_with_the_verdict_and_fits(string name)
    {
        BlameReport report = BlameSamples.All[name] with { Suspect = null };
        using var text = new StringWriter();
        FirstScreen.PageOf(report, columns: 80).Write(text);
        string[] lines = text.ToString().TrimEnd('\n').Split('\n');
        Assert.InRange(lines.Length, 1, FirstScreen.MostLines);
        Assert.StartsWith("  verdict   ", lines[^1]);
        Assert.Contains(Joined(report.Summary.Conclusion), Joined(text.ToString()));
        Assert.All(report.Culprits.Take(1), culprit => Assert.Contains(culprit.Name, text.ToString()));
        Assert.All(report.NextSteps.Take(1), step => Assert.Contains(Joined(ReportWords.Of(step, report.Trace)), Joined(text.ToString())));

        static string Joined(string text) => string.Join(' ', text.Split([' ', '\n'], StringSplitOptions.RemoveEmptyEntries));
    }

    [Theory]
    [InlineData(0.4 / 6215, 10, "..........")]
    [InlineData(0.06, 10, "#.........")]
    [InlineData(1, 10, "##########")]
    public void A_bar_of_less_than_half_a_column_is_none(double share, int columns, string bar)
    {
        (PagePiece full, PagePiece empty) = ReportWords.Bar(share, columns);
        Assert.Equal(bar, full.Text + empty.Text);
    }

    [Fact]
    public void A_column_has_one_unit_and_what_is_not_nothing_is_not_zero()
    {
        var column = DurationColumn.For([new Duration(5_283_000), new Duration(400)]);
        Assert.Equal(("ms", "5.28", "<0.001", "0"),
            (column.Unit, column.Of(new Duration(5_283_000)), column.Of(new Duration(400)), column.Of(Duration.Zero)));
        Assert.Equal("us", DurationColumn.For([new Duration(709_100)]).Unit);
        Assert.Equal("ms", DurationColumn.For([new Duration(999_600)]).Unit);
    }

    /// <summary>Three significant digits each, and points below each other: <c>1,235</c>, <c>12.3</c>, <c>0.012</c>.</summary>
    [Fact]
    public void A_column_has_its_points_below_each_other()
    {
        var column = DurationColumn.For([new Duration(1_234_567_000), new Duration(12_345_000), new Duration(12_345)]);
        Assert.Equal(
            ["     1,235    ", "        12.3  ", "         0.012", "         4.40 ", "             -"],
            new Duration?[] { new(1_234_567_000), new(12_345_000), new(12_345), new(4_404_000), null }
                .Select(one => column.Write(one, 14)));
    }

    private static string[] Words(ReportPage page)
    {
        using var text = new StringWriter();
        page.Write(text);
        return text.ToString().Split([' ', '\n'], StringSplitOptions.RemoveEmptyEntries);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void The_first_line_is_the_verdict_sentence(string name) => Assert.StartsWith(
        BlameSamples.All[name].Summary.Conclusion, string.Join(' ', TextOf(BlameSamples.All[name]).Split('\n')), StringComparison.Ordinal);

    [Fact]
    public void The_sections_stand_in_their_order()
    {
        string text = TextOf(BlameSamples.All["driver"]);
        string[] order = ["verdict ", "Who is to blame", "The episodes", "What the drivers'", "Innocent", "What is not known"];
        int[] places = [.. order.Select(heading => text.IndexOf(heading, StringComparison.Ordinal))];
        Assert.DoesNotContain(-1, places);
        Assert.Equal(places.Order(), places);
    }

    [Fact]
    public void Only_the_worst_of_a_thousand_episodes_are_shown_and_the_others_are_counted()
    {
        string text = TextOf(BlameSamples.All["thousand"], top: 3);
        Assert.Contains("The worst 3 of 1,000 episodes", text);
        Assert.Contains("... and 997 more (--full lists them)", text);
        Assert.Contains("#999 ", text);
        Assert.DoesNotContain("#996 ", text);
    }

    [Fact]
    public void No_list_is_shown_of_which_no_line_is_wanted()
    {
        string text = TextOf(BlameSamples.All["driver"], top: 0);
        Assert.DoesNotContain("The episodes", text);
        Assert.DoesNotContain("What the drivers'", text);
        Assert.Contains("... and 2 more", text);
    }

    [Fact]
    public void The_path_stands_above_the_report_of_one_of_many() => Assert.StartsWith(
        "driver.etl\n==========\nThe driver e1x64.sys", TextOf(BlameSamples.All["driver"], isOneOfMany: true));

    [Fact]
    public void Drivers_stand_in_the_order_of_their_totals()
    {
        string text = TextOf(BlameSamples.All["driver"]);
        string table = text[text.IndexOf("What the drivers'", StringComparison.Ordinal)..];
        string[] order = ["tcpip.sys", "usbport.sys", "e1x64.sys", "ACPI.sys"];
        int[] places = [.. order.Select(name => table.IndexOf(name, StringComparison.Ordinal))];
        Assert.Equal(places.Order(), places);
    }

    /// <summary>A name is what somebody called a file: it must not steer the terminal of who reads about it.</summary>
    [Fact]
    public void What_would_steer_a_terminal_is_not_printed()
    {
        BlameReport report = BlameSamples.All["driver"];
        report = report with { Culprits = [report.Culprits[0] with { Name = "a\u001b[2Jb\r\n\u202ec.sys" }] };
        string text = TextOf(report);
        Assert.Contains("a\\u001b[2Jb\\u000d\\u000a\\u202ec.sys", text);
        Assert.DoesNotContain(text, letter => char.IsControl(letter) && letter != '\n');
    }

    /// <summary>A terminal gets the same letters, with colours between them.</summary>
    [Fact]
    public void Colours_change_no_letter()
    {
        using var text = new StringWriter();
        IAnsiConsole terminal = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Ansi = AnsiSupport.Yes,
            ColorSystem = ColorSystemSupport.TrueColor,
            Out = new AnsiConsoleOutput(text),
        });
        PagePrinter.PrintInColours(BlameText.PageOf(BlameSamples.All["driver"], top: 10), terminal);
        Assert.Contains("\u001b[", text.ToString());
        string plain = EscapeSequence().Replace(text.ToString(), "").ReplaceLineEndings("\n");
        Assert.Equal(TextOf(BlameSamples.All["driver"]), plain);
    }

    [Fact]
    public void The_end_of_a_name_that_is_cut_is_kept() => Assert.Equal("averyve...me.sys", PageText.Cut("averyverylongname.sys", 16));

    [GeneratedRegex("\u001b\\[[0-9;]*m")]
    private static partial Regex EscapeSequence();

    private static string TextOf(BlameReport report, int top = 10, bool isOneOfMany = false)
    {
        using var text = new StringWriter();
        PagePrinter.Print(BlameText.PageOf(report, top, isOneOfMany), text);
        return text.ToString();
    }
}
