using Tracer.Capture.Ground;
using Tracer.Capture.Merge;

namespace Tracer.Capture.Engine;

/// <summary>Takes what the trigger sources measured: counts it and looks for episodes. Allocates nothing for a measurement.</summary>
public sealed class TriggerIntake : ITriggerSink
{
    private static readonly int Kinds = Enum.GetValues<TriggerKind>().Length;

    private readonly TriggerCounts?[] _counts = new TriggerCounts?[Kinds];
    private readonly EpisodeAdmission _selection;
    private readonly ICaptureClock _clock;
    private readonly CaptureWorkLog _work;

    /// <param name="work">Our own work: what is measured meanwhile is not counted.</param>
    public TriggerIntake(EpisodeAdmission selection, ICaptureClock clock, CaptureWorkLog work) =>
        (_selection, _clock, _work) = (selection, clock, work);

    public long Lost => _counts.Sum(static counts => counts?.Lost ?? 0);

    /// <summary>The longest latency in nanoseconds; null before the first.</summary>
    public Duration? Worst
    {
        get
        {
            var some = _counts.Where(static counts => counts?.Latencies.Count > 0).ToList();
            return some.Count == 0 ? null : new Duration(some.Max(static counts => counts!.Latencies.WorstNs));
        }
    }

    /// <summary>Shows a kind of trigger from now on, also before it measured anything.</summary>
    /// <param name="floorNs">Its floor in nanoseconds; 0 for none.</param>
    public void Announce(TriggerKind kind, long floorNs) => Of(kind).FloorNs = floorNs;

    /// <summary>A copy of the counts for a screen.</summary>
    public IReadOnlyList<TriggerStatus> Status() => [.. _counts.OfType<TriggerCounts>().Select(static counts => counts.Status())];

    public void OnMeasurement(in TriggerMeasurement measurement)
    {
        // A latency that ended while we were at work may be our own doing.
        long end = measurement.StartQpc + _clock.TicksOf(new Duration(measurement.LatencyNs));
        if (_work.Touches(measurement.StartQpc, end))
        {
            return;
        }

        TriggerCounts counts = Of(measurement.Kind);
        if (measurement.Kind.IsInstant())
        {
            counts.Times++;
        }
        else if (counts.AreCountedElsewhere)
        {
            counts.Latencies.Reach(measurement.LatencyNs);
        }
        else
        {
            counts.Latencies.Add(measurement.LatencyNs);
        }

        if (_selection.Reaches(in measurement))
        {
            counts.OverThreshold++;
            _selection.Take(in measurement, _clock.Qpc);
        }
    }

    public void OnAll(TriggerKind kind, LatencyHistogram all)
    {
        TriggerCounts counts = Of(kind);
        counts.AreCountedElsewhere = true;
        counts.Latencies.Take(all);
    }

    public void OnLost(TriggerKind kind, long count) => Of(kind).Lost += count;

    private TriggerCounts Of(TriggerKind kind) => _counts[(int)kind] ??= new TriggerCounts(kind);
}
