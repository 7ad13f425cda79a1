using System.Text.RegularExpressions;

namespace Tracer.Analysis.Request;

/// <summary>
/// A time as a user writes it, before the trace is known: a duration from its start, a time of day, a date with a time, the name of a mark
/// or of an event, or a glitch that Windows recorded. <see cref="TraceTimes"/> finds it in a trace.
/// </summary>
public sealed partial record TimePoint
{
    private const string MarkPrefix = "mark:";
    private const string EventPrefix = "event:";
    private const string GlitchWord = "glitch";

    private TimePoint(string text) => Text = text;

    public string Text { get; }

    /// <summary>The time from the start of the trace, or from its zero; null for another kind of time.</summary>
    public Duration? FromStart { get; private init; }

    /// <summary>The time of day, in the time zone of the trace; null for another kind of time.</summary>
    public TimeSpan? TimeOfDay { get; private init; }

    /// <summary>Date and time: UTC where the user gave the difference to it, else in the time zone of the trace.</summary>
    public DateTime? Date { get; private init; }

    /// <summary>The name of a mark; null for another kind of time.</summary>
    public string? Mark { get; private init; }

    /// <summary>The number of a glitch that Windows recorded, from 1; null for another kind of time.</summary>
    public int? Glitch { get; private init; }

    /// <summary>Whether it is a glitch without a number: the first, or each, where more than one moment can be meant.</summary>
    public bool IsAnyGlitch { get; private init; }

    /// <summary>The name of an event, the first of which is meant; null for another kind of time.</summary>
    public string? Event { get; private init; }

    /// <summary>The time from the header event where that is known already; null where it is still to be found.</summary>
    public Duration? Found { get; private init; }

    /// <summary>What is written without seconds, or without decimals of them, stands for that minute or second.</summary>
    public TimeSpan Unit { get; private init; }

    /// <summary>A time that is so long after the start of the trace.</summary>
    public static TimePoint At(Duration fromStart) => new(fromStart.ToString()) { FromStart = fromStart };

    public TimePoint FoundAt(Duration fromHeader) => this with { Found = fromHeader };

    /// <param name="point">The time; null where it is refused.</param>
    /// <param name="problem">Why it is refused and what to write instead, without a full stop; null when it is read.</param>
    public static bool TryParse(string? text, out TimePoint? point, out string? problem)
    {
        text ??= "";
        point = null;
        problem = null;
        if (text.StartsWith(MarkPrefix, StringComparison.OrdinalIgnoreCase))
        {
            string name = text[MarkPrefix.Length..].Trim();
            point = new TimePoint(text) { Mark = name };
            problem = name.Length == 0 ? $"'{text}' names no mark; write mark:NAME" : null;
        }
        else if (text.StartsWith(EventPrefix, StringComparison.OrdinalIgnoreCase))
        {
            string name = text[EventPrefix.Length..].Trim();
            point = new TimePoint(text) { Event = name };
            problem = name.Length == 0 ? $"'{text}' names no event; write event:NAME or event:PROVIDER/NAME" : null;
        }
        else if (GlitchForm().Match(text) is { Success: true } glitch)
        {
            int number = glitch.Groups["number"].Success ? Number(glitch, "number") : 1;
            point = new TimePoint(text) { Glitch = number, IsAnyGlitch = !glitch.Groups["number"].Success };
            problem = number == 0 ? $"'{text}': glitches are counted from 1; write {GlitchWord} or {GlitchWord}:N" : null;
        }
        else if (TimeForm().Match(text) is { Success: true } clock)
        {
            point = Time(clock) is { } time ? new TimePoint(text) { TimeOfDay = time, Unit = UnitOf(clock) } : null;
            problem = point is null ? $"'{text}' is not a time of day" : null;
        }
        else if (DateForm().Match(text) is { Success: true } date)
        {
            point = DateOf(date) is { } time ? new TimePoint(text) { Date = time, Unit = UnitOf(date) } : null;
            problem = point is null ? $"'{text}' is not a date and time, such as 2026-08-30T04:56:58Z" : null;
        }
        else if (Duration.TryParse(text, out Duration fromStart, out problem))
        {
            point = new TimePoint(text) { FromStart = fromStart };
        }

        point = problem is null ? point : null;
        return point is not null;
    }

    private static TimeSpan? Time(Match match)
    {
        int hour = Number(match, "hour");
        int minute = Number(match, "minute");
        int second = Number(match, "second");
        string decimals = match.Groups["decimals"].Value.PadRight(7, '0');
        return hour <= 23 && minute <= 59 && second <= 59
            ? new TimeSpan(hour, minute, second) + new TimeSpan(long.Parse(decimals, CultureInfo.InvariantCulture))
            : null;
    }

    private static TimeSpan UnitOf(Match match) => match.Groups["decimals"].Success ? TimeSpan.Zero
        : match.Groups["second"].Success ? TimeSpan.FromSeconds(1)
        : TimeSpan.FromMinutes(1);

    private static DateTime? DateOf(Match match)
    {
        int year = Number(match, "year");
        int month = Number(match, "month");
        int day = Number(match, "day");
        if (year < 1601 || month is < 1 or > 12 || day < 1 || day > DateTime.DaysInMonth(year, month) || Time(match) is not { } time)
        {
            return null;
        }

        DateTime date = new DateTime(year, month, day, 0, 0, 0, DateTimeKind.Unspecified) + time;
        if (!match.Groups["zone"].Success)
        {
            return date;
        }

        if (match.Groups["sign"].Success)
        {
            int hours = Number(match, "hours");
            int minutes = Number(match, "minutes");
            if (hours > 23 || minutes > 59)
            {
                return null;
            }

            var offset = new TimeSpan(hours, minutes, 0);
            date = match.Groups["sign"].Value == "-" ? date + offset : date - offset;
        }

        return DateTime.SpecifyKind(date, DateTimeKind.Utc);
    }

    private static int Number(Match match, string group) => match.Groups[group] is { Success: true } digits
        ? int.Parse(digits.ValueSpan, NumberStyles.None, CultureInfo.InvariantCulture)
        : 0;

    [GeneratedRegex(@"^glitch(:(?<number>[0-9]{1,8}))?\z", RegexOptions.IgnoreCase | RegexOptions.CultureInvariant)]
    private static partial Regex GlitchForm();

    [GeneratedRegex(@"^(?<hour>[0-9]{1,2}):(?<minute>[0-9]{2})(:(?<second>[0-9]{2})(\.(?<decimals>[0-9]{1,7}))?)?\z")]
    private static partial Regex TimeForm();

    [GeneratedRegex(
        @"^(?<year>[0-9]{4})-(?<month>[0-9]{2})-(?<day>[0-9]{2})[Tt ]"
            + @"(?<hour>[0-9]{2}):(?<minute>[0-9]{2})(:(?<second>[0-9]{2})(\.(?<decimals>[0-9]{1,7}))?)?"
            + @"(?<zone>[Zz]|(?<sign>[+-])(?<hours>[0-9]{2}):?(?<minutes>[0-9]{2}))?\z")]
    private static partial Regex DateForm();
}
