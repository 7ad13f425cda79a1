using System.Text.Json;

namespace Tracer.Commands.Tests.Symbols;

/// <summary>Names of functions from the PDBs and images beside a trace, and what happens when they are another build's.</summary>
[Trait("Speed", "slow")]
public sealed class SymbolSampleTests : IDisposable
{
    private static readonly string[] Symbols = ["nic.pdb", "nic.sys", "player.pdb", "player.exe"];

    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;

    private static string Sample => Path.Combine(SymbolSample.Folder, "nic.etl");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void The_sample_is_what_its_generator_writes()
    {
        using var made = new MemoryStream();
        SymbolSample.Write(made);
        if (Environment.GetEnvironmentVariable("UPDATE_GOLDEN") == "1")
        {
            File.WriteAllBytes(Sample, made.ToArray());
        }

        Assert.True(made.ToArray().AsSpan().SequenceEqual(File.ReadAllBytes(Sample)), "run with UPDATE_GOLDEN=1 after a wanted change");
        Assert.InRange(Directory.EnumerateFiles(SymbolSample.Folder).Sum(path => new FileInfo(path).Length), 1, 1_000_000);
    }

    [Fact]
    public void Blame_names_functions_by_the_pdbs_beside_the_trace()
    {
        BlameReport report = Blame(Sample, out string error);
        Assert.Equal("", error);
        Culprit nic = report.Culprits[0];
        Assert.Equal("nic.sys", nic.Name);
        Assert.Equal(["nic.sys!NicDpc"], nic.Functions.Select(function => function.Name));
        Assert.Contains(report.Episodes, episode => episode.Causes.Any(cause => cause.Routine == "nic.sys!NicDpc"));
    }

    /// <summary>Samples at many addresses of one function are one line.</summary>
    [Fact]
    public void Samples_of_drivers_and_of_processes_are_summed_by_function()
    {
        BlameReport report = Blame(Sample, out _);
        Episode dpc = report.Episodes.First(episode => episode.Causes.Any(cause => cause.Culprit == "nic.sys"));
        Assert.Equal(
            [("nic.sys", "nic::Ring<unsigned int>::drain", 3L)],
            dpc.Samples.Functions.Select(one => (one.Module, one.Function, (long)one.Count)));
        Episode hog = report.Episodes.Single(episode => episode.Causes.Any(cause => cause.Culprit == "player.exe"));
        Assert.Equal(
            [("player.exe", "player::mix", 4L)], hog.Samples.Functions.Select(one => (one.Module, one.Function, (long)one.Count)));
    }

