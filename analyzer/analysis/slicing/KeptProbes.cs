using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Slicing;

/// <summary>
/// Which events of our own provider a part of a trace needs: how each run measures (<c>Start</c>), the moments that relate its clock to
/// the trace's on both sides, wake-ups that were due in the part and samples that were taken in it, however late they were logged, and the
/// episodes they are of. Add events in any order, call <see cref="Complete"/>, then ask.
/// </summary>
internal sealed class KeptProbes
{
    /// <summary>Moments in both clocks that are kept on either side of the part.</summary>
    private const int TimesBeside = 2;
    private const int MostEpisodes = 1 << 16;
    private const int MostSamples = 1 << 18;

    private readonly TraceWindow _window;
    private readonly ProviderEventShapes _shapes = new();
    private readonly TracerEvents _events;
    private readonly List<(uint Number, long Ticks)> _begins = [];
    private readonly List<(uint Number, long Ticks, ulong Clock)> _samples = [];
    private readonly HashSet<(uint Number, long BeginTicks)> _keptEpisodes = [];
    private readonly long[] _syncsBefore = new long[TimesBeside];
    private readonly long[] _syncsBehind = new long[TimesBeside];
    private long _untilTicks;

    /// <summary>Creates an empty collection.</summary>
    public KeptProbes(TraceClock clock, TraceWindow window)
    {
        _window = window;
        _events = new TracerEvents(clock);
        Array.Fill(_syncsBefore, long.MinValue);
        Array.Fill(_syncsBehind, long.MaxValue);
    }

    /// <summary>Takes an event; those of other providers are ignored.</summary>
    public void Add(in EtlEvent traceEvent)
    {
        if (ShapeOf(in traceEvent) is not { } shape)
        {
            return;
        }

        _events.Add(in traceEvent);
        long ticks = traceEvent.TimestampTicks;
        if (IsA(shape, TracerProvider.ClockSync))
        {
            if (ticks < _window.Begin && ticks > _syncsBefore[0])
            {
                _syncsBefore[0] = ticks;
                Array.Sort(_syncsBefore);
            }
            else if (ticks > _window.End && ticks < _syncsBehind[^1])
            {
                _syncsBehind[^1] = ticks;
                Array.Sort(_syncsBehind);
            }
        }
        else if (IsA(shape, TracerProvider.EpisodeBegin) && NumberOf(in traceEvent) is { } number
            && _begins.Count < MostEpisodes)
        {
            _begins.Add((number, ticks));
        }
        else if (IsA(shape, TracerProvider.PitSample) && NumberOf(in traceEvent) is { } sampled
            && ClockOf(in traceEvent) is { } clock && _samples.Count < MostSamples)
        {
            _samples.Add((sampled, ticks, clock));
        }
    }

    public void Complete()
    {
        _events.Complete();
        _begins.Sort();
        _untilTicks = _window.End;
        foreach (MeasuredWakeup wakeup in _events.Wakeups)
        {
            bool isLateTimersOwn = wakeup.TimerLateTicks > 0 && wakeup.TickTicks is { } tick && _window.Contains(tick);
            if (_window.Contains(wakeup.ExpectedTicks) || _window.Contains(wakeup.FromTicks) || isLateTimersOwn)
            {
                _untilTicks = Math.Max(_untilTicks, wakeup.LoggedTicks);
            }
        }

        foreach ((uint number, long ticks) in _begins)
        {
            if (ticks >= _window.Begin && ticks <= _untilTicks)
            {
                _keptEpisodes.Add((number, ticks));
            }
        }

        foreach ((uint number, long ticks, ulong clock) in _samples)
        {
            if (WasTakenIn(ticks, clock) && BeginOf(number, ticks) is { } begin)
            {
                _keptEpisodes.Add((number, begin));
            }
        }
    }

    /// <summary>Whether an event is kept; null for one of another provider, and for what is not known.</summary>
    public bool? IsKept(in EtlEvent traceEvent)
    {
        if (ShapeOf(in traceEvent) is not { } shape)
        {
            return null;
        }

        long ticks = traceEvent.TimestampTicks;
        bool isIn = ticks >= _window.Begin && ticks <= _untilTicks;
        if (IsA(shape, TracerProvider.Wakeup))
        {
            return isIn;
        }

        if (IsA(shape, TracerProvider.ClockSync))
        {
            return isIn || Array.IndexOf(_syncsBefore, ticks) >= 0 || Array.IndexOf(_syncsBehind, ticks) >= 0;
        }

        if (IsA(shape, TracerProvider.EpisodeBegin) || IsA(shape, TracerProvider.PitSample)
            || IsA(shape, TracerProvider.EpisodeEnd))
        {
            return NumberOf(in traceEvent) is { } number
                && ((BeginOf(number, ticks) is { } begin && _keptEpisodes.Contains((number, begin)))
                    || (IsA(shape, TracerProvider.PitSample)
                        && ClockOf(in traceEvent) is { } clock && WasTakenIn(ticks, clock)));
        }

        // Which part a trace is of is told anew; how a run measures, and what the recorder did, holds for all of it.
        return !IsA(shape, TracerProvider.Slice);
    }

    /// <summary>Whether an event is of a kind, in whatever version.</summary>
    private static bool IsA(ProviderEvent shape, ProviderEvent kind) => shape.Name == kind.Name;

    /// <summary>The episode that an event is of: all that have one begin with its number.</summary>
    private static uint? NumberOf(in EtlEvent traceEvent) =>
        ProviderPayload.TryRead(traceEvent.Payload, out uint number) ? number : null;

    private static ulong? ClockOf(in EtlEvent traceEvent) =>
        ProviderPayload.TryRead(traceEvent.Payload, out PitSampleEvent sample) ? sample.Clock : null;

    private bool WasTakenIn(long loggedTicks, ulong clock) =>
        _events.TimeOfDriver(loggedTicks, clock) is { } taken && _window.Contains(taken);

    private ProviderEvent? ShapeOf(in EtlEvent traceEvent) =>
        traceEvent.IsEventHeader && traceEvent.ProviderId == TracerProvider.Id ? _shapes.Of(in traceEvent) : null;

    /// <summary>When the episode with a number began to which something belongs that was logged then: each run numbers them anew.</summary>
    private long? BeginOf(uint number, long ticks)
    {
        int at = _begins.BinarySearch((number, ticks));
        at = at >= 0 ? at : ~at - 1;
        return at >= 0 && _begins[at].Number == number ? _begins[at].Ticks : null;
    }
}
