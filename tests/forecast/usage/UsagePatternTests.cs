namespace Tracer.Forecast.Tests;

public class UsagePatternTests
{
    private const long HourNs = 3_600_000_000_000;

    [Theory]
    [InlineData("8h/day,5d/week", 8, 40)]
    [InlineData("5d/week, 8h/day", 8, 40)]
    [InlineData("3.5h/day,7d/week", 3.5, 24.5)]
    [InlineData("210min/DAY,7D/week", 3.5, 24.5)]
    [InlineData("24h/day,7d/week", 24, 168)]
    [InlineData("2h/day", 2, 10)]
    [InlineData("1d/week", 8, 8)]
    public void A_pattern_is_read(string text, double day, double week)
    {
        Assert.True(UsagePattern.TryParse(text, out UsagePattern? pattern, out string? problem));
        Assert.Null(problem);
        Assert.Equal([("hour", HourNs), ("day", (long)(day * HourNs)), ("week", (long)(week * HourNs))], pattern!.Times);
        Assert.True(UsagePattern.TryParse(pattern.ToString(), out UsagePattern? again, out _));
        Assert.Equal(pattern, again);
    }

    [Theory]
    [InlineData("", "such as 8h/day,5d/week")]
    [InlineData(null, "such as 8h/day,5d/week")]
    [InlineData("8h", "such as 8h/day,5d/week")]
    [InlineData("8h/day,8h/day", "such as 8h/day,5d/week")]
    [InlineData("8h/day,5d/week,1d/week", "such as 8h/day,5d/week")]
    [InlineData("8/day", "no unit")]
    [InlineData("25h/day", "24h/day")]
    [InlineData("-8h/day", "1min/day")]
    [InlineData("0h/day", "1min/day")]
    [InlineData("8h/day,8d/week", "7d/week")]
    [InlineData("8h/day,0d/week", "1d/week")]
    [InlineData("8h/day,2.5d/week", "1d/week")]
    public void What_is_no_pattern_is_refused_with_what_to_write(string? text, string says)
    {
        Assert.False(UsagePattern.TryParse(text, out UsagePattern? pattern, out string? problem));
        Assert.Null(pattern);
        Assert.Contains(says, problem);
    }
}