    [Fact]
    public void Episodes_print_functions_as_the_papers_did()
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer("episodes", Sample, "--top", "1");
        Assert.Equal((0, ""), (exitCode, error));
        Assert.Contains("4 samples in player.exe function player::mix", output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("text")]
    [InlineData("json")]
    public void Dump_names_stacks_samples_and_routines(string format)
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer(
            "dump", Sample, "--provider", "PerfInfo", "--to", "103.2ms", "--format", format);
        Assert.Equal((0, ""), (exitCode, error));
        GoldenText.AssertEqual($"tests/commands/golden/reports/dump-symbols.{(format == "json" ? "json" : "txt")}", output);
    }

    [Fact]
    public void Samples_in_processes_are_named_in_dump()
    {
        (_, string output, _) = CommandRun.Analyzer("dump", Sample, "--name", "SampledProfile", "--from", "500ms");
        Assert.Contains("(player.exe!player::mix+0x", output, StringComparison.Ordinal);
    }

    /// <summary>A PDB of another build must name nothing, and the user is told why.</summary>
    [Fact]
    public void After_one_byte_of_the_guid_differs_the_pdb_is_not_used()
    {
        string trace = Copy(Symbols.Except(["nic.sys"]));
        string id = ChangeGuid("nic.pdb");
        BlameReport report = Blame(trace, out string error);
        Every.Item(report.Culprits[0].Functions, function => Assert.StartsWith("nic.sys+0x", function.Name, StringComparison.Ordinal));
        Assert.Contains("analyzer: warning: ", error, StringComparison.Ordinal);
        Assert.Contains("nic.pdb is ", error, StringComparison.Ordinal);
        Assert.Contains($"not {id}", error, StringComparison.Ordinal);
        (_, string dump, string dumpError) = CommandRun.Analyzer("dump", trace, "--name", "Dpc");
        Assert.Contains("(nic.sys+0x", dump, StringComparison.Ordinal);
        Assert.Contains("nic.pdb is ", dumpError, StringComparison.Ordinal);
    }

    [Fact]
    public void Without_a_pdb_the_image_tells_exports_and_bounds_of_functions()
    {
        BlameReport report = Blame(Copy(["nic.sys"]), out string error);
        Assert.Equal("", error);
        Assert.Equal(["nic.sys!sub_1050"], report.Culprits[0].Functions.Select(function => function.Name));
    }

    [Fact]
    public void An_image_of_another_build_is_not_used()
    {
        string trace = Copy(["nic.sys"]);
        string path = Path.Combine(_folder, "nic.sys");
        byte[] bytes = File.ReadAllBytes(path);
        int header = BitConverter.ToInt32(bytes, 60);
        bytes[header + 8] ^= 1;
        File.WriteAllBytes(path, bytes);
        BlameReport report = Blame(trace, out string error);
        Every.Item(report.Culprits[0].Functions, function => Assert.StartsWith("nic.sys+0x", function.Name, StringComparison.Ordinal));
        Assert.Contains("nic.sys is ", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("SYMBOLS")]
    [InlineData("srv*SYMBOLS")]
    [InlineData("cache*SYMBOLS")]
    public void Symbols_elsewhere_are_found_by_the_path(string path)
    {
        string trace = Copy([]);
        string symbols = Path.Combine(_folder, "elsewhere");
        string store = Path.Combine(symbols, "nic.pdb", KeyOf("nic.pdb"));
        Directory.CreateDirectory(store);
        File.Copy(Path.Combine(SymbolSample.Folder, "nic.pdb"), Path.Combine(store, "nic.pdb"));
        Assert.Equal("nic.sys+0x", Blame(trace, out _).Culprits[0].Functions[0].Name[..10]);
        BlameReport report = Blame(trace, out string error, "--symbols", path.Replace("SYMBOLS", symbols, StringComparison.Ordinal));
        Assert.Equal(("", "nic.sys!NicDpc"), (error, report.Culprits[0].Functions[0].Name));
    }

    [Theory]
    [InlineData("blame")]
    [InlineData("episodes")]
    [InlineData("dump")]
    [InlineData("symbols")]
    public void What_can_not_be_used_in_the_path_is_wrong_usage(string command)
    {
        foreach (string path in new[] { "cache*a*b", "ftp://server/symbols", "symsrv*other.dll*x", "", Sample })
        {
            (int exitCode, string output, string error) = CommandRun.Analyzer(command, Sample, "--symbols", path);
            Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
            Assert.StartsWith("analyzer: --symbols: ", error, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void A_folder_that_is_not_there_is_told_and_the_rest_is_done()
    {
        BlameReport report = Blame(Sample, out string error, "--symbols", Path.Combine(_folder, "missing"));
        Assert.Equal("nic.sys!NicDpc", report.Culprits[0].Functions[0].Name);
        Assert.Contains("--symbols: there is no folder", error, StringComparison.Ordinal);
    }

    /// <summary>192.0.2.1 is no machine's address; whoever asked it would wait, and here would say so.</summary>
    [Fact]
    public void Servers_are_not_asked_unless_the_user_says_so()
    {
        BlameReport report = Blame(Copy([]), out string error, "--symbols", "srv*http://192.0.2.1/symbols");
        Assert.Equal("nic.sys+0x", report.Culprits[0].Functions[0].Name[..10]);
        Assert.Equal("analyzer: symbol servers were not asked; --symbol-server asks them\n", error);
    }

    [Fact]
    public void Dia_is_refused_off_windows_with_a_word()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "DIA may be here");
        (int exitCode, string output, string error) = CommandRun.Analyzer("blame", Sample, "--symbol-engine", "dia");
        Assert.Equal((ExitCode.Failed, ""), (exitCode, output));
        Assert.Contains("Windows", error, StringComparison.Ordinal);
        Assert.Equal(Blame(Sample, out _).Culprits[0].Functions, Blame(Sample, out _, "--symbol-engine", "managed").Culprits[0].Functions);
        (exitCode, _, error) = CommandRun.Analyzer("blame", Sample, "--symbol-engine", "gdb");
        Assert.Equal(ExitCode.WrongUsage, exitCode);
        Assert.Contains("not one of auto, managed, dia", error, StringComparison.Ordinal);
    }

    [Fact]
    public void Each_module_of_a_trace_is_listed_with_what_it_needs_and_what_was_found()
    {
        const string Path = "samples/with-symbols/nic.etl";
        (int exitCode, string output, string error) = CommandRun.Analyzer("symbols", Path);
        Assert.Equal((0, ""), (exitCode, error));
        GoldenText.AssertEqual("tests/commands/golden/reports/symbols-trace.txt", output);
        (exitCode, output, error) = CommandRun.Analyzer("symbols", Path, "--format", "json");
        Assert.Equal((0, ""), (exitCode, error));
        GoldenText.AssertEqual("tests/commands/golden/reports/symbols-trace.json", output);
    }

    [Theory]
    [InlineData("nic.pdb")]
    [InlineData("nic.sys")]
    public void Addresses_are_named_by_a_pdb_or_by_an_image_with_its_pdb_beside(string file)
    {
        string path = Path.Combine(SymbolSample.Folder, file);
        (int exitCode, string output, string error) = CommandRun.Analyzer(
            "symbols", path, "0x1000", "0x1055", "4288", "0x1040", "0x9999", "--format", "json");
        Assert.Equal((0, ""), (exitCode, error));
        GoldenText.AssertEqual("tests/commands/golden/reports/symbols-addresses.json", output);
        (exitCode, output, error) = CommandRun.Analyzer("symbols", path, "0x1000", "0x1055", "0x9999");
        Assert.Equal((0, ""), (exitCode, error));
        Assert.Contains($"{file}!NicDpc+0x5  (private)", output, StringComparison.Ordinal);
        Assert.Contains($"{file}+0x9999  (module)", output, StringComparison.Ordinal);
    }

    [Fact]
    public void Without_its_pdb_an_image_names_exports_and_functions_of_its_unwind_data()
    {
        Copy(["nic.sys"]);
        (_, string output, _) = CommandRun.Analyzer(
            "symbols", Path.Combine(_folder, "nic.sys"), "0x1003", "0x1055", "0x10c0", "--format", "json");
        string[] proofs = [.. output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line =>
        {
            using var json = JsonDocument.Parse(line);
            return $"{json.RootElement.GetProperty("function")} {json.RootElement.GetProperty("proof")}";
        })];
        Assert.Equal(["NicIsr export", "sub_1050 pdata", " module"], proofs);
    }

    [Theory]
    [InlineData("1a2b", "write 0x1a2b")]
    [InlineData("0x", "not an address")]
    [InlineData("0x100000000", "not an address")]
    [InlineData("NicDpc", "not an address")]
    public void What_is_no_address_is_wrong_usage(string address, string hint)
    {
        (int exitCode, _, string error) = CommandRun.Analyzer("symbols", Path.Combine(SymbolSample.Folder, "nic.pdb"), address);
        Assert.Equal(ExitCode.WrongUsage, exitCode);
        Assert.Contains(hint, error, StringComparison.Ordinal);
        Assert.Equal(ExitCode.WrongUsage, CommandRun.Analyzer("symbols", Sample, "0x1000").ExitCode);
    }

    [Fact]
    public void What_is_neither_pdb_nor_image_nor_trace_gives_one_clear_line()
    {
        string text = Path.Combine(_folder, "text.pdb");
        File.WriteAllText(text, "This is a text of some length, and nothing else.");
        string portable = Path.Combine(_folder, "portable.pdb");
        File.WriteAllBytes(portable, [.. "BSJB"u8, .. new byte[64]]);
        foreach (string path in new[] { text, portable, Path.Combine(_folder, "missing.pdb") })
        {
            (int exitCode, string output, string error) = CommandRun.Analyzer("symbols", path);
            Assert.Equal((ExitCode.Failed, ""), (exitCode, output));
            Assert.Equal(1, error.Count(one => one == '\n'));
            Assert.Contains(path, error, StringComparison.Ordinal);
        }
    }

    private static BlameReport Blame(string trace, out string error, params string[] options)
    {
        (int exitCode, string output, error) = CommandRun.Analyzer(["blame", trace, "--format", "json", .. options]);
        Assert.True(exitCode == 0, error);
        return ReportJson.Read<BlameReport>(System.Text.Encoding.UTF8.GetBytes(output));
    }

    private static string KeyOf(string pdb)
    {
        (_, string output, _) = CommandRun.Analyzer("symbols", Path.Combine(SymbolSample.Folder, pdb), "--format", "json");
        using var json = JsonDocument.Parse(output);
        return json.RootElement.GetProperty("modules")[0].GetProperty("pdb").GetProperty("key").GetString()!;
    }

    private string Copy(IEnumerable<string> beside)
    {
        foreach (string name in beside.Append("nic.etl"))
        {
            File.Copy(Path.Combine(SymbolSample.Folder, name), Path.Combine(_folder, name));
        }

        return Path.Combine(_folder, "nic.etl");
    }

    /// <summary>Changes one byte of a PDB's GUID, wherever it stands in the file.</summary>
    /// <returns>The key that it had before.</returns>
    private string ChangeGuid(string pdb)
    {
        string key = KeyOf(pdb);
        byte[] guid = new Guid(key[..32]).ToByteArray();
        string path = Path.Combine(_folder, pdb);
        byte[] bytes = File.ReadAllBytes(path);
        int at = bytes.AsSpan().IndexOf(guid);
        Assert.True(at > 0);
        bytes[at + 5] ^= 1;
        File.WriteAllBytes(path, bytes);
        return key;
    }
}
