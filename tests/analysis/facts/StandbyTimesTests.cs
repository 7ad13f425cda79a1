using Tracer.Analysis.Facts;
using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Facts;

/// <summary>When a trace was in Modern Standby, by its entries and exits alone.</summary>
public class StandbyTimesTests
{
    [Theory]
    [InlineData("", 10, 20, false)]
    [InlineData("+10 -20", 10, 20, true)]
    [InlineData("+10 -20", 9, 20, false)]
    [InlineData("+10 -20", 10, 21, false)]
    [InlineData("-20", 1, 20, true)] // It began in it,
    [InlineData("+10", 10, 1_000, true)] // and it ended in it.
    [InlineData("+10 -20 +30 -40", 12, 35, false)]
    [InlineData("+10 -20 +30 -40", 30, 40, true)]
    [InlineData("+10 +12 -20", 10, 20, true)] // One was told twice,
    [InlineData("+10 -20 -25", 20, 25, false)] // and so was its end.
    public void A_stretch_is_in_standby_when_all_of_it_is(string changes, long from, long to, bool isIn)
    {
        // Of two CPUs, whose records are read one CPU after the other.
        string text = "cpus 2\n" + string.Concat(changes.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select((change, index) =>
            $"{change[1..]}us cpu{(index + 1) % 2} standby{(change[0] == '-' ? " left" : "")}\n"));
        using EtlReader reader = EtlReader.Open(new MemoryStream(ScenarioFile.Write(ScenarioText.Read("standby", text))));
        Assert.Equal(isIn, TraceFacts.Read(reader).Standby.Covers(At(from), At(to)));

        static long At(long us) => ScenarioShape.UsualStart + (us * 10);
    }
}
