using System.IO.Compression;
using System.Text;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.AnalyzerShared.Html;
using Tracer.AnalyzerShared.Viewer;

namespace Tracer.Commands.Tests.Shared.Viewer;

/// <summary>What the page in the browser does with what the user gives it, without a browser.</summary>
public class ViewerSessionTests
{
    private const string Nic = "nic-behind-ndis.etl";

    private static readonly byte[] Pdb = Encoding.ASCII.GetBytes("Microsoft C/C++ MSF 7.00\r\n").Concat(new byte[64]).ToArray();

    /// <summary>Analysed once, with other settings, and as before: each time the command's bytes.</summary>
    [Fact]
    public void One_trace_is_analysed_again_with_other_settings()
    {
        using var session = new ViewerSession([Given(Nic, Bytes(Nic))], NoCopy);
        string[] other = ["--threshold=3ms", "--without=gimoxowifi.sys", "--from=1s"];
        Every.Item([[], other, Array.Empty<string>()], settings =>
        {
            BlameResult result = session.Analyse(settings, out IReadOnlyList<string> notes);
            Assert.Empty(notes);
            Assert.Equal(Command(Nic, settings), Json(result));
        });
    }

    /// <summary>A packed trace is unpacked once into what the page says, and that is closed with the session.</summary>
    [Fact]
    public void A_packed_trace_is_unpacked_where_the_page_says()
    {
        var copies = new List<Watched>();
        using var packed = new MemoryStream();
        using (var zip = new GZipStream(packed, CompressionLevel.Fastest, leaveOpen: true))
        {
            zip.Write(Bytes(Nic));
        }

        using (var session = new ViewerSession([Given(Nic, packed.ToArray())], Copy))
        {
            Assert.Equal(Command(Nic), Json(session.Analyse([], out _)));
            Assert.Equal(Command(Nic), Json(session.Analyse([], out _)));
            Assert.Equal(Bytes(Nic).Length, Assert.Single(copies).Length);
            Assert.False(copies[0].IsClosed);
        }

        Assert.True(copies[0].IsClosed);

        Watched Copy()
        {
            copies.Add(new Watched());
            return copies[^1];
        }
    }

    [Fact]
    public void One_trace_at_a_time_and_one_at_least()
    {
        Refuses([Given("a.etl", Bytes(Nic)), Given("b.etl", Bytes(Nic))], "these are 2 traces, and the page shows one: a.etl, b.etl; "
            + "give them one after the other");
        Refuses([Given("nic.pdb", Pdb)], "nic.pdb: names of functions, but no trace; give the trace at the same time");
        Refuses([Given("a.txt", Encoding.ASCII.GetBytes(new string('x', 4096)))], "a.txt is no");
        using var session = new ViewerSession([Given("nic.pdb", Pdb), Given("a.etl", Bytes(Nic))], NoCopy);
        session.Analyse([], out IReadOnlyList<string> notes);
        Assert.Equal(
            "nic.pdb: it was not used; no image of this trace whose code was seen late has a PDB of such a name", Assert.Single(notes));
    }

    [Theory]
    [InlineData("--threshold=soon", "--threshold: ")]
    [InlineData("--threshold=0s", "--threshold: '0s' is not a latency")]
    [InlineData("--probe=ear", "--probe")]
    [InlineData("--cpu=9", "--cpu 9: this trace has no such CPU")]
    [InlineData("--from=1h", "--from 3600s: this trace ends at ")]
    [InlineData("--from=event:Nobody", "--from event:Nobody: this trace has no event of that name")]
    [InlineData("--suspect= ", "--suspect: a name such as nvlddmkm.sys is expected")]
    public void A_setting_that_means_nothing_is_named_and_the_next_one_is_obeyed(string setting, string problem)
    {
        using var session = new ViewerSession([Given(Nic, Bytes(Nic))], NoCopy);
        var refusal = Assert.Throws<MeaninglessRequestException>(() => session.Analyse([setting], out _));
        Assert.StartsWith(problem, refusal.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', refusal.Message);
        Assert.Equal(Command(Nic), Json(session.Analyse([], out _)));
    }

    [Fact]
    public void What_is_damaged_is_told()
    {
        byte[] trace = Bytes(Nic);
        using var session = new ViewerSession([Given(Nic, trace[..(trace.Length - 1000)])], NoCopy);
        session.Analyse([], out IReadOnlyList<string> notes);
        Assert.StartsWith($"{Nic}: the file was cut: ", Assert.Single(notes), StringComparison.Ordinal);
    }

    [Fact]
    public void Symbols_have_a_limit_together()
    {
        var symbols = new DroppedSymbols([Given("a.pdb", new byte[600]), Given("b.pdb", new byte[600])], mostBytes: 1000);
        Assert.NotNull(symbols.Open("a.pdb", out _));
        Assert.NotNull(symbols.Open("a.pdb", out _));
        Assert.Null(symbols.Open("b.pdb", out string? problem));
        Assert.Equal("is not read: the PDBs and images of a page together are too large for it", problem);
    }

    private static void Refuses(DroppedFile[] files, string problem)
    {
        var refusal = Assert.ThrowsAny<IOException>(() => new ViewerSession(files, NoCopy).Dispose());
        Assert.StartsWith(problem, refusal.Message, StringComparison.Ordinal);
    }

    private static DroppedFile Given(string name, byte[] bytes) => new(name, () => new MemoryStream(bytes, writable: false));

    private static byte[] Bytes(string sample) => File.ReadAllBytes(Path.Combine(RepositoryFiles.Root, "samples", sample));

    private static Stream NoCopy() => throw new InvalidOperationException("Nothing is packed.");

    private static string Json(BlameResult result)
    {
        using var bytes = new MemoryStream();
        PackedJson.Print(result.Report with { Trace = result.Report.Trace with { Path = "" } }, bytes);
        return Encoding.UTF8.GetString(bytes.ToArray());
    }

    private static string Command(string sample, params string[] settings)
    {
        string path = Path.Combine(RepositoryFiles.Root, "samples", sample);
        string json = CommandRun.Analyzer(["blame", path, "--format", "json", .. settings]).Output;
        return json.Replace(System.Text.Json.JsonSerializer.Serialize(path), "\"\"", StringComparison.Ordinal);
    }

    private sealed class Watched : MemoryStream
    {
        private long _length;

        public bool IsClosed { get; private set; }

        public override long Length => IsClosed ? _length : base.Length;

        protected override void Dispose(bool disposing)
        {
            (_length, IsClosed) = (IsClosed ? _length : base.Length, true);
            base.Dispose(disposing);
        }
    }
}
