using Tracer.AnalyzerCommand.Commands.Fleet.Questions;
using Tracer.AnalyzerCommand.Commands.Fleet.Store;
using Tracer.Commands.Tests.Fleet.Made;

namespace Tracer.Commands.Tests.Fleet.Questions;

/// <summary>A machine whose clock is wrong does not say for others what is new.</summary>
public sealed class FleetTimesTests
{
    private static readonly DateTimeOffset Now = MadeCase.Start.AddDays(20);

    [Theory]
    [InlineData("9999-12-31T23:59:59Z", "after 2025-03-24")]
    [InlineData("2025-03-24T08:00:01Z", "after 2025-03-24")]
    [InlineData("1999-12-31T23:59:59Z", "before 2000-01-01")]
    [InlineData("1601-01-01T00:00:00Z", "before 2000-01-01")]
    [InlineData("0001-01-01T00:00:00Z", "before 2000-01-01")]
    public void A_time_that_cannot_be_is_told_and_tells_nothing(string time, string told)
    {
        FleetReport right = Report(Cases());
        FleetReport wrong = Report([.. Cases(), At(time)]);
        Assert.Equal((right.Summary.FromUtc, right.Summary.ToUtc, right.Summary.SinceUtc),
            (wrong.Summary.FromUtc, wrong.Summary.ToUtc, wrong.Summary.SinceUtc));
        FleetCluster cluster = Assert.Single(wrong.Clusters);
        Assert.Equal((right.Clusters[0].LastUtc, right.Clusters[0].Since), (cluster.LastUtc, cluster.Since));
        Assert.Equal(right.Clusters[0].Cases + 1, cluster.Cases);
        Assert.Null(Assert.Single(wrong.Cases!, one => one.Machine == "machine-" + 99.ToString("x16")).RecordedUtc);
        Assert.Single(wrong.Warnings, $"1 of 61 cases claim to be recorded {told}: a clock was wrong, and they do not count for when "
            + "anything was seen (machine-0000000000000063).");
        Assert.DoesNotContain(right.Warnings, warning => warning.Contains("clock", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("2025-03-24T08:00:00Z")]
    [InlineData("2000-01-01T00:00:00Z")]
    public void A_time_that_can_be_counts(string time)
    {
        FleetReport report = Report([.. Cases(), At(time)]);
        DateTime at = DateTime.Parse(time, null, System.Globalization.DateTimeStyles.AdjustToUniversal);
        Assert.Contains(at, new[] { report.Summary.FromUtc!.Value, report.Summary.ToUtc!.Value });
        Assert.DoesNotContain(report.Warnings, warning => warning.Contains("clock", StringComparison.Ordinal));
    }

    private static IEnumerable<CaseReport> Cases() => Enumerable.Range(0, 60).Select(i => MadeCase.Of(
        i, i % 20, i / 20 * 6, [], i >= 40 && i % 2 == 0 ? [MadeCase.Chain("nic.sys", Mechanism.Dpc, "nic.sys+0x10")] : []));

    private static CaseReport At(string time) =>
        MadeCase.Of(60, 99, 0, [], MadeCase.Chain("nic.sys", Mechanism.Dpc, "nic.sys+0x10")) with
        {
            RecordedUtc = DateTime.Parse(time, null, System.Globalization.DateTimeStyles.AdjustToUniversal),
        };

    private static FleetReport Report(IEnumerable<CaseReport> cases)
    {
        using SqliteFleetStore store = FleetClustersTests.Loaded(cases);
        FleetBuilder builder = new(store, FleetTimes.At(Now), _ => new Dictionary<string, string>());
        string id = builder.Make(FleetOrder.Machines, null, null)!.Clusters[0].Id;
        return new FleetBuilder(store, FleetTimes.At(Now), _ => new Dictionary<string, string>())
            .Make(FleetOrder.Machines, FleetSince.Parse("5d"), id)!;
    }
}
