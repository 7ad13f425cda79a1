namespace Tracer.Analysis;

/// <summary>
/// Finds the beat that events follow, or none: for each candidate period the times become phases on a circle, and times of a beat lie at
/// one place of it. What random times would show by chance among all that is tried is refused. Pure arithmetic.
/// </summary>
/// <remarks>Rayleigh's test; the chance that so many of n points lie on an arc; least squares over beat numbers (field 4).</remarks>
internal static class PhaseTest
{
    /// <summary>Fewer beats prove no beat.</summary>
    public const int LeastBeats = 6;

    /// <summary>The first so many events are tested: more do not make a beat more certain.</summary>
    private const int MostEvents = 256;

    /// <summary>At least this part of the beats has an event.</summary>
    private const double LeastCoverage = 0.4;

    /// <summary>At least this part of the events is on the beat.</summary>
    private const double LeastOnBeat = 0.5;

    /// <summary>The chance by which random times may pass, all that is tried together.</summary>
    private const double Chance = 1e-3;

    /// <summary>The largest median deviation, as a part of the beat.</summary>
    private const double MostJitter = 0.12;

    /// <summary>Steps of the frequency in one turn of the last event against the first.</summary>
    private const int StepsPerTurn = 8;

    /// <summary>Events that follow each other within such a part of a beat are one.</summary>
    private const double BurstOfBeat = 0.25;

    /// <summary>So many events in each burst, on average, and bursts count instead of events.</summary>
    private const int EventsOfBurst = 3;

    /// <summary>Periods that differ by less are the same beat, fitted in other ways.</summary>
    private const double SameBeat = 0.03;

    /// <summary>So many times the events on a beat outweigh that those of another lie closer to it.</summary>
    private const double ManyMore = 1.25;

    /// <summary>So many of the strongest candidates are fitted.</summary>
    private const int MostFitted = 64;

    private static readonly double[] Multiples = [3, 2, 2];

    /// <summary>A period that holds this part of the events that a part of it holds is the better one.</summary>
    private const double NearlyAll = 0.8;

    /// <summary>No clock is better than this part of a beat.</summary>
    private const double NarrowestArc = 1e-6;

    private const int FitRounds = 8;

    /// <summary>In the first rounds a line is laid that a few events far away can't turn.</summary>
    private const int RoughRounds = 3;

    private const double WidestWindow = 0.25;
    private const double NarrowestWindow = 0.01;

    /// <summary>Looks for a beat.</summary>
    /// <param name="seconds">When the events came, in any order and unit.</param>
    /// <param name="burst">Events that follow the one before within this time belong to it; the same unit.</param>
    /// <returns>The beat; null where there is none to be seen.</returns>
    public static Beat? Find(IReadOnlyCollection<double> seconds, double burst = 0)
    {
        double[] times = Collapsed(seconds, burst);
        double span = times.Length > 0 ? times[^1] : 0;
        if (times.Length < LeastBeats || !(span > 0) || !double.IsFinite(span))
        {
            return null;
        }

        // A half of the beat holds the same events, but twice as far from it: the beat itself is the least likely to come by chance.
        double most = Math.Log(Chance / TriedFor(times.Length));
        List<Beat> fits =
            [.. Peaks(times, span).Select(turns => Fit(times, span / turns)).OfType<Beat>().Where(fit => fit.LogChance <= most)];
        Beat? best = fits.OrderBy(fit => fit.LogChance).ThenByDescending(fit => fit.Seconds).FirstOrDefault();

        // A turn more or less over the whole span holds the half of the events that happens to lie close together.
        best = fits.Where(fit => Math.Abs(fit.Seconds - best!.Seconds) <= SameBeat * best.Seconds
                && fit.EventsOnBeat >= ManyMore * best.EventsOnBeat)
            .OrderBy(fit => fit.LogChance).FirstOrDefault() ?? best;
        foreach (double multiple in Multiples)
        {
            // Unless an event beside the beat happens to lie on its half.
            best = best is not null && Fit(times, multiple * best.Seconds) is { } longer && longer.LogChance <= most
                && longer.EventsOnBeat >= NearlyAll * best.EventsOnBeat
                ? longer
                : best;
        }

        return best is null ? null : best with { First = best.First + seconds.Where(double.IsFinite).Min() };
    }

