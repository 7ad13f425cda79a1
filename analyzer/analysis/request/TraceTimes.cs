using Tracer.Analysis.Contents;
using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Request;

/// <summary>Finds in a trace the times that a user wrote: times of its clock on the wall, and its marks.</summary>
public sealed class TraceTimes
{
    /// <summary>A time of day is looked for in so many days of a trace.</summary>
    private const int MostDays = 366;

    private const int MarksNamed = 8;

    private readonly TraceClock _clock;
    private readonly TraceTimeZone _zone;
    private readonly long _firstTicks;
    private readonly long _lastTicks;
    private readonly IReadOnlyList<TraceMark> _marks;
    private readonly IReadOnlyList<RecordedGlitch> _glitches;

    /// <summary>Prepares for a trace that was read.</summary>
    /// <param name="firstTicks">Its first time stamp.</param>
    /// <param name="lastTicks">Its last time stamp.</param>
    /// <param name="marks">Its marks, in order of time.</param>
    /// <param name="glitches">What Windows recorded as glitches, and marks in the place of glitches, with their numbers.</param>
    public TraceTimes(
        EtlFileHeader header, long firstTicks, long lastTicks, IReadOnlyList<TraceMark> marks, IReadOnlyList<RecordedGlitch> glitches)
    {
        ArgumentNullException.ThrowIfNull(header);
        _clock = header.Clock;
        _zone = new TraceTimeZone(header.TimeZone);
        _firstTicks = firstTicks;
        _lastTicks = lastTicks;
        _marks = marks;
        _glitches = glitches;
    }

    /// <summary>How much of a trace lies before and after a moment that is asked about with <c>--at</c>.</summary>
    public static (Duration Before, Duration After) Around => (Duration.FromSeconds(5), Duration.FromSeconds(1));

    /// <summary>Who marks what was heard is later than that, and not by more than is looked at around a moment; in ticks.</summary>
    public static long MarkReach(TraceClock clock) => clock.TicksOf(Around.Before.Nanoseconds);

    /// <summary>The clock of a trace whose times count from another moment than the header event.</summary>
    /// <param name="zero">From where, counted from the header event; null for that.</param>
    public static TraceClock CountedFrom(TraceClock clock, Duration? zero)
    {
        if (zero is not { } from)
        {
            return clock;
        }

        long ticks = clock.TicksAt(from.Nanoseconds);
        long fileTime = clock.StartFileTime > 0 ? clock.FileTimeAt(ticks) ?? 0 : 0;
        return new TraceClock(clock.Kind, clock.TicksPerSecond, ticks, fileTime);
    }

    /// <summary>Reads what must be known of a trace to find moments in it.</summary>
    /// <param name="reader">The trace; a pipe is copied to a temporary file.</param>
    /// <exception cref="IOException">The storage failed.</exception>
    public static TraceTimes Read(EtlReader reader)
    {
        ArgumentNullException.ThrowIfNull(reader);
        reader.MakeRereadable();
        reader.Settle();
        var sink = new Sink(new TraceMarks(), new GlitchRecords(reader.Header.Clock));
        reader.Read(EtlOrder.Any, ref sink);
        sink.Glitches.Complete();
        IReadOnlyList<TraceMark> marks = sink.Marks.All;
        return new TraceTimes(
            reader.Header,
            Math.Min(sink.FirstTicks, sink.LastTicks),
            sink.LastTicks,
            marks,
            GlitchesAndMarks.Of(sink.Glitches.All, marks, MarkReach(reader.Header.Clock)));
    }

    /// <summary>The time from the header event to a moment.</summary>
    /// <exception cref="MeaninglessRequestException">The trace has no such moment.</exception>
    public Duration Find(string option, TimePoint point, Duration zero)
    {
        ArgumentNullException.ThrowIfNull(point);
        return point switch
        {
            { Found: { } found } => found,
            { FromStart: { } fromStart } => SumOf(option, point, fromStart, zero),
            { Glitch: { } number } => new Duration(_clock.NanosecondsFromHeader(GlitchOf(option, number))),
            { Mark: { } name } => new Duration(_clock.NanosecondsFromHeader(MarkOf(option, name).Ticks)),
            _ => FindDate(option, point),
        };
    }

    private static Duration SumOf(string option, TimePoint point, Duration fromStart, Duration zero)
    {
        Int128 sum = (Int128)fromStart.Nanoseconds + zero.Nanoseconds;
        return sum >= long.MinValue && sum <= long.MaxValue
            ? new Duration((long)sum)
            : throw new MeaninglessRequestException($"{option} {point.Text}: that is too far from this trace");
    }

    /// <summary>When a glitch was recorded, or a mark set in the place of one, in ticks.</summary>
    private long GlitchOf(string option, int number) => _glitches.FirstOrDefault(glitch => glitch.Number == number)?.Ticks
        ?? throw new MeaninglessRequestException($"{option} glitch:{number.ToString(CultureInfo.InvariantCulture)}: "
            + (_glitches.Count == 0
                ? "Windows recorded no glitch in this trace, and nobody set a mark"
                : $"this trace has {Counted.Of(_glitches.Count, "glitch")}, marks that people set among them"));

