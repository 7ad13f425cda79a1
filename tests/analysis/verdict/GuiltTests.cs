using Tracer.Contract;

namespace Tracer.Analysis.Tests;

/// <summary>Both sides of the numbers from which on somebody is named, ranked and called certain.</summary>
public class GuiltTests
{
    [Theory]
    [InlineData(2, 2, Confidence.Likely)]
    [InlineData(3, 3, Confidence.Certain)]
    [InlineData(3, 4, Confidence.Certain)]
    [InlineData(3, 5, Confidence.Likely)]
    [InlineData(7, 10, Confidence.Certain)]
    [InlineData(6, 9, Confidence.Likely)]
    [InlineData(70, 100, Confidence.Certain)]
    [InlineData(69, 100, Confidence.Likely)]
    public void Three_samples_and_seven_of_ten_make_an_owner_certain(int samples, int asked, Confidence confidence)
    {
        OwnerFinding finding = new() { Owner = null, Proof = Proof.Stack, Routine = 0, Samples = samples, SamplesAsked = asked };
        Assert.Equal(confidence, CauseNaming.OfSamples(finding));
    }

    /// <summary>It is the highest level that half of the time has.</summary>
    [Theory]
    [InlineData(50, 0, 50, Confidence.Certain)]
    [InlineData(49, 1, 50, Confidence.Likely)]
    [InlineData(49, 0, 51, Confidence.Possible)]
    [InlineData(0, 100, 0, Confidence.Likely)]
    public void Somebody_is_as_sure_as_half_of_his_time(long certain, long likely, long possible, Confidence confidence)
    {
        NamedEpisode episode = Episode(
            1_000, Cause("a.sys", certain, Confidence.Certain), Cause("a.sys", likely, Confidence.Likely),
            Cause("a.sys", possible, Confidence.Possible));
        Assert.Equal(confidence, Assert.Single(BlameRanking.Rank([episode, episode])).Confidence);
    }

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
