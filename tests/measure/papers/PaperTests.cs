using Tracer.Measure.Ground;
using Tracer.Measure.Loads;
using Tracer.Measure.Papers;

namespace Tracer.Measure.Tests;

/// <summary>
/// The papers' figures were typed a second time, here, from the papers and not from the product: a slip of either is found. Each has its
/// counterpart on a machine.
/// </summary>
[Collection("one measurement at a time")]
public sealed class PaperTests
{
    /// <summary>His figures of which he has one for all loads, before those of each.</summary>
    private const string BernadatsFirst = "1611 318 5943 243 ";

    [Theory]
    [InlineData(LoadKind.Idle, "1016 206 1.40 5.19 20.69 42.69 27 294 1068 898 11 192 244 275 84")]
    [InlineData(LoadKind.Cpu, "1015 206 1.4 4.68 20.04 42.39 28 286 1059 887 14 203 222 265 77")]
    [InlineData(LoadKind.Make, "1172 207 4.5 11.48 43.50 80.25 65 409 1506 1570 765 771 807 1033 288")]
    [InlineData(LoadKind.Heap, "1147 207 3.53 9.87 44.91 84.24 69 384 1110 926 12 245 284 381 187")]
    [InlineData(LoadKind.Disk, "1233 206 2.29 7.44 30.81 58.73 45 547 1099 1090 121 180 203 314 268")]
    [InlineData(LoadKind.Net, "1279 206 1.64 5.75 23.74 47.11 31 1289 1375 1510 161 343 663 775 462")]
    [InlineData(LoadKind.Tty, "14594 234 37.49 48.11 70.88 62.84 41 341 1448 1514 643 692 715 352 149")]
    public void Bernadats_figures_are_those_of_each_load(LoadKind load, string secondReading) =>
        Check(PaperName.PaperBernadat, load, BernadatsFirst + secondReading);

    [Theory]
    [InlineData(PaperName.PaperDrummond, "20 30-40 10-15")]
    [InlineData(
        PaperName.PaperRamamritham,
        "none interleaved interleaved 2600 240 125 9 10 6 153 "
        + "75.297 2.654 8.846 27.938 2.523 2.571 16.583 2.362 0.260 43.759 3.356 19.721 44.098 2.673 5.879 "
        + "9.475 2.428 0.242 54.858 3.104 16.523 32.740 2.765 5.184 2.884 2.379 0.004 "
        + "9.473 2.496 0.69 0 6.990 2.445 0.143 0 10.735 3.495 0.2 2 7.211 3.351 0.025 0 14.15 4.738 0.693 4 6.043 4.212 0.014 0 "
        + "126.873 6.150 93.12 52.278 3.55 14.067 30.913 2.615 1.81")]
    [InlineData(PaperName.PaperOsdi, "<1.0 2.6 2.2 24 8.8 45 1.1 15 <3000 0")]
    [InlineData(
        PaperName.PaperJones,
        "31 2384 999 70 31 18114 999 211 20 2144 999 955 33 2396 999 941 34 571 9014 0 4880 0 0 5107 1 9609 127 240")]
    public void Each_figure_is_the_papers_and_has_a_counterpart(PaperName paper, string secondReading) =>
        Check(paper, LoadKind.Idle, secondReading);

    [Fact]
    public void A_load_that_a_paper_does_not_have_is_told()
    {
        PaperProfile profile = PaperProfiles.Of(PaperName.PaperBernadat, new ModelMachine(), LoadKind.Memory);
        Assert.Contains("no workload like 'memory': its figures are those of an idle machine", profile.Notes[^1], StringComparison.Ordinal);
        Assert.Contains("Table 8 (deviations of SleepEx) is blank", profile.Notes[0], StringComparison.Ordinal);
    }

    [Fact]
    public void Figures_of_the_model_stand_beside_the_published_ones()
    {
        var request = new MeasureRequest { Duration = Duration.FromMilliseconds(1), WarmUp = Duration.Zero };
        MeasureSummary summary = PaperRun.Run(
            new ModelMachine { SwitchCost = 51_500, SetCost = 200 }, PaperName.PaperDrummond, request, LoadKind.Idle,
            TestContext.Current.CancellationToken);
        Assert.Equal(
            [("page 5", 51.512m), ("page 7", 51.725m)], summary.Rows.Take(2).Select(static row => (row.Place, row.Measured!.Value)));
    }

    /// <summary>Two seconds have no worst of an hour; the row is blank, and a note says how long it takes.</summary>
    [Fact]
    public void The_worst_of_an_hour_takes_an_hour()
    {
        PaperProfile profile = PaperProfiles.Of(PaperName.PaperOsdi, new ModelMachine(), LoadKind.Idle);
        MeasureReport report = MeasureRun.Run(
            new ModelMachine { WakeUp = 2_000 },
            new MeasureRequest { Duration = Duration.FromMilliseconds(5), WarmUp = Duration.Zero, Priority = MeasurePriority.TimeCritical },
            profile.Steps.First(step => step.Name == "wakeup").Make, TestContext.Current.CancellationToken);
        PaperFigure worst = profile.Figures.First(figure => figure.What.Contains("worst an hour"));
        Assert.Null(worst.Value(report));
        Assert.NotNull(worst.Value(report with { Elapsed = Duration.FromSeconds(3600) }));
        Assert.Contains("--duration 1h", profile.Notes[1]);
    }

    private static void Check(PaperName paper, LoadKind load, string secondReading)
    {
        // Two threads of a model that wake each other take their time; of the other columns only the published figures differ.
        var length = Duration.FromMilliseconds(paper == PaperName.PaperDrummond || load != LoadKind.Idle ? 12 : 120);
        var request = new MeasureRequest { Duration = length, WarmUp = Duration.Zero };
        MeasureSummary summary = PaperRun.Run(
            new ModelMachine
            {
                SwitchCost = 1_500,
                WakeUp = 2_000,
                ReadCost = 500,
                AlarmDelay = 2_000,
                AlarmLength = 4_000,
                DiskTime = 90_000,
            },
            paper, request, load, TestContext.Current.CancellationToken);
        Assert.Equal(
            secondReading.Split(' '),
            summary.Rows.Select(static row => row.Published
                .Replace(" to ", "-", StringComparison.Ordinal).Replace("below ", "<", StringComparison.Ordinal)));
        // The model has calls of its own and no driver, and nothing interrupts it.
        Assert.All(
            load == LoadKind.Idle ? summary.Rows : [],
            static row => Assert.True(
                row.Measured is not null || row.What.Contains("()") || row.What.Contains("longest")
                    || row.What.Contains("an hour")
                    || row.What.Contains("needs the driver"),
                row.What));
        Assert.All(summary.Rows, static row => Assert.InRange(row.What.Length, 10, 53));
        Assert.NotEmpty(summary.Notes);
    }
}
