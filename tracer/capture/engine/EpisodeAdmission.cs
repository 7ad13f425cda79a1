using Tracer.Capture.Ground;
using Tracer.Capture.Merge;

namespace Tracer.Capture.Engine;

/// <summary>Which measurements become episodes. Allocates nothing for a measurement.</summary>
/// <remarks>
/// A measurement at or above the threshold is an episode; those that overlap in time are one, whatever measured them, and the longest of
/// them stands for it. It is written unless
/// <list type="bullet">
/// <item>we were at work ourselves at any moment of it: then it is not even counted;</item>
/// <item>it began less than <see cref="CoolDown"/> after the last one was written;</item>
/// <item>it is below the bar. The bar is the threshold, and after an episode was written at first that episode's latency, which halves
/// every <see cref="HalfLife"/>: a storm of equal episodes is not written again and again, and moderate ones still are after a giant
/// one;</item>
/// <item>as many as are to be kept are kept, and it is not longer than the shortest of them. Events, which have no latency, are counted
/// and kept by themselves: the first so many.</item>
/// </list>
/// Until the time after it is recorded, a longer one takes its place.
/// </remarks>
public sealed class EpisodeAdmission
{
    /// <summary>So long after an episode was written, none is.</summary>
    public static readonly Duration CoolDown = Duration.FromSeconds(5);

    /// <summary>The bar halves in this time, down to the threshold.</summary>
    public static readonly Duration HalfLife = Duration.FromSeconds(10);

    private const int MostTimes = 64;

    private readonly long _thresholdNs;
    private readonly long _processThresholdNs;
    private readonly long _postTicks;
    private readonly long _hz;
    private readonly CaptureWorkLog _work;

    /// <summary>The last moments at which something was late: a second trigger may tell of one up to a second after the first.</summary>
    private readonly (long Begin, long End)[] _times = new (long, long)[MostTimes];
    private long _notBefore = long.MinValue;
    private long _lastLatencyNs;
    private long _lastQpc;

    /// <summary>Makes a selection that has seen no measurement.</summary>
    /// <param name="qpcHz">Ticks in a second.</param>
    /// <param name="processThreshold">The same for threads of processes that the user named; null where it is no other.</param>
    public EpisodeAdmission(Duration threshold, Duration post, long qpcHz, CaptureWorkLog work, Duration? processThreshold = null)
    {
        _processThresholdNs = (processThreshold ?? threshold).Nanoseconds;
        _thresholdNs = threshold.Nanoseconds;
        _hz = qpcHz;
        _work = work;
        _postTicks = TicksOf(post.Nanoseconds);
    }

    /// <summary>The episode that will be written next; null where there is none.</summary>
    public PendingEpisode? Pending { get; private set; }

    /// <summary>Episodes so far, those that are not written included.</summary>
    public long Seen { get; private set; }

    /// <summary>The shortest latency of the episodes that are kept, once there are as many as are to be kept; else 0.</summary>
    public long KeptLeastNs { get; set; }

    /// <summary>Whether as many moments as are to be kept are kept: none is worse than another.</summary>
    public bool KeptTimesAreFull { get; set; }

    /// <summary>When the pending episode can be written: the time after it is over.</summary>
    public long DueQpc => Pending is { } pending ? pending.EndQpc + _postTicks : long.MaxValue;

    /// <summary>What a latency must reach to be written.</summary>
    /// <returns>Nanoseconds.</returns>
    public long BarNs(long nowQpc) => BarNs(nowQpc, _thresholdNs);

    /// <summary>Judges a measurement: whether it begins an episode, or goes on with one.</summary>
    public void Take(in TriggerMeasurement measurement, long nowQpc)
    {
        if (!Reaches(in measurement))
        {
            return;
        }

        long start = measurement.StartQpc;
        long end = start + TicksOf(measurement.LatencyNs);
        if (_work.Touches(start, end))
        {
            return;
        }

        Count(start, end);

        if (Pending is { } pending)
        {
            // A moment that is to be written stays: a latency that came with it is in its trace.
            if (measurement.LatencyNs > pending.LatencyNs && !pending.Kind.IsInstant() && nowQpc <= pending.HeardQpc + _postTicks)
            {
                Pending = Of(in measurement, end, pending.HeardQpc);
            }
        }
        else if (start >= _notBefore && IsWorthIt(in measurement, nowQpc))
        {
            Pending = Of(in measurement, end, nowQpc);
        }
    }

    public bool Reaches(in TriggerMeasurement measurement) =>
        measurement.Kind.IsInstant() || measurement.LatencyNs >= ThresholdNs(measurement.Kind);

    /// <summary>The pending episode is written, or could not be: begins anew.</summary>
    public void Done(long nowQpc)
    {
        if (Pending is { } pending)
        {
            _lastLatencyNs = pending.LatencyNs;
            _lastQpc = nowQpc;
            _notBefore = nowQpc + TicksOf(CoolDown.Nanoseconds);
            Pending = null;
        }
    }

    private long BarNs(long nowQpc, long thresholdNs)
    {
        double halfLives = (double)(nowQpc - _lastQpc) / TicksOf(HalfLife.Nanoseconds);
        long decayed = _lastLatencyNs == 0 ? 0 : (long)(_lastLatencyNs * Math.Pow(0.5, Math.Max(0, halfLives)));
        return Math.Max(Math.Max(thresholdNs, decayed), KeptLeastNs == 0 ? 0 : KeptLeastNs + 1);
    }

    private static PendingEpisode Of(in TriggerMeasurement measurement, long end, long heard) =>
        new(measurement.Kind, measurement.StartQpc, end, measurement.LatencyNs, measurement.Cpu, heard);

    private long ThresholdNs(TriggerKind kind) => kind.IsOfProcess() ? _processThresholdNs : _thresholdNs;

    private bool IsWorthIt(in TriggerMeasurement measurement, long nowQpc) => measurement.Kind.IsInstant()
        ? !KeptTimesAreFull
        : measurement.LatencyNs >= BarNs(nowQpc, ThresholdNs(measurement.Kind));

    /// <summary>Counts a moment, unless it is one that was counted already.</summary>
    private void Count(long start, long end)
    {
        for (int i = 0; i < Math.Min(Seen, MostTimes); i++)
        {
            ref (long Begin, long End) time = ref _times[i];
            if (start <= time.End && end >= time.Begin)
            {
                time = (Math.Min(start, time.Begin), Math.Max(end, time.End));
                return;
            }
        }

        _times[Seen++ % MostTimes] = (start, end);
    }

    private long TicksOf(long nanoseconds) => TickRate.TicksOf(nanoseconds, _hz);
}
