using Tracer.Analysis.Slicing;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Merge;

/// <summary>What the flight recorder was doing.</summary>
public enum CaptureWorkKind : byte
{
    /// <summary>Had the ring written out.</summary>
    Snapshot,

    /// <summary>Had images, processes and threads listed.</summary>
    Rundown,

    /// <summary>Merged and analysed.</summary>
    Merge,

    /// <summary>Started the recording.</summary>
    Start,

    /// <summary>Nothing: the machine slept.</summary>
    Asleep,
}

/// <summary>A stretch of work of our own.</summary>
/// <param name="Begin">When it began, in ticks of the performance counter.</param>
public readonly record struct CaptureWorkSpan(CaptureWorkKind Kind, long Begin, long End);

/// <summary>Our own work of the last minutes: it belongs into every trace whose window it touches, and nothing triggers in it.</summary>
public sealed class CaptureWorkLog
{
    /// <summary>Four for each episode; more than a window can hold.</summary>
    private const int MostSpans = 64;

    private readonly Queue<CaptureWorkSpan> _spans = new(MostSpans);

    /// <summary>The spans, the oldest first.</summary>
    public IReadOnlyCollection<CaptureWorkSpan> Spans => _spans;

    public void Add(CaptureWorkSpan span)
    {
        if (_spans.Count == MostSpans)
        {
            _spans.Dequeue();
        }

        _spans.Enqueue(span);
    }

    /// <summary>Whether we were at work at any moment of a stretch.</summary>
    /// <param name="begin">First tick.</param>
    /// <param name="end">Last tick.</param>
    /// <returns>True if so.</returns>
    public bool Touches(long begin, long end)
    {
        foreach (CaptureWorkSpan span in _spans)
        {
            if (begin <= span.End && end >= span.Begin)
            {
                return true;
            }
        }

        return false;
    }
}

/// <summary>The events about one trace: <see cref="TracerProvider.Capture"/> and <see cref="TracerProvider.CaptureWork"/>.</summary>
public sealed record EpisodeEvents
{
    private const int LongestPayload = 512;
    private const int MostStacks = 32;

    private static readonly TraceLoggingEventSchema WorkSchema = TracerProvider.CaptureWork.Schema();
    private static readonly TraceLoggingEventSchema CaptureSchema = TracerProvider.Capture.Schema();

    public required TriggerKind Trigger { get; init; }

    public required Duration Threshold { get; init; }

    /// <summary>When the episode began, in ticks.</summary>
    public required long EpisodeStart { get; init; }

    public required Duration Latency { get; init; }

    public required int Cpu { get; init; }

    /// <summary>How much of the time before it all CPUs cover.</summary>
    public required Duration PreCovered { get; init; }

    public required SessionPlan Wanted { get; init; }

    /// <summary>Groups that Windows says are on.</summary>
    public required KernelMasks Granted { get; init; }

    public required IReadOnlyList<StackRequest> GrantedStacks { get; init; }

    public required IReadOnlyCollection<CaptureWorkSpan> Work { get; init; }

    /// <param name="firstTicks">The trace's first moment; work before it is left out.</param>
    public void WriteTo(EtlWriter writer, TraceWindow window, long firstTicks)
    {
        ArgumentNullException.ThrowIfNull(writer);
        var process = (uint)Environment.ProcessId;
        var payload = new TraceLoggingPayload(stackalloc byte[LongestPayload]);
        payload.Raw(ProviderPayload.Of(new CaptureEvent
        {
            Trigger = (byte)Trigger,
            ThresholdNs = (ulong)Threshold.Nanoseconds,
            EpisodeStart = EpisodeStart,
            LatencyNs = (ulong)Latency.Nanoseconds,
            Cpu = (ushort)Cpu,
            WindowBegin = window.Begin,
            WindowEnd = window.End,
            PreCoveredUs = (ulong)(PreCovered.Nanoseconds / 1000),
        }));
        AddMasks(ref payload, Wanted.Masks);
        AddMasks(ref payload, Granted);
        AddStacks(ref payload, Wanted.Stacks);
        AddStacks(ref payload, GrantedStacks);
        writer.Write(0, CaptureSchema.Header(firstTicks, process, 0), payload.Bytes, CaptureSchema.Items);
        foreach (CaptureWorkSpan span in Work)
        {
            if (span.End < firstTicks)
            {
                continue;
            }

            var work = new CaptureWorkEvent { What = (byte)span.Kind, Begin = span.Begin, End = span.End };
            writer.Write(0, WorkSchema.Header(firstTicks, process, 0), ProviderPayload.Of(in work), WorkSchema.Items);
        }
    }

    private static void AddMasks(ref TraceLoggingPayload payload, KernelMasks masks)
    {
        payload.ArrayCount(KernelMasks.Words);
        for (int word = 0; word < KernelMasks.Words; word++)
        {
            payload.UInt32(masks[word]);
        }
    }

    private static void AddStacks(ref TraceLoggingPayload payload, IReadOnlyList<StackRequest> stacks)
    {
        int count = Math.Min(stacks.Count, MostStacks);
        payload.ArrayCount(count);
        for (int i = 0; i < count; i++)
        {
            payload.UInt16((ushort)(((int)stacks[i].Group << 8) | stacks[i].Opcode));
        }
    }
}
