using System.Text.Json;
using Spectre.Console;
using Tracer.Capture.Ground;
using Tracer.CommandLine;
using Tracer.TracerCommand.Commands.Capture;
using Tracer.TracerCommand.Common.Screen;

namespace Tracer.Capture.Tests;

/// <summary>The screens of a capture against stored text.</summary>
public sealed class CaptureScreenTests
{
    private static readonly CaptureNote[] Notes =
    [
        new(CaptureNoteLevel.Info, "an old note that has no room any more"),
        new(CaptureNoteLevel.Info, "the probe wakes up on 8 CPUs at priority 28, by clock ticks every 500 us; floor 11.3 us"),
        new(CaptureNoteLevel.Warning, "the ring is too short for --pre 2s: use --buffer-mb 512"),
        new(CaptureNoteLevel.Info, "episode 4 dropped for a worse one"),
        new(CaptureNoteLevel.Info, "episode 5 dropped for a worse one"),
    ];

    [Fact]
    public void The_live_page_is_as_stored()
    {
        Stored("live-starting.txt", Plain(CaptureView.Of(StatusSample.Nothing, [])));
        Stored("live-busy.txt", Plain(CaptureView.Of(StatusSample.Busy, Notes)));
    }

    /// <summary>The same bytes as a terminal is given; <c>render.sh</c> beside the stored text makes a picture of it.</summary>
    [Fact]
    public void A_terminal_gets_colours_and_no_line_too_wide_or_too_many()
    {
        string coloured = OnTerminal(StatusSample.Busy, ColorSystemSupport.Standard, height: 60);
        Stored("live-busy.ansi.txt", coloured);
        Assert.Contains("\u001b[", coloured, StringComparison.Ordinal);
        Assert.DoesNotContain("\u001b[", OnTerminal(StatusSample.Busy, ColorSystemSupport.NoColors, height: 60).Replace("\u001b[1m", "")
            .Replace("\u001b[2m", "").Replace("\u001b[0m", ""), StringComparison.Ordinal);
        Assert.Equal(11, OnTerminal(StatusSample.Busy, ColorSystemSupport.NoColors, height: 12).TrimEnd('\n').Split('\n').Length);
    }

    [Fact]
    public void Plain_lines_are_as_stored()
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var error = new StringWriter { NewLine = "\n" };
        using (ICaptureScreen screen = CaptureScreens.For(isJson: false, output, error))
        {
            Play(screen);
        }

        Stored("plain.txt", output.ToString());
        Assert.Equal("tracer: the ring is too short for --pre 2s: use --buffer-mb 512\n", error.ToString());
    }

    [Fact]
    public void JSON_lines_are_as_stored()
    {
        using var output = new StringWriter { NewLine = "\n" };
        using (ICaptureScreen screen = CaptureScreens.For(isJson: true, output, TextWriter.Null))
        {
            Play(screen);
        }

        Stored("lines.json", output.ToString());
        Every.Item(
            output.ToString().TrimEnd('\n').Split('\n'),
            line => Assert.Equal("tracer.capture/1", JsonDocument.Parse(line).RootElement.GetProperty("schema").GetString()));
    }

    [Fact]
    public void What_happened_stands_there_when_the_live_screen_is_over()
    {
        using var output = new StringWriter { NewLine = "\n" };
        using (var screen = new LiveScreen(Terminal(output, ColorSystemSupport.NoColors)))
        {
            Play(screen);
        }

        string[] lines = output.ToString().Split('\n');
        Assert.Contains(lines, line => line.Contains("warning: the ring is too short", StringComparison.Ordinal));
        Assert.Contains(lines, line => line.Contains("episode 2 at 12:00:02.250 UTC: 6.17 ms", StringComparison.Ordinal));
        Assert.Contains(lines, line => line.Contains("episode 1 dropped for a worse one: capture-1.etl", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(0, "0 bytes")]
    [InlineData(999, "999 bytes")]
    [InlineData(1_000, "1.00 kB")]
    [InlineData(18_240_000, "18.2 MB")]
    [InlineData(999_600, "1.00 MB")]
    [InlineData(950_000_000, "950 MB")]
    [InlineData(long.MaxValue, "9,223,372 TB")]
    public void Sizes_have_three_digits(long bytes, string text) => Assert.Equal(text, ByteCount.Of(bytes));

    private static void Play(ICaptureScreen screen)
    {
        screen.OnStatus(StatusSample.Nothing);
        foreach (CaptureNote note in Notes.Skip(1).Take(2))
        {
            screen.OnNote(note.Level, note.Text);
        }

        screen.OnStatus(StatusSample.Busy with { Phase = CapturePhase.Writing });
        screen.OnEpisode(StatusSample.Episode(2, 6_167, "e1d68x64.sys"));
        screen.OnDropped(StatusSample.Episode(1, 2_100, null));
        screen.OnStatus(StatusSample.Busy);
    }

    private static string Plain(ReportPage page)
    {
        using var text = new StringWriter();
        page.Write(text);
        return text.ToString();
    }

    private static string OnTerminal(CaptureStatus status, ColorSystemSupport colours, int height)
    {
        using var text = new StringWriter { NewLine = "\n" };
        Terminal(text, colours).Write(LiveScreen.Renderable(CaptureView.Of(status, Notes), height));
        return text.ToString();
    }

    private static IAnsiConsole Terminal(StringWriter output, ColorSystemSupport colours)
    {
        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Ansi = AnsiSupport.Yes,
            ColorSystem = colours,
            Interactive = InteractionSupport.No,
            Out = new AnsiConsoleOutput(output),
        });
        console.Profile.Width = 110;
        console.Profile.Height = 60;
        return console;
    }

    private static void Stored(string name, string text) => GoldenText.AssertEqual($"tests/capture/common/screen/golden/{name}", text);
}