    /// <summary>Sorted, from the first on, each burst as its first event.</summary>
    private static double[] Collapsed(IReadOnlyCollection<double> seconds, double burst)
    {
        double[] sorted = [.. seconds.Where(double.IsFinite).Order()];
        List<double> kept = [];
        for (int i = 0; i < sorted.Length && kept.Count < MostEvents; i++)
        {
            if (i == 0 || sorted[i] - sorted[i - 1] > burst)
            {
                kept.Add(sorted[i] - sorted[0]);
            }
        }

        return [.. kept];
    }

    private static double MostTurns(int events) => (events / LeastCoverage) - 1;

    /// <summary>From six beats in the whole span on, with a little room for jitter.</summary>
    private static double LeastTurns => LeastBeats - 1.5;

    /// <summary>How many frequencies are independent, three times that because the best of those between is taken.</summary>
    private static double TriedFor(int events) => 3 * Math.Max(1, MostTurns(events) - LeastTurns);

    /// <summary>The strongest candidates, as turns of the phase from the first event to the last.</summary>
    private static IEnumerable<double> Peaks(double[] times, double span)
    {
        int first = (int)(LeastTurns * StepsPerTurn);
        int last = (int)Math.Ceiling(MostTurns(times.Length) * StepsPerTurn);
        double[] powers = new double[last - first + 3];
        double[] angles = [.. times.Select(time => 2 * Math.PI * (time / span) / StepsPerTurn)];
        for (int i = 0; i < powers.Length; i++)
        {
            double x = 0;
            double y = 0;
            foreach (double angle in angles)
            {
                (double sin, double cos) = Math.SinCos(angle * (first - 1 + i));
                x += cos;
                y += sin;
            }

            powers[i] = (x * x) + (y * y);
        }

        return Enumerable.Range(1, powers.Length - 2).Where(i => powers[i] >= powers[i - 1] && powers[i] >= powers[i + 1])
            .OrderByDescending(i => powers[i]).ThenBy(i => i).Take(MostFitted)
            .Select(i => (double)(first - 1 + i) / StepsPerTurn);
    }

    private static Beat? Fit(double[] events, double period)
    {
        // Where most come several times within a beat each burst counts once: else few long ones would weigh like many events.
        double[] bursts = Collapsed(events, period * BurstOfBeat);
        double[] times = bursts.Length * EventsOfBurst <= events.Length ? bursts : events;
        (double first, _) = Direction(times, period);
        double window = WidestWindow;
        for (int round = 0; round < FitRounds; round++)
        {
            // The middle of what is near, then the line through it: events beside the beat pull at neither for long.
            double middle = Median([.. times.Select(time => Phase(time, first, period)).Where(phase => Math.Abs(phase) <= window)]);
            first += middle * period;
            double[] near = [.. times.Where(time => Math.Abs(Phase(time, first, period)) <= window)];
            if (near.Length < LeastBeats)
            {
                return null;
            }

            window = Math.Clamp(5 * Deviation(near, first, period), NarrowestWindow, WidestWindow);
            double[] held = [.. near.Where(time => Math.Abs(Phase(time, first, period)) <= window)];
            (first, period) = round < RoughRounds ? RoughLine(held, first, period) : Line(held, first, period);
            if (!(period > 0))
            {
                return null;
            }
        }

        double[] on = [.. times.Where(time => Math.Abs(Phase(time, first, period)) <= window)];
        long[] numbers = [.. on.Select(time => (long)Math.Round((time - first) / period)).Distinct()];
        if (numbers.Length < LeastBeats)
        {
            return null;
        }

        long beats = numbers.Max() - numbers.Min() + 1;
        double jitter = Deviation(on, first, period);
        (_, double power) = Direction(times, period);
        bool holds = numbers.Length >= LeastCoverage * beats && on.Length >= LeastOnBeat * times.Length && jitter <= MostJitter;
        return !holds ? null : new Beat
        {
            Seconds = period,
            Jitter = jitter * period,
            Beats = beats,
            BeatsWithEvent = numbers.Length,
            EventsOnBeat = on.Length,
            First = first + (numbers.Min() * period),
            Window = window * period,
            LogChance = Math.Min(OfDirection(times.Length, power), OfArc(times.Length, on, first, period)),
        };
    }

    /// <summary>The place on the circle where most phases lie, as a time, and the power: 1 for all at one place, near 0 for none.</summary>
    private static (double At, double Power) Direction(double[] times, double period)
    {
        double x = 0;
        double y = 0;
        foreach (double time in times)
        {
            (double sin, double cos) = Math.SinCos(2 * Math.PI * (time / period));
            x += cos;
            y += sin;
        }

        return (Math.Atan2(y, x) / (2 * Math.PI) * period, ((x * x) + (y * y)) / ((double)times.Length * times.Length));
    }

