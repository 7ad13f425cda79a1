using System.Text.Json.Nodes;

namespace Tracer.Commands.Tests.Pack;

/// <summary>Hundreds of secrets are planted in a trace, and none is found in its pack; blame of it says what it said.</summary>
public sealed class PackSecretsTests : IDisposable
{
    private const int FewestSecrets = 500;

    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-pack-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void No_planted_secret_is_found_in_a_pack()
    {
        string trace = Path.Combine(_folder, "planted.etl");
        int planted;
        using (EtlReader source = EtlReader.Open(Path.Combine(RepositoryFiles.Root, "samples", "nic-behind-ndis.etl")))
        using (FileStream output = File.Create(trace))
        {
            planted = PlantedSecrets.Write(source, output);
        }

        Assert.InRange(planted, FewestSecrets, 5000);
        List<string> found = [];
        SecretSearch.Look("planted", File.ReadAllBytes(trace), found);
        Assert.Equal(4 + PlantedSecrets.Numbers.Length, found.Count); // Who finds nothing here finds nothing there either.

        string pack = Path.Combine(_folder, "case.zip");
        (int exitCode, string told, string error) = CommandRun.Analyzer("pack", trace, "-o", pack);
        Assert.Equal((ExitCode.Done, ""), (exitCode, error));
        Assert.Contains(", as in the whole trace\n", told);
        Assert.Empty(SecretSearch.Find(File.ReadAllBytes(pack)));

        JsonNode blame = JsonNode.Parse(CommandRun.Analyzer("blame", pack, "--format", "json").Output)!;
        Assert.Equal("gimoxowifi.sys", (string?)blame["summary"]!["culprit"]);

        // With the names kept, they are all there: the search would have found them.
        string kept = Path.Combine(_folder, "kept.zip");
        Assert.Equal(ExitCode.Done, CommandRun.Analyzer("pack", trace, "--keep-names", "-o", kept).ExitCode);
        Assert.NotEmpty(SecretSearch.Find(File.ReadAllBytes(kept)));
    }
}
