using Tracer.Analysis.Request;

namespace Tracer.Analysis.Tests.Request;

/// <summary>Times as users write them.</summary>
public class TimePointTests
{
    [Theory]
    [InlineData("18:36:40", "18:36:40", 1)]
    [InlineData("8:05", "08:05:00", 60)]
    [InlineData("18:36:40.25", "18:36:40.2500000", 0)]
    [InlineData("00:00:00.0000001", "00:00:00.0000001", 0)]
    public void A_time_of_day_stands_for_what_is_written(string text, string time, int unitSeconds)
    {
        TimePoint point = Point(text);
        Assert.Equal(TimeSpan.Parse(time, CultureInfo.InvariantCulture), point.TimeOfDay);
        Assert.Equal(TimeSpan.FromSeconds(unitSeconds), point.Unit);
    }

    [Theory]
    [InlineData("2011-08-30T04:56:58Z", "2011-08-30T04:56:58", true)]
    [InlineData("2011-08-30t04:56:58.5z", "2011-08-30T04:56:58.5", true)]
    [InlineData("2011-08-29T21:56:58-07:00", "2011-08-30T04:56:58", true)]
    [InlineData("2011-08-30T06:56:58+0200", "2011-08-30T04:56:58", true)]
    [InlineData("2011-08-30 04:56", "2011-08-30T04:56:00", false)]
    public void A_date_is_in_the_zone_that_it_names_or_in_that_of_the_trace(string text, string date, bool isUtc)
    {
        DateTime found = Point(text).Date!.Value;
        Assert.Equal(isUtc ? DateTimeKind.Utc : DateTimeKind.Unspecified, found.Kind);
        Assert.Equal(DateTime.Parse(date, CultureInfo.InvariantCulture), DateTime.SpecifyKind(found, DateTimeKind.Unspecified));
    }

    [Fact]
    public void Durations_and_marks_are_times()
    {
        Assert.Equal(Duration.FromMilliseconds(-1500), Point("-1.5s").FromStart);
        Assert.Equal(Duration.FromSeconds(2), TimePoint.At(Duration.FromSeconds(2)).FromStart);
        Assert.Equal("my mark", Point("mark: my mark").Mark);
        Assert.Equal("12:00", Point("MARK:12:00").Mark);
    }

    [Theory]
    [InlineData("", "'' has no unit; write us or ms")]
    [InlineData("5", "'5' has no unit; write 5us or 5ms")]
    [InlineData("24:00", "'24:00' is not a time of day")]
    [InlineData("12:60:00", "'12:60:00' is not a time of day")]
    [InlineData("mark:", "'mark:' names no mark; write mark:NAME")]
    [InlineData("2011-02-29T00:00:00Z", "'2011-02-29T00:00:00Z' is not a date and time, such as 2026-08-30T04:56:58Z")]
    [InlineData("2011-02-28T00:00:00+25:00", "'2011-02-28T00:00:00+25:00' is not a date and time, such as 2026-08-30T04:56:58Z")]
    [InlineData("0001-01-01T00:00:00Z", "'0001-01-01T00:00:00Z' is not a date and time, such as 2026-08-30T04:56:58Z")]
    public void What_is_no_time_is_refused_with_a_hint(string text, string expected)
    {
        Assert.False(TimePoint.TryParse(text, out TimePoint? point, out string? problem));
        Assert.Null(point);
        if (text.Length > 0)
        {
            Assert.Equal(expected, problem);
        }
    }

    private static TimePoint Point(string text)
    {
        Assert.True(TimePoint.TryParse(text, out TimePoint? point, out string? problem), problem);
        return point!;
    }
}
