namespace Tracer.Etl.Tests.Conformance;

/// <summary>Real traces, against what TraceEvent made of them on Windows.</summary>
public class BaselineTests
{
    public static TheoryData<string> Traces => [.. BaselineFile.Traces];

    [Theory]
    [MemberData(nameof(Traces))]
    public void Every_line_of_a_baseline_is_one_event_of_ours(string trace) => Assert.Empty(BaselineComparison.Of(trace).Unmatched);

    [Theory]
    [MemberData(nameof(Traces))]
    public void Every_difference_from_a_baseline_is_explained(string trace) => Assert.DoesNotContain(
        BaselineComparison.Of(trace).Differences, difference => KnownDifference.Find(trace, difference) is null);

    [Fact]
    public void Every_explanation_explains_something()
    {
        RepositoryFiles.Corpus();
        Every.Item(KnownDifference.All, known => Assert.Contains(
            BaselineComparison.Of(known.Trace).Differences, difference => KnownDifference.Find(known.Trace, difference) == known));
    }

    [Theory]
    [MemberData(nameof(Traces))]
    public void Events_of_every_name_are_as_many_as_the_baseline_counts(string trace)
    {
        BaselineComparison comparison = BaselineComparison.Of(trace);
        string[] names =
        [
            .. comparison.Counts.Keys.Union(comparison.BaselineCounts.Keys).Where(name => !BaselineNames.NotPrinted.ContainsKey(name)),
        ];
        Assert.Equal(
            names.Select(name => $"{name}: {comparison.BaselineCounts.GetValueOrDefault(name)}"),
            names.Select(name => $"{name}: {comparison.Counts.GetValueOrDefault(name)}"));
        Every.Item(BaselineNames.NotPrinted.Keys, name => Assert.False(comparison.BaselineCounts.ContainsKey(name), name));
    }

    [Theory]
    [InlineData("perfview-gcevents", 52, 450)]
    [InlineData("perfview-gcrundownevents", 25, 270)]
    [InlineData("perfview-net.4.5.2.x64", 480, 4_100)]
    [InlineData("perfview-primitive-types", 6, 90)]
    public void A_comparison_leaves_no_field_out(string trace, int lines, int atLeast)
    {
        BaselineComparison comparison = BaselineComparison.Of(trace);
        int found = BaselineFile.Read(trace).Lines.Sum(line => line.Fields.Count(field => field.Name is not ("ProceNum" or "DataLen")));
        Assert.Equal((lines, found), (comparison.Lines, comparison.Fields));
        Assert.True(comparison.Fields >= atLeast, $"{comparison.Fields} fields");
    }
}
