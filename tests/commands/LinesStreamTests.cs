using System.Text;
using Tracer.AnalyzerCommand;
using Tracer.CommandLine;

namespace Tracer.Commands.Tests;

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
}
