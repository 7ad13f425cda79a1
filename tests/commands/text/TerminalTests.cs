namespace Tracer.Commands.Tests.Text;

/// <summary>
/// The commands on a real terminal, that of tmux: a report has its width, and what ends a command leaves the terminal as it was. Skipped
/// where tmux is not installed.
/// </summary>
[Trait("Speed", "slow")]
public sealed class TerminalTests
{
    private const string Rows = "40";

    /// <summary>Narrower than a page, and wider.</summary>
    public static TheoryData<int> Widths => Selection.IsAll ? [60, 80, 100, 200] : [60, 200];

    [Theory]
    [MemberData(nameof(Widths))]
    public void The_report_is_as_wide_as_its_terminal(int columns)
    {
        Assert.SkipUnless(HasTmux(), "tmux is not installed");
        string folder = Directory.CreateTempSubdirectory("tracer-tmux").FullName;
        string socket = Path.Combine(folder, "tmux");
        string done = Path.Combine(folder, "done");
        try
        {
            string analyzer = Path.Combine(AppContext.BaseDirectory, "analyzer.dll");
            string command = $"cd '{RepositoryFiles.Root}'; NO_COLOR=1 dotnet '{analyzer}' blame samples/first.etl; "
                + $"touch '{done}'; sleep 60";
            Tmux(socket, "-f", "/dev/null", "new-session", "-d", "-x", $"{columns}", "-y", Rows, "sh", "-c", command);
            Assert.True(Until(() => File.Exists(done)), "the command did not end");
            string shown = Tmux(socket, "capture-pane", "-p", "-S", "-").TrimEnd() + "\n";
            Every.Item(shown.Split('\n'), line => Assert.InRange(line.Length, 0, columns));
            GoldenText.AssertEqual($"tests/commands/golden/reports/terminal-{columns}-columns.txt", shown);
        }
        finally
        {
            Tmux(socket, "kill-server");
            Directory.Delete(folder, recursive: true);
        }
    }

    /// <summary>A progress bar hides the cursor, and .NET asks for application keys; neither may outlive the command.</summary>
    [Theory]
    [InlineData("INT", 130)]
    [InlineData("TERM", 143)]
    public void A_signal_shows_the_cursor_and_gives_the_keys_back(string signal, int status)
    {
        Assert.SkipUnless(HasTmux(), "tmux is not installed");
        string folder = Directory.CreateTempSubdirectory("tracer-tmux").FullName;
        string socket = Path.Combine(folder, "tmux");
        string done = Path.Combine(folder, "done");
        try
        {
            string analyzer = Path.Combine(AppContext.BaseDirectory, "analyzer.dll");
            string command = $"mkfifo '{folder}/pipe'; (cat '{RepositoryFiles.Root}/samples/first.etl'; sleep 60) > '{folder}/pipe' & "
                + $"env --default-signal=INT dotnet '{analyzer}' blame - < '{folder}/pipe' & echo $! > '{folder}/pid'; wait $!; "
                + $"echo $? > '{done}.part'; mv '{done}.part' '{done}'; sleep 60";
            Tmux(socket, "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", Rows, "sh", "-c", command);
            Assert.True(Until(() => Tmux(socket, "capture-pane", "-p").Contains("reading", StringComparison.Ordinal)), "no progress bar");
            Assert.NotEqual("1 0 0", State());
            ChildProcess.Run("kill", ["-" + signal, File.ReadAllText(Path.Combine(folder, "pid")).Trim()]);
            Assert.True(Until(() => File.Exists(done)), "the command did not end");
            Assert.Equal(status, int.Parse(File.ReadAllText(done), System.Globalization.CultureInfo.InvariantCulture));
            Assert.Equal("1 0 0", State());
        }
        finally
        {
            Tmux(socket, "kill-server");
            Directory.Delete(folder, recursive: true);
        }

        string State() => Tmux(socket, "display", "-p", "#{cursor_flag} #{keypad_cursor_flag} #{keypad_flag}").Trim();
    }

    private static bool Until(Func<bool> holds)
    {
        for (int i = 0; i < 1200; i++)
        {
            if (holds())
            {
                return true;
            }

            Thread.Sleep(100);
        }

        return false;
    }

    private static bool HasTmux() => (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator)
        .Any(folder => File.Exists(Path.Combine(folder, "tmux")));

    private static string Tmux(string socket, params string[] arguments) =>
        ChildProcess.Run("tmux", ["-S", socket, .. arguments]).Output;
}
