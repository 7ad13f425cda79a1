using Tracer.Analysis.Contents;

namespace Tracer.Analysis.Tests.Contents;

/// <summary>Local time by the zone of a trace's header, beside what the tables of the zones say.</summary>
public class TraceTimeZoneTests
{
    /// <summary>Pacific time since 2007: from the second Sunday of March to the first of November.</summary>
    private static readonly EtlTimeZone Pacific = new(
        480, standardDate: Rule(11, 1), daylightDate: Rule(3, 2), daylightBiasMinutes: -60);

    /// <summary>Sydney: from the first Sunday of October to the first of April.</summary>
    private static readonly EtlTimeZone Sydney = new(
        -600, standardDate: Rule(4, 1, 3), daylightDate: Rule(10, 1), daylightBiasMinutes: -60);

    /// <summary>Berlin: from the last Sunday of March to the last of October.</summary>
    private static readonly EtlTimeZone Berlin = new(
        -60, standardDate: Rule(10, 5, 3), daylightDate: Rule(3, 5), daylightBiasMinutes: -60);

    [Theory]
    [InlineData("2011-08-30T04:56:58", -420)]
    [InlineData("2011-03-13T09:59:59", -480)]
    [InlineData("2011-03-13T10:00:00", -420)]
    [InlineData("2011-11-06T08:59:59", -420)]
    [InlineData("2011-11-06T09:00:00", -480)]
    [InlineData("2011-01-01T00:30:00", -480)]
    public void Summer_in_the_north_is_within_the_year(string utc, int minutes) => Assert.Equal(minutes, Offset(Pacific, utc));

    [Theory]
    [InlineData("2026-01-01T00:00:00", 660)]
    [InlineData("2026-04-04T15:59:59", 660)]
    [InlineData("2026-04-04T16:00:00", 600)]
    [InlineData("2026-10-03T15:59:59", 600)]
    [InlineData("2026-10-03T16:00:00", 660)]
    public void Summer_in_the_south_is_over_new_year(string utc, int minutes) => Assert.Equal(minutes, Offset(Sydney, utc));

    [Theory]
    [InlineData("2026-03-29T01:30:00", "2026-03-29T00:30:00Z")]
    [InlineData("2026-03-29T02:30:00", "")]
    [InlineData("2026-03-29T03:00:00", "2026-03-29T01:00:00Z")]
    [InlineData("2026-10-25T02:30:00", "2026-10-25T00:30:00Z 2026-10-25T01:30:00Z")]
    [InlineData("2026-10-25T03:00:00", "2026-10-25T02:00:00Z")]
    public void A_time_of_the_clocks_is_once_twice_or_never(string local, string utc)
    {
        IReadOnlyList<DateTime> found = new TraceTimeZone(Berlin).UtcOf(Time(local));
        Assert.Equal(utc, string.Join(' ', found.Select(one => one.ToString("yyyy-MM-ddTHH:mm:ss", CultureInfo.InvariantCulture) + "Z")));
    }

    [Fact]
    public void A_zone_without_rules_or_with_senseless_ones_has_one_time_all_year()
    {
        EtlTimeZone[] zones =
        [
            new(-60, daylightBiasMinutes: -60),
            new(-60, standardDate: Rule(13, 1), daylightDate: Rule(3, 1), daylightBiasMinutes: -60),
            new(-60, standardDate: Rule(11, 0), daylightDate: Rule(3, 1), daylightBiasMinutes: -60),
        ];
        Every.Item(zones, zone => Assert.Equal((60, 60), (Offset(zone, "2026-01-01T00:00:00"), Offset(zone, "2026-07-01T00:00:00"))));
        Assert.Equal(0, Offset(new EtlTimeZone(int.MinValue), "2026-01-01T00:00:00"));
        Assert.Equal(TimeSpan.FromMinutes(-480), new TraceTimeZone(Pacific).OffsetAt(DateTime.MinValue));
        Assert.Equal(TimeSpan.FromMinutes(-480), new TraceTimeZone(Pacific).OffsetAt(DateTime.MaxValue));
    }

    private static EtlSystemTime Rule(int month, int day, int hour = 2) => new(0, (ushort)month, 0, (ushort)day, (ushort)hour, 0, 0, 0);

    private static DateTime Time(string text) => DateTime.Parse(text, CultureInfo.InvariantCulture);

    private static int Offset(EtlTimeZone zone, string utc) =>
        (int)new TraceTimeZone(zone).OffsetAt(DateTime.SpecifyKind(Time(utc), DateTimeKind.Utc)).TotalMinutes;
}
