using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Latencies;

/// <summary>
/// Takes the latencies that a reading measures, leaves out what is none, and counts the others by what they belong to.
/// </summary>
internal sealed class LatencyRecorder
{
    private static readonly int Sources = Enum.GetValues<LatencySource>().Length;
    private static readonly int Reasons = Enum.GetValues<LatencyLeftOut>().Length;

    private readonly TraceFacts _facts;
    private readonly TraceClock _clock;
    private readonly LatencyRequest _request;
    private readonly LossFront _losses;
    private readonly TracePart _judged;
    private readonly ILatencySink? _sink;
    private readonly LatencyTable?[] _tables = new LatencyTable?[Enum.GetValues<LatencyKind>().Length * Sources];
    private readonly long[] _leftOut = new long[Enum.GetValues<LatencyKind>().Length * Reasons];
    private readonly Dictionary<string, int> _numbers = [];
    private readonly List<string> _names = [];
    private readonly List<(long Ticks, int Name)> _labels = [];

    /// <param name="facts">What the first reading learnt.</param>
    /// <param name="losses">Until when records were missing, kept up by the reading.</param>
    /// <param name="sink">Takes each latency; null for none.</param>
    public LatencyRecorder(TraceFacts facts, TraceClock clock, LatencyRequest request, LossFront losses, ILatencySink? sink)
    {
        (_facts, _clock, _request, _losses, _sink) = (facts, clock, request, losses, sink);
        TickSpan judged = facts.Tracer.Recorder.Judged ?? new TickSpan(long.MinValue, long.MaxValue);
        _judged = new TracePart { FromTicks = judged.StartTicks, ToTicks = judged.EndTicks };
        foreach (TraceMark mark in facts.Marks.All.Where(mark => mark.Name != TraceMarks.Capture))
        {
            _labels.Add((mark.Ticks, NumberOf(mark.Name.Length > 0 ? mark.Name : "unnamed mark")));
        }
    }

    public string NameOf(int number) => _names[number];

    /// <summary>The table of a kind and source; null where nothing was measured.</summary>
    public LatencyTable? TableOf(LatencyKind kind, LatencySource source) => _tables[((int)kind * Sources) + (int)source];

    /// <summary>How many latencies of a kind were left out for a reason.</summary>
    public long LeftOut(LatencyKind kind, LatencyLeftOut why) => _leftOut[((int)kind * Reasons) + (int)why];

    /// <summary>Whether latencies of a kind and source are asked for.</summary>
    public bool Wants(LatencyKind kind, LatencySource source) => _request.Wants(kind, source);

    /// <summary>
    /// Counts a latency that ends now and that two records tell: where records between them are missing, they need not belong together.
    /// </summary>
    public void AddPair(in WaitedLatency waited, int otherCpu)
    {
        if (IsTorn(waited.FromTicks, waited.Cpu, otherCpu))
        {
            LeaveOut(in waited, LatencyLeftOut.LostEvents);
            return;
        }

        Add(in waited);
    }

    /// <summary>
    /// Whether all records of a time that ends now are there, and it is neither outside of what is judged nor the recorder's.
    /// </summary>
    public bool IsWhole(long fromTicks, long toTicks, int cpu, int otherCpu) =>
        !IsTorn(fromTicks, cpu, otherCpu) && _judged.Holds(cpu, fromTicks) && !_facts.Tracer.Recorder.IsWork(fromTicks, toTicks);

    /// <summary>Whether a time is in the part that is judged.</summary>
    public bool IsJudged(long ticks, int cpu) => _judged.Holds(cpu, ticks);

    public void Add(in WaitedLatency waited)
    {
        long nanoseconds = waited.ToTicks < waited.FromTicks ? -1 : _clock.NanosecondsOf(waited.ToTicks - waited.FromTicks);
        if (nanoseconds < 0 || nanoseconds > HdrLayout.Latencies.Highest)
        {
            LeaveOut(in waited, LatencyLeftOut.Senseless);
        }
        else if (_facts.Tracer.Recorder.IsWork(waited.FromTicks, waited.ToTicks))
        {
            LeaveOut(in waited, LatencyLeftOut.Recorder);
        }
        else if (IsAsked(in waited))
        {
            Record(in waited, nanoseconds);
        }
    }

    /// <summary>Notes latencies of a kind that nobody measured or kept.</summary>
    public void LeaveOut(LatencyKind kind, LatencyLeftOut why, long count) => _leftOut[((int)kind * Reasons) + (int)why] += count;

    private bool IsTorn(long fromTicks, int cpu, int otherCpu) =>
        _losses.HasSince(cpu, fromTicks) || _losses.HasSince(otherCpu, fromTicks);

    private void LeaveOut(in WaitedLatency waited, LatencyLeftOut why)
    {
        if (IsAsked(in waited))
        {
            LeaveOut(waited.Kind, why, 1);
        }
    }

    private bool IsAsked(in WaitedLatency waited) =>
        _request.Wants(waited.Kind, waited.Source) && _judged.Holds(waited.Cpu, waited.FromTicks);

    private void Record(in WaitedLatency waited, long nanoseconds)
    {
        bool isOfThread = waited.ThreadId != 0;
        LatencyTable table = _tables[((int)waited.Kind * Sources) + (int)waited.Source] ??= new LatencyTable(_request.Splits);
        var key = new LatencyKey(
            waited.Cpu,
            isOfThread ? waited.Priority : -1,
            isOfThread ? (int)LatencyDistributions.GroupOf(waited.Priority) : -1,
            isOfThread ? ProcessOf(waited.ThreadId, waited.ToTicks) : -1,
            LabelAt(waited.FromTicks));
        table.Add(in key, nanoseconds);
        _sink?.Add(new MeasuredLatency(
            waited.Kind,
            waited.Source,
            _clock.NanosecondsFromHeader(waited.FromTicks),
            nanoseconds,
            waited.Cpu,
            isOfThread ? waited.Priority : -1,
            waited.ThreadId));
    }

    private int ProcessOf(uint thread, long ticks) =>
        NumberOf(_facts.Threads.ProcessOf(thread, ticks) is { } process ? _facts.Threads.NameOf(process, ticks) ?? "" : "");

    /// <summary>The mark that was set last before a time: "" before the first, -1 where the trace has none.</summary>
    private int LabelAt(long ticks)
    {
        if (_labels.Count == 0)
        {
            return -1;
        }

        int after = SortedSearch.FirstNot(0, _labels.Count, (_labels, ticks), static (at, i) => at._labels[i].Ticks <= at.ticks);
        return after > 0 ? _labels[after - 1].Name : NumberOf("");
    }

    /// <summary>The names of processes and marks, of which the tables of facts keep a bounded number.</summary>
    private int NumberOf(string name)
    {
        if (!_numbers.TryGetValue(name, out int number))
        {
            number = _names.Count;
            _names.Add(name);
            _numbers.Add(name, number);
        }

        return number;
    }
}

/// <summary>A latency in ticks of the trace's clock.</summary>
internal readonly record struct WaitedLatency
{
    public required LatencyKind Kind { get; init; }

    public required LatencySource Source { get; init; }

    public required long FromTicks { get; init; }

    public required long ToTicks { get; init; }

    public required int Cpu { get; init; }

    /// <summary>The thread that waited; 0 where none did.</summary>
    public uint ThreadId { get; init; }

    public int Priority { get; init; }
}
