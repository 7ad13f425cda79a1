using System.Buffers.Binary;

namespace Tracer.Analysis.Contents;

/// <summary>
/// Windows' own records that something was late (<see cref="GlitchKind"/>). Accepts events in any order, call <see cref="Complete"/> once,
/// then query. Memory is bounded.
/// </summary>
public sealed class GlitchRecords(TraceClock clock)
{
    /// <summary>Most records that are kept; more are only counted.</summary>
    public const int MostRecords = 20_000;

    /// <summary>Most deadlines that are kept: those of 20 minutes of an engine with passes of 10 ms.</summary>
    private const int MostDeadlines = 1 << 17;

    /// <summary>Records of one moment: an engine that was late says so by several, and its next pass comes later, in ns.</summary>
    private const long TogetherNanoseconds = 5_000_000;

    /// <summary>A deadline farther from its record than this is none, in ns.</summary>
    private const long FarNanoseconds = 10_000_000_000;

    /// <summary>No buffer of sound is larger, in bytes.</summary>
    private const long LargestBuffer = 1 << 28;

    private const int MostFields = 8;

    /// <summary>Most frames that are kept: those of nine minutes of a program that draws 240 a second.</summary>
    private const int MostFrames = 1 << 17;

    /// <summary>From so many on it shows how long a frame usually takes.</summary>
    private const int FewestFrames = 60;

    /// <summary>A frame that takes longer than so many usual ones is late.</summary>
    private const int LateFrame = 2;

    /// <summary>Where more than this part of the frames are late there is no usual length.</summary>
    private const double MostLate = 0.1;

    private readonly List<GlitchRecord> _records = [];
    private readonly Dictionary<uint, List<(long Ticks, long? DeadlineTicks)>> _deadlines = [];
    private readonly Dictionary<(uint Process, uint Thread, long SwapChain), List<long>> _frames = [];
    private int _deadlineCount;
    private int _frameCount;

    /// <summary>The moments, in order of time.</summary>
    public IReadOnlyList<RecordedGlitch> All { get; private set; } = [];

    /// <summary>
    /// The frames that programs handed over much later than they usually do, in order of time: no records of Windows' that something was
    /// late, and looked at only for a process that somebody asks about.
    /// </summary>
    public IReadOnlyList<RecordedGlitch> LateFrames { get; private set; } = [];

    /// <summary>Records of moments that are not kept: there are too many.</summary>
    public long More { get; private set; }

    /// <summary>Records with the id of one of these events whose payload is too short for it, or makes no sense.</summary>
    public long Doubtful { get; private set; }

    /// <summary>How many glitches the engine itself counted, where it told.</summary>
    public long Counted { get; private set; }

    /// <summary>Adds an event without a hook id; others than these records are ignored.</summary>
    public void Add(in EtlEvent traceEvent)
    {
        if (!traceEvent.IsEventHeader || GlitchKind.Find(traceEvent.ProviderId, traceEvent.Id) is not { } kind)
        {
            return;
        }

        Span<long> fields = stackalloc long[MostFields];
        if (!TryRead(kind, traceEvent.Payload, traceEvent.PointerBytes, fields) || !MakesSense(kind, fields))
        {
            Doubtful++;
            return;
        }

        long ticks = traceEvent.TimestampTicks;
        switch (kind.Use)
        {
            case GlitchUse.Count:
                Counted += kind.Layout.Length > 1 ? fields[0] : 0;
                break;
            case GlitchUse.Deadline:
                AddDeadline(traceEvent.ThreadId, ticks, kind.Id == GlitchKind.SettingDeadline ? DeadlineOf(fields[1], ticks) : null);
                break;
            case GlitchUse.Frame:
                AddFrame((traceEvent.ProcessId, traceEvent.ThreadId, fields[0]), ticks);
                break;
            case GlitchUse.Glitch when _records.Count >= MostRecords:
                More++;
                break;
            case GlitchUse.Glitch or GlitchUse.End when _records.Count < MostRecords:
                long? missed = kind.Id == GlitchKind.MissedDeadline && kind.Provider == GlitchKind.Audio
                    ? DeadlineOf(fields[1], ticks)
                    : null;
                missed = missed <= ticks ? missed : null;
                string words = Words(kind, fields, missed is { } since ? new Duration(clock.NanosecondsOf(ticks - since)) : null);
                _records.Add(new GlitchRecord(kind, ticks, traceEvent.ProcessId, traceEvent.ThreadId, missed, words));
                break;
        }
    }

