namespace Tracer.Etl.Tests.Conformance;

/// <summary>The corpus, read by another reader.</summary>
[Trait("Speed", "slow")]
[Trait("Against", "peers")]
public class DissectComparisonTests
{
    [Fact]
    public void Dissect_finds_the_same_events_with_the_same_headers_in_every_file() =>
        Assert.Equal(DissectComparison.All.Select(file => file.Theirs), DissectComparison.All.Select(file => file.Ours));

    [Fact]
    public void What_is_stored_of_its_answers_is_what_it_says() =>
        GoldenText.AssertEqual(DissectComparison.StoredFile, DissectComparison.Answers());
}
