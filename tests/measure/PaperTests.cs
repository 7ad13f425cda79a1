using Tracer.Contract;

namespace Tracer.Measure.Tests;

/// <summary>
/// The papers' figures were typed a second time, here, from the papers and not from the product: a slip of either is found. Each has its
/// counterpart on a machine.
/// </summary>
[Collection("one measurement at a time")]
public sealed class PaperTests
{
    [Theory]
    [InlineData(PaperName.PaperBernadat, "1611 318 5943 243 1016 1068 898 20.69 244 42.69 275 27 84")]
    [InlineData(PaperName.PaperDrummond, "20 30-40")]
    [InlineData(
        PaperName.PaperRamamritham,
        "2600 240 125 9 6 75.297 2.654 8.846 27.938 2.523 2.571 16.583 2.362 0.260 43.759 3.356 19.721 44.098 2.673 5.879 "
        + "9.475 2.428 0.242 54.858 3.104 16.523 32.740 2.765 5.184 2.884 2.379 0.004")]
    [InlineData(PaperName.PaperOsdi, "<3000 0")]
    [InlineData(PaperName.PaperJones, "31 2384 999 70 20 2144 999 955")]
    public void Each_figure_is_the_papers_and_has_a_counterpart(PaperName paper, string secondReading)
    {
        // Two threads of a model that wake each other take their time.
        var length = Duration.FromMilliseconds(paper == PaperName.PaperDrummond ? 1 : 120);
        var request = new MeasureRequest { Duration = length, WarmUp = Duration.Zero };
        MeasureSummary summary = PaperRun.Run(
            new ModelMachine { SwitchCost = 1_500, WakeUp = 2_000 }, paper, request, TestContext.Current.CancellationToken);
        Assert.Equal(
            secondReading.Split(' '),
            summary.Rows.Select(static row => row.Published
                .Replace(" to ", "-", StringComparison.Ordinal).Replace("below ", "<", StringComparison.Ordinal)));
        // The model has calls of its own, and nothing interrupts it.
        Assert.All(
            summary.Rows,
            static row => Assert.True(row.Measured is not null || row.What.Contains("()") || row.What.StartsWith("longest"), row.What));
        Assert.All(summary.Rows, static row => Assert.InRange(row.What.Length, 10, 53));
    }

    [Fact]
    public void Figures_of_the_model_stand_beside_the_published_ones()
    {
        var request = new MeasureRequest { Duration = Duration.FromMilliseconds(1), WarmUp = Duration.Zero };
        MeasureSummary summary = PaperRun.Run(
            new ModelMachine { SwitchCost = 1_500, SetCost = 200 }, PaperName.PaperDrummond, request,
            TestContext.Current.CancellationToken);
        Assert.Equal([("page 5", 1.512m), ("page 7", 1.725m)], summary.Rows.Select(static row => (row.Place, row.Measured!.Value)));
    }
}
