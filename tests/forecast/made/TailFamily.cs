using MathNet.Numerics.Distributions;

namespace Tracer.Forecast.Tests;

/// <summary>A kind of made series of which the latency that is exceeded once in a time is known.</summary>
/// <param name="MustRefuse">Whether nothing may be forecast from it.</param>
/// <param name="LevelNs">
/// The latency, in nanoseconds, that disturbances exceed once in so many waits; not a number where there is none to know.
/// </param>
internal sealed record TailFamily(
    string Name, string What, bool MustRefuse, Func<RandomNumbers, LatencySeries> Make, Func<double, double> LevelNs)
{
    /// <summary>Waits a second.</summary>
    public const int Rate = 20;

    /// <summary>Waits of an hour.</summary>
    public const int Hour = 3600 * Rate;

    private const double Millisecond = 1e6;

    /// <summary>The families with known levels.</summary>
    public static IReadOnlyList<TailFamily> Known { get; } =
    [
        Independent("normal", "normal, mean 500 us, deviation 50 us", part => 500e3 + 50e3 * Normal.InvCDF(0, 1, 1 - part)),
        Independent("exponential", "exponential, mean 100 us", part => -100e3 * Math.Log(part)),
        Independent("lognormal", "lognormal, median 100 us, sigma 0.5", part => 100e3 * Math.Exp(0.5 * Normal.InvCDF(0, 1, 1 - part))),
        Independent(
            "lognormal, wide", "lognormal, median 100 us, sigma 1", part => 100e3 * Math.Exp(Normal.InvCDF(0, 1, 1 - part))),
        Independent("Pareto", "Pareto, from 100 us, power 4 (xi 0.25)", part => 100e3 * Math.Pow(part, -0.25)),
        Independent("bounded", "uniform below 1 ms, to the power 1/3 (xi -0.33)", part => Millisecond * (1 - Math.Pow(part, 1 / 3.0))),
        Independent("bimodal", "one wait in 50 takes 5 ms, deviation 0.5 ms, the others lognormal, sigma 0.5", Bimodal(0.02)),
        Independent("bimodal, rare", "as bimodal, but one wait in 1,000", Bimodal(0.001)),
        new(
            "autocorrelated", "Gumbel, scale 100 us; each latency lasts into the next (moving maxima, extremal index 0.3)", false,
            random => MovingMaxima(random, 0.7), waits => 100e3 * (5 + Math.Log(0.3 * waits))),
        new(
            "bursts", "exponential, mean 100 us; a disturbance in 400 waits makes 8 waits long (Pareto, power 5, from 1 ms)", false,
            Bursts, waits => Millisecond * Math.Pow(waits / 400, 0.2)),
    ];

    /// <summary>The families of which nothing may be forecast.</summary>
    public static IReadOnlyList<TailFamily> Unknowable { get; } =
    [
        Refused("heavy", "Pareto, power 1.2 (xi 0.83)", (random, _) => 100e3 * Math.Pow(random.Uniform(), -1 / 1.2)),
        Refused("growing", "exponential, the mean grows from 100 us to 200 us", (random, at) => 100e3 * (1 + at) * random.Exponential()),
        Refused(
            "another workload", "exponential, mean 100 us, after two thirds of the time 250 us",
            (random, at) => (at < 0.667 ? 100e3 : 250e3) * random.Exponential()),
        Refused("ties", "exponential, mean 100 us, measured in steps of 250 us", (random, _) =>
            Math.Ceiling(random.Exponential() / 2.5) * 250e3),
        Refused("giants", "exponential, mean 100 us; five waits take 20 to 40 ms", (random, at) =>
            (int)(at * Hour) % 14_000 == 7_000 ? 20 * Millisecond * (1 + random.Uniform()) : 100e3 * random.Exponential()),
        new("short", "exponential, 40 s", true, random => Of(random, 800, (random, _) => 100e3 * random.Exponential()), _ => double.NaN),
        new("one burst", "1 us, but for one second of 1 ms", true, random => Of(random, Hour, (random, at) =>
            at is > 0.5 and < 0.5003 ? Millisecond * random.Exponential() : 1000), _ => double.NaN),
    ];

    /// <summary>A series of one wait after the other, a twentieth of a second apart.</summary>
    /// <param name="waits">How many.</param>
    /// <param name="latency">A latency in nanoseconds, at a part of the time from 0 to 1.</param>
    public static LatencySeries Of(RandomNumbers random, int waits, Func<RandomNumbers, double, double> latency)
    {
        const long Period = 1_000_000_000 / Rate;
        var recording = new LatencyRecording(0, peaks: 1024);
        for (int i = 0; i < waits; i++)
        {
            recording.Add(i * Period, (long)Math.Min(latency(random, i / (double)waits), 1e15));
        }

        return recording.End(waits * Period, Period);
    }

    private static TailFamily Independent(string name, string what, Func<double, double> exceededByPart) => new(
        name, what, false, random => Of(random, Hour, (random, _) => exceededByPart(random.Uniform())), waits => exceededByPart(1 / waits));

    private static TailFamily Refused(string name, string what, Func<RandomNumbers, double, double> latency) =>
        new(name, what, true, random => Of(random, Hour, latency), _ => double.NaN);

    /// <summary>
    /// The latency that a part of the waits exceeds, where some of them are of a second kind so much longer that the kinds do not mix.
    /// </summary>
    private static Func<double, double> Bimodal(double second) => part => part < second
        ? 5 * Millisecond + 0.5 * Millisecond * Normal.InvCDF(0, 1, 1 - part / second)
        : 100e3 * Math.Exp(0.5 * Normal.InvCDF(0, 1, 1 - (part - second) / (1 - second)));

    private static LatencySeries MovingMaxima(RandomNumbers random, double keeps)
    {
        double at = 1 / random.Exponential();
        return Of(random, Hour, (random, _) =>
        {
            at = Math.Max(keeps * at, (1 - keeps) / random.Exponential());
            return Math.Max(0, 100e3 * (5 + Math.Log(at)));
        });
    }

    private static LatencySeries Bursts(RandomNumbers random)
    {
        int left = 0;
        double longest = 0;
        return Of(random, Hour, (random, _) =>
        {
            if (left == 0 && random.Uniform() < 1 / 400.0)
            {
                (left, longest) = (8, Millisecond * Math.Pow(random.Uniform(), -0.2));
                return longest;
            }

            left = Math.Max(0, left - 1);
            return left > 0 ? longest * (0.5 + 0.5 * random.Uniform()) : 100e3 * random.Exponential();
        });
    }
}
