using System.Text.Json.Nodes;

namespace Tracer.Commands.Tests.Latency;

/// <summary><c>analyzer latency --graph</c>: what it tells, and what it says of a file that is none.</summary>
public sealed class GraphTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-graph-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void The_text_tells_what_fits_and_what_dominates()
    {
        (int exitCode, string output, string error) = Latency(
            Sample("nic-behind-ndis.etl"), "--graph", "tests/commands/latency/graph.json", "--per", "none");
        Assert.Equal((ExitCode.Done, ""), (exitCode, error));
        GoldenText.AssertEqual("tests/commands/latency/graph.txt", output[output.IndexOf("Graph,", StringComparison.Ordinal)..]);
    }

    [Fact]
    public void The_JSON_has_it_and_can_be_read_again()
    {
        string graph = "tests/commands/latency/graph.json";
        string report = Path.Combine(_folder, "report.json");
        Assert.Equal(ExitCode.Done, Latency(Sample("nic-behind-ndis.etl"), "--graph", graph, "--format", "json", "-o", report).ExitCode);
        JsonNode told = JsonNode.Parse(File.ReadAllText(report))!["graph"]!;
        Assert.Equal(["synth", "mixer", "meter"], told["nodes"]!.AsArray().Select(node => (string?)node!["name"]));
        Assert.Equal("ndis.sys", (string?)told["nodes"]![0]!["terms"]![0]!["name"]);
        Assert.Equal(ExitCode.Done, Latency(report).ExitCode);
        (int exitCode, _, string error) = Latency(report, "--graph", graph);
        Assert.Equal(ExitCode.WrongUsage, exitCode);
        Assert.Contains("--graph needs traces: reports do not tell what ran when", error);
    }

    [Theory]
    [InlineData("", "is not JSON: line 1 can't be read")]
    [InlineData("[]", "a graph is an object with the list \"nodes\"")]
    [InlineData("""{"nodes": []}""", "a graph has 1 to 64 nodes")]
    [InlineData("""{"nodes": [1]}""", "node 1 is not an object")]
    [InlineData("""{"nodes": [{}]}""", "node 1 has no \"name\"")]
    [InlineData("""{"nodes": [{"name": "a"}], "cpu": 1}""", "\"cpu\" is not a field of a graph; it has nodes and process")]
    [InlineData("""{"nodes": [{"name": "a"}], "process": ""}""", "\"process\" is not the name of a program")]
    [InlineData("""{"nodes": [{"name": "a", "work": "1ms", "priority": 9}]}""", "node \"a\": it has no \"period\"")]
    [InlineData("""{"nodes": [{"name": "a", "period": 10, "work": "1ms", "priority": 9}]}""", "\"period\" is not a time such as \"2.5ms\"")]
    [InlineData("""{"nodes": [{"name": "a", "period": "10ms", "work": "0ms", "priority": 9}]}""", "\"work\"")]
    [InlineData("""{"nodes": [{"name": "a", "period": "2s", "work": "1ms", "priority": 9}]}""", "a period is at most 1 s")]
    public void A_file_that_is_no_graph_ends_with_one_sentence(string text, string sentence) => AssertRefused(text, sentence);

    [Theory]
    [InlineData("", "\"priority\" is not a whole number from 1 to 31")]
    [InlineData(""", "priority": 32""", "\"priority\" is not a whole number from 1 to 31")]
    [InlineData(""", "priority": 9, "buffers": 1""", "\"buffers\" is not a whole number from 2 to")]
    [InlineData(""", "priority": 9, "cost": 1""", "\"cost\" is not a field of a node")]
    [InlineData(""", "priority": 9, "after": 1""", "\"after\" is not a list of names")]
    [InlineData(""", "priority": 9, "after": ["b"]""", "comes after \"b\", which is not a node")]
    [InlineData(""", "priority": 9, "after": ["a"]""", "comes after itself, or after a ring of others")]
    public void A_node_that_is_none_ends_with_one_sentence(string fields, string sentence) =>
        AssertRefused($$"""{"nodes": [{"name": "a", "period": "10ms", "work": "1ms"{{fields}}}]}""", sentence);

    private void AssertRefused(string text, string sentence)
    {
        string path = Path.Combine(_folder, "graph.json");
        File.WriteAllText(path, text);
        (int exitCode, string output, string error) = Latency(Sample("nic-behind-ndis.etl"), "--graph", path);
        Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
        Assert.Contains(sentence, error);
        Assert.Contains("--graph: ", error);
    }

    [Fact]
    public void Nodes_of_one_chain_have_one_period_and_names_are_unique()
    {
        const string Node = """{"name": "a", "period": "10ms", "work": "1ms", "priority": 9}""";
        Assert.Contains("node \"a\" is there twice", ErrorOf($$"""{"nodes": [{{Node}}, {{Node}}]}"""));
        Assert.Contains("which has another period", ErrorOf(
            $$"""{"nodes": [{{Node}}, {"name": "b", "period": "5ms", "work": "1ms", "priority": 9, "after": ["a"]}]}"""));
        Assert.Contains("is too large for a graph", ErrorOf(new string(' ', (1 << 20) + 1)));
        Assert.Contains("--graph: ", Latency(Sample("nic-behind-ndis.etl"), "--graph", Path.Combine(_folder, "none.json")).Error);
        Assert.Contains("a graph is printed with --format text or json", Latency(
            Sample("nic-behind-ndis.etl"), "--graph", "tests/commands/latency/graph.json", "--format", "csv").Error);
    }

    private string ErrorOf(string text)
    {
        string path = Path.Combine(_folder, "bad.json");
        File.WriteAllText(path, text);
        return Latency(Sample("nic-behind-ndis.etl"), "--graph", path).Error;
    }

    private static string Sample(string name) => Path.Combine("samples", name);

    private static (int ExitCode, string Output, string Error) Latency(params string[] arguments) =>
        CommandRun.Analyzer(["latency", .. arguments]);
}
