using System.IO.Compression;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json.Nodes;
using Tracer.Analysis;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Commands.Pack;
using Tracer.AnalyzerShared.Redact;
using Tracer.Simulator.Scenarios;

namespace Tracer.Commands.Tests.Pack;

/// <summary><c>analyzer pack</c> as a user meets it: what it writes, what it says, and what it refuses without touching a file.</summary>
public sealed class PackCommandTests : IDisposable
{
    private const string Sample = "nic-behind-ndis.etl";

    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-pack-").FullName;

    private string Target => Path.Combine(_folder, "case.zip");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void A_pack_holds_the_evidence_and_is_the_same_each_time()
    {
        (int exitCode, string output, string error) = Pack();
        Assert.Equal((ExitCode.Done, ""), (exitCode, error));
        Assert.StartsWith(Target + ": 6 files in ", output);
        Assert.Contains("\n6 episodes, as in the whole trace\nnames were replaced (31 companies, 1 computer, ", output);
        byte[] first = File.ReadAllBytes(Target);
        Dictionary<string, byte[]> files = Unpacked(first);
        Assert.Equal(
            ["README.txt", "SHA256SUMS", "report.html", "report.json", "trace.etl", "versions.json"],
            files.Keys.Order(StringComparer.Ordinal));
        string[] sums = Encoding.UTF8.GetString(files["SHA256SUMS"]).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(5, sums.Length);
        Every.Item(sums, line => Assert.Equal(Convert.ToHexStringLower(SHA256.HashData(files[line[66..]])), line[..64]));

        // The letter names who, and the command in it says what the pack says.
        string letter = Encoding.UTF8.GetString(files["README.txt"]);
        Assert.Contains("gimoxowifi.sys (behind ndis.sys) is to blame", letter);
        Assert.Contains("  analyzer blame trace.etl --threshold 500us\n", letter);
        string trace = Path.Combine(_folder, "trace.etl");
        File.WriteAllBytes(trace, files["trace.etl"]);
        JsonNode told = JsonNode.Parse(files["report.json"])!;
        JsonNode again = JsonNode.Parse(CommandRun.Analyzer("blame", trace, "--threshold", "500us", "--format", "json").Output)!;
        Assert.Equal(again["episodes"]!.ToJsonString(), told["episodes"]!.ToJsonString());
        Assert.Equal(again["summary"]!.ToJsonString(), told["summary"]!.ToJsonString());
        Assert.Equal("trace.etl", (string?)told["trace"]!["path"]);

        JsonNode versions = JsonNode.Parse(files["versions.json"])!;
        Assert.Equal("tracer.pack/1", (string?)versions["schema"]);
        Assert.Equal(0, (int)versions["compared"]!["toldOtherwise"]!);
        Assert.Contains(versions["drivers"]!.AsArray(), driver =>
            (string?)driver!["name"] == "gimoxowifi.sys" && (string?)driver["version"] == "5.20.166.2465");

        Assert.Equal(ExitCode.Done, Pack().ExitCode);
        Assert.Equal(first, File.ReadAllBytes(Target));
    }

    [Fact]
    public void Who_is_asked_about_has_the_name_of_the_pack()
    {
        (int exitCode, string output, _) = Pack("--process", "nufame.exe", "--show-redactions");
        Assert.Equal(ExitCode.Done, exitCode);
        string replaced = output.Split('\n').Single(line => line.StartsWith("  process   nufame.exe -> ", StringComparison.Ordinal))
            .Split(" -> ")[1];
        Dictionary<string, byte[]> files = Unpacked(File.ReadAllBytes(Target));
        Assert.Equal(replaced, (string?)JsonNode.Parse(files["report.json"])!["settings"]!["process"]);
        Every.Item(files.Values, bytes => Assert.DoesNotContain("nufame", Encoding.Latin1.GetString(bytes)));
        Assert.Contains("--process \"" + replaced + "\"", Encoding.UTF8.GetString(files["README.txt"]));
        Assert.Contains("  driver    gimoxowifi.sys: is to blame, or named with who is\n", output);
        Assert.Contains("  driver    ndis.sys: ", output);
        Assert.Contains("  computer  DESKTOP-95FE5C -> computer-1\n", output);
    }

