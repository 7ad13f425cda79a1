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

    /// <summary>Most frames that are kept: those of nine minutes of a program that draws 240 a second.</summary>
    private const int MostFrames = 1 << 17;

    /// <summary>From so many on it shows how long a frame usually takes.</summary>
    private const int FewestFrames = 60;

    /// <summary>A frame that takes longer than so many usual ones is late.</summary>
    private const int LateFrame = 2;

    /// <summary>Most threads that read devices of input: a session has one or two.</summary>
    private const int MostInputThreads = 1024;

    /// <summary>More glitches than this are not counted in a time: the number makes no sense.</summary>
    private const long MostCounted = 100_000_000;

    /// <summary>The flag of a call of Present that hands over nothing (DXGI_PRESENT_TEST).</summary>
    private const long OnlyTested = 1;

    /// <summary>Where more than this part of the frames are late there is no usual length.</summary>
    private const double MostLate = 0.1;

    private readonly GlitchReading _reading = new(clock);
    private readonly List<GlitchRecord> _records = [];
    private readonly Dictionary<uint, List<(long Ticks, long? DeadlineTicks)>> _deadlines = [];
    private readonly Dictionary<uint, List<(long Ticks, long? DeadlineTicks)>> _missed = [];
    private readonly List<(long Ticks, long Count)> _counts = [];
    private readonly Dictionary<FrameSource, List<long>> _frames = [];
    private readonly HashSet<uint> _inputThreads = [];
    private int _deadlineCount;
    private int _frameCount;

    /// <summary>The moments, in order of time.</summary>
    public IReadOnlyList<RecordedGlitch> All { get; private set; } = [];

    /// <summary>
    /// The frames that programs handed over much later than they usually do, in order of time: no records of Windows' that something was
    /// late, and looked at only for a process that somebody asks about.
    /// </summary>
    public IReadOnlyList<RecordedGlitch> LateFrames { get; private set; } = [];

    /// <summary>The threads that read mice and keyboards.</summary>
    public IReadOnlySet<uint> InputThreads => _inputThreads;

    /// <summary>Records of moments that are not kept: there are too many.</summary>
    public long More { get; private set; }

    /// <summary>Records with the id of one of these events whose payload is too short for it, or makes no sense.</summary>
    public long Doubtful { get; private set; }

    /// <summary>Records that are told without their numbers, which make no sense.</summary>
    public long WithoutNumbers { get; private set; }

    /// <summary>Whether the engine told of glitches without their moments.</summary>
    public bool HasCounts => _counts.Count > 0;

    /// <summary>How many glitches the engine itself counted, from one time to another, where it told.</summary>
    public long CountedIn(long fromTicks, long toTicks) => CountsIn(fromTicks, toTicks).Sum(static one => one.Count);

    /// <summary>How often it told that there were too many.</summary>
    public long TooManyIn(long fromTicks, long toTicks) => CountsIn(fromTicks, toTicks).Count(static one => one.Count == 0);

    private IEnumerable<(long Ticks, long Count)> CountsIn(long fromTicks, long toTicks) =>
        _counts.Where(one => one.Ticks >= fromTicks && one.Ticks <= toTicks);

    /// <summary>Adds an event without a hook id; others than these records are ignored.</summary>
    public void Add(in EtlEvent traceEvent)
    {
        if (!traceEvent.IsEventHeader || GlitchKind.Find(traceEvent.ProviderId, traceEvent.Id) is not { } kind)
        {
            return;
        }

        Span<long> fields = stackalloc long[GlitchReading.MostFields];
        if (!GlitchReading.TryRead(kind, in traceEvent, fields))
        {
            Doubtful++;
            return;
        }

        long ticks = traceEvent.TimestampTicks;
        switch (kind.Use)
        {
            case GlitchUse.Count:
                AddCount(kind, ticks, fields[0]);
                break;
            case GlitchUse.Deadline:
                long? deadline = kind.Id == GlitchKind.SettingDeadline ? _reading.DeadlineOf(fields[1], ticks) : null;
                AddDeadline(traceEvent.ThreadId, ticks, deadline);
                break;
            case GlitchUse.Frame:
                AddFrame(kind, fields, traceEvent.ProcessId, traceEvent.ThreadId, ticks);
                break;
            case GlitchUse.Input when _inputThreads.Count < MostInputThreads:
                _inputThreads.Add(traceEvent.ThreadId);
                break;
            case GlitchUse.Glitch when _records.Count >= MostRecords:
                More++;
                break;
            case GlitchUse.Glitch or GlitchUse.End when _records.Count < MostRecords:
                Add(_reading.RecordOf(kind, in traceEvent, fields));
                break;
        }
    }

    public void Complete()
    {
        _records.Sort(static (one, other) => one.Ticks != other.Ticks
            ? one.Ticks.CompareTo(other.Ticks)
            : (one.Thread, one.Kind.Id).CompareTo((other.Thread, other.Kind.Id)));
        foreach (List<(long Ticks, long?)> ofThread in _deadlines.Values.Concat(_missed.Values))
        {
            ofThread.Sort(static (one, other) => one.Ticks.CompareTo(other.Ticks));
        }

        var join = new GlitchJoin(clock);
        All = [.. _records.Select(join.Begun).OfType<RecordedGlitch>()];

        // What the kernel got of a program was told by the program's own library before, where that was recorded.
        HashSet<uint> told = [.. _frames.Keys.Where(of => of.Kind.Provider != GlitchKind.KernelFrames).Select(of => of.Process)];
        LateFrames = [.. _frames.Where(frames => frames.Key.Kind.Provider != GlitchKind.KernelFrames || !told.Contains(frames.Key.Process))
            .SelectMany(frames => LateOf(frames.Key, frames.Value)).Take(MostRecords)
            .OrderBy(frame => frame.Ticks).ThenBy(frame => frame.Records[0].Thread)];
    }

    /// <summary>
    /// The deadline of a thread's job, in ticks: the one that it had set itself before it ran, where that was still to come when the job
    /// should run; else the one that it said it missed during the job. Null where it did neither, or gave the deadline up.
    /// </summary>
    /// <param name="fromTicks">When the job should run.</param>
    /// <param name="runTicks">When it ran.</param>
    public long? DeadlineOf(uint thread, long fromTicks, long runTicks, long endTicks) =>
        Last(_deadlines, thread, runTicks) is { DeadlineTicks: { } set } && set >= fromTicks ? set
        : Last(_missed, thread, endTicks) is { DeadlineTicks: { } missed } last && last.Ticks >= runTicks ? missed
        : null;

    /// <summary>What a thread told last up to a time; null for nothing.</summary>
    private static (long Ticks, long? DeadlineTicks)? Last(
        Dictionary<uint, List<(long Ticks, long? DeadlineTicks)>> told, uint thread, long ticks)
    {
        if (!told.TryGetValue(thread, out List<(long Ticks, long? DeadlineTicks)>? ofThread))
        {
            return null;
        }

        int first = SortedSearch.FirstNot(0, ofThread.Count, (ofThread, ticks), static (at, i) => at.ofThread[i].Ticks <= at.ticks);
        return first > 0 ? ofThread[first - 1] : null;
    }

    private void Add(GlitchRecord record)
    {
        _records.Add(record);
        WithoutNumbers += record.IsWithoutNumbers ? 1 : 0;
        if (record.DeadlineTicks is { } missed)
        {
            Add(_missed, record.Thread, record.Ticks, missed);
        }
    }

    /// <summary>The engine told how many glitches there were in a time, or, without a number, that they were too many.</summary>
    private void AddCount(GlitchKind kind, long ticks, long count)
    {
        bool isNumber = kind.Id == GlitchKind.Counter;
        if (isNumber && count > MostCounted)
        {
            Doubtful++;
        }
        else if ((!isNumber || count > 0) && _counts.Count < MostRecords)
        {
            _counts.Add((ticks, isNumber ? count : 0));
        }
    }

    private void AddFrame(GlitchKind kind, ReadOnlySpan<long> fields, uint process, uint thread, long ticks)
    {
        if (_frameCount >= MostFrames || (kind.Provider == GlitchKind.Frames && (fields[1] & OnlyTested) != 0))
        {
            return;
        }

        // Of one chain of buffers, or of one window; a program may hand over now by the one call, now by the other.
        var of = new FrameSource(
            GlitchKind.Find(kind.Provider, GlitchKind.IdsOf(kind.Provider)[0])!,
            process,
            thread,
            fields[kind.Layout.IndexOf('p', StringComparison.Ordinal)]);
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
    private IEnumerable<RecordedGlitch> LateOf(FrameSource of, List<long> frames)
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
                yield return new RecordedGlitch(frames[i], false)
                {
                    Records = [new GlitchRecord(of.Kind, frames[i], of.Process, of.Thread, null, words) { SinceTicks = frames[i - 1] }],
                };
            }
        }
    }

    /// <param name="Kind">The first of its provider.</param>
    /// <param name="Target">The chain of buffers, or the window.</param>
    private readonly record struct FrameSource(GlitchKind Kind, uint Process, uint Thread, long Target);

    private void AddDeadline(uint thread, long ticks, long? deadline)
    {
        if (_deadlineCount >= MostDeadlines)
        {
            return;
        }

        _deadlineCount++;
        Add(_deadlines, thread, ticks, deadline);
    }

    private static void Add(Dictionary<uint, List<(long Ticks, long? DeadlineTicks)>> told, uint thread, long ticks, long? deadline)
    {
        if (!told.TryGetValue(thread, out List<(long, long?)>? ofThread))
        {
            told.Add(thread, ofThread = []);
        }

        ofThread.Add((ticks, deadline));
    }
}
