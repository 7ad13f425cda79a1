using MathNet.Numerics.Distributions;
using MathNet.Numerics;
using Tracer.Forecast;

namespace Tracer.Bench.Numbers;

/// <summary>A kind of made series of which the truth is known: an hour of waits, a twentieth of a second apart.</summary>
/// <param name="IsHeldOut">Whether nobody looked at its results while the rules were made.</param>
/// <param name="Make">The latency of the next wait, in nanoseconds, from the state of the series.</param>
/// <param name="Exceeds">The part of waits that takes longer than so many nanoseconds.</param>
/// <param name="Disturbs">Disturbances with a wait longer than that, for each wait.</param>
internal sealed record SeriesFamily(
    string Name,
    string What,
    bool IsHeldOut,
    Func<RandomNumbers, Func<double>> Make,
    Func<double, double> Exceeds,
    Func<double, double> Disturbs)
{
    /// <summary>Waits a second.</summary>
    public const int Rate = 20;

    /// <summary>Waits of an hour.</summary>
    public const int Hour = 3600 * Rate;

    private const double Ms = 1e6;

    public static IReadOnlyList<SeriesFamily> All { get; } =
    [
        Alone("exponential", "exponential, mean 100 us", false, Exponential(100e3)),
        Alone("lognormal, wide", "lognormal, median 100 us, sigma 1", false, Lognormal(1)),
        Alone("Pareto", "Pareto, from 100 us, power 4", false, Pareto(4)),
        Alone("cut Pareto", "Pareto, from 100 us, power 3, none longer than 4 ms", false, Cut(Pareto(3), 4 * Ms)),
        Bursts("bursts in steps", "one wait in 2,000 begins a burst of 10 waits (mean) that take 1 ms and more (exponential, mean 0.5 ms), "
            + "the others exponential, mean 100 us; all in steps of 250 us", false, 1 / 2000.0, 10, 250e3,
            Exponential(100e3), Shifted(Ms, Exponential(500e3))),
        Loads("two loads", "exponential, mean 100 us or, for a minute at a time, 250 us", false, 1200,
            Exponential(100e3), Exponential(250e3)),
        Alone("Weibull", "Weibull, shape 0.6, scale 60 us", true, x => Math.Exp(-Math.Pow(x / 60e3, 0.6))),
        Alone("gamma", "gamma, shape 0.5, scale 300 us", true, x => SpecialFunctions.GammaUpperRegularized(0.5, Math.Max(x, 0) / 300e3)),
        Alone("watchdog", "lognormal, median 100 us, sigma 1.2; what would take longer than 8 ms ends by 8.2 ms", false,
            Ended(Lognormal(1.2), 8 * Ms, 8.2 * Ms)),
        Alone("two kinds", "exponential, mean 100 us; one wait in 5,000 takes 4 ms, deviation 0.4 ms", true,
            x => (1 - 0.0002) * Exponential(100e3)(x) + 0.0002 * Normal.CDF(0, 1, -(x - 4 * Ms) / (0.4 * Ms))),
        MovingMaxima("moving maxima in steps", "Gumbel, scale 100 us, each latency lasts into the next; in steps of 50 us", true,
            0.7, 50e3),
        Bursts("quota", "one wait in 3,000 begins a burst of 6 waits (mean) by Pareto, from 0.5 ms, power 1.5, none longer than 10 ms; the "
            + "others lognormal, sigma 0.5", true, 1 / 3000.0, 6, 0, Lognormal(0.5), Cut(x => Pareto(1.5)(x / 5), 10 * Ms)),
        Alone("timeout", "Weibull, shape 0.5, scale 60 us; what would take longer than 5 ms ends by 5.5 ms", true,
            Ended(x => Math.Exp(-Math.Sqrt(Math.Max(x, 0) / 60e3)), 5 * Ms, 5.5 * Ms)),
    ];

    /// <summary>An hour of it, with the histogram of all of its waits.</summary>
    public (LatencySeries Series, HdrHistogram Histogram) Hours(RandomNumbers random, int hours = 1)
    {
        const long Period = 1_000_000_000 / Rate;
        var recording = new LatencyRecording(0);
        var histogram = new HdrHistogram(HdrLayout.Latencies);
        Func<double> next = Make(random);
        for (int i = 0; i < hours * Hour; i++)
        {
            long latency = (long)Math.Min(next(), 1e15);
            recording.Add(i * Period, latency);
            histogram.Record(latency);
        }

        return (recording.End(hours * Hour * Period, Period), histogram);
    }

    /// <summary>The latency that disturbances, or waits, exceed once in so many waits.</summary>
    public static double Level(Func<double, double> exceeds, double waits)
    {
        (double low, double high) = (0, 1e15);
        for (int i = 0; i < 80; i++)
        {
            double middle = (low + high) / 2;
            (low, high) = exceeds(middle) * waits > 1 ? (middle, high) : (low, middle);
        }

        return high;
    }

    private static Func<double, double> Exponential(double mean) => x => Math.Exp(-Math.Max(0, x) / mean);

    private static Func<double, double> Shifted(double by, Func<double, double> exceeds) => x => exceeds(x - by);

    private static Func<double, double> Lognormal(double sigma) =>
        x => x <= 0 ? 1 : Normal.CDF(0, 1, -Math.Log(x / 100e3) / sigma);

    private static Func<double, double> Pareto(double power) => x => x <= 100e3 ? 1 : Math.Pow(x / 100e3, -power);

    private static Func<double, double> Cut(Func<double, double> exceeds, double most)
    {
        double beyond = exceeds(most);
        return x => x >= most ? 0 : Math.Max(0, (exceeds(x) - beyond) / (1 - beyond));
    }

    /// <summary>What would take longer than a time ends a little later.</summary>
    private static Func<double, double> Ended(Func<double, double> exceeds, double from, double to) =>
        x => x < from ? exceeds(x) : x < to ? exceeds(from) * (to - x) / (to - from) : 0;

    /// <summary>A latency by the inverse of what exceeds it, from a table.</summary>
    private static Func<RandomNumbers, double> Drawn(Func<double, double> exceeds)
    {
        const int Steps = 4096;
        double deepest = -Math.Log(1e-10);
        double[] levels = [.. Enumerable.Range(0, Steps + 1).Select(i => Level(exceeds, Math.Exp(deepest * i / Steps)))];
        return random =>
        {
            double place = Math.Min(Steps - 1e-6, random.Exponential() / deepest * Steps);
            int i = (int)place;
            return levels[i] + (place - i) * (levels[i + 1] - levels[i]);
        };
    }

    private static SeriesFamily Alone(string name, string what, bool isHeldOut, Func<double, double> exceeds)
    {
        Func<RandomNumbers, double> drawn = Drawn(exceeds);
        return new(name, what, isHeldOut, random => () => drawn(random), exceeds, exceeds);
    }

    private static SeriesFamily Bursts(string name, string what, bool isHeldOut, double begins, double length, double step,
        Func<double, double> usual, Func<double, double> late)
    {
        Func<RandomNumbers, double> drawnUsual = Drawn(usual);
        Func<RandomNumbers, double> drawnLate = Drawn(late);
        double inside = begins * length / (1 + begins * length);
        return new(name, what, isHeldOut, random =>
        {
            bool isBurst = false;
            return () =>
            {
                isBurst = isBurst ? random.Uniform() > 1 / length : random.Uniform() < begins;
                double latency = isBurst ? drawnLate(random) : drawnUsual(random);
                return step > 0 ? Math.Ceiling(latency / step) * step : latency;
            };
        }, x => (1 - inside) * usual(Below(x)) + inside * late(Below(x)), x =>
        {
            double part = late(Below(x));
            double none = (1 - part) / length / (1 - (1 - 1 / length) * (1 - part));
            return (1 - inside) * usual(Below(x)) + inside / length * (1 - none);
        });

        double Below(double x) => step > 0 ? Math.Floor(x / step) * step : x;
    }

    private static SeriesFamily Loads(
        string name, string what, bool isHeldOut, double length, Func<double, double> one, Func<double, double> other)
    {
        (Func<RandomNumbers, double> drawnOne, Func<RandomNumbers, double> drawnOther) = (Drawn(one), Drawn(other));
        return new(name, what, isHeldOut, random =>
        {
            bool isOther = random.Uniform() < 0.5;
            return () =>
            {
                isOther = random.Uniform() < 1 / length ? !isOther : isOther;
                return isOther ? drawnOther(random) : drawnOne(random);
            };
        }, x => (one(x) + other(x)) / 2, x => (one(x) + other(x)) / 2);
    }

    private static SeriesFamily MovingMaxima(string name, string what, bool isHeldOut, double keeps, double step) =>
        new(name, what, isHeldOut, random =>
        {
            double at = 1 / random.Exponential();
            return () =>
            {
                at = Math.Max(keeps * at, (1 - keeps) / random.Exponential());
                return Math.Ceiling(Math.Max(0, 100e3 * (5 + Math.Log(at))) / step) * step;
            };
        }, x => 1 - Math.Exp(-Depth(x)), x => (1 - keeps) * Depth(x));

    private static double Depth(double x) => Math.Exp(5 - Math.Floor(x / 50e3) * 50e3 / 100e3);
}
