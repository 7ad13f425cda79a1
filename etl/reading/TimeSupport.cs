namespace Tracer.Etl.Reading;

/// <summary>
/// Between which times the events of a trace lie. Beyond are times that nothing supports: few of them, farther from all others than these
/// are from each other, and neither their buffer nor the header tells that the trace was still, or already, being written then.
/// </summary>
internal sealed class TimeSupport
{
    public const long FileTimePerSecond = 10_000_000;

    /// <summary>Stamps in another clock's unit, a FILETIME of any of these years, are never times of a performance counter.</summary>
    private const long YearsOfFileTime = 10L * 366 * 24 * 3600 * FileTimePerSecond;

    /// <summary>FILETIMEs of before 1980 are no time of day of a trace.</summary>
    private const long FirstFileTime = 379L * 365 * 24 * 3600 * FileTimePerSecond;

    /// <summary>Events of one buffer may be out of order by so much: a tenth of a second.</summary>
    private const int DisordersPerSecond = 10;

    /// <summary>A buffer is flushed when its last event was logged, or later; clocks differ by less: one fiftieth of a second.</summary>
    private const int FlushesPerSecond = 50;

    /// <summary>Stray times are few: at most one in so many of those that were looked at.</summary>
    private const int OneIn = 20;
    private const int MostStray = 64;

    /// <summary>In fewer times than this a lonely one is no oddity.</summary>
    private const int LeastTimes = 16;

    /// <summary>How far the time since the start of the system, and of the session, may be off, in seconds.</summary>
    private const int BootTolerance = 60;

    private readonly EtlFileHeader? _header;
    private readonly long _ticksPerSecond;
    private readonly long _headerTicks;
    private readonly List<Sample> _samples = [];
    private int _first;
    private int _end;
    private bool _isHeaderSupported;

    private TimeSupport(EtlFileHeader? header)
    {
        _header = header;
        _ticksPerSecond = header?.Clock.TicksPerSecond ?? LogFileHeaderEvent.AssumedTicksPerSecond;
        _headerTicks = header?.Clock.HeaderTicks ?? 0;
        _isHeaderSupported = header is not null && !IsOtherClock(_headerTicks, header);
        Disorder = DisorderOf(header);
    }

    public long From { get; private set; } = long.MinValue;

    public long To { get; private set; } = long.MaxValue;

    /// <summary>The earliest supported time that was looked at.</summary>
    public long FirstTicks { get; private set; }

    /// <summary>The latest supported time that was looked at.</summary>
    public long LastTicks { get; private set; }

    /// <summary>How far events of one buffer may be out of order, in ticks.</summary>
    public long Disorder { get; }

    public static long DisorderOf(EtlFileHeader? header) =>
        (header?.Clock.TicksPerSecond ?? LogFileHeaderEvent.AssumedTicksPerSecond) / DisordersPerSecond;

    /// <summary>Whether a stamp is a FILETIME of about the day when a trace began.</summary>
    public static bool IsFileTime(long ticks, long startFileTime) =>
        startFileTime > FirstFileTime && Distance(ticks, startFileTime) <= (ulong)YearsOfFileTime;

    /// <summary>Judges the times of a trace.</summary>
    /// <param name="opened">The buffers that were looked into.</param>
    /// <param name="unopened">How many were not, and when the first and the last of them begin.</param>
    /// <param name="header">The header, with the clock that the stamps prove; null where it could not be read.</param>
    public static TimeSupport Of(IReadOnlyList<OpenedBuffer> opened, (long Count, long First, long Last) unopened, EtlFileHeader? header)
    {
        var support = new TimeSupport(header);
        foreach (OpenedBuffer buffer in opened)
        {
            bool isFlushTold = buffer.FlushTicks >= buffer.FirstTicks && !support.IsOtherClock(buffer.FlushTicks);
            foreach (long ticks in buffer.Samples.Where(ticks => !support.IsOtherClock(ticks)))
            {
                support._samples.Add(new Sample(ticks, 1, isFlushTold ? buffer.FlushTicks : null, buffer.Place.Offset));
            }
        }

        if (unopened.Count > 0)
        {
            support._samples.Add(new Sample(unopened.First, unopened.Count, null, -1));
            support._samples.Add(new Sample(unopened.Last, unopened.Count, null, -1));
        }

        support._samples.Sort((first, second) => first.Ticks.CompareTo(second.Ticks));
        support._end = support._samples.Count;
        support.LeaveOutLonely();
        support.Limit();
        return support;
    }

