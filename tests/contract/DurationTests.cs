using FsCheck;
using FsCheck.Fluent;

namespace Tracer.Contract.Tests;

public class DurationTests
{
    [Theory]
    [InlineData("500us", 500_000)]
    [InlineData("0.5ms", 500_000)]
    [InlineData(".5ms", 500_000)]
    [InlineData("1s", 1_000_000_000)]
    [InlineData("250ns", 250)]
    [InlineData("-2s", -2_000_000_000)]
    [InlineData("+2s", 2_000_000_000)]
    [InlineData("0s", 0)]
    [InlineData("1.000000001s", 1_000_000_001)]
    [InlineData("5µs", 5_000)]
    [InlineData("5μs", 5_000)]
    [InlineData("7MS", 7_000_000)]
    [InlineData("2min", 120_000_000_000)]
    [InlineData("72h", 259_200_000_000_000)]
    [InlineData("9223372036854775807ns", long.MaxValue)]
    [InlineData("-9223372036854775808ns", long.MinValue)]
    [InlineData("9223372036.854775807s", long.MaxValue)]
    [InlineData("-9223372036.854775808s", long.MinValue)]
    [InlineData("2562047.5h", 9_223_371_000_000_000_000)]
    public void A_number_with_a_unit_is_read(string text, long nanoseconds)
    {
        Assert.True(Duration.TryParse(text, out Duration duration, out string? problem), problem);
        Assert.Equal(nanoseconds, duration.Nanoseconds);
        Assert.Null(problem);
    }

    [Theory]
    [InlineData("500", "'500' has no unit; write 500us or 500ms")]
    [InlineData("0.5", "'0.5' has no unit; write 0.5us or 0.5ms")]
    [InlineData("0,5ms", "'0,5ms' has a decimal comma; write 0.5ms")]
    [InlineData("1,5", "'1,5' has a decimal comma; write 1.5")]
    [InlineData("5 ms", "'5 ms' has an unknown unit ' ms'; the units are ns, us, ms, s, min, h")]
    [InlineData("5sec", "'5sec' has an unknown unit 'sec'; the units are ns, us, ms, s, min, h")]
    [InlineData("5hours", "'5hours' has an unknown unit 'hours'; the units are ns, us, ms, s, min, h")]
    [InlineData("", "'' is not a duration; write a number and a unit such as 500us, 0.5ms, 1s, 250ns")]
    [InlineData(null, "'' is not a duration; write a number and a unit such as 500us, 0.5ms, 1s, 250ns")]
    [InlineData("ms", "'ms' is not a duration; write a number and a unit such as 500us, 0.5ms, 1s, 250ns")]
    [InlineData("--1s", "'--1s' is not a duration; write a number and a unit such as 500us, 0.5ms, 1s, 250ns")]
    [InlineData("1e3us", "'1e3us' is not a duration; write a number and a unit such as 500us, 0.5ms, 1s, 250ns")]
    [InlineData("1.2.3s", "'1.2.3s' is not a duration; write a number and a unit such as 500us, 0.5ms, 1s, 250ns")]
    [InlineData(".-5s", "'.-5s' is not a duration; write a number and a unit such as 500us, 0.5ms, 1s, 250ns")]
    [InlineData("99999999999999999999999999999999999s", "'99999999999999999999999999999999999s' is too long; the limit is about 292 years")]
    [InlineData("1s500ms", "'1s500ms' is not a duration; write a number and a unit such as 500us, 0.5ms, 1s, 250ns")]
    [InlineData("0.5ns", "'0.5ns' is finer than a nanosecond")]
    [InlineData("9223372036854775808ns", "'9223372036854775808ns' is too long; the limit is about 292 years")]
    [InlineData("9223372036.854775808s", "'9223372036.854775808s' is too long; the limit is about 292 years")]
    [InlineData("79228162514264337593543950335h", "'79228162514264337593543950335h' is too long; the limit is about 292 years")]
    [InlineData("1.00000000000000000000000000001s", "'1.00000000000000000000000000001s' is finer than a nanosecond")]
    [InlineData("0.000000000000000000000000000000001s", "'0.000000000000000000000000000000001s' is finer than a nanosecond")]
    [InlineData("2562048h", "'2562048h' is too long; the limit is about 292 years")]
    [InlineData("-2562048h", "'-2562048h' is too long; the limit is about 292 years")]
    public void Anything_else_is_refused_with_what_to_write(string? text, string expected)
    {
        Assert.False(Duration.TryParse(text, out Duration duration, out string? problem));
        Assert.Equal(expected, problem);
        Assert.Equal(Duration.Zero, duration);
    }

    [Theory]
    [InlineData(0, "0s")]
    [InlineData(999, "999ns")]
    [InlineData(1_000, "1us")]
    [InlineData(1_500_000, "1.5ms")]
    [InlineData(-13_600_000, "-13.6ms")]
    [InlineData(90_000_000_000, "90s")]
    [InlineData(long.MinValue, "-9223372036.854775808s")]
    public void It_prints_in_the_largest_unit_that_fits(long nanoseconds, string expected) =>
        Assert.Equal(expected, new Duration(nanoseconds).ToString());

    /// <summary>Over the whole range: plain <c>long</c>s of FsCheck stay small.</summary>
    [Fact]
    public void What_it_prints_is_read_as_the_same() =>
        Prop.ForAll(ArbMap.Default.ArbFor<DoNotSize<long>>(), any =>
        {
            var duration = new Duration(any.Item);
            return Duration.TryParse(duration.ToString(), out Duration read, out _) && read == duration;
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void No_text_makes_it_throw() =>
        Prop.ForAll(ArbMap.Default.ArbFor<string>(), text =>
            Duration.TryParse(text, out _, out string? problem) == (problem is null)).QuickCheckThrowOnFailure();

    [Fact]
    public void Sums_that_leave_the_range_throw_instead_of_turning_negative()
    {
        var longest = new Duration(long.MaxValue);
        Assert.Throws<OverflowException>(() => longest + new Duration(1));
        Assert.Throws<OverflowException>(() => Duration.FromSeconds(long.MaxValue));
        Assert.Equal(new Duration(1_500), Duration.FromMicroseconds(2) - new Duration(500));
    }
}