    /// <summary>Distance from the nearest beat, in beats, -0.5 to 0.5.</summary>
    private static double Phase(double time, double first, double period)
    {
        double beats = (time - first) / period;
        return beats - Math.Round(beats);
    }

    private static double Deviation(double[] times, double first, double period) =>
        Median([.. times.Select(time => Math.Abs(Phase(time, first, period)))]);

    private static double Median(double[] values)
    {
        Array.Sort(values);
        return values.Length == 0 ? 0 : (values[(values.Length - 1) / 2] + values[values.Length / 2]) / 2;
    }

    /// <summary>The median of the slopes from each event of the first half to its counterpart in the second.</summary>
    private static (double First, double Period) RoughLine(double[] times, double first, double period)
    {
        int half = times.Length / 2;
        double Number(double time) => Math.Round((time - first) / period);
        double[] slopes = [.. Enumerable.Range(0, times.Length - half).Where(i => Number(times[i + half]) > Number(times[i]))
            .Select(i => (times[i + half] - times[i]) / (Number(times[i + half]) - Number(times[i])))];
        if (slopes.Length == 0)
        {
            return (first, period);
        }

        double slope = Median(slopes);
        return (Median([.. times.Select(time => time - (Number(time) * slope))]), slope);
    }

    /// <summary>Least squares over beat numbers.</summary>
    private static (double First, double Period) Line(double[] times, double first, double period)
    {
        double[] numbers = [.. times.Select(time => Math.Round((time - first) / period))];
        double meanNumber = numbers.Average();
        double meanTime = times.Average();
        double together = 0;
        double square = 0;
        for (int i = 0; i < times.Length; i++)
        {
            together += (numbers[i] - meanNumber) * (times[i] - meanTime);
            square += (numbers[i] - meanNumber) * (numbers[i] - meanNumber);
        }

        return square > 0 ? (meanTime - (together / square * meanNumber), together / square) : (first, period);
    }

    /// <summary>Rayleigh's test: how often random phases have this power or more, as a natural logarithm.</summary>
    private static double OfDirection(int events, double power)
    {
        double n = events;
        double length = power * n * n;
        return Math.Sqrt(1 + (4 * n) + (4 * Math.Max(0, (n * n) - length))) - (1 + (2 * n));
    }

    /// <summary>
    /// How often some arc as wide as a deviation holds so many of the random phases; the period and the first beat were fitted, and that
    /// many are the best number was found by trying. As a natural logarithm.
    /// </summary>
    private static double OfArc(int events, double[] on, double first, double period)
    {
        double[] deviations = [.. on.Select(time => Math.Abs(Phase(time, first, period))).Order()];
        double least = 0;
        double choices = 0;
        for (int count = 1; count <= deviations.Length; count++)
        {
            choices += Math.Log(events - count + 1) - Math.Log(count);
            double arc = Math.Max(NarrowestArc, 2 * deviations[count - 1]);
            double log = choices + Math.Log(count) + ((count - 2) * Math.Log(arc)) + Math.Log(events);
            least = count >= LeastBeats ? Math.Min(least, log) : 0;
        }

        return least;
    }
}

/// <summary>A beat of events. Times in the unit of the events.</summary>
internal sealed record Beat
{
    /// <summary>The length of a beat.</summary>
    public required double Seconds { get; init; }

    /// <summary>Median distance of the events on the beat from it.</summary>
    public required double Jitter { get; init; }

    /// <summary>Beats from the first with an event to the last.</summary>
    public required long Beats { get; init; }

    /// <summary>How many of them have one.</summary>
    public required int BeatsWithEvent { get; init; }

    /// <summary>How many events, bursts counted once, are on the beat.</summary>
    public required int EventsOnBeat { get; init; }

    /// <summary>The first beat with an event.</summary>
    public required double First { get; init; }

    /// <summary>What is farther from a beat is not on it.</summary>
    public required double Window { get; init; }

    /// <summary>How often random times would follow this one period as well, as a natural logarithm.</summary>
    public required double LogChance { get; init; }

    /// <summary>The part of the beats that have an event, 0 to 1.</summary>
    public double Coverage => (double)BeatsWithEvent / Beats;
}
