using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Engine;

/// <summary>When something comes, again and again.</summary>
public sealed class Arrivals : IBeat
{
    private readonly Spread? _interval;
    private readonly double _slipProbability;
    private readonly Spread? _slip;
    private readonly long _firstNs;
    private readonly long _jitterNs;
    private readonly List<long> _times = [];
    private long _beat;
    private long _lastNs;
    private long _slippedNs;
    private bool _isTaken;

    private Arrivals(long periodNs, long firstNs, long jitterNs, Spread? interval, double slipProbability = 0, Spread? slip = null)
    {
        PeriodNs = periodNs;
        _firstNs = firstNs;
        _jitterNs = jitterNs;
        _interval = interval;
        _slipProbability = slipProbability;
        _slip = slip;
    }

    public long PeriodNs { get; }

    public IReadOnlyList<long> Times => _times;

    public bool HasSlips => _slip is not null;

    /// <summary>At beats that go on as they are after one has slipped: from there all come later.</summary>
    /// <param name="firstNs">The first beat, in nanoseconds.</param>
    /// <param name="probability">How often a beat slips, 0 to 1.</param>
    public static Arrivals Slipping(long periodNs, long firstNs, double probability, Spread slip)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(periodNs);
        ArgumentNullException.ThrowIfNull(slip);
        return new(periodNs, firstNs, 0, null, probability, slip);
    }

    /// <summary>At fixed beats that do not drift.</summary>
    /// <param name="firstNs">The first beat, in nanoseconds; a whole period after the start when left out.</param>
    /// <param name="jitterNs">Each comes up to this many nanoseconds after its beat; less than a period.</param>
    public static Arrivals Every(long periodNs, long? firstNs = null, long jitterNs = 0)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(periodNs);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(jitterNs, periodNs);
        return new(periodNs, firstNs ?? periodNs, jitterNs, null);
    }

    /// <summary>Each a random time after the one before.</summary>
    public static Arrivals Random(Spread interval) => new(0, 0, 0, interval);

    /// <summary>Gives it to a source: two that shared one would each miss what the other took.</summary>
    internal Arrivals Take()
    {
        if (_isTaken)
        {
            throw new InvalidOperationException("Arrivals belong to one source; make others for the next.");
        }

        _isTaken = true;
        return this;
    }

    /// <summary>The next time, in nanoseconds, after the one before.</summary>
    internal long Next(RandomSequence random)
    {
        _slippedNs += _slip is not null && random.Happens(_slipProbability) ? _slip.Next(random) : 0;
        _lastNs = _interval is not null
            ? _lastNs + _interval.Next(random)
            : _firstNs + (_beat++ * PeriodNs) + _slippedNs + (_jitterNs > 0 ? random.NextBelow(_jitterNs + 1) : 0);
        return _lastNs;
    }

    internal void Note(long timeNs)
    {
        if (PeriodNs > 0)
        {
            _times.Add(timeNs);
        }
    }
}
