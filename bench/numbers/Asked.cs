using Tracer.Forecast;

namespace Tracer.Bench.Numbers;

/// <summary>Asks a forecast as a user does.</summary>
internal sealed partial class NumbersOfSeries
{
    private static string ToldOf(MeasuredTail tail, ReturnLevels levels, Buffering buffering) => ToleranceReport.Of(
        tail, [], new ForecastQuestion { Applications = [new AskedApplication("it", buffering)] }, levels.Law)[0].Told.Sentence;

    private static bool KeepsUp(MeasuredTail tail, ReturnLevels levels, PeriodicTask task, long permittedNs) => TaskReport.Of(
        LatencyKind.Thread,
        tail, levels.Law, new ForecastQuestion { Tasks = [task], PermittedNs = permittedNs })[0].KeepsUp == true;

    private static IReadOnlyList<ForecastSelfTest> SelfTestsOf(SeriesFamily family, LatencySeries series)
    {
        double slack = SeriesFamily.Level(family.Exceeds, SeriesFamily.Hour / 40.0);
        return SelfTest.Of(series, new ForecastQuestion
        {
            Applications = [new AskedApplication("it", new Buffering(2, ProbeNs, ProbeNs - slack))],
        });
    }
}
