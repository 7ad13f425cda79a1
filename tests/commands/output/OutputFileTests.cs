using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Tracer.CommandLine;
using Tracer.Simulator.Scenarios;
using Tracer.TracerCommand.Commands.Simulate;

namespace Tracer.Commands.Tests.Output;

/// <summary>
/// What commands write: never an input, never half a file, never less than what stood there before; devices and pipes as they are.
/// </summary>
[Trait("Speed", "slow")]
public sealed class OutputFileTests : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(300);

    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;

    private static string Sample => Path.Combine(RepositoryFiles.Root, "samples", "first.etl");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void A_name_that_is_no_UTF8_gets_no_other()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Names of other systems are text.");
        string path = Path.Combine(_folder, "caf\uFFFD.json");
        Assert.Contains("not UTF-8", Assert.Throws<IOException>(() => new OutputFile(path)).Message, StringComparison.Ordinal);
        Assert.Contains("not UTF-8", Assert.Throws<IOException>(() => GrowingFile.Lock(path)).Message, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFiles(_folder));
    }

    [Fact]
    public void A_file_takes_its_name_when_it_is_complete()
    {
        string path = In("a.txt", "old");
        using (var file = new OutputFile(path))
        {
            file.Content.Write("new"u8);
            Assert.Equal("old", File.ReadAllText(path));
            file.Keep();
        }

        Assert.Equal("new", File.ReadAllText(path));
        AssertNothingElse("a.txt");
    }

    [Fact]
    public void A_file_that_is_not_kept_leaves_what_stood_there()
    {
        string path = In("a.txt", "old");
        using (var file = new OutputFile(path))
        {
            file.Content.Write("new"u8);
        }

        Assert.Equal("old", File.ReadAllText(path));
        using (var file = new OutputFile(Path.Combine(_folder, "b.txt")))
        {
            file.Content.Write("new"u8);
        }

        AssertNothingElse("a.txt");
    }

    [Fact]
    public void Two_writers_of_one_file_each_write_all_of_it_and_the_last_one_stays()
    {
        string path = Path.Combine(_folder, "a.txt");
        using var one = new OutputFile(path);
        using var other = new OutputFile(path);
        one.Content.Write("one"u8);
        other.Content.Write("other"u8);
        other.Keep();
        Assert.Equal("other", File.ReadAllText(path));
        one.Keep();
        Assert.Equal("one", File.ReadAllText(path));
    }

    [Fact]
    public void The_new_file_has_the_permissions_of_the_old_one_and_a_link_stays_a_link()
    {
        if (OperatingSystem.IsWindows())
        {
            Assert.Skip("permissions of Unix, and links that anybody may make");
            return;
        }

        string path = In("a.txt", "old");
        string link = Path.Combine(_folder, "link.txt");
        File.CreateSymbolicLink(link, "a.txt");
        const UnixFileMode Mode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead;
        File.SetUnixFileMode(path, Mode);
        using (var file = new OutputFile(link))
        {
            string draft = Assert.Single(Drafts());
            Assert.Equal((UnixFileMode)0, File.GetUnixFileMode(draft) & ~Mode);
            file.Content.Write("new"u8);
            file.Keep();
        }

        Assert.Equal(("new", Mode), (File.ReadAllText(path), File.GetUnixFileMode(path)));
        Assert.Equal("a.txt", new FileInfo(link).LinkTarget);
        AssertNothingElse("a.txt", "link.txt");
    }

    [Fact]
    public void What_cannot_be_written_is_told_in_a_sentence_with_the_users_path()
    {
        string old = In("old.txt", "old");
        File.SetAttributes(old, FileAttributes.ReadOnly);
        Assert.Equal($"{old}: the file there is write-protected", Refusal(old));
        File.SetAttributes(old, FileAttributes.Normal);
        Assert.Equal("old", File.ReadAllText(old));
        Assert.Equal($"{_folder}: this is a folder; the name of a file is expected", Refusal(_folder));
        string missing = Path.Combine(_folder, "no", "x");
        Assert.Equal($"{missing}: there is no folder {Path.Combine(_folder, "no")}", Refusal(missing));
        Assert.SkipUnless(Directory.Exists("/sys/kernel"), "a folder where nobody may make a file: /sys/kernel of Linux");
        Assert.Equal("/sys/kernel/x: the system does not allow it to be written there", Refusal("/sys/kernel/x"));

        static string Refusal(string path) => Assert.Throws<IOException>(() => new OutputFile(path)).Message;
    }

    [Fact]
    public void A_full_disk_is_told_and_the_old_file_stays()
    {
        Assert.SkipUnless(File.Exists("/dev/full"), "a device that is always full: /dev/full of Linux");
        using (var file = new OutputFile("/dev/full"))
        {
            Assert.Equal("/dev/full: the disk is full", Assert.Throws<IOException>(() => file.Content.Write(new byte[100])).Message);
        }

        (int exitCode, string output, string error) = CommandRun.Analyzer("dump", Sample, "-o", "/dev/full");
        Assert.Equal((ExitCode.Failed, "", "analyzer: /dev/full: the disk is full\n"), (exitCode, output, error));
        string path = In("a.txt", "old");
        using (var file = new OutputFile(path))
        {
            using var full = new ToldStream(path, new FileStream("/dev/full", FileMode.Open, FileAccess.Write, FileShare.ReadWrite, 0));
            Assert.Equal($"{path}: the disk is full", Assert.Throws<IOException>(() => full.Write(new byte[100])).Message);
        }

        Assert.Equal("old", File.ReadAllText(path));
        AssertNothingElse("a.txt");
    }

    [Theory]
    [InlineData("dump")]
    [InlineData("blame")]
    [InlineData("episodes")]
    [InlineData("symbols")]
    public void No_command_writes_over_its_trace_by_whatever_name(string command)
    {
        string trace = Path.Combine(_folder, "t.etl");
        File.Copy(Sample, trace);
        List<string> names = [trace, Path.Combine(_folder, ".", "t.etl"), Path.GetRelativePath(Directory.GetCurrentDirectory(), trace)];
        if (!OperatingSystem.IsWindows())
        {
            File.CreateSymbolicLink(Path.Combine(_folder, "soft"), "t.etl");
            Assert.Equal(0, ChildProcess.Run("ln", trace, Path.Combine(_folder, "hard")).ExitCode);
            names.AddRange([Path.Combine(_folder, "soft"), Path.Combine(_folder, "hard")]);
        }

        foreach (string name in names)
        {
            (int exitCode, string output, string error) = CommandRun.Analyzer(command, trace, "-o", name);
            Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
            Assert.StartsWith($"analyzer: --output: {name} is ", error);
            Assert.Contains("read by this command", error);
            Assert.True(File.ReadAllBytes(Sample).AsSpan().SequenceEqual(File.ReadAllBytes(trace)));
        }
    }

    [Fact]
    public void Nor_over_its_descriptions_of_messages_nor_over_the_pdb_that_it_found()
    {
        string trace = Path.Combine(_folder, "nic.etl");
        foreach (string name in new[] { "nic.etl", "nic.pdb", "nic.sys", "player.exe", "player.pdb" })
        {
            File.Copy(Path.Combine(RepositoryFiles.Root, "samples", "with-symbols", name), Path.Combine(_folder, name));
        }

        string format = In("a.tmf", "");
        string pdb = Path.Combine(_folder, "nic.pdb");
        byte[] before = File.ReadAllBytes(pdb);
        Assert.Equal(ExitCode.WrongUsage, CommandRun.Analyzer("dump", trace, "-o", format).ExitCode);
        Assert.Equal(ExitCode.WrongUsage, CommandRun.Analyzer("dump", trace, "--tmf", format, "-o", format).ExitCode);
        Assert.Equal(ExitCode.WrongUsage, CommandRun.Analyzer("symbols", pdb, "-o", pdb).ExitCode);
        foreach (string line in new[] { $"blame {trace}", $"dump {trace}", $"symbols {trace}", $"symbols {_folder}/nic.sys 0x10c0" })
        {
            (int exitCode, _, string error) = CommandRun.Analyzer([.. line.Split(' '), "-o", pdb]);
            Assert.Equal(ExitCode.Failed, exitCode);
            Assert.Contains("read by this command", error);
            Assert.Equal(before, File.ReadAllBytes(pdb));
        }

        Assert.Empty(Drafts());
    }

    [Fact]
    public void Standard_input_from_a_file_is_an_input_too()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "redirected by a shell of Unix");
        string trace = Path.Combine(_folder, "t.etl");
        File.Copy(Sample, trace);
        string command = $"exec dotnet '{Path.Combine(AppContext.BaseDirectory, "analyzer.dll")}' dump - -o '{trace}' <'{trace}'";
        (int exitCode, _, string error) = ChildProcess.Run("sh", "-c", command);
        Assert.Equal(ExitCode.WrongUsage, exitCode);
        Assert.Contains("is the file that standard input comes from", error);
        Assert.True(File.ReadAllBytes(Sample).AsSpan().SequenceEqual(File.ReadAllBytes(trace)));
    }

    [Fact]
    public async Task Standard_output_devices_and_pipes_take_what_is_written()
    {
        string expected = CommandRun.Analyzer("dump", Sample).Output;
        Assert.Equal((0, expected, ""), CommandRun.Analyzer("dump", Sample, "-o", "-"));
        Assert.SkipWhen(OperatingSystem.IsWindows(), "devices of Unix");
        Assert.Equal((0, "", ""), CommandRun.Analyzer("dump", Sample, "-o", "/dev/null"));
        Assert.False(File.GetAttributes("/dev/null").HasFlag(FileAttributes.ReparsePoint));
        string pipe = Path.Combine(_folder, "pipe");
        Assert.Equal(0, ChildProcess.Run("mkfifo", pipe).ExitCode);
        var read = Task.Run(() => File.ReadAllText(pipe));
        Assert.Equal((0, "", ""), CommandRun.Analyzer("dump", Sample, "-o", pipe));
        Assert.Equal(expected, await read);
        AssertNothingElse("pipe");
    }

    [Fact]
    public void A_simulated_trace_goes_through_a_pipe_as_well()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "a shell of Unix");
        string trace = Path.Combine(_folder, "t.etl");
        string tracer = $"dotnet '{Path.Combine(AppContext.BaseDirectory, "tracer.dll")}' simulate clean --duration 200ms -o";
        Assert.Equal(0, ChildProcess.Run("sh", "-c", $"{tracer} '{trace}'").ExitCode);
        (int exitCode, _, string error) = ChildProcess.Run("sh", "-c", $"{tracer} - >'{trace}2'");
        Assert.Equal(0, exitCode);
        Assert.Contains("the truth about it is not written", error);
        Assert.Equal(File.ReadAllBytes(trace), File.ReadAllBytes(trace + "2"));
        AssertNothingElse("t.etl", "t.etl2", "t.truth.json");
    }

    [Fact]
    public void A_simulation_that_the_disk_does_not_hold_is_refused_before_it_begins()
    {
        var run = new ScenarioRun(ScenarioCatalog.Find("clean")!, 1) { Duration = Duration.FromSeconds(86_400), Cpus = 2 };
        string? problem = SimulatedBytes.Problem(run, 1_000_000_000);
        Assert.Matches(
            @"^--duration: 86400s of clean on 2 CPUs would be about \d+ GB \([\d.]+ MB a second\), and 1\.00 GB are free; write a shorter "
            + "one$",
            problem);
        Assert.Null(SimulatedBytes.Problem(run, 1_000_000_000_000));
        Assert.Null(SimulatedBytes.Problem(run with { Duration = Duration.FromSeconds(10) }, 1_000_000_000));
    }

    /// <summary>The trace is far from complete when the signal comes: the file is begun.</summary>
    [Theory]
    [InlineData("INT", 130)]
    [InlineData("TERM", 143)]
    [InlineData("HUP", 129)]
    public void A_signal_ends_it_with_its_status_and_leaves_nothing(string signal, int expected)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "signals of Unix");
        string path = In("old.txt", "old");
        using Process process = Start("tracer", "simulate", "clean", "--duration", "3600s", "-o", path);
        WaitFor(() => Drafts().Length > 0);
        Assert.Equal(0, ChildProcess.Run("kill", "-" + signal, $"{process.Id}").ExitCode);
        AwaitEnd(process);
        Assert.Equal(expected, process.ExitCode);
        Assert.Equal("old", File.ReadAllText(path));
        AssertNothingElse("old.txt");
    }

    /// <summary>
    /// The report does not fit into the pipe, so that the signal comes while it is printed. Where this process is held up for longer than
    /// a second, it is a part after all.
    /// </summary>
    /// <param name="often">How often it comes at once: `timeout` sends it to the process and to its group.</param>
    [Theory]
    [InlineData("INT", 1, 130)]
    [InlineData("TERM", 1, 143)]
    [InlineData("TERM", 2, 143)]
    public void A_report_that_is_being_printed_when_a_signal_comes_is_whole(string signal, int often, int expected)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "signals of Unix");
        bool isWhole = false;
        for (int i = 0; i < 5 && !isWhole; i++)
        {
            using Process process = Printing();
            using var report = new MemoryStream();
            report.WriteByte((byte)process.StandardOutput.BaseStream.ReadByte());
            string kills = string.Join("; sleep 0.002; ", Enumerable.Repeat($"kill -{signal} {process.Id}", often));
            Assert.Equal(0, ChildProcess.Run("sh", "-c", kills).ExitCode);
            Thread.Sleep(20);
            process.StandardOutput.BaseStream.CopyTo(report);
            AwaitEnd(process);
            Assert.Equal(expected, process.ExitCode);
            isWhole = Encoding.UTF8.GetString(report.ToArray()).EndsWith("\n}\n", StringComparison.Ordinal);
        }

        Assert.True(isWhole);
    }

    [Fact]
    public void A_signal_ends_it_though_nobody_takes_the_report()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "signals of Unix");
        using Process process = Printing();
        Assert.Equal('{', process.StandardOutput.BaseStream.ReadByte());
        Assert.Equal(0, ChildProcess.Run("kill", "-TERM", $"{process.Id}").ExitCode);
        AwaitEnd(process);
        Assert.Equal(143, process.ExitCode);
    }

    [Fact]
    public async Task A_signal_removes_a_download_that_is_not_complete()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "signals of Unix");
        string trace = Path.Combine(_folder, "nic.etl");
        string store = Path.Combine(_folder, "store");
        File.Copy(Path.Combine(RepositoryFiles.Root, "samples", "with-symbols", "nic.etl"), trace);
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        Task<TcpClient> served = ServeHalfAsync(listener);
        using Process process = Start(
            "analyzer", "blame", trace, "--symbol-server", "--symbols",
            $"srv*{store}*http://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}/symbols");
        WaitFor(() => Directory.Exists(store) && Downloads().Any(path => new FileInfo(path).Length > 0));
        Assert.Equal(0, ChildProcess.Run("kill", "-TERM", $"{process.Id}").ExitCode);
        AwaitEnd(process);
        Assert.Equal(143, process.ExitCode);
        Assert.Empty(Downloads());
        (await served).Dispose();

        IEnumerable<string> Downloads() => Directory.EnumerateFiles(store, "*.part", SearchOption.AllDirectories);
    }

    /// <summary>Answers one request with the half of a file, and then with nothing.</summary>
    private static async Task<TcpClient> ServeHalfAsync(TcpListener listener)
    {
        TcpClient client = await listener.AcceptTcpClientAsync();
        NetworkStream stream = client.GetStream();
        byte[] question = new byte[4096];
        _ = await stream.ReadAsync(question);
        await stream.WriteAsync(Encoding.ASCII.GetBytes("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"));
        await stream.WriteAsync(new byte[500_000]);
        return client;
    }

    /// <summary>Prints 600 KB of JSON in lines.</summary>
    private static Process Printing() => Start(
        "analyzer", "blame", Path.Combine(RepositoryFiles.Root, "samples", "nic-behind-ndis.etl"), "--threshold", "20us",
        "--min-priority", "0", "--format", "json");

    /// <summary>With the usual answers to signals: what runs in a shell's background, and so all below it, has to ignore SIGINT.</summary>
    private static Process Start(string command, params string[] arguments) => Process.Start(
        new ProcessStartInfo(
            OperatingSystem.IsWindows() ? "dotnet" : "env",
            [
                .. OperatingSystem.IsWindows() ? Array.Empty<string>() : ["--default-signal=INT,HUP", "dotnet"],
                Path.Combine(AppContext.BaseDirectory, command + ".dll"), .. arguments,
            ])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;

    private static void AwaitEnd(Process process)
    {
        bool hasEnded = process.WaitForExit(Patience);
        if (!hasEnded)
        {
            process.Kill();
        }

        Assert.True(hasEnded);
    }

    private static void WaitFor(Func<bool> condition)
    {
        var clock = Stopwatch.StartNew();
        while (!condition())
        {
            Assert.True(clock.Elapsed < Patience);
            Thread.Sleep(20);
        }
    }

    private string[] Drafts() =>
        Directory.GetFiles(_folder, "*" + OutputFile.DraftEnding, new EnumerationOptions { AttributesToSkip = 0 });

    private string In(string name, string text)
    {
        string path = Path.Combine(_folder, name);
        File.WriteAllText(path, text);
        return path;
    }

    private void AssertNothingElse(params string[] names) => Assert.Equal(
        names.Order(StringComparer.Ordinal),
        Directory.EnumerateFileSystemEntries(_folder, "*", new EnumerationOptions { AttributesToSkip = 0 })
            .Select(path => Path.GetFileName(path)!).Order(StringComparer.Ordinal));
}
