namespace Tracer.Analysis.Tests.Beats;

/// <summary>Times of events whose making is known: beats with what hides them, and renewal processes, which have none.</summary>
internal sealed class MadeTimes(int seed)
{
    private readonly Random _random = new(seed);

    public double Normal() => Math.Sqrt(2 * Exponential()) * Math.Cos(2 * Math.PI * _random.NextDouble());

    public double Uniform(double from, double to) => from + ((to - from) * _random.NextDouble());

    public int Whole(int from, int below) => _random.Next(from, below);

    public double[] Renewal(int events, Func<MadeTimes, double> interval)
    {
        double at = 0;
        return [.. Enumerable.Range(0, events).Select(_ => at += interval(this))];
    }

    /// <summary>So many events of a beat; each but the first is missed with a chance. Jitter is a standard deviation, in beats.</summary>
    public double[] Beat(double period, int events, double jitter = 0, double missed = 0)
    {
        List<double> times = [];
        for (int beat = 0; times.Count < events; beat++)
        {
            if (times.Count == 0 || _random.NextDouble() >= missed)
            {
                times.Add((beat + (jitter * Normal())) * period);
            }
        }

        return [.. times];
    }

    /// <summary>The times with others between the first and the last, anywhere.</summary>
    public double[] With(int others, double[] times) =>
        [.. times, .. Enumerable.Range(0, others).Select(_ => Uniform(times[0], times[^1]))];

    public double Exponential() => -Math.Log(1 - _random.NextDouble());
}