    public void Complete()
    {
        _records.Sort(static (one, other) => one.Ticks != other.Ticks
            ? one.Ticks.CompareTo(other.Ticks)
            : (one.Thread, one.Kind.Id).CompareTo((other.Thread, other.Kind.Id)));
        foreach (List<(long Ticks, long?)> ofThread in _deadlines.Values)
        {
            ofThread.Sort(static (one, other) => one.Ticks.CompareTo(other.Ticks));
        }

        List<RecordedGlitch> glitches = [];
        Dictionary<Guid, RecordedGlitch> open = [];
        long together = clock.TicksOf(TogetherNanoseconds);
        foreach (GlitchRecord record in _records)
        {
            RecordedGlitch? last = open.GetValueOrDefault(record.Kind.Provider);
            bool isSame = last is not null && record.Ticks - last.Ticks <= together
                && !last.Records.Any(one => one.Kind == record.Kind && one.Thread == record.Thread && one.Words == record.Words
                    && one.Ticks != record.Ticks);
            if (isSame || (record.Kind.Use == GlitchUse.End && last is not null && record.Ticks - last.Ticks <= clock.TicksPerSecond))
            {
                last!.Records.Add(record);
            }
            else
            {
                var next = new RecordedGlitch(record.Ticks, record.Kind.Provider == GlitchKind.Audio) { Records = [record] };
                open[record.Kind.Provider] = next;
                glitches.Add(next);
            }
        }

        All = glitches;
        LateFrames = [.. _frames.SelectMany(frames => LateOf(frames.Key.Process, frames.Key.Thread, frames.Value)).Take(MostRecords)
            .OrderBy(frame => frame.Ticks).ThenBy(frame => frame.Records[0].Thread)];
    }

    /// <summary>The deadline that a thread last set itself before a time, in ticks; null where it did not, or gave it up.</summary>
    public long? DeadlineBefore(uint thread, long ticks)
    {
        if (!_deadlines.TryGetValue(thread, out List<(long Ticks, long? DeadlineTicks)>? set))
        {
            return null;
        }

        int first = SortedSearch.FirstNot(0, set.Count, (set, ticks), static (at, i) => at.set[i].Ticks <= at.ticks);
        return first > 0 ? set[first - 1].DeadlineTicks : null;
    }

    private void AddFrame((uint Process, uint Thread, long SwapChain) of, long ticks)
    {
        if (_frameCount >= MostFrames)
        {
            return;
        }

        _frameCount++;
        if (!_frames.TryGetValue(of, out List<long>? frames))
        {
            _frames.Add(of, frames = []);
        }

        frames.Add(ticks);
    }

    /// <summary>
    /// The frames of a thread that took longer than twice the median; one of more than a second is a pause of the program.
    /// </summary>
    private IEnumerable<RecordedGlitch> LateOf(uint process, uint thread, List<long> frames)
    {
        if (frames.Count <= FewestFrames)
        {
            yield break;
        }

        frames.Sort();
        long[] lengths = [.. frames.Skip(1).Zip(frames, static (next, last) => next - last).Order()];
        long usual = lengths[lengths.Length / 2];
        if (usual <= 0 || lengths.Count(length => length > LateFrame * usual) > MostLate * lengths.Length)
        {
            yield break;
        }

        for (int i = 1; i < frames.Count; i++)
        {
            long length = frames[i] - frames[i - 1];
            if (length > LateFrame * usual && length <= clock.TicksPerSecond)
            {
                string words = $"a frame came {ReadableDuration.Of(new Duration(clock.NanosecondsOf(length)))} after the one before, "
                    + $"usually {ReadableDuration.Of(new Duration(clock.NanosecondsOf(usual)))}";
                GlitchKind kind = GlitchKind.Find(GlitchKind.Frames, GlitchKind.IdsOf(GlitchKind.Frames)[0])!;
                yield return new RecordedGlitch(frames[i], false)
                {
                    Records = [new GlitchRecord(kind, frames[i], process, thread, null, words) { SinceTicks = frames[i - 1] }],
                };
            }
        }
    }

    private void AddDeadline(uint thread, long ticks, long? deadline)
    {
        if (_deadlineCount >= MostDeadlines)
        {
            return;
        }

        _deadlineCount++;
        if (!_deadlines.TryGetValue(thread, out List<(long, long?)>? set))
        {
            _deadlines.Add(thread, set = []);
        }

        set.Add((ticks, deadline));
    }

