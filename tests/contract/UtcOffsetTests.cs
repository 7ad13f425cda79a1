namespace Tracer.Contract.Tests;

/// <summary>Times by the clock of the machine that was recorded.</summary>
public class UtcOffsetTests
{
    [Fact]
    public void A_time_beyond_the_calendar_has_no_local_one()
    {
        var noon = new DateTime(2026, 11, 21, 12, 0, 0, DateTimeKind.Utc);
        Assert.Equal(new DateTime(2026, 11, 21, 13, 30, 0), UtcOffset.LocalOf(noon, 90));
        Assert.Null(UtcOffset.LocalOf(DateTime.MaxValue, 1));
        Assert.Null(UtcOffset.LocalOf(DateTime.MinValue, -1));
        Assert.Equal(DateTime.MaxValue, UtcOffset.LocalOf(DateTime.MaxValue, 0));
    }
}
