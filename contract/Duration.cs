using System.Numerics;
using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>
/// A length of time, or a time measured from the header event of a trace, in whole nanoseconds; may be negative.
/// The one duration of the product: command options parse it, reports carry it (as microseconds with three decimals,
/// which is exact: see <see cref="DurationAsMicroseconds"/>), sums of it never round.
/// </summary>
/// <param name="Nanoseconds">The length in nanoseconds; the range is about 292 years either way.</param>
[JsonConverter(typeof(DurationAsMicroseconds))]
public readonly record struct Duration(long Nanoseconds) : IComparable<Duration>
{
    /// <summary>No time at all.</summary>
    public static Duration Zero => default;

    /// <summary>The length in microseconds.</summary>
    public decimal Microseconds => Nanoseconds / 1000m;

    /// <summary>A duration of so many whole microseconds.</summary>
    /// <exception cref="OverflowException">The duration leaves the range.</exception>
    public static Duration FromMicroseconds(long microseconds) => new(checked(microseconds * 1000));

    /// <summary>A duration of so many whole milliseconds.</summary>
    /// <exception cref="OverflowException">The duration leaves the range.</exception>
    public static Duration FromMilliseconds(long milliseconds) => new(checked(milliseconds * 1_000_000));

    /// <summary>A duration of so many whole seconds.</summary>
    /// <exception cref="OverflowException">The duration leaves the range.</exception>
    public static Duration FromSeconds(long seconds) => new(checked(seconds * 1_000_000_000));

    /// <summary>The exact sum.</summary>
    /// <exception cref="OverflowException">The sum leaves the range.</exception>
    public static Duration operator +(Duration left, Duration right) => new(checked(left.Nanoseconds + right.Nanoseconds));

    /// <summary>The exact difference.</summary>
    /// <exception cref="OverflowException">The difference leaves the range.</exception>
    public static Duration operator -(Duration left, Duration right) => new(checked(left.Nanoseconds - right.Nanoseconds));

    /// <summary>Shorter (or earlier) than.</summary>
    public static bool operator <(Duration left, Duration right) => left.Nanoseconds < right.Nanoseconds;

    /// <summary>Longer (or later) than.</summary>
    public static bool operator >(Duration left, Duration right) => left.Nanoseconds > right.Nanoseconds;

    /// <summary>At most as long (or as late) as.</summary>
    public static bool operator <=(Duration left, Duration right) => left.Nanoseconds <= right.Nanoseconds;

    /// <summary>At least as long (or as late) as.</summary>
    public static bool operator >=(Duration left, Duration right) => left.Nanoseconds >= right.Nanoseconds;

    public static Duration Add(Duration left, Duration right) => left + right;

    public static Duration Subtract(Duration left, Duration right) => left - right;

    public int CompareTo(Duration other) => Nanoseconds.CompareTo(other.Nanoseconds);

    /// <summary>
    /// Reads a duration as the commands take it: a decimal number and a unit without a space, such as <c>500us</c>, <c>0.5ms</c>,
    /// <c>1s</c>, <c>250ns</c>, <c>-2s</c>. Units: ns, us (also written µs), ms, s, min, h, in any case.
    /// A number without a unit is refused: 500 of what?
    /// </summary>
    /// <param name="duration">The duration, exact; zero when the text is refused.</param>
    /// <param name="problem">
    /// Why the text is refused and what to write instead, as one sentence without a full stop; null when it is read.
    /// </param>
    public static bool TryParse(string? text, out Duration duration, out string? problem)
    {
        duration = default;
        text ??= "";
        int unitStart = text.AsSpan().LastIndexOfAnyInRange('0', '9') + 1;
        if (unitStart < text.Length && text[unitStart] is '.' or ',')
        {
            unitStart++;
        }

        ReadOnlySpan<char> number = text.AsSpan(0, unitStart);
        ReadOnlySpan<char> unit = text.AsSpan(unitStart);
        problem = TryReadNumber(number, out BigInteger digits, out int decimals) ? null : ProblemWithNumber(text, number, unit);
        if (problem is not null)
        {
            return false;
        }

        long unitNanoseconds = NanosecondsPerUnit(unit);
        if (unitNanoseconds == 0)
        {
            problem = unit.IsEmpty
                ? $"'{text}' has no unit; write {text}us or {text}ms"
                : $"'{text}' has an unknown unit '{unit}'; the units are ns, us, ms, s, min, h";
            return false;
        }

        var nanoseconds = BigInteger.DivRem(digits * unitNanoseconds, BigInteger.Pow(10, decimals), out BigInteger rest);
        if (nanoseconds < long.MinValue || nanoseconds > long.MaxValue)
        {
            problem = $"'{text}' is too long; the limit is about 292 years";
            return false;
        }

        if (!rest.IsZero)
        {
            problem = $"'{text}' is finer than a nanosecond";
            return false;
        }

        duration = new Duration((long)nanoseconds);
        return true;
    }

    /// <summary>
    /// The duration as a person would write it and <see cref="TryParse"/> reads it: in the largest of ns, us, ms, s that keeps
    /// the number at or above 1, without trailing zeros: <c>500us</c>, <c>1.5ms</c>, <c>90s</c>.
    /// </summary>
    public override string ToString()
    {
        (string unit, long unitNanoseconds) = Math.Abs((decimal)Nanoseconds) switch
        {
            0 => ("s", 1_000_000_000L),
            < 1_000 => ("ns", 1L),
            < 1_000_000 => ("us", 1_000L),
            < 1_000_000_000 => ("ms", 1_000_000L),
            _ => ("s", 1_000_000_000L),
        };
        return (Nanoseconds / (decimal)unitNanoseconds).ToString("0.#########", CultureInfo.InvariantCulture) + unit;
    }

    /// <summary>
    /// Reads a decimal number as its digits without the point, and how many of them stand behind it: a number of fixed size would
    /// round a long one without a word.
    /// </summary>
    private static bool TryReadNumber(ReadOnlySpan<char> text, out BigInteger digits, out int decimals)
    {
        int point = text.IndexOf('.');
        ReadOnlySpan<char> whole = point < 0 ? text : text[..point];
        ReadOnlySpan<char> fraction = point < 0 ? [] : text[(point + 1)..];
        decimals = fraction.Length;
        digits = default;
        return !fraction.ContainsAnyExceptInRange('0', '9')
            && BigInteger.TryParse($"{whole}{fraction}", NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out digits);
    }

    private static string ProblemWithNumber(string text, ReadOnlySpan<char> number, ReadOnlySpan<char> unit)
    {
        string withPoint = number.ToString().Replace(',', '.');
        return number.Contains(',') && TryReadNumber(withPoint, out _, out _)
            ? $"'{text}' has a decimal comma; write {withPoint}{unit}"
            : $"'{text}' is not a duration; write a number and a unit such as 500us, 0.5ms, 1s, 250ns";
    }

    private static long NanosecondsPerUnit(ReadOnlySpan<char> unit)
    {
        if (unit.Length > 3)
        {
            return 0;
        }

        Span<char> lower = stackalloc char[3];
        int length = unit.ToLowerInvariant(lower);
        return lower[..length] switch
        {
            "ns" => 1,
            "us" or "µs" or "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "min" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => 0,
        };
    }
}
