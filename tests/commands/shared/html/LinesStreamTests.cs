using System.Text;
using Tracer.AnalyzerShared.Html;
using Tracer.CommandLine;

namespace Tracer.Commands.Tests.Shared.Html;

public class LinesStreamTests
{
    /// <summary>Letters of one to four bytes, pairs of surrogates among them, in pieces that end anywhere.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(5)]
    [InlineData(16_383)]
    [InlineData(16_384)]
    [InlineData(16_385)]
    [InlineData(100_000)]
    public void Text_comes_through_whole_however_it_is_cut(int piece)
    {
        string text = string.Concat(Enumerable.Repeat("a\u00E9\u20AC\U0001F50A\n", 9_000)) + "a";
        var inner = new StringWriter { NewLine = "\n" };
        using var lines = new LinesStream(PrintableWriter.Before(inner));
        byte[] bytes = Encoding.UTF8.GetBytes(text);
        for (int at = 0; at < bytes.Length; at += piece)
        {
            lines.Write(bytes, at, Math.Min(piece, bytes.Length - at));
        }

        Assert.Equal(text, inner.ToString());
    }

    /// <summary>What is serialized comes in pieces: 20 MB are nowhere in memory as one.</summary>
    [Fact]
    public void A_long_report_comes_in_pieces()
    {
        BlameReport report = BlameSamples.All["driver"] with { Warnings = [.. Enumerable.Range(0, 200_000).Select(i => $"{i,100}")] };
        using var pieces = new LongestPiece();
        ReportJson.Write(pieces, report, indented: true);
        Assert.True(pieces.All > 20_000_000);
        Assert.InRange(pieces.Longest, 1, 256 * 1024);
    }

    private sealed class LongestPiece : MemoryStream
    {
        public long All { get; private set; }

        public int Longest { get; private set; }

        public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

        public override void Write(ReadOnlySpan<byte> buffer)
        {
            All += buffer.Length;
            Longest = Math.Max(Longest, buffer.Length);
        }
    }
}
