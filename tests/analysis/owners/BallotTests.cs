using Tracer.Analysis.Machine;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Tests.Owners;

/// <summary>The runs most like the one in question decide, once their samples are enough.</summary>
public class BallotTests
{
    private static readonly QueueLine Line = new(0, 0x71, 0x1000);
    private static readonly RunTraits Asked = new(0x9000, 0, Line, 12);
    private static readonly RunTraits Elsewhere = Asked with { Line = Line with { Vector = 0x80, Isr = 0x2000 } };

    /// <summary>Ten samples decide though they disagree; nine leave it to more runs.</summary>
    [Theory]
    [InlineData(4, "Cpu", 7)]
    [InlineData(5, "Line", null)]
    public void Ten_samples_of_one_interrupt_decide(int others, string expected, int? winner)
    {
        Ballot? ballot = Ballot.Decide([(Asked, 7, 5), (Asked, 8, others), (Elsewhere, 7, 100)], Asked);
        Assert.Equal((expected, winner), (ballot?.Of.ToString(), ballot?.Winner));
    }

    /// <summary>Three that agree decide; two leave it to more runs.</summary>
    [Theory]
    [InlineData(2, 7)]
    [InlineData(3, 8)]
    public void Three_samples_that_agree_decide(int samples, int winner) =>
        Assert.Equal(winner, Ballot.Decide([(Asked, 8, samples), (Elsewhere, 7, 100)], Asked)?.Winner);

    [Theory]
    [InlineData(2, false)]
    [InlineData(3, true)]
    public void Fewer_than_three_in_all_say_nothing(int samples, bool isTold) =>
        Assert.Equal(isTold, Ballot.Decide([(Asked, 8, 1), (Elsewhere, 7, samples - 1)], Asked) is not null);

    /// <summary>Runs of a similar length are asked before all others of the interrupt; one power of two off is similar.</summary>
    [Theory]
    [InlineData(13, 7)]
    [InlineData(14, 8)]
    public void Runs_of_similar_length_go_first(byte length, int winner) => Assert.Equal(
        winner,
        Ballot.Decide([(Asked with { Length = length }, 7, 50), (Asked, 8, 3), (Asked with { Length = 13 }, 8, 0)], Asked)?.Winner);

    [Theory]
    [InlineData(9, 10, true)]
    [InlineData(89, 100, false)]
    [InlineData(90, 100, true)]
    public void Nine_of_ten_are_nearly_all(int some, int all, bool isNearlyAll) => Assert.Equal(isNearlyAll, Ballot.IsNearlyAll(some, all));
}