    private TraceMark MarkOf(string option, string name)
    {
        foreach (TraceMark mark in _marks)
        {
            if (mark.Name.Equals(name, StringComparison.OrdinalIgnoreCase))
            {
                return mark;
            }
        }

        string[] names = [.. _marks.Select(mark => mark.Name).Where(one => one.Length > 0).Distinct(StringComparer.OrdinalIgnoreCase)];
        string more = names.Length > MarksNamed ? $" and {(names.Length - MarksNamed).ToString(CultureInfo.InvariantCulture)} more" : "";
        throw new MeaninglessRequestException($"{option} mark:{name}: this trace has no such mark; "
            + (names.Length == 0
                ? "it has none ('xperf -m NAME' and 'wpr -marker NAME' set them)"
                : $"it has {string.Join(", ", names.Take(MarksNamed))}{more}"));
    }

    private Duration FindDate(string option, TimePoint point)
    {
        string asked = $"{option} {point.Text}";
        if (_clock.StartFileTime <= 0 || DateAt(_firstTicks) is not { } first || DateAt(_lastTicks) is not { } last)
        {
            throw new MeaninglessRequestException(
                $"{asked}: this trace does not tell when it was recorded; write a time from its start such as 1.5s");
        }

        List<DateTime> clocks = point switch
        {
            { Date: { Kind: DateTimeKind.Utc } } => [],
            { Date: { } local } => [local],
            _ => DaysOf(first, last, point.TimeOfDay ?? TimeSpan.Zero),
        };
        List<DateTime> dates = point is { Date: { Kind: DateTimeKind.Utc } utc } ? [utc] : [];
        DateTime? missing = null;
        foreach (DateTime clock in clocks)
        {
            DateTime[] inside = [.. _zone.UtcOf(clock).Where(one => IsInside(one, point, first, last))];
            if (inside.Length > 1)
            {
                throw new MeaninglessRequestException(
                    $"{asked}: the clocks were put back, and this trace has that time twice; write {Iso(inside[0])} or {Iso(inside[1])}");
            }

            missing = missing is null && _zone.UtcOf(clock).Count == 0 ? clock : missing;
            dates.AddRange(inside);
        }

        dates = [.. dates.Where(one => IsInside(one, point, first, last)).Order()];
        if (dates.Count > 0)
        {
            return FromHeader(dates[0]);
        }

        throw new MeaninglessRequestException(missing is { } gap && IsNear(gap, first, last)
            ? $"{asked}: the clocks were put forward past that time; it did not exist on {Day(gap)}"
            : $"{asked}: this trace is from {Local(first)} to {Local(last)} {UtcOffset.NameOf((int)_zone.OffsetAt(first).TotalMinutes)}");
    }

    private static bool IsInside(DateTime date, TimePoint point, DateTime first, DateTime last) =>
        date + point.Unit >= first && date <= last;

    /// <summary>Whether a time that the clocks left out lies within the trace.</summary>
    private bool IsNear(DateTime local, DateTime first, DateTime last) =>
        local >= (first + _zone.OffsetAt(first)).AddHours(-1) && local <= (last + _zone.OffsetAt(last)).AddHours(1);

    private List<DateTime> DaysOf(DateTime first, DateTime last, TimeSpan timeOfDay)
    {
        DateTime day = (first + _zone.OffsetAt(first)).Date;
        DateTime end = (last + _zone.OffsetAt(last)).Date;
        List<DateTime> days = [];
        for (; day <= end && days.Count < MostDays; day = day.AddDays(1))
        {
            days.Add(DateTime.SpecifyKind(day + timeOfDay, DateTimeKind.Unspecified));
        }

        return days;
    }

    private DateTime? DateAt(long ticks) => _clock.FileTimeAt(ticks) is { } fileTime ? DateTime.FromFileTimeUtc(fileTime) : null;

    private Duration FromHeader(DateTime utc) => new((long)Int128.Clamp(
        ((Int128)utc.Ticks - DateTime.FromFileTimeUtc(_clock.StartFileTime).Ticks) * TimeSpan.NanosecondsPerTick,
        long.MinValue,
        long.MaxValue));

    private string Local(DateTime utc) => (utc + _zone.OffsetAt(utc)).ToString("yyyy-MM-dd HH:mm:ss", CultureInfo.InvariantCulture);

    private static string Day(DateTime local) => local.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture);

    private static string Iso(DateTime utc) => utc.ToString("yyyy-MM-ddTHH:mm:ss.FFFFFFF", CultureInfo.InvariantCulture) + "Z";

    private struct Sink(TraceMarks marks, GlitchRecords glitches) : IEtlEventSink
    {
        public TraceMarks Marks => marks;

        public GlitchRecords Glitches => glitches;

        public long FirstTicks { get; private set; } = long.MaxValue;

        public long LastTicks { get; private set; } = long.MinValue;

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            long ticks = traceEvent.TimestampTicks;
            if (ticks != 0 || traceEvent.Kind != EtlHeaderKind.Message)
            {
                FirstTicks = Math.Min(FirstTicks, ticks);
                LastTicks = Math.Max(LastTicks, ticks);
            }

            if (KernelHook.Of(in traceEvent) is { } hook)
            {
                marks.Add(hook, in traceEvent);
            }
            else
            {
                glitches.Add(in traceEvent);
            }

            return true;
        }
    }
}