    [Fact]
    public void A_process_that_is_to_blame_keeps_its_name()
    {
        string trace = Path.Combine(_folder, "hog.etl");
        TruthReport truth = new ScenarioRun(ScenarioCatalog.Find("priority-hog")!, 5) { Duration = Duration.FromSeconds(2) }.WriteTo(trace);
        string culprit = truth.Culprits[0].Name!;
        Assert.Equal(ExitCode.Done, CommandRun.Analyzer("pack", trace, "-o", Target).ExitCode);
        JsonNode report = JsonNode.Parse(Unpacked(File.ReadAllBytes(Target))["report.json"])!;
        Assert.Equal(culprit, (string?)report["summary"]!["culprit"]);
        string[] processes = [.. report["episodes"]!.AsArray().Select(one => (string?)one!["thread"]?["process"]).OfType<string>()];
        Every.Item(processes, name => Assert.True(
            name == culprit || name.StartsWith("process-", StringComparison.Ordinal) || KnownNames.IsProcess(name), name));
    }

    [Fact]
    public void Kept_names_are_kept()
    {
        (int exitCode, string output, _) = Pack("--keep-names");
        Assert.Equal(ExitCode.Done, exitCode);
        Assert.Contains("\nnames were kept: ", output);
        Dictionary<string, byte[]> files = Unpacked(File.ReadAllBytes(Target));
        Assert.Contains("Names were kept", Encoding.UTF8.GetString(files["README.txt"]));
        Assert.Null(JsonNode.Parse(files["versions.json"])!["redaction"]);
    }

    [Fact]
    public void What_would_be_too_large_is_not_packed()
    {
        using EtlReader reader = EtlReader.Open(SamplePath);
        BlameReport whole = BlameAnalysis.Analyze(Sample, reader, new BlameRequest()).Report;
        BlameRequest? part = PackPart.Of(whole, new BlameRequest(), 1);
        Assert.Null(new PackCutting(Sample, reader, whole, null, 5_000).Pack(part!));
        Assert.NotNull(new PackCutting(Sample, reader, whole, null, 2_000_000).Pack(part!));
    }

    [Theory]
    [InlineData("--episodes 2 --from 1s", ExitCode.WrongUsage, "--episodes says which part by itself; leave --from, --to and --at out")]
    [InlineData("--keep-names --show-redactions", ExitCode.WrongUsage, "--keep-names replaces nothing that --show-redactions could list")]
    [InlineData("--episodes 0", ExitCode.WrongUsage, "--episodes: '0' is not a whole number from 1 to 1000")]
    [InlineData("--max-size 0", ExitCode.WrongUsage, "--max-size: '0' is not a whole number from 1 to 500")]
    [InlineData("--keep-name", ExitCode.WrongUsage, "--keep-names")]
    [InlineData("--from 100s", ExitCode.WrongUsage, "--from 100s: this trace ends at ")]
    [InlineData(
        "--threshold 10s --probe thread",
        ExitCode.Failed,
        "there is no episode of 10s or more to pack; lower --threshold, or name a part")]
    public void What_cannot_be_packed_is_told_and_no_file_is_touched(string options, int exit, string why)
    {
        File.WriteAllText(Target, "mine");
        (int exitCode, string output, string error) = Pack(options.Split(' '));
        Assert.Equal((exit, ""), (exitCode, output));
        Assert.Contains(why, error);
        Assert.Equal("mine", File.ReadAllText(Target));
        Assert.Equal([Target], Directory.GetFiles(_folder));
    }

    [Fact]
    public void What_is_no_trace_fails_and_a_trace_is_not_replaced_by_its_pack()
    {
        string file = Path.Combine(_folder, "no.etl");
        File.WriteAllText(file, "no trace");
        Assert.Equal(ExitCode.Failed, CommandRun.Analyzer("pack", file, "-o", Target).ExitCode);
        Assert.Equal(ExitCode.WrongUsage, CommandRun.Analyzer("pack", file, "-o", file).ExitCode);
        Assert.Equal(ExitCode.Failed, CommandRun.Analyzer("pack", SamplePath, "-o", Path.Combine(_folder, "none", "case.zip")).ExitCode);
        Assert.Equal([file], Directory.GetFiles(_folder));
    }

    private static string SamplePath => Path.Combine(RepositoryFiles.Root, "samples", Sample);

    private static Dictionary<string, byte[]> Unpacked(byte[] zip)
    {
        using var archive = new ZipArchive(new MemoryStream(zip));
        Every.Item(archive.Entries, entry => Assert.Equal(1980, entry.LastWriteTime.Year));
        return archive.Entries.ToDictionary(entry => entry.FullName, entry =>
        {
            using Stream content = entry.Open();
            using var all = new MemoryStream();
            content.CopyTo(all);
            return all.ToArray();
        });
    }

    private (int ExitCode, string Output, string Error) Pack(params string[] options) =>
        CommandRun.Analyzer(["pack", SamplePath, .. options, "-o", Target]);
}