    private static ulong Distance(long first, long second) => unchecked((ulong)Math.Max(first, second) - (ulong)Math.Min(first, second));

    /// <summary>Goes through the intervals, the widest first, and leaves out what lies lonely beyond.</summary>
    private void LeaveOutLonely()
    {
        var intervals = new List<int>();
        for (int i = 1; i < _samples.Count; i++)
        {
            bool isInside = _samples[i].Count > 1 && _samples[i - 1].Count > 1 && _samples[i].Buffer < 0 && _samples[i - 1].Buffer < 0;
            if (!isInside && Distance(_samples[i].Ticks, _samples[i - 1].Ticks) > (ulong)_ticksPerSecond)
            {
                intervals.Add(i);
            }
        }

        intervals.Sort((first, second) => Interval(second).CompareTo(Interval(first)));
        foreach (int at in intervals)
        {
            if (at <= _first || at >= _end)
            {
                continue;
            }

            long below = CountOf(_first, at);
            long above = CountOf(at, _end);
            bool isLow = below < above;
            (int from, int to) = isLow ? (_first, at) : (at, _end);
            ulong span = isLow ? SpanOf(at, _end) : SpanOf(_first, at);
            if (below == above || Interval(at) <= span || !IsLonely(from, to, Math.Min(below, above), below + above, isLow))
            {
                continue;
            }

            _isHeaderSupported &= !HoldsHeader(from, to);
            (_first, _end) = isLow ? (at, _end) : (_first, at);
        }
    }

    private ulong Interval(int at) => Distance(_samples[at].Ticks, _samples[at - 1].Ticks);

    private ulong SpanOf(int from, int to) => Distance(_samples[to - 1].Ticks, _samples[from].Ticks);

    private long CountOf(int from, int to)
    {
        long count = 0;
        for (int i = from; i < to; i++)
        {
            count += _samples[i].Count;
        }

        return count;
    }

    private bool HoldsHeader(int from, int to) =>
        _header is not null && _samples[from].Ticks <= _headerTicks && _headerTicks <= _samples[to - 1].Ticks;

    private bool IsLonely(int from, int to, long count, long all, bool isLow)
    {
        bool isBehindEnd = !isLow && IsBehindEnd(from);
        bool isBehindFlush = !isLow && AreBehindFlush(from, to);
        if (count > MostStray || (!isBehindEnd && !isBehindFlush && count > Math.Max(1, all / OneIn)))
        {
            return false;
        }

        bool isImpossible = true;
        bool isTold = true;
        for (int i = from; i < to; i++)
        {
            Sample sample = _samples[i];
            isImpossible &= sample.Ticks <= 0;
            isTold &= isLow ? IsBehindHeader(sample.Ticks) : (!isBehindEnd && IsBeforeFlush(in sample)) || IsBeforeEnd(sample.Ticks);
        }

        if (isImpossible || isBehindFlush)
        {
            return true;
        }

        if (all < LeastTimes || isTold)
        {
            return false;
        }

        return HoldsHeader(from, to) ? !isLow || !IsHeaderTold(to) : !Agree(from, to);
    }

    /// <summary>Whether the header told of the time since the start of the system, or of the session, so that it may stand alone.</summary>
    /// <param name="to">The first of the others.</param>
    private bool IsHeaderTold(int to)
    {
        const EtlLogFileMode KeepsNewest = EtlLogFileMode.Circular | EtlLogFileMode.Buffering;
        double seconds = Distance(_samples[_end - 1].Ticks, _samples[to - 1].Ticks) / (double)_ticksPerSecond;
        double told = (_header!.EndFileTime - _header.Clock.StartFileTime) / (double)FileTimePerSecond;
        double up = (_header.Clock.StartFileTime - _header.BootFileTime) / (double)FileTimePerSecond;
        return (_header.Mode & KeepsNewest) != 0
            || (_header.EndFileTime != 0 && Math.Abs(told - seconds) <= BootTolerance)
            || (_header.BootFileTime > 0 && Math.Abs((_headerTicks / (double)_ticksPerSecond) - up) <= BootTolerance);
    }

