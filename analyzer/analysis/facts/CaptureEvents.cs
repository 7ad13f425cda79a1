using Tracer.Analysis.Contents;

namespace Tracer.Analysis.Facts;

/// <summary>
/// What our own flight recorder wrote about itself into a trace that it captured: when it was working, and which moment the trace was
/// captured for. The clock fields are in the trace's own clock.
/// </summary>
public sealed class CaptureEvents
{
    private const int MaximumWork = 1 << 16;

    private readonly List<TickSpan> _work = [];
    private readonly List<CaptureWindow> _captures = [];
    private bool _isSorted;

    /// <summary>The moments for which the trace was captured, in order: one, unless traces were merged.</summary>
    public IReadOnlyList<CaptureWindow> Captures => _captures;

    /// <summary>Which part of a longer trace this one is; null where it is no slice.</summary>
    public SliceOrigin? Slice { get; private set; }

    /// <summary>
    /// What is judged of the trace, as whoever made it says: what a slice was cut out for, or what was captured. Before it is only what led
    /// to it. In ticks; null for all.
    /// </summary>
    public TickSpan? Judged => Slice is { } slice ? new TickSpan(slice.FromTicks, slice.ToTicks)
        : _captures is [{ } only] ? new TickSpan(only.WindowFromTicks, long.MaxValue)
        : null;

    /// <summary>How often the recorder was working.</summary>
    public int WorkCount => _work.Count;

    /// <summary>Events that the list of processes, threads and images lost.</summary>
    public long RundownEventsLost { get; private set; }

    public long RundownBuffersLost { get; private set; }

    /// <returns>False where the payload makes no sense.</returns>
    public bool Add(ProviderEvent shape, ReadOnlySpan<byte> payload) =>
        ReferenceEquals(shape, TracerProvider.CaptureWork) ? AddWork(payload)
        : ReferenceEquals(shape, TracerProvider.Slice) ? AddSlice(payload)
        : ReferenceEquals(shape, TracerProvider.RundownLoss) ? AddRundownLoss(payload)
        : AddCapture(payload);

    /// <summary>Whether the recorder was working at any time of a stretch.</summary>
    public bool IsWork(long fromTicks, long toTicks)
    {
        if (!_isSorted)
        {
            Join();
        }

        int low = SortedSearch.FirstNot(0, _work.Count, (_work, fromTicks), static (at, i) => at._work[i].EndTicks <= at.fromTicks);

        return low < _work.Count && _work[low].StartTicks < toTicks;
    }

    /// <summary>
    /// Whether a stretch reaches beyond what was captured or cut out. Outside it the trace holds only rundown events, so that every CPU
    /// seems silent.
    /// </summary>
    public bool IsBeyondWindow(long fromTicks, long toTicks) =>
        (_captures is [{ } only] && (fromTicks < only.WindowFromTicks || toTicks > only.WindowToTicks))
        || (Slice is { } slice && (fromTicks < slice.KeptFromTicks || toTicks > slice.KeptToTicks));

    private bool AddWork(ReadOnlySpan<byte> payload)
    {
        if (!ProviderPayload.TryRead(payload, out CaptureWorkEvent work) || work.Begin < 0 || work.End <= work.Begin
            || _work.Count == MaximumWork)
        {
            return false;
        }

        _work.Add(new TickSpan(work.Begin, work.End));
        _isSorted = false;
        return true;
    }

    private bool AddCapture(ReadOnlySpan<byte> payload)
    {
        if (!ProviderPayload.TryRead(payload, out CaptureEvent capture) || capture.WindowBegin < 0
            || capture.EpisodeStart < capture.WindowBegin || capture.WindowEnd < capture.EpisodeStart || _captures.Count == MaximumWork)
        {
            return false;
        }

        _captures.Add(new CaptureWindow(capture.EpisodeStart, capture.WindowBegin, capture.WindowEnd, capture.PreCoveredUs));
        return true;
    }

    private bool AddSlice(ReadOnlySpan<byte> payload)
    {
        Slice = SliceOrigin.Read(payload) ?? Slice;
        return Slice is not null;
    }

    private bool AddRundownLoss(ReadOnlySpan<byte> payload)
    {
        if (!ProviderPayload.TryRead(payload, out RundownLossEvent losses))
        {
            return false;
        }

        RundownEventsLost += losses.EventsLost;
        RundownBuffersLost += losses.BuffersLost;
        return true;
    }

    /// <summary>Sorts the stretches and joins those that overlap, so that their ends are in order as well.</summary>
    private void Join()
    {
        _work.Sort((one, other) => one.StartTicks.CompareTo(other.StartTicks));
        int kept = 0;
        for (int i = 1; i < _work.Count; i++)
        {
            if (_work[i].StartTicks <= _work[kept].EndTicks)
            {
                _work[kept] = new TickSpan(_work[kept].StartTicks, Math.Max(_work[kept].EndTicks, _work[i].EndTicks));
            }
            else
            {
                _work[++kept] = _work[i];
            }
        }

        if (_work.Count > 0)
        {
            _work.RemoveRange(kept + 1, _work.Count - kept - 1);
        }

        _isSorted = true;
    }
}

/// <summary>A moment that the flight recorder captured a trace of.</summary>
/// <param name="WindowFromTicks">Start of the window to be captured, in ticks.</param>
/// <param name="PreCoveredUs">Time before the episode that the records of all CPUs cover, in microseconds.</param>
public readonly record struct CaptureWindow(long EpisodeTicks, long WindowFromTicks, long WindowToTicks, ulong PreCoveredUs);
