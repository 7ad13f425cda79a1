using Tracer.Analysis.Contents;
using Tracer.Analysis.Request;

namespace Tracer.Analysis.Tests.Request;

/// <summary>Where in a trace the times are that a user wrote.</summary>
public class TraceTimesTests
{
    private const long Second = 10_000_000;
    private const long HeaderTicks = 5 * Second;

    private static readonly EtlTimeZone Berlin = new(
        -60,
        standardDate: new EtlSystemTime(0, 10, 0, 5, 3, 0, 0, 0),
        daylightDate: new EtlSystemTime(0, 3, 0, 5, 2, 0, 0, 0),
        daylightBiasMinutes: -60);

    [Theory]
    [InlineData("2026-06-01T12:00:10Z", 10)]
    [InlineData("2026-06-01T14:00:10+02:00", 10)]
    [InlineData("2026-06-01T14:00:10", 10)]
    [InlineData("14:00:10", 10)]
    [InlineData("14:01", 60)]
    [InlineData("14:00:10.5", 10.5)]
    [InlineData("20s", 20)]
    [InlineData("-1s", -1)]
    public void Each_way_to_write_a_time_leads_to_its_time(string text, double seconds) =>
        Assert.Equal(seconds, Found("2026-06-01T12:00:00Z", 3600, text));

    [Fact]
    public void A_second_that_the_trace_begins_in_is_in_it() =>
        Assert.Equal(-0.75, Found("2026-06-01T12:00:00.7500000Z", 10, "14:00:00"));

    [Theory]
    [InlineData("01:00", 2.5)]
    [InlineData("23:30", 1)]
    public void Over_midnight_a_time_of_day_is_the_first_inside(string text, double hours) =>
        Assert.Equal(hours * 3600, Found("2026-06-01T20:30:00Z", 48 * 3600, text));

    [Theory]
    [InlineData("2026-06-01T12:00:00Z", 60, "13:59:58", "this trace is from 2026-06-01 14:00:00 to 2026-06-01 14:01:00 UTC+02:00")]
    [InlineData("2026-06-01T12:00:00Z", 60, "14:01:01", "this trace is from 2026-06-01 14:00:00 to 2026-06-01 14:01:00 UTC+02:00")]
    [InlineData("2026-06-01T12:00:00Z", 60, "2025-06-01T12:00:00Z", "this trace is from 2026-06-01 14:00:00")]
    [InlineData(
        "2026-10-25T00:00:00Z", 7200, "02:30:00",
        "the clocks were put back, and this trace has that time twice; write 2026-10-25T00:30:00Z or 2026-10-25T01:30:00Z")]
    [InlineData(
        "2026-10-25T00:00:00Z", 7200, "2026-10-25T02:30:00",
        "the clocks were put back, and this trace has that time twice; write 2026-10-25T00:30:00Z or 2026-10-25T01:30:00Z")]
    [InlineData(
        "2026-03-29T00:30:00Z", 3600, "02:30:00", "the clocks were put forward past that time; it did not exist on 2026-03-29")]
    [InlineData(
        "2026-03-29T00:30:00Z", 3600, "2026-03-29T02:30:00",
        "the clocks were put forward past that time; it did not exist on 2026-03-29")]
    [InlineData("1601-01-01T00:00:00Z", 3600, "02:30:00", "this trace does not tell when it was recorded; write a time from its start")]
    [InlineData("2026-06-01T12:00:00Z", 60, "mark:gone", "this trace has no such mark; it has glitch, other")]
    public void What_is_not_in_the_trace_or_twice_is_told(string start, int seconds, string text, string problem) =>
        Assert.StartsWith(
            $"--from {text}: {problem}",
            Assert.Throws<MeaninglessRequestException>(() => Found(start, seconds, text)).Message);

    [Fact]
    public void Of_a_time_that_is_twice_the_one_inside_is_meant() =>
        Assert.Equal(600, Found("2026-10-25T01:20:00Z", 1800, "02:30:00"));

    [Fact]
    public void A_trace_without_marks_says_how_they_are_set() => Assert.Contains(
        "it has none ('xperf -m NAME' and 'wpr -marker NAME' set them)",
        Assert.Throws<MeaninglessRequestException>(
            () => new TraceTimes(Header("2026-06-01T12:00:00Z"), 0, 1, [], []).Find("--at", Point("mark:x"), Duration.Zero)).Message);

    [Fact]
    public void The_first_mark_of_a_name_is_meant_whatever_its_case() => Assert.Equal(7, Found("2026-06-01T12:00:00Z", 60, "mark:GLITCH"));

    [Fact]
    public void Durations_count_from_zero_and_all_else_does_not()
    {
        TraceTimes traceTimes = TimesOf("2026-06-01T12:00:00Z", 60);
        var times = new RequestedTimes { Zero = Point("mark:glitch"), From = Point("-2s"), To = Point("14:00:30") };
        Assert.True(times.NeedTrace);
        Assert.Equal(
            new FoundTimes(Duration.FromSeconds(5), Duration.FromSeconds(30), null, Duration.FromSeconds(7)), times.In(traceTimes));
        Assert.Equal(
            new FoundTimes(Duration.Zero, Duration.FromSeconds(2), Duration.FromSeconds(1), null),
            new RequestedTimes { At = Point("1s") }.In(traceTimes));
        Assert.Equal(
            "--from 14:00:30 is later than --to 1s",
            Assert.Throws<MeaninglessRequestException>(
                () => new RequestedTimes { From = Point("14:00:30"), To = Point("1s") }.In(traceTimes)).Message);
        Assert.Throws<MeaninglessRequestException>(
            () => new RequestedTimes { Zero = Point("mark:glitch"), From = TimePoint.At(new Duration(long.MaxValue)) }.In(traceTimes));
    }

    [Fact]
    public void A_clock_that_counts_from_another_time_tells_the_same_dates()
    {
        TraceClock clock = Header("2026-06-01T12:00:00Z").Clock;
        TraceClock shifted = TraceTimes.CountedFrom(clock, Duration.FromSeconds(3));
        long ticks = HeaderTicks + (10 * Second);
        Assert.Equal(clock.NanosecondsFromHeader(ticks) - 3_000_000_000, shifted.NanosecondsFromHeader(ticks));
        Assert.Equal(clock.FileTimeAt(ticks), shifted.FileTimeAt(ticks));
        Assert.Equal(clock, TraceTimes.CountedFrom(clock, null));
    }

    private static double Found(string start, int seconds, string text) =>
        TimesOf(start, seconds).Find("--from", Point(text), Duration.Zero).Nanoseconds / 1e9;

    private static TraceTimes TimesOf(string start, int seconds) => new(
        Header(start),
        HeaderTicks,
        HeaderTicks + (seconds * Second),
        [new(HeaderTicks + (7 * Second), "glitch"), new(HeaderTicks + (8 * Second), "Glitch"), new(HeaderTicks + (9 * Second), "other")],
        [new RecordedGlitch(HeaderTicks + (3 * Second), true) { Records = [], Number = 1 }]);

    private static EtlFileHeader Header(string start) => new()
    {
        Clock = new TraceClock(
            TraceClockKind.Qpc,
            Second,
            HeaderTicks,
            DateTime.Parse(start, CultureInfo.InvariantCulture, DateTimeStyles.AdjustToUniversal).ToFileTimeUtc()),
        ProcessorCount = 1,
        BufferBytes = 1 << 16,
        TimeZone = Berlin,
    };

    private static TimePoint Point(string text)
    {
        Assert.True(TimePoint.TryParse(text, out TimePoint? point, out string? problem), problem);
        return point!;
    }
}
