using Tracer.Analysis.Causes;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Tests.Mechanisms;

/// <summary>Both sides of what makes somebody certain, likely or possible.</summary>
public class CulpritConfidenceTests
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
        Assert.Equal(confidence, CulpritConfidence.OfSamples(finding));
    }

    /// <summary>It is the highest level that half of the time has.</summary>
    [Theory]
    [InlineData(50, 0, 50, Confidence.Certain)]
    [InlineData(49, 1, 50, Confidence.Likely)]
    [InlineData(49, 0, 51, Confidence.Possible)]
    [InlineData(0, 100, 0, Confidence.Likely)]
    public void Somebody_is_as_sure_as_half_of_his_time(long certain, long likely, long possible, Confidence confidence) => Assert.Equal(
        confidence,
        CulpritConfidence.OfAll(
            [Cause(certain, Confidence.Certain), Cause(likely, Confidence.Likely), Cause(possible, Confidence.Possible)]));

    [Theory]
    [InlineData(nameof(LockEvidence.Coincidence), false, Confidence.Possible)]
    [InlineData(nameof(LockEvidence.Coincidence), true, Confidence.Likely)]
    [InlineData(nameof(LockEvidence.CommonEnd), true, Confidence.Likely)]
    [InlineData(nameof(LockEvidence.Hold), true, Confidence.Likely)]
    [InlineData(nameof(LockEvidence.HoldAndWait), false, Confidence.Certain)]
    public void A_pair_that_repeats_is_likely_and_only_records_of_both_make_it_certain(
        string evidence, bool isRepeated, Confidence confidence) =>
        Assert.Equal(confidence, CulpritConfidence.OfLock(Enum.Parse<LockEvidence>(evidence), isRepeated));

    [Fact]
    public void A_cap_lowers_and_never_raises()
    {
        Assert.Equal(Confidence.Likely, Confidence.Certain.AtMost(Confidence.Likely));
        Assert.Equal(Confidence.Possible, Confidence.Possible.AtMost(Confidence.Likely));
    }

    private static NamedCause Cause(long ticks, Confidence confidence) => new()
    {
        Kind = CulpritKind.Driver,
        Name = "a.sys",
        Mechanism = Mechanism.Dpc,
        Ticks = ticks,
        Proof = Proof.Routine,
        Confidence = confidence,
    };
}
