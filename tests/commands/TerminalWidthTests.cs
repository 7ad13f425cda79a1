using Tracer.Tests;

namespace Tracer.Commands.Tests;

/// <summary>
/// The report on a terminal of some width, as tmux shows it, against stored text: nothing but the width is told to the command. Skipped
/// where tmux is not installed.
/// </summary>
[Trait("Speed", "slow")]
public sealed class TerminalWidthTests
{
    private const string Rows = "40";

    [Theory]
    [InlineData(60)]
    [InlineData(80)]
    [InlineData(100)]
    [InlineData(200)]
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
            for (int i = 0; i < 600 && !File.Exists(done); i++)
            {
                Thread.Sleep(100);
            }

            Assert.True(File.Exists(done), "the command did not end");
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

    private static bool HasTmux() => (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator)
        .Any(folder => File.Exists(Path.Combine(folder, "tmux")));

    private static string Tmux(string socket, params string[] arguments) =>
        ChildProcess.Run("tmux", ["-S", socket, .. arguments]).Output;
}