    /// <summary>
    /// A deadline in units of 100 ns, in ticks. No source tells from when it counts: from its own record, from the zero of the performance
    /// counter, or from that of file times. Only one of them gives a time near the record; null where none does.
    /// </summary>
    private long? DeadlineOf(long units, long ticks)
    {
        Int128 far = clock.TicksOf(FarNanoseconds);
        Int128 nanoseconds = (Int128)units * 100;
        if (units > 0 && nanoseconds <= FarNanoseconds)
        {
            return ticks + clock.TicksOf((long)nanoseconds);
        }

        Int128 sinceZero = nanoseconds * clock.TicksPerSecond / 1_000_000_000;
        Int128 byFileTime = clock.StartFileTime <= 0
            ? sinceZero
            : clock.HeaderTicks + (((Int128)units - clock.StartFileTime) * 100 * clock.TicksPerSecond / 1_000_000_000);
        return Int128.Abs(sinceZero - ticks) <= far ? (long)sinceZero
            : Int128.Abs(byFileTime - ticks) <= far ? (long)byFileTime
            : null;
    }

    private static bool TryRead(GlitchKind kind, ReadOnlySpan<byte> payload, int pointerBytes, Span<long> fields)
    {
        int at = 0;
        for (int i = 0; i < kind.Layout.Length; i++)
        {
            int bytes = GlitchKind.BytesOf(kind.Layout[i], pointerBytes);
            if (payload.Length - at < bytes)
            {
                return false;
            }

            fields[i] = bytes == sizeof(ulong)
                ? BinaryPrimitives.ReadInt64LittleEndian(payload[at..])
                : BinaryPrimitives.ReadUInt32LittleEndian(payload[at..]);
            at += bytes;
        }

        return true;
    }

    /// <summary>
    /// Whether the fields can be what their names say: a newer Windows may have given an id another meaning. Each object is somewhere in
    /// memory, and what a buffer holds fits into it.
    /// </summary>
    private static bool MakesSense(GlitchKind kind, ReadOnlySpan<long> fields) =>
        (kind.Layout[0] != 'p' || (ulong)fields[0] > ushort.MaxValue)
        && (kind.Provider != GlitchKind.Audio || kind.Id != GlitchKind.ClientStarvation
            || (fields[3] is > 0 and <= LargestBuffer && fields[4] <= fields[3]));

    /// <param name="late">How long ago the deadline was; null where that is not known.</param>
    private static string Words(GlitchKind kind, ReadOnlySpan<long> fields, Duration? late)
    {
        string words = kind.Tells.Replace(
            "{late}", late is { } by ? $" by {ReadableDuration.Of(by)}" : string.Empty, StringComparison.Ordinal);
        for (int i = 0; i < kind.Layout.Length && words.Contains('{', StringComparison.Ordinal); i++)
        {
            string number = i.ToString(CultureInfo.InvariantCulture);
            string value = ((ulong)fields[i]).ToString("N0", CultureInfo.InvariantCulture);
            words = words.Replace($"{{{number}}}", value, StringComparison.Ordinal);
            words = words.Replace(
                $"{{{number}:time}}",
                ReadableDuration.Of(new Duration((long)Math.Min((ulong)fields[i], long.MaxValue / 100) * 100)),
                StringComparison.Ordinal);
        }

        return words;
    }
}

/// <summary>One record. Times in ticks.</summary>
/// <param name="Process">The process that wrote it.</param>
/// <param name="DeadlineTicks">The deadline that was missed; null where it tells of none, or of none that makes sense.</param>
/// <param name="Words">What it says.</param>
public sealed record GlitchRecord(GlitchKind Kind, long Ticks, uint Process, uint Thread, long? DeadlineTicks, string Words)
{
    /// <summary>Since when something may have been late; null where the record does not tell.</summary>
    public long? SinceTicks { get; init; }
}

/// <summary>A moment at which something was late: all that Windows recorded of it.</summary>
/// <param name="Ticks">When the first record was written.</param>
/// <param name="IsSound">Whether it was heard; else it was seen.</param>
public sealed record RecordedGlitch(long Ticks, bool IsSound)
{
    /// <summary>Whether it is no record of Windows', but a mark that a person set.</summary>
    public bool IsMark => Records is [{ Kind.Side: GlitchSide.Unknown }];

    /// <summary>In order of time.</summary>
    public required List<GlitchRecord> Records { get; init; }
}
