namespace Tracer.Analysis;

/// <summary>A line of one phase through times, with the beat that each of them is on.</summary>
internal sealed class BeatLine
{
    /// <summary>This part of the gaps is left out at each end: a few make up for a change of the phase.</summary>
    private const double Trimmed = 0.1;

    /// <summary>So many standard errors the mean of the other gaps may be off.</summary>
    private const double TiltErrors = 4;

    /// <summary>So far it may be off in any case, in beats.</summary>
    private const double HarmlessTilt = 0.01;

    /// <summary>So many standard deviations from a beat are on it.</summary>
    private const double WindowDeviations = 3.5;

    /// <summary>
    /// What is this near to a beat is on it, as a part of the beat, however exact the rest is: clocks are read with an error.
    /// </summary>
    private const double NarrowestWindow = 0.005;

    /// <summary>What is farther from a beat is on none, as a part of the beat: beyond it half of all random times would be on it.</summary>
    private const double WidestWindow = 0.25;

    private readonly double[] _times;
    private readonly int[] _onBeat;

    /// <summary>Finds out which times are on the beat.</summary>
    /// <param name="times">The times, sorted.</param>
    /// <param name="line">The line.</param>
    public BeatLine(ReadOnlySpan<double> times, PhaseLine line)
    {
        Line = line;
        _times = times.ToArray();
        _onBeat = [.. Enumerable.Range(0, _times.Length).Where(i => Math.Abs(line.Phase(_times[i])) <= line.Reach)];
        for (int i = 0; i < _onBeat.Length; i++)
        {
            BeatsWithEvent += i == 0 || Number(i) > Number(i - 1) ? 1 : 0;
        }
    }

    /// <summary>The line.</summary>
    public PhaseLine Line { get; }

    /// <summary>How many beats have a time.</summary>
    public int BeatsWithEvent { get; }

    /// <summary>Beats from the first with a time to the last.</summary>
    public long Beats => _onBeat.Length == 0 ? 0 : Number(_onBeat.Length - 1) - Number(0) + 1;

    /// <summary>The distances of the times on the beat from it, in beats, by time.</summary>
    /// <returns>One for each of them.</returns>
    public double[] Phases() => [.. _onBeat.Select(i => Line.Phase(_times[i]))];

    /// <summary>
    /// Whether the line is tilted: most gaps are shorter than the period, or longer, and a few make up for it. So a line lies that was laid
    /// across a change of the phase.
    /// </summary>
    /// <returns>True where its period is not that of the gaps.</returns>
    public bool IsTilted()
    {
        List<double> off = new(_onBeat.Length);
        for (int i = 1; i < _onBeat.Length; i++)
        {
            if (_onBeat[i] == _onBeat[i - 1] + 1 && Number(i) > Number(i - 1))
            {
                off.Add(((_times[_onBeat[i]] - _times[_onBeat[i - 1]]) / Line.Period) - (Number(i) - Number(i - 1)));
            }
        }

        off.Sort();
        int skipped = (int)(Trimmed * off.Count);
        List<double> middle = off.GetRange(skipped, off.Count - (2 * skipped));
        double mean = middle.Sum() / Math.Max(1, middle.Count);
        double variance = middle.Sum(one => (one - mean) * (one - mean)) / Math.Max(1, middle.Count);
        return Math.Abs(mean) > Math.Max(HarmlessTilt, TiltErrors * Math.Sqrt(variance / Math.Max(1, middle.Count)));
    }

    /// <summary>Makes the beat of it, in the unit of the caller's times.</summary>
    /// <param name="origin">The caller's time of time 0.</param>
    /// <param name="unit">The caller's length of time 1.</param>
    /// <returns>The beat.</returns>
    public Beat In(double origin, double unit) => new()
    {
        Seconds = Line.Period * unit,
        Jitter = Line.Jitter * Line.Period * unit,
        First = origin + ((Line.First + (Number(0) * Line.Period)) * unit),
        Beats = Beats,
        BeatsWithEvent = BeatsWithEvent,
        Events = _times.Length,
        EventsOnBeat = _onBeat.Length,
        Window = Math.Clamp(Math.Max(Line.Reach, WindowDeviations * Line.Jitter), NarrowestWindow, WidestWindow) * Line.Period * unit,
    };

    private long Number(int i) => Line.Number(_times[_onBeat[i]]);
}