    private bool IsBehindHeader(long ticks) => _isHeaderSupported && ticks > _headerTicks;

    /// <summary>
    /// Whether the header tells that the session had ended long before, and no sooner than all other times: then one buffer's own word is
    /// not enough.
    /// </summary>
    /// <param name="from">The first of the times.</param>
    private bool IsBehindEnd(int from)
    {
        const double Nearly = 0.9;
        if (_header is not { EndFileTime: not 0, Clock.StartFileTime: > 0 } || !_isHeaderSupported || _samples[from].Ticks <= _headerTicks)
        {
            return false;
        }

        double told = (_header.EndFileTime - _header.Clock.StartFileTime) / (double)FileTimePerSecond;
        double others = Distance(_samples[from - 1].Ticks, _headerTicks) / (double)_ticksPerSecond;
        double behind = Distance(_samples[from].Ticks, _headerTicks) / (double)_ticksPerSecond;
        return told >= Nearly * others && behind > told + BootTolerance;
    }

    private static bool IsBeforeFlush(in Sample sample) => sample.FlushTicks >= sample.Ticks;

    private bool IsBeforeEnd(long ticks)
    {
        if (_header is null || !_isHeaderSupported || _header.EndFileTime == 0 || _header.Clock.StartFileTime <= 0)
        {
            return false;
        }

        double behind = Distance(ticks, _headerTicks) / (double)_ticksPerSecond;
        return ticks >= _headerTicks && behind <= ((_header.EndFileTime - _header.Clock.StartFileTime) / (double)FileTimePerSecond) + 1;
    }

    /// <summary>Whether each lies behind the time at which its own buffer was written: it cannot be in there then.</summary>
    private bool AreBehindFlush(int from, int to)
    {
        long margin = _ticksPerSecond / FlushesPerSecond;
        for (int i = from; i < to; i++)
        {
            if (!(_samples[i].Ticks - margin > _samples[i].FlushTicks))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Whether times of several buffers lie near each other: neighbours that support each other.</summary>
    private bool Agree(int from, int to)
    {
        for (int i = from + 1; i < to; i++)
        {
            if (_samples[i].Buffer != _samples[i - 1].Buffer
                && _samples[i].Ticks != _samples[i - 1].Ticks && Interval(i) <= (ulong)_ticksPerSecond)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Whether a stamp is a FILETIME of about the trace's day, and the trace's clock, as proven, is another.</summary>
    public static bool IsOtherClock(long ticks, EtlFileHeader? header) =>
        header is { Clock.Kind: not TraceClockKind.SystemTime } && IsFileTime(ticks, header.Clock.StartFileTime);

    private bool IsOtherClock(long ticks) => IsOtherClock(ticks, _header);

    private void Limit()
    {
        if (_first >= _end)
        {
            return;
        }

        FirstTicks = _samples[_first].Ticks;
        long last = LastFlushed();
        LastTicks = last;
        From = FirstTicks < long.MinValue + Disorder ? long.MinValue : FirstTicks - Disorder;
        To = last > long.MaxValue - Disorder ? long.MaxValue : last + Disorder;
    }

    /// <summary>The last supported time: a few that lie behind the flush of their own buffer are not.</summary>
    private long LastFlushed()
    {
        long margin = _ticksPerSecond / FlushesPerSecond;
        int few = Math.Min(MostStray, Math.Max(1, (_end - _first) / OneIn));
        for (int last = _end - 1; last > _first && last >= _end - 1 - few; last--)
        {
            if (!(_samples[last].Ticks - margin > _samples[last].FlushTicks))
            {
                return _samples[last].Ticks;
            }
        }

        return _samples[_end - 1].Ticks; // So many that the flushes are wrong.
    }

    /// <param name="Ticks">The time.</param>
    /// <param name="Count">For how many it stands.</param>
    /// <param name="FlushTicks">When its buffer was flushed; null where that is not known.</param>
    /// <param name="Buffer">Where its buffer is; -1 for one that was not opened.</param>
    private readonly record struct Sample(long Ticks, long Count, long? FlushTicks, long Buffer);
}
