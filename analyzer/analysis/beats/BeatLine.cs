namespace Tracer.Analysis.Beats;

/// <summary>A line of one phase through times, with the assignment of each time to a beat.</summary>
internal sealed class BeatLine
{
    /// <summary>
    /// This part of the intervals is left out at each end before their mean is compared with the period: a few extreme intervals make up
    /// for a change of phase.
    /// </summary>
    private const double Trimmed = 0.1;

    /// <summary>Parts of a beat that are looked at as ticks: of more, any time is near to one.</summary>
    private const int MostParts = 12;

    /// <summary>Of intervals in whole ticks at least this part of the times lies beside the beat: fewer are something else.</summary>
    private const double LeastBeside = 0.05;

    /// <summary>A time is on a tick within so many deviations of the beat's own times.</summary>
    private const double TickDeviations = 3;

    /// <summary>It is in any case within so much of the period.</summary>
    private const double LeastTick = 0.002;

    /// <summary>
    /// A line counts as tilted if the mean of the other intervals differs from its period by more than this many standard errors.
    /// </summary>
    private const double TiltErrors = 4;

    /// <summary>A mean interval that differs from the period by less than this, in beats, is never a tilt.</summary>
    private const double HarmlessTilt = 0.01;

    /// <summary>A time this many standard deviations from a beat is still on it.</summary>
    private const double WindowDeviations = 3.5;

    /// <summary>
    /// A time this near to a beat is on it, as a part of the period, however exact the other times are: clocks are read with an error.
    /// </summary>
    private const double NarrowestWindow = 0.005;

    /// <summary>
    /// A time farther than this from a beat, as a part of the period, is on none: a wider window would hold more than half of all random
    /// times.
    /// </summary>
    private const double WidestWindow = 0.25;

    private readonly double[] _times;
    private readonly int[] _onBeat;

    /// <param name="times">The times, sorted.</param>
    public BeatLine(ReadOnlySpan<double> times, PhaseLine line)
    {
        Line = line;
        _times = times.ToArray();
        _onBeat = [.. Enumerable.Range(0, _times.Length).Where(i => Math.Abs(line.Phase(_times[i])) <= line.Reach)];
        for (int i = 0; i < _onBeat.Length; i++)
        {
            BeatsWithEvent += i == 0 || Number(i) > Number(i - 1) ? 1 : 0;
            SingleBeats += i > 0 && Number(i) == Number(i - 1) + 1 ? 1 : 0;
        }
    }

    public PhaseLine Line { get; }

    /// <summary>How many beats have at least one time.</summary>
    public int BeatsWithEvent { get; }

    /// <summary>How many beats with a time follow right after one with a time.</summary>
    public int SingleBeats { get; }

    /// <summary>Whether the beat is kept; see <see cref="Beat.IsKept"/>.</summary>
    public bool IsKept { get; init; }

    /// <summary>Number of beats from the first to the last one that has a time.</summary>
    public long Beats => _onBeat.Length == 0 ? 0 : Number(_onBeat.Length - 1) - Number(0) + 1;

    /// <summary>The distances between the beat and the times on it, in beats, in the order of time.</summary>
    public double[] Phases() => [.. _onBeat.Select(i => Line.Phase(_times[i]))];

    /// <summary>
    /// Whether times beside the beat lie on parts of it, halves to twelfths: then all intervals may be whole ticks of a clock, and some of
    /// them add up to beats by chance.
    /// </summary>
    public bool IsInTicks()
    {
        double[] beside = [.. _times.Select(Line.Phase).Where(phase => Math.Abs(phase) > Line.Reach)];
        double near = Math.Max(TickDeviations * Line.Jitter, LeastTick);
        return beside.Length >= LeastBeside * _times.Length && beside.Length > 0 && Enumerable.Range(2, MostParts - 1).Any(parts =>
            beside.All(phase => Math.Abs((phase * parts) - Math.Round(phase * parts)) <= Math.Min(0.25, near * parts)));
    }

    /// <summary>
    /// Whether the line is tilted: most intervals are shorter than the period, or most are longer, and a few make up for it. That happens
    /// when a line is fitted across a change of phase.
    /// </summary>
    /// <returns>True where the period of the line is not that of the intervals.</returns>
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

    /// <summary>Converts the line into a beat in the unit of the caller's times.</summary>
    /// <param name="origin">The caller's time that corresponds to time 0.</param>
    /// <param name="unit">The caller's duration that corresponds to duration 1.</param>
    public Beat In(double origin, double unit) => new()
    {
        IsKept = IsKept,
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
