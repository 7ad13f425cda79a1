using System.IO.Compression;
using Tracer.AnalyzerShared.Inputs;

namespace Tracer.Commands.Tests.Common;

/// <summary>What may stand for TRACE: packed traces, folders, names with * and ?; and what is said where that is no trace.</summary>
[Trait("Speed", "slow")]
public sealed class InputTests : IDisposable
{
    private static readonly byte[] Trace = File.ReadAllBytes(Path.Combine(RepositoryFiles.Root, "samples", "first.etl"));

    private static readonly string[][] Commands =
    [
        ["info", "--format", "json"], ["dump", "--limit", "50"], ["blame", "--format", "json"], ["episodes", "--format", "json"],
        ["symbols"],
    ];

    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("trace.etl.gz")]
    [InlineData("named-otherwise.etl")]
    public void A_trace_in_gzip_is_read_as_the_trace_is(string name) => AssertSame(Write(name, Gzip(Trace)));

    [Theory]
    [InlineData("trace.etl.zip", CompressionLevel.Optimal)]
    [InlineData("stored.zip", CompressionLevel.NoCompression)]
    [InlineData("named-otherwise.etl", CompressionLevel.Fastest)]
    public void A_trace_alone_in_a_zip_is_read_as_the_trace_is(string name, CompressionLevel level) =>
        AssertSame(Write(name, Zip(level, ("folder/Trace.ETL", Trace), ("symbols/nic.pdb", [1, 2, 3]), ("__MACOSX/._Trace.etl", [0]))));

    [Fact]
    public void A_gzip_that_comes_through_a_pipe_is_unpacked()
    {
        string packed = Write("trace.etl.gz", Gzip(Trace));
        string plain = Write("trace.etl", Trace);
        string analyzer = Path.Combine(AppContext.BaseDirectory, "analyzer.dll");
        foreach (string command in Selection.IsAll ? ["info", "blame", "dump"] : new[] { "info" })
        {
            (int exitCode, string output, string error) = ChildProcess.Run(
                "sh", ["-c", $"cat '{packed}' | dotnet '{analyzer}' {command} - --format json"]);
            Assert.Equal((0, ""), (exitCode, error));
            string expected = CommandRun.Analyzer(command, plain, "--format", "json").Output;
            Assert.Equal(expected.Replace($"\"{plain}\"", "\"-\"", StringComparison.Ordinal), output);
        }
    }

    [Fact]
    public void Nothing_stays_in_the_folder_for_temporary_files()
    {
        string packed = Write("trace.etl.gz", Gzip(Trace));
        string temporary = Directory.CreateDirectory(Path.Combine(_folder, "tmp")).FullName;
        string analyzer = Path.Combine(AppContext.BaseDirectory, "analyzer.dll");
        Assert.Equal(0, ChildProcess.Run("sh", ["-c", $"TMPDIR='{temporary}' dotnet '{analyzer}' info '{packed}'"]).ExitCode);
        Assert.Empty(Directory.EnumerateFiles(temporary));
    }

    [Fact]
    public void A_zip_without_a_trace_is_told_in_one_sentence() =>
        AssertFails(Write("a.zip", Zip(CompressionLevel.Fastest, ("notes.txt", [1]))), "holds no .etl file: pack the trace itself");

    [Fact]
    public void An_empty_zip_is_told_in_one_sentence() => AssertFails(Write("a.zip", Zip(CompressionLevel.Fastest)), "holds no .etl file");

    [Fact]
    public void A_zip_with_two_traces_is_told_in_one_sentence_with_their_names() => AssertFails(
        Write("a.zip", Zip(CompressionLevel.Fastest, ("b.etl", Trace), ("c.etl", Trace))), "holds 2 traces: unpack it", "(b.etl, c.etl)");

    [Fact]
    public void A_zip_that_comes_through_a_pipe_is_told_in_one_sentence()
    {
        string zip = Write("a.zip", Zip(CompressionLevel.Fastest, ("b.etl", Trace)));
        string analyzer = Path.Combine(AppContext.BaseDirectory, "analyzer.dll");
        (int exitCode, _, string error) = ChildProcess.Run("sh", ["-c", $"cat '{zip}' | dotnet '{analyzer}' info -"]);
        Assert.Equal(
            (ExitCode.Failed,
                "analyzer: standard input is a .zip, whose directory stands at its end: give it as a file, not through a pipe\n"),
            (exitCode, error));
    }

    /// <summary>By the name that was written, not by the runtime's whole path.</summary>
    [Fact]
    public void What_is_not_there_is_told_in_one_sentence()
    {
        string list = "@" + Write("list.txt", "one.etl\n"u8.ToArray());
        Assert.Equal(
            (ExitCode.Failed, "", "analyzer: no-such.etl: there is no such file\n"), CommandRun.Analyzer("blame", "no-such.etl"));
        Assert.Equal(
            (ExitCode.Failed, "", $"analyzer: {list}: there is no such file; a list of traces is for --format cases\n"),
            CommandRun.Analyzer("blame", list));
    }

    [Theory]
    [InlineData("FD377A585A00", "xz -dk")]
    [InlineData("377ABCAF271C", "7z x")]
    [InlineData("425A68393141", "bunzip2 -k")]
    [InlineData("4D5343460000", "expand -F:*")]
    public void What_packs_otherwise_is_told_with_what_unpacks_it(string magic, string unpacker) =>
        AssertFails(Write("trace.etl", [.. Convert.FromHexString(magic), .. new byte[5000]]), "which can't be read: unpack it", unpacker);

    [Theory]
    [InlineData("trace.etl.zst", 1)]
    [InlineData("named-otherwise.etl", 19)]
    public void A_trace_packed_by_zstd_is_read_as_the_trace_is(string name, int level) => AssertSame(Write(name, Zstd(Trace, level)));

    /// <summary>As the packers themselves write them, not the libraries that read them here.</summary>
    [Theory]
    [InlineData("gzip", "-9", "trace.etl.gz")]
    [InlineData("zstd", "-19 --long=27", "trace.etl.zst")]
    [InlineData("zstd", "-1 --check", "trace.etl.zst")]
    public void What_the_packer_itself_wrote_is_read(string packer, string options, string name)
    {
        Assert.SkipUnless((Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator)
            .Any(folder => File.Exists(Path.Combine(folder, packer))), $"{packer} is not installed");
        string packed = Path.Combine(_folder, name);
        string plain = Write("plain.etl", Trace);
        Assert.Equal(0, ChildProcess.Run("sh", ["-c", $"{packer} {options} -c '{plain}' > '{packed}'"]).ExitCode);
        AssertSame(packed);
    }

    [Fact]
    public void A_zstd_that_was_cut_is_read_up_to_the_cut_with_a_warning()
    {
        // In blocks of 128 KiB: a trace of one block would be gone.
        byte[] large = [.. File.ReadAllBytes(Path.Combine(RepositoryFiles.Root, "samples", "nic-behind-ndis.etl"))];
        byte[] packed = Zstd(large, 1);
        string cut = Write("trace.etl.zst", packed[..(packed.Length * 9 / 10)]);
        (int exitCode, string output, string error) = CommandRun.Analyzer("dump", cut);
        Assert.Equal(0, exitCode);
        Assert.StartsWith($"analyzer: warning: {cut}: the file was cut: ", error);
        Assert.NotEmpty(output);
    }

    [Fact]
    public void A_zstd_with_a_wrong_byte_is_told_in_one_sentence()
    {
        byte[] packed = Zstd(Trace, 1);
        packed[packed.Length / 2] ^= 0x55;
        packed[(packed.Length / 2) + 1] ^= 0xAA;
        (int exitCode, _, string error) = CommandRun.Analyzer("blame", Write("trace.etl.zst", packed));
        Assert.DoesNotContain("internal error", error);
        Assert.True(exitCode == ExitCode.Failed || error.Contains("warning", StringComparison.Ordinal), error);
    }

    /// <summary>The window that a file asks for is memory: 2 GiB are not granted.</summary>
    [Fact]
    public void A_zstd_that_asks_for_too_much_memory_is_told_in_one_sentence() => AssertFails(
        Write("trace.etl.zst", [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xA8, .. new byte[100]]), "is damaged after 0 unpacked bytes");

    private static byte[] Zstd(byte[] data, int level)
    {
        using var packed = new MemoryStream();
        using (var zstd = new ZstdSharp.CompressionStream(packed, level))
        {
            zstd.Write(data);
        }

        return packed.ToArray();
    }

    [Theory]
    [InlineData(0.3)]
    [InlineData(0.9)]
    public void A_gzip_that_was_cut_is_read_up_to_the_cut_with_a_warning(double part)
    {
        byte[] packed = Gzip(Trace);
        string cut = Write("trace.etl.gz", packed[..(int)(packed.Length * part)]);
        (int exitCode, string output, string error) = CommandRun.Analyzer("dump", cut);
        Assert.Equal(0, exitCode);
        Assert.StartsWith($"analyzer: warning: {cut}: the file was cut: ", error);
        string[] whole = CommandRun.Analyzer("dump", Write("whole.etl", Trace)).Output.Split('\n');
        Assert.Subset(whole.ToHashSet(), output.Split('\n').ToHashSet());
    }

    [Fact]
    public void A_gzip_that_was_cut_before_its_first_byte_is_no_empty_file()
    {
        byte[] packed = Gzip(Trace);
        AssertFails(Write("a.etl.gz", packed[..5]), "is cut short, or what was packed is empty");
        AssertFails(Write("b.etl.gz", packed[..11]), "is cut short, or what was packed is empty");
        byte[] ofNothing = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        AssertFails(Write("c.etl.gz", ofNothing), "is cut short, or what was packed is empty");
    }

    [Fact]
    public void A_gzip_with_a_wrong_byte_is_told_in_one_sentence()
    {
        byte[] packed = Gzip(Trace);
        packed.AsSpan(packed.Length / 2, 40).Fill(0xFF);
        AssertFails(Write("trace.etl.gz", packed), "is damaged after");
    }

    [Fact]
    public void A_damaged_zip_is_told_in_one_sentence()
    {
        byte[] packed = Zip(CompressionLevel.Optimal, ("b.etl", Trace));
        AssertFails(Write("a.zip", packed[..(packed.Length - 30)]), "is a damaged or unknown kind of .zip");
    }

    /// <summary>What unpacks well may still be wrong: bytes that are stored unpack whatever they are.</summary>
    [Theory]
    [InlineData(CompressionLevel.NoCompression)]
    [InlineData(CompressionLevel.Optimal)]
    public void A_zip_with_a_wrong_byte_is_told_in_one_sentence(CompressionLevel level)
    {
        byte[] packed = Zip(level, ("b.etl", Trace));
        packed[packed.Length / 2] ^= 1;
        AssertFails(Write("a.zip", packed), "is damaged after");
    }

    [Fact]
    public void A_zip_of_far_too_many_files_is_not_read()
    {
        using var bytes = new MemoryStream();
        using (var zip = new ZipArchive(bytes, ZipArchiveMode.Create, leaveOpen: true))
        {
            for (int i = 0; i < 70_000; i++)
            {
                zip.CreateEntry($"a-name-of-some-length-{i}.txt");
            }
        }

        AssertFails(Write("a.zip", bytes.ToArray()), "is a .zip of far too many files");
    }

    [Fact]
    public void A_bomb_ends_with_a_message_and_takes_no_memory()
    {
        using var bomb = new UnpackingStream(new Zeros(), new MemoryStream(new byte[10]), "bomb.gz");
        byte[] buffer = new byte[1 << 20];
        long read = 0;
        IOException failure = Assert.Throws<IOException>(() =>
        {
            while (bomb.Read(buffer, 0, buffer.Length) is > 0 and int more)
            {
                read += more;
            }
        });
        Assert.InRange(read, 1L << 30, (1L << 30) + buffer.Length);
        Assert.Contains("more than 200 times as large", failure.Message);
    }

    [Fact]
    public void A_packed_trace_is_not_overwritten()
    {
        string packed = Write("trace.etl.gz", Gzip(Trace));
        (int exitCode, string output, string error) = CommandRun.Analyzer("blame", packed, "-o", packed);
        Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
        Assert.Contains("--output", error);
        Assert.Equal(Gzip(Trace), File.ReadAllBytes(packed));
    }

    [Fact]
    public void A_trace_in_a_folder_that_is_named_is_not_overwritten()
    {
        string trace = Write("trace.etl", Trace);
        (int exitCode, _, string error) = CommandRun.Analyzer("blame", _folder, "-o", trace);
        Assert.Equal(ExitCode.WrongUsage, exitCode);
        Assert.Contains("--output", error);
        Assert.Equal(Trace, File.ReadAllBytes(trace));
    }

    [Theory]
    [InlineData("info")]
    [InlineData("blame")]
    public void A_folder_means_its_traces_by_name(string command)
    {
        byte[] zip = Zip(CompressionLevel.Fastest, ("x.etl", Sample("masked-interrupts.etl")));
        string[] all = [Write("b.etl", Trace), Write("a.etl.gz", Gzip(Sample("firmware-blackout.etl"))), Write("c.etl.zip", zip)];
        Write("notes.txt", [1]);
        Directory.CreateDirectory(Path.Combine(_folder, "below"));
        File.WriteAllBytes(Path.Combine(_folder, "below", "d.etl"), Trace);
        Array.Sort(all, StringComparer.Ordinal);
        AssertPaths(all, CommandRun.Analyzer(command, _folder, "--format", "json"));

        // What is given twice is described twice, and blamed once.
        (int exitCode, string output, string error) = CommandRun.Analyzer(command, all[1], _folder, "--format", "json");
        AssertPaths(command == "info" ? [all[1], .. all] : [all[1], all[0], all[2]], (exitCode, output, ""));
        Assert.Equal(command == "info" ? "" : $"analyzer: warning: {all[1]} is given twice: it counts once\n", error);

        static byte[] Sample(string name) => File.ReadAllBytes(Path.Combine(RepositoryFiles.Root, "samples", name));
    }

    [Fact]
    public void A_name_with_wildcards_means_the_files_that_fit()
    {
        string[] all = [Write("a1.etl", Trace), Write("a2.etl", Trace)];
        Write("b1.etl", Trace);
        AssertPaths(all, CommandRun.Analyzer("info", Path.Combine(_folder, "a?.e*"), "--format", "json"));
        AssertPaths([all[1]], CommandRun.Analyzer("blame", Path.Combine(_folder, "*2.etl"), "--format", "json"));
        if (!OperatingSystem.IsWindows())
        {
            string literal = Write("a*.etl", Trace);
            AssertPaths([literal], CommandRun.Analyzer("info", literal, "--format", "json"));
        }
    }

    [Theory]
    [InlineData("info")]
    [InlineData("blame")]
    [InlineData("dump")]
    [InlineData("episodes")]
    [InlineData("symbols")]
    [InlineData("latency")]
    public void A_folder_without_a_trace_and_a_pattern_that_nothing_fits_are_told_in_one_sentence(string command)
    {
        Write("notes.txt", [1]);
        foreach ((string path, string message) in new[]
        {
            (_folder, $"the folder {_folder} holds no trace: no file in it ends in .etl, .etl.gz or .etl.zip"),
            (Path.Combine(_folder, "*.etl"), $"no file is called {Path.Combine(_folder, "*.etl")}"),
            (Path.Combine(_folder, "missing", "*.etl"), $"no file is called {Path.Combine(_folder, "missing", "*.etl")}"),
        })
        {
            Assert.Equal((ExitCode.Failed, "", $"analyzer: {message}\n"), CommandRun.Analyzer(command, path));
        }
    }

    [Theory]
    [InlineData("dump")]
    [InlineData("episodes")]
    [InlineData("symbols")]
    public void A_command_of_one_trace_takes_the_only_one_of_a_folder_and_refuses_two(string command)
    {
        string one = Write("a.etl", Trace);
        Assert.Equal(CommandRun.Analyzer(command, one), CommandRun.Analyzer(command, _folder));
        Write("b.etl", Trace);
        (int exitCode, string output, string error) = CommandRun.Analyzer(command, _folder);
        Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
        Assert.Contains("is 2 traces, and this command takes one", error);
    }

    [Fact]
    public void One_bad_trace_of_several_is_told_and_the_others_are_read()
    {
        string[] all = [Write("a.etl", Trace), Write("b.etl", "no trace"u8.ToArray()), Write("c.etl", Trace)];
        (int exitCode, string output, string error) = CommandRun.Analyzer("info", _folder, "--format", "json");
        Assert.Equal(ExitCode.Failed, exitCode);
        Assert.Contains(all[1], error);
        AssertPaths([all[0], all[2]], (0, output, ""));
        (_, string text, _) = CommandRun.Analyzer("info", all[0], all[2]);
        Assert.Equal(
            $"{CommandRun.Analyzer("info", all[0]).Output}\n{CommandRun.Analyzer("info", all[2]).Output}", text);
    }

    private static void AssertPaths(string[] expected, (int ExitCode, string Output, string Error) run)
    {
        Assert.Equal((0, ""), (run.ExitCode, run.Error));
        string[] reports = expected.Length > 1 ? run.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries) : [run.Output];
        Assert.Equal(expected, reports.Select(report =>
        {
            using var json = System.Text.Json.JsonDocument.Parse(report);
            return json.RootElement.GetProperty("trace").GetProperty("path").GetString();
        }));
    }

    private static byte[] Gzip(byte[] bytes)
    {
        using var packed = new MemoryStream();
        using (var gzip = new GZipStream(packed, CompressionLevel.Fastest, leaveOpen: true))
        {
            gzip.Write(bytes);
        }

        return packed.ToArray();
    }

    private static byte[] Zip(CompressionLevel level, params (string Name, byte[] Bytes)[] files)
    {
        using var packed = new MemoryStream();
        using (var zip = new ZipArchive(packed, ZipArchiveMode.Create, leaveOpen: true))
        {
            foreach ((string name, byte[] bytes) in files)
            {
                using Stream entry = zip.CreateEntry(name, level).Open();
                entry.Write(bytes);
            }
        }

        return packed.ToArray();
    }

    /// <summary>Every command says of a packed trace what it says of the trace itself; only the path is another.</summary>
    private void AssertSame(string packed)
    {
        string plain = Path.Combine(Directory.CreateDirectory(Path.Combine(_folder, "plain")).FullName, "trace.etl");
        File.WriteAllBytes(plain, Trace);
        foreach (string[] command in Commands)
        {
            (int exitCode, string output, string error) = CommandRun.Analyzer([command[0], packed, .. command[1..]]);
            Assert.Equal((0, ""), (exitCode, error));
            Assert.Equal(
                CommandRun.Analyzer([command[0], plain, .. command[1..]]).Output.Replace(Path.GetDirectoryName(plain)!, _folder)
                    .Replace(Path.Combine(_folder, "trace.etl"), packed),
                output);
        }
    }

    private static void AssertFails(string path, params string[] parts)
    {
        foreach (string command in new[] { "info", "blame", "dump", "episodes", "symbols", "latency" })
        {
            (int exitCode, string output, string error) = CommandRun.Analyzer(command, path);
            Assert.Equal((ExitCode.Failed, ""), (exitCode, output));
            Assert.Equal(1, error.Count(one => one == '\n'));
            Assert.StartsWith($"analyzer: {path} ", error);
            Assert.All(parts, part => Assert.Contains(part, error));
        }
    }

    private string Write(string name, byte[] bytes)
    {
        string path = Path.Combine(_folder, name);
        File.WriteAllBytes(path, bytes);
        return path;
    }

    private sealed class Zeros : MemoryStream
    {
        public override int Read(Span<byte> buffer)
        {
            buffer.Clear();
            return buffer.Length;
        }
    }
}
