using Tracer.Analysis.Causes;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Verdicts;

namespace Tracer.Analysis.Tests.Mechanisms;

/// <summary>Both sides of the numbers from which on somebody is named and ranked.</summary>
public class CulpritThresholdsTests
{
    [Theory]
    [InlineData(20, 100_000, 1_000, true)]
    [InlineData(19, 100_000, 1_000, false)]
    public void From_two_in_a_hundred_on_somebody_is_named(long ticks, long length, int all, bool isNamed)
    {
        // Ten episodes of 100 000 ticks, in each of which he has a fiftieth.
        List<NamedEpisode> episodes = [.. Enumerable.Range(0, 10).Select(_ => Episode(
            length, Cause("small.sys", ticks * length / all, Confidence.Certain), Cause("large.sys", length / 2, Confidence.Certain)))];
        Assert.Equal(isNamed ? ["large.sys", "small.sys"] : ["large.sys"], BlameRanking.Rank(episodes).Select(suspect => suspect.Name));
    }

    [Theory]
    [InlineData(250, true)]
    [InlineData(249, false)]
    public void So_is_who_has_a_quarter_of_one_episode(long ticks, bool isNamed)
    {
        NamedEpisode its = Episode(1_000, Cause("rare.sys", ticks - 100, Confidence.Certain), Cause("RARE.SYS", 100, Confidence.Certain));
        NamedEpisode other = Episode(1_000_000, Cause("usual.sys", 900_000, Confidence.Certain));
        Assert.Equal(
            isNamed ? ["usual.sys", "rare.sys"] : ["usual.sys"], BlameRanking.Rank([its, other]).Select(suspect => suspect.Name));
    }

    /// <summary>Of 10 episodes of 1,000 ticks, 200 are two in a hundred, and 250 of one are a quarter of it.</summary>
    [Theory]
    [InlineData(20, "Dpc 6000, RaisedIrql 200")]
    [InlineData(19, "Dpc 6190")]
    public void A_mechanism_has_a_row_of_its_own_from_two_in_a_hundred_on(long ticks, string rows) => Assert.Equal(
        rows, Rows([.. Enumerable.Range(0, 10).Select(_ => Episode(1_000, Nic(Mechanism.Dpc, 600), Nic(Mechanism.RaisedIrql, ticks)))]));

    [Theory]
    [InlineData(250, "Dpc 90000, RaisedIrql 250")]
    [InlineData(249, "Dpc 90249")]
    public void So_has_one_with_a_quarter_of_one_episode(long ticks, string rows) => Assert.Equal(
        rows, Rows([Episode(1_000, Nic(Mechanism.RaisedIrql, ticks)), Episode(100_000, Nic(Mechanism.Dpc, 90_000))]));

    /// <summary>The owner of most time comes first, although another has the largest row; below him stand all of his own.</summary>
    [Fact]
    public void Owners_are_ranked_by_all_that_they_did()
    {
        NamedEpisode episode = Episode(
            1_000, Nic(Mechanism.Isr, 290), Nic(Mechanism.Dpc, 300), Cause("other.sys", 400, Confidence.Certain));
        Assert.Equal(
            [("nic.sys", Mechanism.Dpc), ("nic.sys", Mechanism.Isr), ("other.sys", Mechanism.Dpc)],
            BlameRanking.Rank([episode]).Select(suspect => (suspect.Name, suspect.Mechanism)));
    }

    /// <summary>A DPC that is certain says nothing of time at raised IRQL that one sample shows.</summary>
    [Fact]
    public void Each_row_is_as_sure_as_its_own_mechanism()
    {
        NamedEpisode episode = Episode(
            1_000, Nic(Mechanism.Dpc, 500), Nic(Mechanism.RaisedIrql, 400) with { Proof = Proof.Sample, Confidence = Confidence.Possible });
        Assert.Equal(
            [(Proof.Routine, Confidence.Certain), (Proof.Sample, Confidence.Possible)],
            BlameRanking.Rank([episode]).Select(suspect => (suspect.Main.Proof, suspect.Confidence)));
    }

    private static string Rows(List<NamedEpisode> episodes) =>
        string.Join(", ", BlameRanking.Rank(episodes).Select(suspect => $"{suspect.Mechanism} {suspect.Ticks}"));

    private static NamedCause Nic(Mechanism mechanism, long ticks) =>
        Cause("nic.sys", ticks, Confidence.Certain) with { Mechanism = mechanism };

    [Fact]
    public void Who_has_as_much_stands_by_name_and_kind()
    {
        NamedEpisode episode = Episode(
            1_000, Cause("b.sys", 300, Confidence.Certain), Cause("A.sys", 300, Confidence.Certain),
            Cause("a.sys", 300, Confidence.Certain) with { Kind = CulpritKind.Process });
        CulpritKind[] kinds = [CulpritKind.Driver, CulpritKind.Process];
        Assert.Equal(["A.sys", "a.sys", "b.sys"], BlameRanking.Rank([episode]).Select(suspect => suspect.Name));
        Assert.Equal(kinds.Order().Append(CulpritKind.Driver), BlameRanking.Rank([episode]).Select(suspect => suspect.Kind));
    }

    private static NamedEpisode Episode(long length, params NamedCause[] causes) =>
        new(new EpisodeCandidate(new Delay { Probe = ProbeKind.Level, FromTicks = 0, ToTicks = length, Cpu = 0 }), causes);

    private static NamedCause Cause(string name, long ticks, Confidence confidence) => new()
    {
        Kind = CulpritKind.Driver,
        Name = name,
        Mechanism = Mechanism.Dpc,
        Ticks = ticks,
        Proof = Proof.Routine,
        Confidence = confidence,
    };
}
