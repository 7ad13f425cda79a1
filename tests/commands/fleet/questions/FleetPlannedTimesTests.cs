using Tracer.AnalyzerCommand.Commands.Fleet.Questions;
using Tracer.AnalyzerCommand.Commands.Fleet.Store;
using Tracer.Commands.Tests.Fleet.Made;

namespace Tracer.Commands.Tests.Fleet.Questions;

/// <summary>Causes that come when something was planned are seen across traces, and what only looks so is not told.</summary>
public sealed class FleetPlannedTimesTests
{
    private const long Minute = 60_000;
    private const long Hour = 60 * Minute;
    private const long Day = 24 * Hour;

    private const long Start = 20_000 * Day;

    /// <summary>A few seconds to either side, and on the two machines.</summary>
    private static readonly (string, long)[] AtTenAndForty =
    [
        .. Enumerable.Range(0, 10).Select(
            i => ($"m{i % 2}", Start + (i * 7 * Hour) + ((i % 2 == 0 ? 10 : 40) * Minute) + ((i % 5 - 2) * 9_000L))),
    ];

    private static readonly (string, long)[] Scattered =
        [.. Enumerable.Range(0, 40).Select(i => ("m1", Start + (i * 3 * Hour) + (i * 37 % 60 * Minute)))];

    [Fact]
    public void Two_minutes_of_the_hour_are_found()
    {
        FleetClockTimes found = FleetPlannedTimes.Of(AtTenAndForty, [.. AtTenAndForty, .. Scattered])!;
        Assert.Equal(("hour", 10, 10, 40), (found.Each, found.Kept, found.Occasions, found.Others));
        Assert.Equal([10, 40], found.AtMinutes);
        Assert.True(found.OthersKept < 6);
    }

    [Fact]
    public void A_time_of_the_day_is_found()
    {
        (string, long)[] nightly = [.. Enumerable.Range(0, 8).Select(i => ("m1", Start + (i * Day) + (3 * Hour) + (i * 7 % 20 * Minute)))];
        FleetClockTimes found = FleetPlannedTimes.Of(nightly, nightly)!;
        Assert.Equal(("day", 8, 8, 0), (found.Each, found.Kept, found.Occasions, found.Others));
        Assert.InRange(Assert.Single(found.AtMinutes), 180, 210);
    }

    /// <summary>As many that come whenever they like are no plan.</summary>
    [Fact]
    public void Scattered_cases_keep_no_times() => Assert.Null(FleetPlannedTimes.Of(Scattered, Scattered));

    /// <summary>Six occasions in as many hours are needed.</summary>
    [Theory]
    [InlineData(5, false)]
    [InlineData(6, true)]
    public void Few_occasions_are_no_habit(int times, bool isTold)
    {
        (string, long)[] cases = [.. Enumerable.Range(0, times).Select(i => ("m1", Start + (i * 5 * Hour) + (20 * Minute)))];
        Assert.Equal(isTold, FleetPlannedTimes.Of(cases, cases) is not null);
    }

    /// <summary>A bad hour of many machines is one hour.</summary>
    [Fact]
    public void Many_machines_in_one_hour_are_no_habit()
    {
        (string, long)[] cases = [.. Enumerable.Range(0, 40).Select(i => ($"m{i}", Start + (20 * Minute)))];
        Assert.Null(FleetPlannedTimes.Of(cases, cases));
    }

    /// <summary>Where the others were recorded at the same minutes, those are the recorder's.</summary>
    [Theory]
    [InlineData(9, true)]
    [InlineData(10, false)]
    public void Planned_recordings_are_no_planned_cause(int atTheSame, bool isTold)
    {
        (string, long)[] others =
        [
            .. Enumerable.Range(0, 20).Select(
                i => ("m9", Start + (i * 11 * Hour) + ((i < atTheSame ? 40 : 43 + (i * 7 % 17)) * Minute))),
        ];
        Assert.Equal(isTold, FleetPlannedTimes.Of(AtTenAndForty, [.. AtTenAndForty, .. others]) is not null);
    }

    /// <summary>Two of eight at a second minute are a quarter, which makes it a time. Two of nine are too many to be missed.</summary>
    [Theory]
    [InlineData(6, true)]
    [InlineData(7, false)]
    public void A_second_time_has_a_quarter_of_the_occasions(int atFirst, bool isTold)
    {
        (string, long)[] cases = [.. Enumerable.Range(0, atFirst + 2).Select(
            i => ("m1", Start + (i * 5 * Hour) + ((i < atFirst ? 10 : 40) * Minute)))];
        FleetClockTimes? found = FleetPlannedTimes.Of(cases, cases);
        Assert.Equal(isTold, found is not null);
        Assert.Equal(isTold ? [10, 40] : null, found?.AtMinutes);
    }

    /// <summary>A case of two minutes says at which minute it was, a longer one does not.</summary>
    [Theory]
    [InlineData(120_000_000, true)]
    [InlineData(120_000_001, false)]
    public void Long_cases_say_no_time(long microseconds, bool isTold)
    {
        CaseReport[] cases = [.. Enumerable.Range(0, 8).Select(i => MadeCase.Of(
            i, i, i * 5 / 24.0, [], MadeCase.Chain("nic.sys", Mechanism.Dpc, "nic.sys!Receive"))
            with { Duration = Duration.FromMicroseconds(microseconds) })];
        using SqliteFleetStore store = FleetClustersTests.Loaded(cases);
        FleetReport report = new FleetBuilder(store, FleetTimes.At(MadeCase.Start.AddYears(1)), _ => new Dictionary<string, string>())
            .Make(FleetOrder.Machines, null, null)!;
        Assert.Equal(isTold, Assert.Single(report.Clusters).ClockTimes is not null);
    }

    /// <summary>Two misses of ten are too many, one is not.</summary>
    [Theory]
    [InlineData(1, true)]
    [InlineData(2, false)]
    public void Nearly_all_keep_the_times(int missed, bool isTold)
    {
        (string, long)[] cases = [.. Enumerable.Range(0, 10).Select(
            i => ("m1", Start + (i * 5 * Hour) + ((i < missed ? 3 + (23 * i) : 50) * Minute)))];
        Assert.Equal(isTold, FleetPlannedTimes.Of(cases, cases) is not null);
    }
}
