using Tracer.Analysis.Tests.Beats;

namespace Tracer.Bench.Beats;

/// <summary>
/// The best test that there can be (Neyman and Pearson) of a beat against a renewal process whose intervals spread as those of the beat do,
/// at least by 5 % of the period: it knows the period, the jitter and the number of each event's beat, and asks only whether errors add up.
/// </summary>
internal sealed class BestPossibleTest
{
    /// <summary>It errs as often as the test that it is compared with may.</summary>
    private const double Level = 0.01;

    private const double LeastSpread = 0.05;
    private const int Samples = 20_000;

    private readonly double _jitter;
    private readonly double _spread;
    private readonly double _threshold;

    /// <summary>Finds the threshold by trying.</summary>
    /// <param name="events">How many events.</param>
    /// <param name="jitter">The standard deviation of the phase, in beats.</param>
    public BestPossibleTest(int events, double jitter)
    {
        _jitter = jitter;
        _spread = Math.Max(LeastSpread, Math.Sqrt(2) * jitter);
        var made = new MadeTimes(events);
        double[] statistics = new double[Samples];
        double[] phases = new double[events];
        for (int i = 0; i < Samples; i++)
        {
            for (int j = 1; j < events; j++)
            {
                phases[j] = phases[j - 1] + (_spread * made.Normal());
            }

            statistics[i] = Statistic(phases);
        }

        Array.Sort(statistics);
        _threshold = statistics[(int)(Samples * (1 - Level))];
    }

    /// <summary>Whether it finds the beat.</summary>
    /// <param name="times">Times of a beat of period 1.</param>
    /// <returns>True where no renewal process would do as well.</returns>
    public bool Finds(double[] times) => Statistic([.. times.Select(time => time - Math.Round(time))]) > _threshold;

    /// <summary>The logarithm of the ratio of the likelihoods, but for a constant.</summary>
    private double Statistic(double[] phases)
    {
        double mean = phases.Average();
        double ofBeat = 0;
        double ofIntervals = 0;
        for (int i = 0; i < phases.Length; i++)
        {
            ofBeat += (phases[i] - mean) * (phases[i] - mean) / (_jitter * _jitter);
            ofIntervals += i == 0 ? 0 : (phases[i] - phases[i - 1]) * (phases[i] - phases[i - 1]) / (_spread * _spread);
        }

        return ofIntervals - ofBeat;
    }
}
